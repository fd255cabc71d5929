// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long disks are looked at, and how often what is seen is told.

use std::time::Duration;

/// The times of a look.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// How long an interval is.
    pub interval: Duration,
    /// After how long it ends; none: when the user ends it.
    pub length: Option<Duration>,
}
