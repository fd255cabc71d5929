// SPDX-License-Identifier: MIT OR Apache-2.0
//! The flusher: what it knows of what there is to write.
//!
//! It is a kernel thread. It writes
//!
//! * while more than the background limit is dirty: file after file, each from where it stopped
//!   last time, half a second's worth of the device's rate (at least 4 MiB)
//!   before the next has its turn;
//! * every `dirty_writeback_centisecs`: files that have been dirty for `dirty_expire_centisecs`;
//! * everything, when a process calls sync(2).
//!
//! It waits for nothing but requests: the block layer's pool is what slows it down.

use std::collections::VecDeque;
use std::ops::Range;

use crate::cache::progress::OperationId;
use crate::cache::settings::CacheSettings;

const CENTISECOND_NS: u64 = 10_000_000;

/// What the flusher is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// There is nothing to write.
    Rest,
    /// Getting below the background limit.
    Background,
    /// Writing files that have been dirty for long.
    Expired,
}

/// State of the flusher.
#[derive(Debug)]
pub(super) struct Flusher {
    pub(super) interval_ns: u64,
    pub(super) expire_ns: u64,
    pub(super) goal: Goal,
    /// Files that have become dirty, the longest ago first.
    pub(super) dirty_files: VecDeque<usize>,
    /// Files of the present goal. The first is being written.
    pub(super) round: VecDeque<usize>,
    /// What the first may still write in its turn, pages; none: its turn has not begun.
    pub(super) turn: Option<u64>,
    /// The next periodic round, ns.
    pub(super) round_at_ns: Option<u64>,
    /// Where sync(2) has come to, and up to where it goes.
    pub(super) all: Range<u64>,
    /// The operations of processes that wait for that sync(2).
    pub(super) callers: Vec<OperationId>,
    /// All that is dirty is also being written: go on when something has been.
    pub(super) is_stalled: bool,
    /// It is on the list of those that can go on.
    pub is_woken: bool,
}

impl Flusher {
    pub(super) fn new(settings: &CacheSettings) -> Flusher {
        let ns = |centisecs: u32| u64::from(centisecs) * CENTISECOND_NS;
        Flusher {
            interval_ns: ns(settings.dirty_writeback_centisecs),
            expire_ns: ns(settings.dirty_expire_centisecs),
            goal: Goal::Rest,
            dirty_files: VecDeque::new(),
            round: VecDeque::new(),
            turn: None,
            round_at_ns: None,
            all: 0..0,
            callers: Vec::new(),
            is_stalled: false,
            is_woken: false,
        }
    }

    /// Everything in the span is to be written, once; then `caller` goes on.
    pub(super) fn write_all_for(&mut self, caller: OperationId, span: Range<u64>) {
        self.all = span;
        self.callers.push(caller);
    }

    pub(super) fn take_turns_up(&mut self) {
        self.turn = None;
        if let Some(file) = self.round.pop_front() {
            self.round.push_back(file);
        }
    }
}
