// SPDX-License-Identifier: MIT OR Apache-2.0
//! A piece of a request by a system call that does it wholly before it returns.

use super::memory::{LENT_MAX, Memory};
use super::transfer::{Piece, Source};
use crate::pattern::Pattern;
use base::Op;
use rustix::fs::{FallocateFlags, fallocate, fdatasync};
use rustix::io::{Errno, preadv, pwritev};
use std::array;
use std::fs::File;
use std::io::{IoSlice, IoSliceMut};

/// Does a piece; the answer is the bytes that were moved.
pub(super) fn execute(
    file: &File,
    pattern: &Pattern,
    piece: Piece,
    memory: &mut Memory,
) -> Result<u32, Errno> {
    let Piece { op, offset_bytes, length_bytes, source, .. } = piece;
    match op {
        Op::Read => {
            let mut slices: [_; LENT_MAX] = array::from_fn(|_| IoSliceMut::new(&mut []));
            let used = fill(&mut slices, memory.parts(piece).map(IoSliceMut::new));
            preadv(file, used, offset_bytes).map(|n| n as u32)
        }
        Op::Write if source == Source::Pattern => {
            let data = pattern.at(offset_bytes, length_bytes as usize);
            pwritev(file, &[IoSlice::new(data)], offset_bytes).map(|n| n as u32)
        }
        Op::Write => {
            let mut slices = [IoSlice::new(&[]); LENT_MAX];
            let used = fill(&mut slices, memory.parts(piece).map(|part| IoSlice::new(part)));
            pwritev(file, used, offset_bytes).map(|n| n as u32)
        }
        Op::Discard => {
            let mode = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
            fallocate(file, mode, offset_bytes, u64::from(length_bytes)).map(|()| 0)
        }
        Op::Flush => fdatasync(file).map(|()| 0),
    }
}

/// Puts slices into an array; those that were put there.
fn fill<T>(into: &mut [T; LENT_MAX], slices: impl Iterator<Item = T>) -> &mut [T] {
    let mut used = 0;
    for (place, slice) in into.iter_mut().zip(slices) {
        *place = slice;
        used += 1;
    }
    &mut into[..used]
}
