// SPDX-License-Identifier: MIT OR Apache-2.0
//! A loan of a queue, and what a group may lend to its members at the expense of others.

use crate::units::{Sectors, Span, Time};

/// The time that may be taken from others at once, if the whole device is a group's.
pub(super) const POOL: Span = Span::from_s(6);
/// And of the time that passes, one part in this number.
const PART_OF_TIME: u64 = 4;

/// A queue is on loan.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loan {
    pub began: Time,
    /// What it got since then, and how long the device was kept free for it in long pauses.
    pub service: Span,
    /// How many requests came since then.
    pub requests: u32,
    /// How much these ask for together.
    pub sectors: Sectors,
    /// Since it last had nothing: requests that came, and how many it had at a time at most.
    came: u32,
    most_at_a_time: u32,
    /// And how much they ask for together.
    asked: Sectors,
}

impl Loan {
    /// A loan that begins at `now`, with no service and no requests yet.
    pub const fn new(now: Time) -> Self {
        let (service, sectors, asked) = (Span::ZERO, Sectors::NONE, Sectors::NONE);
        Loan { began: now, service, requests: 0, sectors, came: 0, most_at_a_time: 0, asked }
    }

    /// A request of that size came, the queue has `present` now.
    pub fn came(&mut self, sectors: Sectors, present: u32) {
        self.requests = self.requests.saturating_add(1);
        self.came = self.came.saturating_add(1);
        self.sectors += sectors;
        self.asked += sectors;
        self.most_at_a_time = self.most_at_a_time.max(present);
    }

    /// A request of it has grown: more was asked for, with no more requests.
    pub fn grew(&mut self, by: Sectors) {
        self.sectors += by;
        self.asked += by;
    }

    /// All of its requests are complete. If the places of the pool are scarce it may wait for one,
    /// or for what it has read: then it is no stream by what it asked for, nor is it known that it
    /// would have fewer requests at a time.
    pub const fn emptied(&mut self, is_pool_scarce: bool) {
        self.asked = Sectors::NONE;
        if !is_pool_scarce {
            (self.came, self.most_at_a_time) = (0, 0);
        }
    }

    /// How much it asked for without ever waiting for all of it.
    pub const fn asked_without_pause(&self) -> Sectors {
        self.asked
    }

    /// Whether it had more than `most` requests at a time and went on asking before they were done:
    /// as many again came without a pause.
    pub const fn is_deep_stream(&self, most: u32) -> bool {
        self.most_at_a_time > most && self.came / 2 > self.most_at_a_time
    }
}

/// What the members of a group may still take of the time of others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pool {
    left: Span,
    counted: Time,
}

impl Pool {
    /// A pool with all of [`POOL`] left.
    pub const fn new() -> Self {
        Pool { left: POOL, counted: Time::ZERO }
    }

    /// Time has passed; the group's part of the device is `part` of [`POOL`].
    pub fn fill(&mut self, now: Time, part: Span) {
        debug_assert!(now >= self.counted && self.left <= POOL, "{self:?} at {now:?}");
        let elapsed = now.since(self.counted).min(POOL * PART_OF_TIME);
        self.counted = now;
        let more = part_of_pool(elapsed / PART_OF_TIME, part.min(POOL));
        self.left = (self.left + more).min(part);
    }

    /// Whether so much may be taken from others.
    pub fn has(&self, wanted: Span) -> bool {
        self.left >= wanted
    }

    /// `taken` was taken from others. Returns whether more may be.
    pub fn take(&mut self, taken: Span) -> bool {
        self.left = self.left - taken;
        self.left > Span::ZERO
    }
}

/// A power of two that divides [`POOL`].
const STEP_NS: u64 = 1 << 10;
const _: () = assert!(POOL.as_ns().is_multiple_of(STEP_NS));

/// `part / POOL` of a span, both at most [`POOL`]. Their product has 65 bits, and a kernel has
/// no function that divides 128: what is whole steps is multiplied apart.
const fn part_of_pool(span: Span, part: Span) -> Span {
    let (ns, part_ns) = (span.as_ns(), part.as_ns());
    if part_ns == POOL.as_ns() {
        // That of the root, and of a group that is alone.
        return span;
    }
    debug_assert!(ns <= POOL.as_ns() && part_ns <= POOL.as_ns(), "the product fits in 64 bits");
    let steps = ns / STEP_NS * part_ns + ns % STEP_NS * part_ns / STEP_NS;
    Span::from_ns(steps / (POOL.as_ns() / STEP_NS))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: Sectors = Sectors::of_kib(4);

    #[test]
    fn what_is_asked_for_counts_until_all_of_it_is_there() {
        let mut loan = Loan::new(Time::ZERO);
        (0..1000).for_each(|_| loan.came(PAGE, 2));
        assert_eq!(loan.asked_without_pause(), Sectors::of_kib(4000));
        loan.grew(PAGE);
        assert_eq!(loan.asked_without_pause(), Sectors::of_kib(4004));
        loan.emptied(false);
        loan.came(PAGE, 1);
        assert_eq!(loan.asked_without_pause(), PAGE);
    }

    #[test]
    fn a_burst_is_no_stream_and_a_refilled_queue_is() {
        let mut loan = Loan::new(Time::ZERO);
        // Bursts of 60 requests, each done before the next one, as of a program that starts.
        for _ in 0..10 {
            (1..=60).for_each(|present| loan.came(PAGE, present));
            assert!(!loan.is_deep_stream(31));
            loan.emptied(false);
        }
        // 32 at a time: each that is done is followed by another one.
        (1..=32).for_each(|present| loan.came(PAGE, present));
        (0..33).for_each(|_| loan.came(PAGE, 32));
        assert!(!loan.is_deep_stream(31));
        loan.came(PAGE, 32);
        assert!(loan.is_deep_stream(31));
        // No more than 31 at a time are none, however many come.
        loan.emptied(false);
        (0..1000).for_each(|_| loan.came(PAGE, 31));
        assert!(!loan.is_deep_stream(31));
    }

    #[test]
    fn a_part_of_a_pool_is_exact() {
        let pool_ns = POOL.as_ns();
        let mut seed = 1_u64;
        let mut any = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 20) % (pool_ns + 1)
        };
        let ends = [(0, pool_ns), (pool_ns, pool_ns), (pool_ns - 1, pool_ns - 1), (1023, pool_ns)];
        let others = core::array::from_fn::<_, 1000, _>(|_| (any(), any()));
        for (ns, part) in ends.into_iter().chain(others) {
            let exact = u128::from(ns) * u128::from(part) / u128::from(pool_ns);
            let got = part_of_pool(Span::from_ns(ns), Span::from_ns(part));
            assert_eq!(u128::from(got.as_ns()), exact, "{ns} of {part}");
        }
    }
}
