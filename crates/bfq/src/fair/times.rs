// SPDX-License-Identifier: MIT OR Apache-2.0
//! The virtual times of an entity in its class tree: start S and finish F (spec 1.2, 1.5).

use super::{service::Service, virtual_time::advance};
use crate::units::Weight;

/// When an entity starts and finishes, and the earliest start of those below it in a tree.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Times {
    start: u64,
    finish: u64,
    least_start: u64,
}

impl Times {
    /// Those of an entity that was never scheduled.
    pub const NEW: Times = Times { start: 0, finish: 0, least_start: 0 };

    /// Start time S.
    #[inline]
    pub const fn start(&self) -> u64 {
        self.start
    }

    /// Finish time F.
    #[inline]
    pub const fn finish(&self) -> u64 {
        self.finish
    }

    /// The smallest start time in the subtree below this node of an active tree, itself included.
    #[inline]
    pub const fn least_start(&self) -> u64 {
        self.least_start
    }

    /// Sets the start time. The finish time is that of before, until it is computed.
    #[inline]
    pub fn start_at(&mut self, time: u64) {
        self.start = time;
    }

    /// The finish time is what `amount` of service at a weight leads to from the start time.
    #[inline]
    pub fn finish_after(&mut self, amount: Service, weight: Weight) {
        self.finish = self.start.wrapping_add(advance(amount, u64::from(weight)));
    }

    /// The next span starts where the present one finishes.
    #[inline]
    pub fn go_on(&mut self) {
        self.start = self.finish;
    }

    /// Starts and finishes later by `delta`.
    #[inline]
    pub fn push_up(&mut self, delta: u64) {
        self.start = self.start.wrapping_add(delta);
        self.finish = self.finish.wrapping_add(delta);
    }

    /// Starts later by `delta`, until it is put back as far.
    pub fn put_off(&mut self, delta: u64) {
        self.start = self.start.wrapping_add(delta);
    }

    /// Starts earlier by `delta`, by which it was put off.
    pub fn put_back(&mut self, delta: u64) {
        self.start = self.start.wrapping_sub(delta);
    }

    /// Keeps the smallest start time of its subtree; returns whether it is another one.
    #[inline]
    pub fn keep_least_start(&mut self, least: u64) -> bool {
        core::mem::replace(&mut self.least_start, least) != least
    }
}
