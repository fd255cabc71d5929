// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the block layer asks kyber (peers.md §4).

use base::Op;
use blk::{
    Bio, Elevator, Merge, MergeRules, Pool, ProcessId, Statistic, StatisticSpec, Tag, TagState,
    Tunable, TunableError, TunableSpec,
};

use super::domain::Domain;
use super::{ASYNC_PERCENT, Kyber, statistics, tunables};
use crate::recent;

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
            assert!(tokens <= on_their_way.count(), "tokens of {domain:?} that no request holds");
        }
        held.sort();
        let waiting = pool.iter().filter(|request| request.state() == TagState::Waiting);
        assert_eq!(held, waiting.map(|request| request.tag).collect::<Vec<_>>(), "kyber holds");
    }
}
