// SPDX-License-Identifier: MIT OR Apache-2.0
//! The answer to whether a request may be allocated (spec 3.22).

/// What an allocation may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Request numbers below this may be used, on a host that fills its pool from below; the whole
    /// pool means no limit.
    pub requests: u32,
    /// The process has more requests than its share already: `requests` is as small as can be, or,
    /// for sync reads, what is not kept for others.
    pub over_share: bool,
}
