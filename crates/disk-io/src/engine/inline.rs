// SPDX-License-Identifier: MIT OR Apache-2.0
//! Requests by system calls of the caller's own thread: for files in memory, which are not waited
//! for. An io_uring would hand them to threads of the kernel, which takes longer than they do.

use super::call::execute;
use super::memory::Memory;
use super::transfer::{Piece, PieceOutcome};
use crate::pattern::Pattern;
use std::fs::File;
use std::sync::Arc;
use std::time::Duration;

/// Memory for each slot, and what has ended.
pub(super) struct Inline {
    file: Arc<File>,
    pattern: Pattern,
    slots: Vec<Memory>,
    outcomes: Vec<PieceOutcome>,
}

impl Inline {
    pub(super) fn new(file: Arc<File>, depth: u32, longest_bytes: u32) -> Inline {
        let longest_bytes = longest_bytes as usize;
        Inline {
            file,
            pattern: Pattern::new(longest_bytes),
            slots: (0..depth).map(|_| Memory::new(longest_bytes)).collect(),
            outcomes: Vec::with_capacity(depth as usize),
        }
    }

    /// Does a piece; `wait` tells how it ended.
    pub(super) fn start(&mut self, slot: u32, piece: Piece) {
        let memory = &mut self.slots[slot as usize];
        let result = execute(&self.file, &self.pattern, piece, memory);
        self.outcomes.push(PieceOutcome { slot, result });
    }

    /// Takes what has ended. Nothing else can end while it waits.
    pub(super) fn wait(&mut self, timeout: Duration, out: &mut Vec<PieceOutcome>) {
        if self.outcomes.is_empty() {
            std::thread::sleep(timeout);
        }
        out.append(&mut self.outcomes);
    }

    pub(super) fn memory(&self, slot: u32) -> &Memory {
        &self.slots[slot as usize]
    }

    /// The same, to be changed; and the pattern.
    pub(super) fn memory_mut(&mut self, slot: u32) -> (&mut Memory, &Pattern) {
        (&mut self.slots[slot as usize], &self.pattern)
    }
}
