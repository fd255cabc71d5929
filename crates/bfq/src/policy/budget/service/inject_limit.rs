// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much of others' service a queue bears while it has nothing to do: what it learns about
//! that (spec 3.19).

use crate::{
    model::ids::RequestId,
    units::{NS_PER_MS, Time},
};

/// A total service time of more than baseline times 3/2 says that too much was injected.
const THRESHOLD: (u64, u64) = (3, 2);
/// No sample is taken so soon after the limit was lowered.
pub(crate) const PAUSE_NS: u64 = 10 * NS_PER_MS;
/// The limit is forgotten so long after it was lowered.
pub(crate) const FORGET_NS: u64 = 1000 * NS_PER_MS;
/// A queue whose think time became short is reset only so long after.
pub(crate) const SHORT_BARRIER_NS: u64 = 100 * NS_PER_MS;

/// What a queue knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Injection {
    /// Requests in the device up to which others are injected.
    pub limit: u32,
    /// Service time without injection; 0 = unknown.
    pub baseline_ns: u64,
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

impl Injection {
    pub const fn new(now: Time) -> Self {
        Injection { limit: 0, baseline_ns: 0, lowered_at: now }
    }

    /// Forgets what was learnt; a queue with a long think time may be injected into at once.
    pub fn reset(&mut self, now: Time, short_think_time: bool) {
        *self = Injection { limit: u32::from(!short_think_time), baseline_ns: 0, lowered_at: now };
    }

    /// Learns from a sampled request that took `total_ns` from arrival to completion. `in_flight`
    /// counts it still; `most_in_flight` is the most that the device has taken.
    pub fn learn(
        &mut self,
        now: Time,
        total_ns: u64,
        injected: bool,
        in_flight: u32,
        most_in_flight: u32,
    ) {
        let old_limit = self.limit;
        let known = self.baseline_ns > 0;
        if known && injected {
            let threshold_ns = self.baseline_ns.saturating_mul(THRESHOLD.0) / THRESHOLD.1;
            if total_ns >= threshold_ns && old_limit > 0 {
                self.limit -= 1;
                self.lowered_at = now;
            } else if total_ns < threshold_ns && old_limit <= most_in_flight {
                self.limit += 1;
            }
        }
        let alone = in_flight == 1;
        if (!known && alone) || total_ns < self.baseline_ns {
            if !known {
                self.limit = old_limit.max(1);
            }
            self.baseline_ns = total_ns;
        } else if !injected && alone {
            self.baseline_ns = total_ns;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_follows_the_service_time() {
        let now = Time::from_ns(7);
        let mut injection = Injection::new(Time::ZERO);
        injection.learn(now, 1000, false, 1, 32);
        assert_eq!((injection.limit, injection.baseline_ns), (1, 1000), "the first baseline");
        injection.learn(now, 1499, true, 3, 32);
        assert_eq!((injection.limit, injection.baseline_ns), (2, 1000), "harmless: more");
        injection.learn(now, 1500, true, 3, 32);
        assert_eq!((injection.limit, injection.lowered_at), (1, now), "harmful: less");
        injection.learn(now, 1200, false, 1, 32);
        assert_eq!((injection.limit, injection.baseline_ns), (1, 1200), "alone: a new baseline");
        injection.learn(now, 900, true, 5, 0);
        assert_eq!(
            (injection.limit, injection.baseline_ns),
            (1, 900),
            "more than the device takes"
        );
        injection.reset(now, true);
        assert_eq!((injection.limit, injection.baseline_ns), (0, 0));
    }
}
