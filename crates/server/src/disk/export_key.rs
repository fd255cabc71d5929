// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a disk calls its exports.

/// An export on a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExportKey {
    /// Its place, which another export may have after it.
    pub(crate) place: usize,
    /// Tells it from others that had the same place before.
    pub(super) serial: u64,
}
