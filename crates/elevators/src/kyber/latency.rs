// SPDX-License-Identifier: MIT OR Apache-2.0
//! From latencies to depths: what a domain's samples say, and when they say it (peers.md §4.4).

use super::domain::Domain;
use super::histogram::{Bucket, Histogram};
use crate::units::NS_PER_MS;

/// The longest time from a completion to the timer, ns.
const TIMER_NS: u64 = 100 * NS_PER_MS;
/// The samples with which a percentile is taken at once.
const ENOUGH_SAMPLES: u64 = 500;
/// With fewer: how long after they were first seen, ns.
const WAIT_NS: u64 = 1000 * NS_PER_MS;
/// Of the device latencies: says whether the device is congested.
const DEVICE_PERCENT: u64 = 90;
/// Of the total latencies: says which depth a domain should have.
const TOTAL_PERCENT: u64 = 99;

/// What is known of a domain's latencies.
#[derive(Debug, Default)]
struct Latencies {
    /// From dispatch to completion.
    device: Histogram,
    /// From allocation to completion.
    total: Histogram,
    /// When few samples must do. One for both histograms: whichever is evaluated first after that
    /// time uses it up.
    wait_until_ns: Option<u64>,
    /// The last percentile of the total latencies, for a congestion that comes before the next one.
    remembered: Option<Bucket>,
}

impl Latencies {
    fn device_percentile(&mut self, now_ns: u64) -> Option<Bucket> {
        evaluate(&mut self.device, &mut self.wait_until_ns, DEVICE_PERCENT, now_ns)
    }

    /// The percentile of the total latencies that counts now.
    fn total_percentile(&mut self, now_ns: u64, congested: bool) -> Option<Bucket> {
        let fresh = evaluate(&mut self.total, &mut self.wait_until_ns, TOTAL_PERCENT, now_ns);
        if congested {
            let remembered = self.remembered.take();
            fresh.or(remembered)
        } else {
            self.remembered = fresh.or(self.remembered);
            fresh
        }
    }
}

/// The percentile of a histogram, which then begins anew; `None` while there are too few samples.
fn evaluate(
    histogram: &mut Histogram,
    wait_until_ns: &mut Option<u64>,
    percent: u64,
    now_ns: u64,
) -> Option<Bucket> {
    let samples = histogram.samples();
    if samples == 0 {
        return None;
    }
    let until_ns = *wait_until_ns.get_or_insert(now_ns + WAIT_NS);
    if samples < ENOUGH_SAMPLES && now_ns < until_ns {
        return None;
    }
    *wait_until_ns = None;
    Some(std::mem::take(histogram).percentile(percent))
}

/// What an evaluation found.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Verdicts {
    /// Some domain's requests stay too long in the device.
    pub congested: bool,
    /// Of each domain with a target, by how many quarters its depth is to be multiplied; `None`: it
    /// stays as it is.
    pub depth_factors: [Option<u32>; Domain::WITH_TARGET.len()],
}

/// The latencies of all domains that have a target, and the timer that looks at them.
#[derive(Debug, Default)]
pub(super) struct LatencyControl {
    latencies: [Latencies; Domain::WITH_TARGET.len()],
    timer_ns: Option<u64>,
}

impl LatencyControl {
    /// When to [`evaluate`](LatencyControl::evaluate), ns.
    pub fn timer_ns(&self) -> Option<u64> {
        self.timer_ns
    }

    /// A request of a domain with a target has ended.
    pub fn completed(
        &mut self,
        now_ns: u64,
        domain: Domain,
        target_ns: u64,
        total_ns: u64,
        device_ns: u64,
    ) {
        let latencies = &mut self.latencies[domain as usize];
        latencies.total.add(Bucket::of(total_ns, target_ns));
        latencies.device.add(Bucket::of(device_ns, target_ns));
        let latest_ns = now_ns + TIMER_NS;
        self.timer_ns = Some(self.timer_ns.map_or(latest_ns, |timer_ns| timer_ns.min(latest_ns)));
    }

    /// The timer fires. Bad total latencies ask for more depth; good ones give depth away only
    /// while the device is congested.
    pub fn evaluate(&mut self, now_ns: u64) -> Verdicts {
        self.timer_ns = None;
        let mut congested = false;
        for latencies in &mut self.latencies {
            congested |= latencies.device_percentile(now_ns).is_some_and(Bucket::is_bad);
        }
        let depth_factors = self.latencies.each_mut().map(|latencies| {
            let percentile = latencies.total_percentile(now_ns, congested)?;
            (congested || percentile.is_bad()).then_some(percentile.end_quarters())
        });
        Verdicts { congested, depth_factors }
    }
}

#[cfg(test)]
#[path = "latency_tests.rs"]
mod tests;
