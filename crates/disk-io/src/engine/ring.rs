// SPDX-License-Identifier: MIT OR Apache-2.0
//! Requests by io_uring: the only place where buffers are handed to the kernel, and where
//! unsafe code is.
//!
//! The rule that makes it sound: from `start` until its completion has been taken from the ring,
//! a slot's buffer belongs to the kernel. Here nobody makes a reference to it, moves it or frees
//! it, not even when the ring is dropped in mid-flight.
#![allow(unsafe_code)]

use super::transfer::{Outcome, Piece, Source};
use crate::buffer::AlignedBuffer;
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

/// An io_uring with a buffer for each slot.
pub(super) struct Ring {
    uring: IoUring,
    /// What the kernel may be using. Freed by `drop`, when nothing is in flight, or never.
    memory: ManuallyDrop<Memory>,
    in_flight: usize,
}

struct Memory {
    file: Arc<File>,
    pattern: Pattern,
    slots: Vec<Slot>,
}

struct Slot {
    buffer: AlignedBuffer,
    in_flight: bool,
}

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
        let slot = || Slot { buffer: AlignedBuffer::zeroed(longest_bytes), in_flight: false };
        let memory = Memory {
            file,
            pattern: Pattern::new(longest_bytes),
            slots: (0..depth).map(|_| slot()).collect(),
        };
        Ok(Ring { uring, memory: ManuallyDrop::new(memory), in_flight: 0 })
    }

    /// Queues a piece; the kernel sees it at the next `wait`.
    pub(super) fn start(&mut self, slot: u32, piece: Piece) {
        let entry = self.memory.entry(slot, piece).user_data(u64::from(slot));
        let mut submission = self.uring.submission();
        // SAFETY: the entry's file descriptor, buffer and written data are owned by `memory`. The
        // slot was idle (`Memory::entry` asserts it and marks it in flight), and the piece lies
        // inside its buffer (asserted too), so that the kernel is the only one to use those bytes,
        // and none outside them. They stay where they are until the completion is taken in `reap`:
        // an `AlignedBuffer` and a `Pattern` never move or grow, `bytes` and `buffer` refuse slots
        // in flight, and `drop` waits for all completions or leaks the memory.
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
    pub(super) fn wait(&mut self, timeout: Duration, out: &mut Vec<Outcome>) -> io::Result<()> {
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

    /// What the last read of an idle slot has read.
    pub(super) fn bytes(&self, slot: u32) -> Option<&[u8]> {
        let slot = &self.memory.slots[slot as usize];
        (!slot.in_flight).then(|| slot.buffer.bytes())
    }

    /// An idle slot's buffer, for a write from it; and the pattern.
    pub(super) fn buffer(&mut self, slot: u32) -> (&mut [u8], &Pattern) {
        let Memory { pattern, slots, .. } = &mut *self.memory;
        let slot = &mut slots[slot as usize];
        assert!(!slot.in_flight, "a slot has one request at a time");
        (slot.buffer.bytes_mut(), pattern)
    }

    fn reap(&mut self, out: &mut Vec<Outcome>) {
        for entry in self.uring.completion() {
            let slot = entry.user_data() as u32;
            self.memory.slots[slot as usize].in_flight = false;
            self.in_flight -= 1;
            let result = u32::try_from(entry.result())
                .map_err(|_| Errno::from_raw_os_error(-entry.result()));
            out.push(Outcome { slot, result });
        }
    }
}

impl Memory {
    /// The kernel's form of a piece. From here on the slot is in flight.
    fn entry(&mut self, slot: u32, piece: Piece) -> squeue::Entry {
        let Piece { op, offset_bytes, length_bytes, buffer_start, source } = piece;
        let slot = &mut self.slots[slot as usize];
        assert!(!slot.in_flight, "a slot has one request at a time");
        let file = types::Fd(self.file.as_raw_fd());
        let entry = match op {
            Op::Read => {
                assert!(buffer_start + length_bytes as usize <= slot.buffer.length());
                let at = slot.buffer.as_mut_ptr().wrapping_add(buffer_start);
                opcode::Read::new(file, at, length_bytes).offset(offset_bytes).build()
            }
            Op::Write => {
                let length = length_bytes as usize;
                let data = match source {
                    Source::Pattern => self.pattern.at(offset_bytes, length).as_ptr(),
                    Source::Buffer => {
                        assert!(buffer_start + length <= slot.buffer.length());
                        slot.buffer.as_mut_ptr().wrapping_add(buffer_start).cast_const()
                    }
                };
                opcode::Write::new(file, data, length_bytes).offset(offset_bytes).build()
            }
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
        unsafe { ManuallyDrop::drop(&mut self.memory) };
    }
}
