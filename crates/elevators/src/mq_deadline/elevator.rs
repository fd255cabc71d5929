// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the block layer asks mq-deadline (peers.md §3).

use base::{Class, Op};
use blk::{
    Bio, Elevator, Merge, MergeKind, MergeRules, Pool, ProcessId, Statistic, StatisticSpec, Tag,
    TagState, Tunable, TunableError, TunableSpec,
};

use super::{ClassQueue, Home, MqDeadline, UNUSED, statistics, tunables};
use crate::sweep::Direction;

impl Elevator for MqDeadline {
    fn name(&self) -> &'static str {
        MqDeadline::NAME
    }

    fn tunables(&self) -> Vec<Tunable> {
        TunableSpec::read(tunables::TABLE, &self.tunables)
    }

    fn set_tunable(&mut self, _: u64, name: &str, value: &str) -> Result<(), TunableError> {
        TunableSpec::write(tunables::TABLE, MqDeadline::NAME, &mut self.tunables, name, value)
    }

    fn statistics(&self) -> Vec<Statistic> {
        StatisticSpec::read(statistics::TABLE, self)
    }

    fn pool_resized(&mut self, _: u64, nr_requests: u32, tags: u32) {
        self.tunables.nr_requests = nr_requests;
        self.entries.resize(self.entries.len().max(tags as usize), UNUSED);
        self.slots.resize(tags);
        self.merges.resize(tags);
    }

    fn allowed_requests(&mut self, _: u64, _: Option<ProcessId>, op: Op, sync: bool) -> u32 {
        if op == Op::Read && sync { u32::MAX } else { self.tunables.async_depth() }
    }

    fn least_allowed_requests(&self) -> u32 {
        self.tunables.async_depth()
    }

    fn find_merge(&mut self, _: u64, bio: &Bio, rules: &MergeRules, pool: &Pool) -> Option<Merge> {
        let queue = self.queue(rules.ioprio.effective().class(), Direction::of(bio.op));
        let front_merges = self.tunables.sweep.front_merges;
        let starting_at = |_: &mut (), sector| {
            if front_merges { queue.waiting.at(sector) } else { None }
        };
        self.merges.find(&mut (), bio, rules, pool, |(), _| true, starting_at)
    }

    fn bio_merged(&mut self, _: u64, tag: Tag, kind: MergeKind, pool: &Pool) {
        if kind == MergeKind::Front {
            let entry = self.entries[tag.index()];
            let queue = &mut self.levels[entry.priority as usize].queues[entry.direction as usize];
            queue.waiting.sort_again(&mut self.slots, tag, pool[tag].sector);
        }
        self.merges.grown(tag, pool);
    }

    fn neighbour(&self, tag: Tag, kind: MergeKind, _: &Pool) -> Option<Tag> {
        let entry = &self.entries[tag.index()];
        self.queue(entry.priority, entry.direction).waiting.neighbour(&self.slots, tag, kind)
    }

    fn requests_merged(&mut self, _: u64, survivor: Tag, absorbed: Tag, pool: &Pool) {
        let entry = &mut self.entries[absorbed.index()];
        if entry.home == Home::Queue {
            entry.home = Home::Away;
            let level = &mut self.levels[entry.priority as usize];
            level.pending -= 1;
            let queue = &mut level.queues[entry.direction as usize].waiting;
            queue.coalesce(&mut self.slots, survivor, absorbed);
            self.merges.removed(absorbed);
        }
        self.merges.grown(survivor, pool);
    }

    fn find_insertion_merge(
        &mut self,
        _: u64,
        tag: Tag,
        rules: &MergeRules,
        pool: &Pool,
    ) -> Option<Tag> {
        self.merges.find_insertion_merge(tag, rules, pool)
    }

    fn insert(&mut self, now_ns: u64, tag: Tag, at_head: bool, pool: &Pool) {
        let request = &pool[tag];
        let (priority, direction) = (request.ioprio.effective().class(), Direction::of(request.op));
        if at_head {
            self.enter_at_head(tag, priority, direction, request.sector);
        } else {
            self.enter(now_ns as i64, tag, priority, direction, request.sector);
            self.merges.inserted(tag, pool);
        }
    }

    fn has_work(&self) -> bool {
        let waits = |queue: &ClassQueue| !queue.waiting.is_empty();
        !self.direct.is_empty() || self.levels.iter().any(|level| level.queues.iter().any(waits))
    }

    fn dispatch(&mut self, now_ns: u64, _: &Pool) -> Option<Tag> {
        self.dispatch_one(now_ns as i64)
    }

    fn completed(&mut self, _: u64, tag: Tag, _: &Pool) {
        self.level_of(tag).pending -= 1;
    }

    fn requeued(&mut self, _: u64, tag: Tag, _: &Pool) {
        self.level_of(tag).pending -= 1;
    }

    fn check(&self, pool: &Pool) {
        let mut held: Vec<Tag> = self.direct.iter(&self.slots.links).collect();
        let mut mergeable = Vec::new();
        for (priority, level) in Class::ALL.into_iter().zip(&self.levels) {
            let mut waiting = 0;
            for (direction, queue) in Direction::ALL.into_iter().zip(&level.queues) {
                for (tag, place) in queue.waiting.check(&self.slots) {
                    let entry = &self.entries[tag.index()];
                    assert_eq!(entry.home, Home::Queue, "home of {tag}");
                    assert_eq!((entry.priority, entry.direction), (priority, direction));
                    assert_eq!(place.sector(), pool[tag].sector, "place of {tag}");
                    mergeable.extend(pool[tag].mergeable().then_some(tag));
                    held.push(tag);
                    waiting += 1;
                }
            }
            assert!(waiting <= level.pending, "requests of {priority:?}");
        }
        self.merges.check(mergeable, pool);
        held.sort();
        let waiting = pool.iter().filter(|request| request.state() == TagState::Waiting);
        assert_eq!(held, waiting.map(|request| request.tag).collect::<Vec<_>>(), "held requests");
    }
}
