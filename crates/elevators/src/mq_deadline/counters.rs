// SPDX-License-Identifier: MIT OR Apache-2.0
//! The counters of mq-deadline and their names, units and meanings.

/// Counts since attachment, beside those of the batches.
#[derive(Debug, Clone, Default)]
pub(super) struct Counters {
    pub aged: u64,
    pub held_back: u64,
    pub direct: u64,
}
