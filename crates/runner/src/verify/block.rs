// SPDX-License-Identifier: MIT OR Apache-2.0
//! A block that can be checked: a header, and contents that follow from it.
//!
//! | Bytes | Little-endian |
//! |---|---|
//! | 0–7 | `bfq:crc1` |
//! | 8–11 | CRC-32C of the whole block, with zeros in this place |
//! | 12–15 | length of the block, bytes |
//! | 16–23 | its offset on the target, bytes |
//! | 24–31 | number of the run that wrote it |
//! | 32–39 | number of the write within that run, from 1 |
//! | from 40 on | pseudo-random bytes, whose seed is the three numbers before |

use base::random::{Random, mix};
use std::fmt;

const MAGIC: [u8; 8] = *b"bfq:crc1";
const CHECKSUM: std::ops::Range<usize> = 8..12;
const HEADER_BYTES: usize = 40;

/// Which write of which run wrote a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) run: u64,
    pub(crate) write: u64,
}

/// What is wrong with a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It does not begin as a block does.
    NoHeader {
        /// The bytes in place of the header.
        found: [u8; 8],
    },
    /// Its contents are not those that were written.
    Checksum {
        /// The checksum in its header.
        expected: u32,
        /// That of what was read.
        found: u32,
    },
    /// It was written with another length.
    Length {
        /// The length that the job reads, bytes.
        expected: u32,
        /// The length in its header, bytes.
        found: u32,
    },
    /// It was written for another place.
    Offset {
        /// The offset in its header, bytes.
        found: u64,
    },
    /// It is whole, but not what was written there last.
    Stale,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::NoHeader { found } => write!(
                f,
                "no header of a block written with verify (found {:016x}, expected {:016x})",
                u64::from_be_bytes(*found),
                u64::from_be_bytes(MAGIC)
            ),
            Fault::Checksum { expected, found } => {
                write!(f, "crc32c {found:08x}, expected {expected:08x}")
            }
            Fault::Length { expected, found } => {
                write!(f, "written as a block of {found} bytes, expected {expected}")
            }
            Fault::Offset { found } => write!(f, "the block that was written for byte {found}"),
            Fault::Stale => write!(f, "an earlier block, not the one written last"),
        }
    }
}

/// Makes `block` the one that belongs at `offset_bytes`. It has room for a header.
pub(crate) fn fill(block: &mut [u8], offset_bytes: u64, origin: Origin) {
    let (header, contents) = block.split_at_mut(HEADER_BYTES);
    let length_bytes = (header.len() + contents.len()) as u32;
    header[..8].copy_from_slice(&MAGIC);
    header[CHECKSUM].fill(0);
    header[12..16].copy_from_slice(&length_bytes.to_le_bytes());
    header[16..24].copy_from_slice(&offset_bytes.to_le_bytes());
    header[24..32].copy_from_slice(&origin.run.to_le_bytes());
    header[32..40].copy_from_slice(&origin.write.to_le_bytes());
    let mut random = Random::new(mix(mix(mix(origin.run) ^ origin.write) ^ offset_bytes));
    for word in contents.chunks_mut(8) {
        word.copy_from_slice(&random.next().to_le_bytes()[..word.len()]);
    }
    let checksum = crc32c::crc32c(block);
    block[CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
}

/// Checks what was read at `offset_bytes`; the result is who wrote it.
pub(crate) fn check(block: &[u8], offset_bytes: u64) -> Result<Origin, Fault> {
    if block[..8] != MAGIC {
        return Err(Fault::NoHeader { found: bytes_at(block, 0) });
    }
    let [length_bytes, expected] = [12, 8].map(|at| u32::from_le_bytes(bytes_at(block, at)));
    if length_bytes as usize != block.len() {
        return Err(Fault::Length { expected: block.len() as u32, found: length_bytes });
    }
    let before = crc32c::crc32c(&block[..CHECKSUM.start]);
    let with_zeros = crc32c::crc32c_append(before, &[0; 4]);
    let found = crc32c::crc32c_append(with_zeros, &block[CHECKSUM.end..]);
    if found != expected {
        return Err(Fault::Checksum { expected, found });
    }
    let [offset, run, write] = [16, 24, 32].map(|at| u64::from_le_bytes(bytes_at(block, at)));
    match offset == offset_bytes {
        true => Ok(Origin { run, write }),
        false => Err(Fault::Offset { found: offset }),
    }
}

fn bytes_at<const N: usize>(block: &[u8], at: usize) -> [u8; N] {
    std::array::from_fn(|index| block[at + index])
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITTEN: Origin = Origin { run: 7, write: 3 };

    fn block() -> Vec<u8> {
        let mut block = vec![0xaa; 512];
        fill(&mut block, 8192, WRITTEN);
        block
    }

    #[test]
    fn a_block_is_found_as_it_was_written() {
        assert_eq!(check(&block(), 8192), Ok(WRITTEN));
    }

    #[test]
    fn any_byte_that_changes_is_noticed() {
        for at in 0..512 {
            let mut block = block();
            block[at] ^= 0x10;
            assert!(check(&block, 8192).is_err(), "byte {at}");
        }
    }

    #[test]
    fn what_is_wrong_is_told() {
        let whole = block();
        assert_eq!(check(&whole, 4096), Err(Fault::Offset { found: 8192 }));
        let mut longer = whole.clone();
        longer.resize(1024, 0);
        assert_eq!(check(&longer, 8192), Err(Fault::Length { expected: 1024, found: 512 }));
        assert_eq!(check(&[0; 512], 0), Err(Fault::NoHeader { found: [0; 8] }));
        let expected = u32::from_le_bytes(bytes_at(&whole, CHECKSUM.start));
        let mut wrong = whole;
        wrong[511] ^= 1;
        let Err(Fault::Checksum { expected: told, found }) = check(&wrong, 8192) else { panic!() };
        assert_eq!(told, expected);
        assert_ne!(found, expected);
    }

    #[test]
    fn two_writes_of_a_place_differ_throughout() {
        let mut other = vec![0; 512];
        fill(&mut other, 8192, Origin { write: 4, ..WRITTEN });
        let one = block();
        let pairs = one.iter().zip(&other).skip(HEADER_BYTES);
        assert!(pairs.filter(|(a, b)| a != b).count() > 400);
    }
}
