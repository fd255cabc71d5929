// SPDX-License-Identifier: MIT OR Apache-2.0
//! The memory of a slot: a buffer of its own and, for one request, those that a caller has lent.

use super::transfer::{Piece, Source};
use crate::buffer::Buffer;

/// The most buffers that can be lent to a request.
pub const LENT_MAX: usize = 64;

/// The memory of a slot: a buffer of the engine's own, and those that a caller lends.
#[derive(Debug)]
pub(super) struct Memory {
    longest_bytes: usize,
    /// As long as the longest request; empty before its first use.
    own: Buffer,
    /// One after the other as long as their request; empty if it uses the slot's own buffer.
    lent: Vec<Buffer>,
}

impl Memory {
    pub(super) fn new(longest_bytes: usize) -> Memory {
        Memory { longest_bytes, own: Buffer::default(), lent: Vec::new() }
    }

    /// The engine's own buffer, as long as the longest request; it is made if there is none yet.
    pub(super) fn own_mut(&mut self) -> &mut Buffer {
        if self.own.len() < self.longest_bytes {
            self.own = Buffer::zeroed(self.longest_bytes);
        }
        &mut self.own
    }

    /// The engine's own buffer; empty if it was never used.
    pub(super) fn own(&self) -> &[u8] {
        &self.own
    }

    /// Takes a caller's buffers. Those of an earlier request that were not taken back are freed.
    pub(super) fn lend(&mut self, buffers: &mut Vec<Buffer>) {
        self.lent.clear();
        self.lent.append(buffers);
    }

    /// Moves the caller's buffers back into `into`.
    pub(super) fn give_back(&mut self, into: &mut Vec<Buffer>) {
        into.append(&mut self.lent);
    }

    /// The memory of a piece, which goes to the end of its request, in its order.
    pub(super) fn parts(&mut self, piece: Piece) -> impl Iterator<Item = &mut [u8]> {
        let length = piece.length_bytes as usize;
        let (own, lent) = match piece.source {
            Source::Lent => (None, &mut self.lent[..]),
            _ => {
                let range = piece.buffer_start..piece.buffer_start + length;
                (Some(&mut self.own_mut()[range]), &mut [][..])
            }
        };
        let mut done = piece.buffer_start;
        let lent = lent.iter_mut().filter_map(move |buffer| {
            let here = done.min(buffer.len());
            done -= here;
            Some(&mut buffer[here..]).filter(|rest| !rest.is_empty())
        });
        own.into_iter().chain(lent)
    }
}
