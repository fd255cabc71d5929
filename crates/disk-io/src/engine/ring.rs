// SPDX-License-Identifier: MIT OR Apache-2.0
//! Requests by io_uring: the only place where buffers are handed to the kernel, and where
//! unsafe code is.
//!
//! The rule that makes it sound: from `start` until its completion has been taken from the ring,
//! a slot's buffers belong to the kernel. Nothing here makes a reference to them, moves or frees
//! them, not even when the ring is dropped in mid-flight.
#![allow(unsafe_code)]

use super::memory::{LENT_MAX, Memory};
use super::transfer::{Piece, PieceOutcome, Source};
use crate::pattern::Pattern;
use base::Op;
use io_uring::{IoUring, opcode, squeue, types};
use rustix::fs::FallocateFlags;
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::sync::Arc;
use std::time::Duration;

/// An io_uring with memory for each slot.
pub(super) struct Ring {
    uring: IoUring,
    /// What the kernel may be using. Freed by `drop`, when nothing is in flight, or never.
    shared: ManuallyDrop<Shared>,
    in_flight: usize,
}

struct Shared {
    file: Arc<File>,
    pattern: Pattern,
    slots: Vec<Slot>,
}

struct Slot {
    memory: Memory,
    /// The parts of the memory for a request that has several; it is filled, and may grow, only
    /// while the slot is idle.
    vectors: Vectors,
    in_flight: bool,
}

struct Vectors(Vec<libc::iovec>);

// SAFETY: the vectors point into the memory of their slot, which goes where they go, and only the
// kernel follows them.
unsafe impl Send for Vectors {}

impl Ring {
    /// # Errors
    /// What the kernel says when it has no io_uring, forbids it, or has one that is too old to
    /// wait with a timeout (before 5.11).
    pub(super) fn new(file: Arc<File>, depth: u32, longest_bytes: u32) -> io::Result<Ring> {
        let uring = IoUring::new(depth.next_power_of_two())?;
        if !uring.params().is_feature_ext_arg() {
            return Err(io::Error::from(io::ErrorKind::Unsupported));
        }
        let longest_bytes = longest_bytes as usize;
        let slot = || Slot {
            memory: Memory::new(longest_bytes),
            vectors: Vectors(Vec::new()),
            in_flight: false,
        };
        let shared = Shared {
            file,
            pattern: Pattern::new(longest_bytes),
            slots: (0..depth).map(|_| slot()).collect(),
        };
        Ok(Ring { uring, shared: ManuallyDrop::new(shared), in_flight: 0 })
    }

    /// Queues a piece; the kernel sees it at the next `wait`.
    pub(super) fn start(&mut self, slot: u32, piece: Piece) {
        let entry = self.shared.entry(slot, piece).user_data(u64::from(slot));
        let mut submission = self.uring.submission();
        // SAFETY: the entry's file descriptor, memory, vectors and written data are owned by
        // `shared`. The slot was idle (`Shared::entry` asserts it and marks it in flight), and the
        // parts of its memory are slices of its buffers, so that the kernel is the only one to use
        // those bytes, and none outside them. They stay where they are until the completion is
        // taken in `reap`: a `Buffer` never moves or grows, a `Pattern` makes its one once, before
        // the first entry that points into it, a slot's own buffer is made and its vectors are
        // filled only while it is idle, `memory` and `memory_mut` refuse slots in flight, and
        // `drop` waits for all completions or leaks it all.
        let pushed = unsafe { submission.push(&entry) };
        pushed.expect("the ring has a place for each slot, and an idle slot has nothing queued");
        self.in_flight += 1;
    }

    /// Can be read when there are completions.
    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        // SAFETY: the ring keeps its descriptor open for as long as it is borrowed.
        unsafe { BorrowedFd::borrow_raw(self.uring.as_raw_fd()) }
    }

    /// Hands over what was queued, and waits for a completion or until the time is over (or
    /// a signal comes).
    pub(super) fn wait(
        &mut self,
        timeout: Duration,
        out: &mut Vec<PieceOutcome>,
    ) -> io::Result<()> {
        let has_news = timeout.is_zero() || !self.uring.completion().is_empty();
        let result = if has_news && self.uring.submission().is_empty() {
            Ok(0)
        } else if has_news {
            self.uring.submit()
        } else {
            let timespec = types::Timespec::from(timeout);
            let arguments = types::SubmitArgs::new().timespec(&timespec);
            self.uring.submitter().submit_with_args(1, &arguments)
        };
        self.reap(out);
        match result {
            Ok(_) => Ok(()),
            Err(error) => match Errno::from_io_error(&error) {
                Some(Errno::TIME | Errno::INTR | Errno::AGAIN | Errno::BUSY) => Ok(()),
                _ => Err(error),
            },
        }
    }

    /// An idle slot's memory.
    pub(super) fn memory(&self, slot: u32) -> Option<&Memory> {
        let slot = &self.shared.slots[slot as usize];
        (!slot.in_flight).then_some(&slot.memory)
    }

    /// The same, to be changed; and the pattern.
    pub(super) fn memory_mut(&mut self, slot: u32) -> (&mut Memory, &Pattern) {
        let Shared { pattern, slots, .. } = &mut *self.shared;
        let slot = &mut slots[slot as usize];
        assert!(!slot.in_flight, "a slot has one request at a time");
        (&mut slot.memory, pattern)
    }

    fn reap(&mut self, out: &mut Vec<PieceOutcome>) {
        for entry in self.uring.completion() {
            let slot = entry.user_data() as u32;
            self.shared.slots[slot as usize].in_flight = false;
            self.in_flight -= 1;
            let result = u32::try_from(entry.result())
                .map_err(|_| Errno::from_raw_os_error(-entry.result()));
            out.push(PieceOutcome { slot, result });
        }
    }
}

impl Shared {
    /// The kernel's form of a piece. From here on the slot is in flight.
    fn entry(&mut self, slot: u32, piece: Piece) -> squeue::Entry {
        let Piece { op, offset_bytes, length_bytes, source, .. } = piece;
        let slot = &mut self.slots[slot as usize];
        assert!(!slot.in_flight, "a slot has one request at a time");
        let file = types::Fd(self.file.as_raw_fd());
        let entry = match op {
            Op::Read => match slot.vectors(piece) {
                &[one] => {
                    let length_bytes = one.iov_len as u32;
                    opcode::Read::new(file, one.iov_base.cast(), length_bytes)
                        .offset(offset_bytes)
                        .build()
                }
                many => opcode::Readv::new(file, many.as_ptr(), many.len() as u32)
                    .offset(offset_bytes)
                    .build(),
            },
            Op::Write if source == Source::Pattern => {
                let data = self.pattern.at(offset_bytes, length_bytes as usize).as_ptr();
                opcode::Write::new(file, data, length_bytes).offset(offset_bytes).build()
            }
            Op::Write => match slot.vectors(piece) {
                &[one] => {
                    let length_bytes = one.iov_len as u32;
                    opcode::Write::new(file, one.iov_base.cast_const().cast(), length_bytes)
                        .offset(offset_bytes)
                        .build()
                }
                many => opcode::Writev::new(file, many.as_ptr(), many.len() as u32)
                    .offset(offset_bytes)
                    .build(),
            },
            Op::Discard => {
                let mode = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
                opcode::Fallocate::new(file, u64::from(length_bytes))
                    .offset(offset_bytes)
                    .mode(mode.bits() as i32)
                    .build()
            }
            Op::Flush => opcode::Fsync::new(file).flags(types::FsyncFlags::DATASYNC).build(),
        };
        slot.in_flight = true;
        entry
    }
}

impl Slot {
    /// The parts of its memory that a piece is about.
    fn vectors(&mut self, piece: Piece) -> &[libc::iovec] {
        let Vectors(vectors) = &mut self.vectors;
        vectors.clear();
        let parts = self.memory.parts(piece).take(LENT_MAX);
        vectors.extend(
            parts.map(|part| libc::iovec {
                iov_base: part.as_mut_ptr().cast(),
                iov_len: part.len(),
            }),
        );
        vectors
    }
}

impl Drop for Ring {
    /// Waits for what is in flight: the kernel writes into the buffers until then.
    fn drop(&mut self) {
        let mut outcomes = Vec::new();
        while self.in_flight > 0 {
            if self.wait(Duration::from_secs(1), &mut outcomes).is_err() {
                return; // The kernel may still write into the memory: it must never be freed.
            }
            outcomes.clear();
        }
        // SAFETY: nothing is in flight, so only this code uses the memory; and this is the only
        // place that drops it, once, as the value that holds it is being dropped.
        unsafe { ManuallyDrop::drop(&mut self.shared) };
    }
}
