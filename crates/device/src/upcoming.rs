// SPDX-License-Identifier: MIT OR Apache-2.0
//! What comes next in a disk, as far as it is known.

/// The times of what comes next, each `u64::MAX` if nothing of the kind is known to come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Upcoming {
    /// When something happens within the disk.
    pub step_ns: u64,
    /// When a command ends.
    pub end_ns: u64,
}

impl Upcoming {
    /// When the first of them is, if any is known to come.
    #[inline]
    pub fn next_ns(self) -> Option<u64> {
        let next_ns = self.step_ns.min(self.end_ns);
        (next_ns < u64::MAX).then_some(next_ns)
    }
}
