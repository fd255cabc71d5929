// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much of others' service a queue bears while it has nothing to do: what it learns about
//! that (spec 3.19).

use crate::{
    model::{clock::Clock, ids::RequestId},
    units::{Span, Ticks, Time},
};
use core::num::NonZeroU64;

/// A total service time of more than baseline times 3/2 says that too much was injected.
const THRESHOLD: (u64, u64) = (3, 2);
/// No sample is taken so soon after the limit was lowered.
const PAUSE: Span = Span::from_ms(10);
/// The limit is forgotten so long after it was lowered.
const FORGET: Span = Span::from_ms(1000);
/// A queue whose think time became short is reset only so long after.
const SHORT_BARRIER: Span = Span::from_ms(100);

/// How long the limit and what was learnt hold, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delays {
    /// No sample is taken so soon after the limit was lowered.
    pub pause: Span,
    /// The limit is forgotten so long after it was lowered.
    pub forget: Span,
    /// A queue whose think time became short is reset only so long after.
    pub short_barrier: Span,
}

impl Delays {
    pub fn new(ticks: Ticks) -> Self {
        Delays {
            pause: ticks.rounded_up(PAUSE),
            forget: ticks.rounded_up(FORGET),
            short_barrier: ticks.rounded_up(SHORT_BARRIER),
        }
    }
}

/// What a request of the queue takes, from arrival to completion, while no other is served.
/// Never no time at all, so that an `Option` of it is as small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Baseline(NonZeroU64);

impl Baseline {
    /// A request that took no time leaves nothing to compare others with.
    #[inline]
    fn of(total: Span) -> Option<Baseline> {
        NonZeroU64::new(total.as_ns()).map(Baseline)
    }

    #[inline]
    fn span(self) -> Span {
        Span::from_ns(self.0.get())
    }
}

/// What a queue knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Injection {
    /// Requests in the device up to which others are injected.
    pub limit: u32,
    /// Service time without injection, if it is known.
    pub baseline: Option<Baseline>,
    /// When the limit was last lowered or reset.
    pub lowered_at: Time,
}

/// The measurement going on for the queue in service; one for each device.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sampling {
    /// Since when the total service time is measured.
    pub start: Option<Time>,
    /// The next request of the queue in service is the sampled one.
    pub pending: bool,
    pub request: Option<RequestId>,
    /// Something was injected during the present hole.
    pub injected: bool,
}

impl Sampling {
    /// Starts measuring the service time of the next request of the queue in service, if the
    /// moment is right.
    #[inline]
    pub fn consider(
        &mut self,
        injection: &Injection,
        clock: &Clock,
        delays: &Delays,
        in_flight: u32,
    ) {
        let comparable = injection.baseline.is_some() && self.injected && in_flight > 0;
        let is_settled = clock.tick.is_at_least(delays.pause, injection.lowered_at);
        if !(in_flight == 0 || comparable) || !is_settled {
            return;
        }
        self.start = Some(clock.now);
        self.pending = true;
        if in_flight == 0 {
            self.injected = false;
        }
    }

    /// A request of the queue in service goes to the device: it is the sampled one if that is to be
    /// the next.
    #[inline]
    pub fn on_dispatch(&mut self, id: RequestId) {
        if self.pending {
            debug_assert!(self.start.is_some(), "its time is measured from its arrival on");
            self.pending = false;
            self.request = Some(id);
        }
    }

    /// The slot ends: nothing of it is measured any more.
    pub fn end(&mut self) {
        self.pending = false;
        self.injected = false;
        self.request = None;
    }
}

impl Injection {
    pub const fn new(now: Time) -> Self {
        Injection { limit: 0, baseline: None, lowered_at: now }
    }

    /// Forgets what was learnt; a queue with a long think time may be injected into at once.
    pub fn reset(&mut self, now: Time, short_think_time: bool) {
        *self = Injection { limit: u32::from(!short_think_time), baseline: None, lowered_at: now };
    }

    /// Learns from a sampled request that took `total` from arrival to completion. `in_flight`
    /// counts it still; `most_in_flight` is the most that the device has taken.
    pub fn learn(
        &mut self,
        now: Time,
        total: Span,
        injected: bool,
        in_flight: u32,
        most_in_flight: u32,
    ) {
        debug_assert!(in_flight > 0, "the sampled request is in flight");
        let old_limit = self.limit;
        let baseline = self.baseline;
        if injected && let Some(baseline) = baseline {
            let threshold = baseline.span() * THRESHOLD.0 / THRESHOLD.1;
            if total >= threshold && old_limit > 0 {
                self.limit -= 1;
                self.lowered_at = now;
            } else if total < threshold && old_limit <= most_in_flight {
                self.limit += 1;
            }
        }
        let alone = in_flight == 1;
        if baseline.is_none() && alone {
            self.limit = old_limit.max(1);
            self.baseline = Baseline::of(total);
        } else if baseline.is_some_and(|baseline| total < baseline.span() || (!injected && alone)) {
            self.baseline = Baseline::of(total);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_follows_the_service_time() {
        let (now, ns) = (Time::from_ns(7), Span::from_ns);
        let mut injection = Injection::new(Time::ZERO);
        injection.learn(now, ns(1000), false, 1, 32);
        assert_eq!(
            (injection.limit, injection.baseline),
            (1, Baseline::of(ns(1000))),
            "the first baseline"
        );
        injection.learn(now, ns(1499), true, 3, 32);
        assert_eq!(
            (injection.limit, injection.baseline),
            (2, Baseline::of(ns(1000))),
            "harmless: more"
        );
        injection.learn(now, ns(1500), true, 3, 32);
        assert_eq!((injection.limit, injection.lowered_at), (1, now), "harmful: less");
        injection.learn(now, ns(1200), false, 1, 32);
        assert_eq!(
            (injection.limit, injection.baseline),
            (1, Baseline::of(ns(1200))),
            "alone: a new baseline"
        );
        injection.learn(now, ns(900), true, 5, 0);
        assert_eq!(
            (injection.limit, injection.baseline),
            (1, Baseline::of(ns(900))),
            "more than the device takes"
        );
        injection.reset(now, true);
        assert_eq!((injection.limit, injection.baseline), (0, None));
    }
}
