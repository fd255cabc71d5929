// SPDX-License-Identifier: MIT OR Apache-2.0
//! A piece of a request by a system call that does it wholly before it returns.

use super::transfer::{Piece, Source};
use crate::buffer::AlignedBuffer;
use crate::pattern::Pattern;
use base::Op;
use rustix::fs::{FallocateFlags, fallocate, fdatasync};
use rustix::io::{Errno, preadv, pwritev};
use std::fs::File;
use std::io::{IoSlice, IoSliceMut};

/// Does a piece; the answer is the bytes that were moved.
pub(super) fn execute(
    file: &File,
    pattern: &Pattern,
    piece: Piece,
    buffer: &mut AlignedBuffer,
) -> Result<u32, Errno> {
    let Piece { op, offset_bytes, length_bytes, buffer_start, source } = piece;
    let length = length_bytes as usize;
    match op {
        Op::Read => {
            let into = &mut buffer.bytes_mut()[buffer_start..buffer_start + length];
            preadv(file, &mut [IoSliceMut::new(into)], offset_bytes).map(|n| n as u32)
        }
        Op::Write => {
            let data = match source {
                Source::Pattern => pattern.at(offset_bytes, length),
                Source::Buffer => &buffer.bytes()[buffer_start..buffer_start + length],
            };
            pwritev(file, &[IoSlice::new(data)], offset_bytes).map(|n| n as u32)
        }
        Op::Discard => {
            let mode = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
            fallocate(file, mode, offset_bytes, u64::from(length_bytes)).map(|()| 0)
        }
        Op::Flush => fdatasync(file).map(|()| 0),
    }
}
