// SPDX-License-Identifier: MIT OR Apache-2.0
//! The counters of kyber and their names, units and meanings.

/// Events since the scheduler was attached; each field counts one kind.
#[derive(Debug, Clone, Default)]
pub(super) struct Counters {
    pub batches: u64,
    pub token_waits: u64,
    pub evaluations: u64,
    pub congested: u64,
    pub depths_raised: u64,
    pub depths_lowered: u64,
}
