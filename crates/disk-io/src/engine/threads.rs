// SPDX-License-Identifier: MIT OR Apache-2.0
//! Requests by `preadv` and `pwritev` in a pool of threads: for systems that refuse io_uring.
//!
//! Memory goes to the thread with its request, and comes back with the outcome.

use super::call::execute;
use super::memory::Memory;
use super::transfer::{Piece, PieceOutcome};
use crate::pattern::Pattern;
use rustix::event::{EventfdFlags, eventfd};
use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// More threads than this only stand in each other's way.
const THREADS_MAX: u32 = 256;

/// A thread does a system call at a time, and needs next to no stack.
const STACK_BYTES: usize = 128 << 10;

/// Threads, and memory for each slot.
pub(super) struct Threads {
    shared: Arc<Shared>,
    ended: Receiver<Ended>,
    /// `None` while a thread has it.
    slots: Vec<Option<Memory>>,
    workers: Vec<JoinHandle<()>>,
}

struct Shared {
    file: Arc<File>,
    pattern: Pattern,
    queue: Mutex<WorkQueue>,
    /// There is work, or the queue was closed.
    changed: Condvar,
    /// Can be read when outcomes have come since it was read last.
    news: OwnedFd,
}

#[derive(Default)]
struct WorkQueue {
    work: VecDeque<Work>,
    closed: bool,
}

struct Work {
    slot: u32,
    piece: Piece,
    memory: Memory,
}

struct Ended {
    outcome: PieceOutcome,
    memory: Memory,
}

impl Threads {
    /// One thread for each request that may be in flight, or as many as the system grants.
    ///
    /// # Errors
    /// When not even one thread can be started.
    pub(super) fn new(file: Arc<File>, depth: u32, longest_bytes: u32) -> io::Result<Threads> {
        let longest_bytes = longest_bytes as usize;
        let shared = Arc::new(Shared {
            file,
            pattern: Pattern::new(longest_bytes),
            queue: Mutex::default(),
            changed: Condvar::new(),
            news: eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?,
        });
        let (sender, ended) = channel();
        let slots = (0..depth).map(|_| Some(Memory::new(longest_bytes))).collect();
        let mut threads = Threads { shared, ended, slots, workers: Vec::new() };
        for _ in 0..depth.min(THREADS_MAX) {
            let (shared, sender) = (Arc::clone(&threads.shared), sender.clone());
            let builder = thread::Builder::new().name("bfq-io".into()).stack_size(STACK_BYTES);
            match builder.spawn(move || shared.serve(&sender)) {
                Ok(worker) => threads.workers.push(worker),
                Err(error) if threads.workers.is_empty() => return Err(error),
                Err(_) => break,
            }
        }
        Ok(threads)
    }

    /// Gives a piece to the next free thread.
    pub(super) fn start(&mut self, slot: u32, piece: Piece) {
        let memory = self.slots[slot as usize].take().expect("a slot has one request at a time");
        self.shared.lock().work.push_back(Work { slot, piece, memory });
        self.shared.changed.notify_one();
    }

    /// Can be read when there are outcomes.
    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.shared.news.as_fd()
    }

    /// Waits for an outcome, at most for the time given, and takes all there are.
    pub(super) fn wait(
        &mut self,
        timeout: Duration,
        out: &mut Vec<PieceOutcome>,
    ) -> io::Result<()> {
        // Before the outcomes are taken: one that comes later is told again. It fails only if
        // there is nothing to read.
        let _ = rustix::io::read(&self.shared.news, &mut [0; 8]);
        match self.ended.recv_timeout(timeout) {
            Ok(ended) => self.take(ended, out),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(io::Error::other("the threads that do the I/O have ended"));
            }
        }
        while let Ok(ended) = self.ended.try_recv() {
            self.take(ended, out);
        }
        Ok(())
    }

    /// An idle slot's memory.
    pub(super) fn memory(&self, slot: u32) -> Option<&Memory> {
        self.slots[slot as usize].as_ref()
    }

    /// The same, to be changed; and the pattern.
    pub(super) fn memory_mut(&mut self, slot: u32) -> (&mut Memory, &Pattern) {
        let memory = self.slots[slot as usize].as_mut();
        (memory.expect("a slot has one request at a time"), &self.shared.pattern)
    }

    fn take(&mut self, Ended { outcome, memory }: Ended, out: &mut Vec<PieceOutcome>) {
        self.slots[outcome.slot as usize] = Some(memory);
        out.push(outcome);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, WorkQueue> {
        // The queue is whole between any two statements, whoever panicked.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a thread does: take a request, do it, report the result.
    fn serve(&self, sender: &Sender<Ended>) {
        while let Some(Work { slot, piece, mut memory }) = self.next_work() {
            let result = execute(&self.file, &self.pattern, piece, &mut memory);
            let ended = Ended { outcome: PieceOutcome { slot, result }, memory };
            if sender.send(ended).is_err() {
                return;
            }
            // It fails only if it can be read already.
            let _ = rustix::io::write(&self.news, &1_u64.to_ne_bytes());
        }
    }

    fn next_work(&self) -> Option<Work> {
        let mut queue = self.lock();
        loop {
            if queue.closed {
                return None;
            }
            if let Some(work) = queue.work.pop_front() {
                return Some(work);
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Threads {
    /// Ends the threads; a request that one of them is doing is waited for.
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_all();
        for worker in self.workers.drain(..) {
            // A panic in a thread has been reported by the thread; nothing is left to do for it.
            let _ = worker.join();
        }
    }
}
