// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory that `O_DIRECT` accepts: its address is a multiple of [`ALIGNMENT_BYTES`].

/// Enough for any device: the kernel asks for the logical block size (512 or 4096) at most.
pub(crate) const ALIGNMENT_BYTES: usize = 4096;

/// A fixed piece of aligned memory; it never moves while the value lives.
#[derive(Debug)]
pub(crate) struct AlignedBuffer {
    /// Longer than asked for, so that an aligned piece of the wanted length lies inside; never
    /// grows, so its memory stays where it is.
    memory: Vec<u8>,
    start: usize,
    length: usize,
}

impl AlignedBuffer {
    /// Zeroed memory; pages never touched cost nothing.
    pub(crate) fn zeroed(length_bytes: usize) -> AlignedBuffer {
        let memory = vec![0; length_bytes + ALIGNMENT_BYTES];
        let start = memory.as_ptr().align_offset(ALIGNMENT_BYTES);
        AlignedBuffer { memory, start, length: length_bytes }
    }

    pub(crate) fn length(&self) -> usize {
        self.length
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.memory[self.start..self.start + self.length]
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.length]
    }

    /// Where the kernel is to put data; no reference to the bytes is made.
    pub(crate) fn as_mut_ptr(&mut self) -> *mut u8 {
        self.memory.as_mut_ptr().wrapping_add(self.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_buffer_is_aligned_and_as_long_as_asked() {
        for length_bytes in [0, 1, 512, 4096, 4097, 1 << 20] {
            let mut buffer = AlignedBuffer::zeroed(length_bytes);
            assert_eq!(buffer.bytes().len(), length_bytes);
            assert_eq!(buffer.as_mut_ptr() as usize % ALIGNMENT_BYTES, 0, "{length_bytes}");
            assert_eq!(buffer.bytes_mut().as_ptr(), buffer.as_mut_ptr().cast_const());
        }
    }

    #[test]
    fn moving_the_value_leaves_its_memory_in_place() {
        let mut buffer = AlignedBuffer::zeroed(4096);
        let before = buffer.as_mut_ptr();
        let mut moved = Box::new(buffer);
        assert_eq!(moved.as_mut_ptr(), before);
    }
}
