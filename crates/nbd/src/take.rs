// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers and strings from the front of bytes, as long as there are enough.

/// Bytes that are taken from the front.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Take<'a>(pub(crate) &'a [u8]);

impl<'a> Take<'a> {
    /// The next `N` bytes.
    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (front, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*front)
    }

    /// The next 16 bits.
    pub(crate) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    /// The next 32 bits.
    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    /// The next 64 bits.
    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_be_bytes)
    }

    /// The next `length` bytes.
    pub(crate) fn bytes(&mut self, length: u32) -> Option<&'a [u8]> {
        let (front, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        Some(front)
    }

    /// Whether nothing is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Moves bytes from `input` behind `held` until that has `wanted`; tells whether it has.
pub(crate) fn fill(held: &mut Vec<u8>, input: &mut &[u8], wanted: usize) -> bool {
    let missing = wanted.saturating_sub(held.len()).min(input.len());
    let (front, rest) = input.split_at(missing);
    held.extend_from_slice(front);
    *input = rest;
    held.len() >= wanted
}
