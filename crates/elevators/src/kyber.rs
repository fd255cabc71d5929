// SPDX-License-Identifier: MIT OR Apache-2.0
//! `kyber`: tokens for reads, writes and discards, as many as the latencies allow (peers.md §4).
//!
//! There is one submitting CPU and one hardware queue here, so that each domain has one list of
//! arrivals and one staged list.

mod dispatch;
mod domain;
mod histogram;
mod latency;
mod statistics;
#[cfg(test)]
mod tests;
mod tokens;
mod tunables;

use std::collections::VecDeque;

use base::Op;
use blk::{
    Bio, DeviceLimits, Elevator, Merge, MergeRules, Pool, ProcessId, QueueSettings, Statistic,
    StatisticSpec, Tag, TagState, Tunable, TunableError, TunableSpec,
};

use crate::recent;
use domain::Domain;
use latency::LatencyControl;
use statistics::Counters;
use tokens::Tokens;
use tunables::Tunables;

/// The part of the pool that asynchronous requests may use, percent.
const ASYNC_PERCENT: u64 = 75;

const NS_PER_MS: u64 = 1_000_000;

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

/// The scheduler `kyber`.
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

impl Elevator for Kyber {
    fn name(&self) -> &'static str {
        Kyber::NAME
    }

    fn tunables(&self) -> Vec<Tunable> {
        TunableSpec::read(tunables::TABLE, &self.tunables)
    }

    fn set_tunable(&mut self, _: u64, name: &str, value: &str) -> Result<(), TunableError> {
        TunableSpec::write(tunables::TABLE, Kyber::NAME, &mut self.tunables, name, value)
    }

    fn statistics(&self) -> Vec<Statistic> {
        StatisticSpec::read(statistics::TABLE, self)
    }

    fn pool_resized(&mut self, _: u64, nr_requests: u32, tags: u32) {
        self.nr_requests = nr_requests;
        for list in self.queues.iter_mut().flat_map(|queue| [&mut queue.arrived, &mut queue.staged])
        {
            list.reserve((tags as usize).saturating_sub(list.len()));
        }
    }

    fn allowed_requests(&mut self, _: u64, _: Option<ProcessId>, _: Op, sync: bool) -> u32 {
        if sync { u32::MAX } else { self.least_allowed_requests() }
    }

    fn least_allowed_requests(&self) -> u32 {
        (u64::from(self.nr_requests) * ASYNC_PERCENT / 100) as u32
    }

    fn find_merge(&mut self, _: u64, bio: &Bio, rules: &MergeRules, pool: &Pool) -> Option<Merge> {
        let arrived = &self.queues[Domain::of(bio.op) as usize].arrived;
        recent::find_merge(arrived, bio, rules, pool)
    }

    fn insert(&mut self, _: u64, tag: Tag, at_head: bool, pool: &Pool) {
        self.enter(tag, Domain::of(pool[tag].op), at_head);
    }

    fn has_work(&self) -> bool {
        self.queues.iter().any(|queue| !queue.is_empty())
    }

    fn dispatch(&mut self, _: u64, _: &Pool) -> Option<Tag> {
        self.dispatch_one()
    }

    fn completed(&mut self, now_ns: u64, tag: Tag, pool: &Pool) {
        let request = &pool[tag];
        let domain = Domain::of(request.op);
        self.return_token(domain);
        if let Some(target_ns) = self.tunables.target_ns(domain) {
            let total_ns = now_ns.saturating_sub(request.allocated_ns);
            let device_ns = now_ns.saturating_sub(request.dispatched_ns);
            self.control.completed(now_ns, domain, target_ns, total_ns, device_ns);
        }
    }

    fn requeued(&mut self, _: u64, tag: Tag, pool: &Pool) {
        self.return_token(Domain::of(pool[tag].op));
    }

    fn next_timer_ns(&self) -> Option<u64> {
        self.control.timer_ns()
    }

    fn on_timer(&mut self, now_ns: u64) {
        self.adjust_depths(now_ns);
    }

    fn take_kick(&mut self) -> bool {
        std::mem::take(&mut self.kick)
    }

    fn check(&self, pool: &Pool) {
        let mut held: Vec<Tag> = Vec::new();
        for (domain, queue) in Domain::ALL.into_iter().zip(&self.queues) {
            let of_domain = queue.staged.iter().chain(&queue.arrived);
            held.extend(of_domain.inspect(|tag| assert_eq!(Domain::of(pool[**tag].op), domain)));
            let on_their_way = pool.iter().filter(|request| {
                matches!(request.state(), TagState::Listed | TagState::Issued)
                    && Domain::of(request.op) == domain
            });
            let tokens = queue.tokens.in_use() as usize;
            assert!(tokens <= on_their_way.count(), "tokens of {domain:?} that nobody holds");
        }
        held.sort();
        let waiting = pool.iter().filter(|request| request.state() == TagState::Waiting);
        assert_eq!(held, waiting.map(|request| request.tag).collect::<Vec<_>>(), "kyber holds");
    }
}
