// SPDX-License-Identifier: MIT OR Apache-2.0
//! The memory of a slot: a buffer of its own and, for one request, those that a caller has lent.

use super::transfer::{Piece, Source};
use crate::buffer::Buffer;

/// The most buffers that can be lent to a request.
pub const LENT_MAX: usize = 64;

/// The memory of a slot: a buffer of the engine's own, and those that a caller lends.
#[derive(Debug)]
pub(super) struct Memory {
    /// As long as the longest request.
    pub(super) own: Buffer,
    /// One after the other as long as their request; empty if it uses the slot's own buffer.
    lent: Vec<Buffer>,
}

impl Memory {
    pub(super) fn new(longest_bytes: usize) -> Memory {
        Memory { own: Buffer::zeroed(longest_bytes), lent: Vec::new() }
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
                (Some(&mut self.own[piece.buffer_start..piece.buffer_start + length]), &mut [][..])
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
