// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory for the data of requests, used again and again: after warm-up no request allocates.

pub use disk_io::Buffer;

/// The smallest buffer, in bytes.
const LEAST_BYTES: usize = 4096;

/// Buffers of 4 KiB, 8 KiB and so on up to 32 MiB, the largest request there is.
const CLASSES: usize = 14;

/// The bytes that are kept for later; what comes back beyond them is freed.
const KEPT_BYTES: usize = 64 << 20;

/// Buffers that are free at the moment.
#[derive(Debug, Default)]
pub struct Buffers {
    /// By class; each as long as its class, at least.
    free: [Vec<Buffer>; CLASSES],
    kept_bytes: usize,
}

impl Buffers {
    /// A buffer of this length. What is in it is left from another request of the same server:
    /// whoever takes it writes all of it before anybody reads it.
    pub fn take(&mut self, length: usize) -> Buffer {
        let class = class_of(length);
        let mut buffer = match self.free.get_mut(class).and_then(Vec::pop) {
            Some(buffer) => {
                self.kept_bytes -= class_bytes(class);
                buffer
            }
            None => Buffer::zeroed(class_bytes(class).max(length)),
        };
        buffer.set_length(length);
        buffer
    }

    /// Takes a buffer back.
    pub fn give(&mut self, buffer: Buffer) {
        let class = class_of(buffer.len());
        let bytes = class_bytes(class);
        let usable = class < CLASSES && buffer.capacity() >= bytes;
        if usable && self.kept_bytes + bytes <= KEPT_BYTES {
            self.kept_bytes += bytes;
            self.free[class].push(buffer);
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
            assert_eq!(buffer.len(), length);
            assert!((memory..memory + 4096 + 1).contains(&buffer.capacity()));
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
