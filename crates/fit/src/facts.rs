// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is known of a disk before anything is measured.

/// What is known of a disk without measuring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// What it is, in a sentence.
    pub description: String,
    /// The size of the disk.
    pub capacity_bytes: u64,
    /// Commands that it takes at a time.
    pub depth: u32,
    /// What the depth is known from, as a phrase for the profile.
    pub depth_source: String,
    /// Whether the kernel believes that it rotates.
    pub rotational: bool,
    /// The day of the measurement: `2026-11-22`.
    pub date: String,
}
