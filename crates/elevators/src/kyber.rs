// SPDX-License-Identifier: MIT OR Apache-2.0
//! `kyber`: tokens for reads, writes and discards, as many as the latencies allow (peers.md §4).
//!
//! There is one submitting CPU and one hardware queue here, so that each domain has one list of
//! arrivals and one staged list.

mod counters;
mod dispatch;
mod domain;
mod elevator;
mod histogram;
mod latency;
mod statistics;
#[cfg(test)]
mod tests;
mod tokens;
mod tunables;

use std::collections::VecDeque;

use blk::{DeviceLimits, QueueSettings, Tag};

use counters::Counters;
use domain::Domain;
use latency::LatencyControl;
use tokens::Tokens;
use tunables::Tunables;

/// The part of the pool that asynchronous requests may use, percent.
const ASYNC_PERCENT: u64 = 75;

/// The requests of one domain.
#[derive(Debug)]
struct DomainQueue {
    /// As they came; bios may join the last of them.
    arrived: VecDeque<Tag>,
    /// Taken from there all at once, to be dispatched in order.
    staged: VecDeque<Tag>,
    tokens: Tokens,
}

impl DomainQueue {
    fn new(domain: Domain) -> DomainQueue {
        let tokens = Tokens::new(domain.max_depth());
        DomainQueue { arrived: VecDeque::new(), staged: VecDeque::new(), tokens }
    }

    fn is_empty(&self) -> bool {
        self.arrived.is_empty() && self.staged.is_empty()
    }
}

/// The scheduler `kyber`: a limited depth for each domain, set by its latency targets.
#[derive(Debug)]
pub struct Kyber {
    tunables: Tunables,
    /// What waits, by domain.
    queues: [DomainQueue; 4],
    /// The domain whose batch it is.
    current: Domain,
    /// Requests dispatched of that batch.
    batch: u32,
    control: LatencyControl,
    nr_requests: u32,
    /// A token is free for which a run has waited.
    kick: bool,
    counters: Counters,
}

impl Kyber {
    /// The name of this scheduler.
    pub const NAME: &'static str = "kyber";

    /// An empty scheduler for a device.
    pub fn new(limits: &DeviceLimits) -> Kyber {
        Kyber {
            tunables: Tunables::default(),
            queues: Domain::ALL.map(DomainQueue::new),
            current: Domain::Read,
            batch: 0,
            control: LatencyControl::default(),
            nr_requests: QueueSettings::default().pool_size(limits, false),
            kick: false,
            counters: Counters::default(),
        }
    }

    fn enter(&mut self, tag: Tag, domain: Domain, at_head: bool) {
        let arrived = &mut self.queues[domain as usize].arrived;
        if at_head {
            arrived.push_front(tag);
        } else {
            arrived.push_back(tag);
        }
    }

    /// A request of that domain is no longer on its way.
    fn return_token(&mut self, domain: Domain) {
        self.kick |= self.queues[domain as usize].tokens.give_back();
    }

    /// The timer of the latency control: new depths.
    fn adjust_depths(&mut self, now_ns: u64) {
        let verdicts = self.control.evaluate(now_ns);
        self.counters.evaluations += 1;
        self.counters.congested += u64::from(verdicts.congested);
        for (domain, depth_factor) in Domain::WITH_TARGET.into_iter().zip(verdicts.depth_factors) {
            let Some(quarters) = depth_factor else { continue };
            let tokens = &mut self.queues[domain as usize].tokens;
            let before = tokens.depth();
            tokens.set_depth((before * quarters / 4).clamp(1, domain.max_depth()));
            self.counters.depths_raised += u64::from(tokens.depth() > before);
            self.counters.depths_lowered += u64::from(tokens.depth() < before);
        }
    }
}
