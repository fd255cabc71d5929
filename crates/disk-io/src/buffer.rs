// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory that `O_DIRECT` accepts: its address is a multiple of [`ALIGNMENT_BYTES`].

use std::ops::{Deref, DerefMut};

/// Enough for any device: the kernel asks for the logical block size (512 or 4096) at most.
pub(crate) const ALIGNMENT_BYTES: usize = 4096;

/// A piece of aligned memory, which stays where it is while the value lives and is moved.
#[derive(Debug, Default)]
pub struct Buffer {
    /// Longer than asked for, so that an aligned piece of the wanted length lies inside; never
    /// grows, so its memory stays where it is.
    memory: Vec<u8>,
    start: usize,
    length: usize,
}

impl Buffer {
    /// Zeroed memory of this length; pages never touched cost nothing.
    pub fn zeroed(length_bytes: usize) -> Buffer {
        let memory = vec![0; length_bytes + ALIGNMENT_BYTES];
        let start = memory.as_ptr().align_offset(ALIGNMENT_BYTES);
        Buffer { memory, start, length: length_bytes }
    }

    /// The greatest length that it can have, in bytes: at least that which it was made with.
    pub fn capacity(&self) -> usize {
        self.memory.len() - self.start
    }

    /// From now on it has this length. What it has beyond its last length is left from before.
    ///
    /// # Panics
    /// If this is more than its [capacity](Buffer::capacity).
    pub fn set_length(&mut self, length_bytes: usize) {
        assert!(length_bytes <= self.capacity(), "a buffer does not grow");
        self.length = length_bytes;
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.memory[self.start..self.start + self.length]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_buffer_is_aligned_and_as_long_as_asked() {
        for length_bytes in [0, 1, 512, 4096, 4097, 1 << 20] {
            let buffer = Buffer::zeroed(length_bytes);
            assert_eq!(buffer.len(), length_bytes);
            assert_eq!(buffer.as_ptr() as usize % ALIGNMENT_BYTES, 0, "{length_bytes}");
        }
    }

    #[test]
    fn moving_the_value_leaves_its_memory_in_place() {
        let buffer = Buffer::zeroed(4096);
        let before = buffer.as_ptr();
        let moved = Box::new(buffer);
        assert_eq!(moved.as_ptr(), before);
    }

    #[test]
    fn a_shorter_buffer_can_become_as_long_as_it_was() {
        let mut buffer = Buffer::zeroed(8192);
        buffer[8191] = 7;
        buffer.set_length(512);
        assert_eq!(buffer.len(), 512);
        buffer.set_length(8192);
        assert_eq!((buffer[8191], buffer.capacity() >= 8192), (7, true));
        assert_eq!(Buffer::default().len(), 0);
    }
}
