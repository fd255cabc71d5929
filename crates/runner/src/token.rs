// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a bio names the process and the I/O that it is part of.

/// The process and the I/O of it (the number of its ticket, unique among what it has in flight)
/// that a bio of the runner names in its token. Numbers of I/Os from 2³¹ on are transfers of the
/// page cache; those of the flusher have numbers of processes that no job has.
pub fn token_parts(token: u64) -> (usize, u32) {
    ((token >> 32) as usize, token as u32)
}

/// The token of a bio: see [`token_parts`].
pub(crate) fn token(process: u32, io: u32) -> u64 {
    u64::from(process) << 32 | u64::from(io)
}
