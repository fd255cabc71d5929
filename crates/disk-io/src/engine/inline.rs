// SPDX-License-Identifier: MIT OR Apache-2.0
//! Requests by system calls of the caller's own thread: for files in memory, which are not waited
//! for. An io_uring would hand them to threads of the kernel, which takes longer than they do.

use super::call::execute;
use super::transfer::{Outcome, Piece};
use crate::buffer::AlignedBuffer;
use crate::pattern::Pattern;
use std::fs::File;
use std::sync::Arc;
use std::time::Duration;

/// A buffer for each slot, and what has ended.
pub(super) struct Inline {
    file: Arc<File>,
    pattern: Pattern,
    buffers: Vec<AlignedBuffer>,
    outcomes: Vec<Outcome>,
}

impl Inline {
    pub(super) fn new(file: Arc<File>, depth: u32, longest_bytes: u32) -> Inline {
        let longest_bytes = longest_bytes as usize;
        Inline {
            file,
            pattern: Pattern::new(longest_bytes),
            buffers: (0..depth).map(|_| AlignedBuffer::zeroed(longest_bytes)).collect(),
            outcomes: Vec::with_capacity(depth as usize),
        }
    }

    /// Does a piece; `wait` tells how it ended.
    pub(super) fn start(&mut self, slot: u32, piece: Piece) {
        let buffer = &mut self.buffers[slot as usize];
        let result = execute(&self.file, &self.pattern, piece, buffer);
        self.outcomes.push(Outcome { slot, result });
    }

    /// Takes what has ended. Nothing else can end while it waits.
    pub(super) fn wait(&mut self, timeout: Duration, out: &mut Vec<Outcome>) {
        if self.outcomes.is_empty() {
            std::thread::sleep(timeout);
        }
        out.append(&mut self.outcomes);
    }

    /// What the last read of an idle slot has read.
    pub(super) fn bytes(&self, slot: u32) -> &[u8] {
        self.buffers[slot as usize].bytes()
    }

    /// An idle slot's buffer, for a write from it; and the pattern.
    pub(super) fn buffer(&mut self, slot: u32) -> (&mut [u8], &Pattern) {
        (self.buffers[slot as usize].bytes_mut(), &self.pattern)
    }
}
