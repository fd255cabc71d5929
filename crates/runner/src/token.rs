// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a bio names the process and the I/O that it is part of.

/// The process and the slot (below the queue depth of its job; unique among what it has in
/// flight) that a bio of the runner names in its token. Slots from 2³¹ on are transfers of the page
/// cache; those of the flusher have numbers of processes that no job has.
pub fn token_parts(token: u64) -> (usize, usize) {
    ((token >> 32) as usize, (token & u64::from(u32::MAX)) as usize)
}

/// The token of a bio: see [`token_parts`].
pub(crate) fn token(process: u32, slot: u32) -> u64 {
    u64::from(process) << 32 | u64::from(slot)
}
