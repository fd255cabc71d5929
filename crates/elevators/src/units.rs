// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bounds and units that tunables of several schedulers have.

/// The greatest value of an `int`: of most tunables.
pub(crate) const INT_MAX: i64 = i32::MAX as i64;

/// Nanoseconds in a millisecond.
pub(crate) const NS_PER_MS: u64 = 1_000_000;
