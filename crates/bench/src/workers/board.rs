// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the threads of a worker know of each other: how far each has come, and that it is enough.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Shared by all threads of a worker.
pub(super) struct Board {
    /// I/Os completed, by the number of the process; `u64::MAX` when it has ended.
    completed_ios: Vec<AtomicU64>,
    enough: AtomicBool,
    turn: Mutex<()>,
    news: Condvar,
}

impl Board {
    /// For processes with numbers below `processes`.
    pub(super) fn new(processes: u32) -> Self {
        Board {
            completed_ios: (0..processes).map(|_| AtomicU64::new(0)).collect(),
            enough: AtomicBool::new(false),
            turn: Mutex::new(()),
            news: Condvar::new(),
        }
    }

    /// The number of I/Os that a process has completed in all.
    pub(super) fn completed(&self, process: u32, ios: u64) {
        self.completed_ios[process as usize].store(ios, Ordering::Release);
        self.tell();
    }

    /// A process has ended.
    pub(super) fn ended(&self, process: u32) {
        self.completed(process, u64::MAX);
    }

    /// Whether a process has completed that number of I/Os, or ended.
    pub(super) fn has_come_to(&self, process: u32, ios: u64) -> bool {
        let of_process = self.completed_ios.get(process as usize);
        of_process.is_none_or(|completed| completed.load(Ordering::Acquire) >= ios)
    }

    /// No process is to begin another I/O.
    pub(super) fn say_enough(&self) {
        self.enough.store(true, Ordering::Release);
        self.tell();
    }

    /// Whether no process is to begin another I/O.
    pub(super) fn is_enough(&self) -> bool {
        self.enough.load(Ordering::Acquire)
    }

    /// Sleeps until something has changed since the caller last looked, or the time is over.
    pub(super) fn wait_unless(&self, come: impl Fn() -> bool, patience: Duration) {
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        if !come() && !self.is_enough() {
            // The lock is held from the look to the sleep, and `tell` takes it: no news is missed.
            drop(self.news.wait_timeout(turn, patience));
        }
    }

    fn tell(&self) {
        drop(self.turn.lock());
        self.news.notify_all();
    }
}
