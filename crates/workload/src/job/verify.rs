// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether what a job writes is checked when it is read (`verify` and its kin).

/// `verify=crc32c`: what is written carries a checksum, and what is read is held against it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verify {
    /// `do_verify`: a process that writes reads back what it wrote, when all is written.
    pub reads_back: bool,
    /// `verify_fatal`: the first block that is wrong ends the run.
    pub is_fatal: bool,
    /// `verify_interval`: length of a block with a checksum of its own, bytes. It divides every
    /// block size of the job.
    pub interval_bytes: u32,
}
