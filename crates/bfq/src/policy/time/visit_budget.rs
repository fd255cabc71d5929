// SPDX-License-Identifier: MIT OR Apache-2.0
//! What visitors take of the device's time: in the slots of others on a disk with moving parts, and
//! on flash while it is kept free for who is on loan.

use super::time_budget::TimeBudget;
use crate::units::{Span, Time};

/// The most that all visits together may take at once.
const MOST_VISITS: Span = Span::from_ms(100);
/// They may take one part of this many of the time that passes: each takes the head there and back,
/// so they cost throughput, and on flash a program that starts waits for them.
const PART_OF_TIME: u64 = 4;

/// The visits of a queue since it came back after a pause.
#[derive(Debug)]
pub(super) struct Visits {
    /// What it was charged for them.
    pub charged: Span,
    /// It had nothing in the device, either, when it came back.
    pub rested: bool,
}

impl Visits {
    /// Those of one that comes back now.
    pub const fn new(rested: bool) -> Self {
        Visits { charged: Span::ZERO, rested }
    }
}

/// The time that all visitors together may take, at `now`; a visit that begins may take more.
pub(super) const fn budget_of_visits(now: Time) -> TimeBudget {
    TimeBudget::new(now, MOST_VISITS, PART_OF_TIME)
}
