// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory for the data of requests, used again and again: after warm-up no request allocates.

use std::ops::{Deref, DerefMut};

/// The smallest buffer, in bytes.
const LEAST_BYTES: usize = 4096;

/// Buffers of 4 KiB, 8 KiB and so on up to 32 MiB, the largest request there is.
const CLASSES: usize = 14;

/// So much is kept for later; what comes back beyond it is freed, in bytes.
const KEPT_BYTES: usize = 64 << 20;

/// A piece of memory that holds the data of one request.
#[derive(Debug)]
pub struct Buffer {
    /// As long as its class, so that giving it a new length clears nothing.
    memory: Vec<u8>,
    length: usize,
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.memory[..self.length]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.memory[..self.length]
    }
}

/// Buffers that are free at the moment.
#[derive(Debug, Default)]
pub struct Buffers {
    free: [Vec<Vec<u8>>; CLASSES],
    kept_bytes: usize,
}

impl Buffers {
    /// A buffer of this length. What is in it is left from another request of the same server:
    /// whoever takes it writes all of it before anybody reads it.
    pub fn take(&mut self, length: usize) -> Buffer {
        let class = class_of(length);
        let memory = match self.free.get_mut(class).and_then(Vec::pop) {
            Some(memory) => {
                self.kept_bytes -= memory.len();
                memory
            }
            None => vec![0; class_bytes(class).max(length)],
        };
        Buffer { memory, length }
    }

    /// Takes a buffer back.
    pub fn give(&mut self, buffer: Buffer) {
        let length = buffer.memory.len();
        let class = class_of(length);
        if class < CLASSES && self.kept_bytes + length <= KEPT_BYTES {
            self.kept_bytes += length;
            self.free[class].push(buffer.memory);
        }
    }
}

fn class_of(length: usize) -> usize {
    let blocks = length.div_ceil(LEAST_BYTES).max(1).next_power_of_two();
    blocks.trailing_zeros() as usize
}

fn class_bytes(class: usize) -> usize {
    if class < CLASSES { LEAST_BYTES << class } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_as_long_as_asked_and_comes_back_to_its_class() {
        let mut buffers = Buffers::default();
        for (length, memory) in
            [(0, 4096), (1, 4096), (4096, 4096), (4097, 8192), (32 << 20, 32 << 20)]
        {
            let buffer = buffers.take(length);
            assert_eq!((buffer.len(), buffer.memory.len()), (length, memory));
            let at = buffer.as_ptr();
            buffers.give(buffer);
            assert_eq!(buffers.take(length.max(1)).as_ptr(), at, "{length} bytes");
        }
        assert_eq!(buffers.kept_bytes, 0);
    }

    #[test]
    fn not_more_than_the_bound_is_kept() {
        let mut buffers = Buffers::default();
        let taken: Vec<Buffer> = (0..5).map(|_| buffers.take(16 << 20)).collect();
        for buffer in taken {
            buffers.give(buffer);
        }
        assert_eq!(buffers.kept_bytes, KEPT_BYTES);
    }
}
