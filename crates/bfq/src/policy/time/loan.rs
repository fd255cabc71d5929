// SPDX-License-Identifier: MIT OR Apache-2.0
//! A loan of a queue, and what a group may lend to its members at the expense of others.

use crate::units::Time;

/// The time that may be taken from others at once, if the whole device is a group's.
pub(super) const POOL_NS: u64 = 6_000_000_000;
/// And of the time that passes, one part in so many.
const PART_OF_TIME: u64 = 4;

/// A queue is on loan.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loan {
    pub began: Time,
    /// What it got since then.
    pub service_ns: u64,
}

impl Loan {
    /// One that begins.
    pub const fn new(now: Time) -> Self {
        Loan { began: now, service_ns: 0 }
    }
}

/// What the members of a group may still take of the time of others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pool {
    left_ns: u64,
    counted: Time,
}

impl Pool {
    /// A full one.
    pub const fn new() -> Self {
        Pool { left_ns: POOL_NS, counted: Time::ZERO }
    }

    /// Time has passed; the group's part of the device is `part` of [`POOL_NS`].
    pub fn fill(&mut self, now: Time, part: u64) {
        let elapsed_ns = now.since(self.counted).as_ns().min(PART_OF_TIME * POOL_NS);
        self.counted = now;
        let more_ns = elapsed_ns / PART_OF_TIME;
        let more_ns = (u128::from(more_ns) * u128::from(part) / u128::from(POOL_NS)) as u64;
        self.left_ns = self.left_ns.saturating_add(more_ns).min(part);
    }

    /// So much was taken from others. Returns whether more may be.
    pub fn take(&mut self, ns: u64) -> bool {
        self.left_ns = self.left_ns.saturating_sub(ns);
        self.left_ns > 0
    }
}
