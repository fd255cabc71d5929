// SPDX-License-Identifier: MIT OR Apache-2.0
//! `deadline` of the single-queue kernels: sector sweeps in batches by direction, with soft
//! deadlines; no classes and no limits (peers.md §2 and, where it has the same, §3).
//!
//! A sweep goes on with the request that came next when the last one was dispatched. What arrives
//! between the two does not join it (peers.md §3.5); mq-deadline goes on from the sector.

#[cfg(test)]
mod tests;

use blk::{
    Bio, Elevator, Merge, MergeIndex, MergeKind, MergeRules, Pool, Statistic, StatisticSpec, Tag,
    TagState, Tunable, TunableError, TunableSpec,
};

use crate::sweep::{
    Batches, Direction, Slots, SweepQueue, SweepTunables, statistic_rows, tunable_rows,
};
use crate::tag_list::TagList;

/// All tunables of deadline.
const TUNABLES: &[TunableSpec<SweepTunables>] = &tunable_rows();

/// All statistics of deadline.
const STATISTICS: &[StatisticSpec<Deadline>] = &statistic_rows();

/// The waiting requests of one direction.
#[derive(Debug, Default)]
struct DirectionQueue {
    waiting: SweepQueue,
    /// The request with which the sweep goes on.
    next: Option<Tag>,
}

impl DirectionQueue {
    /// The sweep goes on behind that waiting request.
    fn go_on_behind(&mut self, slots: &Slots, tag: Tag) {
        self.next = self.waiting.neighbour(slots, tag, MergeKind::Back);
    }
}

/// The scheduler `deadline`: sorted batches of one direction, with a deadline for each request.
#[derive(Debug, Default)]
pub struct Deadline {
    tunables: SweepTunables,
    /// What waits, by direction.
    queues: [DirectionQueue; 2],
    /// By tag: in which queue it waits.
    homes: Vec<Option<Direction>>,
    slots: Slots,
    /// Served before everything: requests that came back from the device.
    direct: TagList,
    batches: Batches,
    merges: MergeIndex,
}

impl Deadline {
    /// The name of this scheduler.
    pub const NAME: &'static str = "deadline";

    /// A scheduler without requests, its tunables at their defaults.
    pub fn new() -> Deadline {
        Deadline::default()
    }

    fn enter(&mut self, now_ns: i64, tag: Tag, direction: Direction, sector: u64) {
        let deadline_ns = now_ns + self.tunables.expire_ns(direction);
        let queue = &mut self.queues[direction as usize].waiting;
        queue.insert(&mut self.slots, tag, sector, deadline_ns);
        self.homes[tag.index()] = Some(direction);
    }

    fn dispatch_one(&mut self, now_ns: i64) -> Option<Tag> {
        if let Some(tag) = self.direct.pop_front(&mut self.slots.links) {
            return Some(tag);
        }
        let continuing = self.batches.continuing(self.tunables.fifo_batch);
        let continued = continuing.and_then(|direction| self.queues[direction as usize].next);
        let tag = match continued {
            Some(tag) => tag,
            None => self.begin_batch(now_ns)?,
        };
        self.batches.dispatched();
        let direction = self.homes[tag.index()].take()?;
        let queue = &mut self.queues[direction as usize];
        queue.go_on_behind(&self.slots, tag);
        queue.waiting.remove(&mut self.slots, tag);
        self.merges.removed(tag);
        Some(tag)
    }

    fn begin_batch(&mut self, now_ns: i64) -> Option<Tag> {
        let [reads, writes] = self.queues.each_ref().map(|queue| !queue.waiting.is_empty());
        let direction = self.batches.begin(reads, writes, self.tunables.writes_starved)?;
        let queue = &self.queues[direction as usize];
        self.batches.first(&queue.waiting, &self.slots, queue.next, now_ns)
    }
}

impl AsRef<Batches> for Deadline {
    fn as_ref(&self) -> &Batches {
        &self.batches
    }
}

impl Elevator for Deadline {
    fn name(&self) -> &'static str {
        Deadline::NAME
    }

    fn only_queues(&self) -> bool {
        true
    }

    fn tunables(&self) -> Vec<Tunable> {
        TunableSpec::read(TUNABLES, &self.tunables)
    }

    fn set_tunable(&mut self, _: u64, name: &str, value: &str) -> Result<(), TunableError> {
        TunableSpec::write(TUNABLES, Deadline::NAME, &mut self.tunables, name, value)
    }

    fn statistics(&self) -> Vec<Statistic> {
        StatisticSpec::read(STATISTICS, self)
    }

    fn pool_resized(&mut self, _: u64, _: u32, tags: u32) {
        self.homes.resize(self.homes.len().max(tags as usize), None);
        self.slots.resize(tags);
        self.merges.resize(tags);
    }

    fn find_merge(&mut self, _: u64, bio: &Bio, rules: &MergeRules, pool: &Pool) -> Option<Merge> {
        let queue = &self.queues[Direction::of(bio.op) as usize].waiting;
        let front_merges = self.tunables.front_merges;
        let starting_at = |_: &mut (), sector| if front_merges { queue.at(sector) } else { None };
        self.merges.find(&mut (), bio, rules, pool, |(), _| true, starting_at)
    }

    fn bio_merged(&mut self, _: u64, tag: Tag, kind: MergeKind, pool: &Pool) {
        if let (MergeKind::Front, Some(direction)) = (kind, self.homes[tag.index()]) {
            let queue = &mut self.queues[direction as usize].waiting;
            queue.sort_again(&mut self.slots, tag, pool[tag].sector);
        }
        self.merges.grown(tag, pool);
    }

    fn neighbour(&self, tag: Tag, kind: MergeKind, _: &Pool) -> Option<Tag> {
        let queue = &self.queues[self.homes[tag.index()]? as usize];
        queue.waiting.neighbour(&self.slots, tag, kind)
    }

    fn requests_merged(&mut self, _: u64, survivor: Tag, absorbed: Tag, pool: &Pool) {
        if let Some(direction) = self.homes[absorbed.index()].take() {
            let queue = &mut self.queues[direction as usize];
            if queue.next == Some(absorbed) {
                queue.go_on_behind(&self.slots, absorbed);
            }
            queue.waiting.coalesce(&mut self.slots, survivor, absorbed);
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
        if at_head {
            self.direct.push_front(&mut self.slots.links, tag);
        } else {
            self.enter(now_ns as i64, tag, Direction::of(request.op), request.sector);
            self.merges.inserted(tag, pool);
        }
    }

    fn has_work(&self) -> bool {
        !self.direct.is_empty() || self.queues.iter().any(|queue| !queue.waiting.is_empty())
    }

    fn dispatch(&mut self, now_ns: u64, _: &Pool) -> Option<Tag> {
        self.dispatch_one(now_ns as i64)
    }

    fn completed(&mut self, _: u64, _: Tag, _: &Pool) {}

    fn requeued(&mut self, _: u64, _: Tag, _: &Pool) {}

    fn check(&self, pool: &Pool) {
        let mut held: Vec<Tag> = self.direct.iter(&self.slots.links).collect();
        let mut mergeable = Vec::new();
        for (direction, queue) in Direction::ALL.into_iter().zip(&self.queues) {
            for (tag, place) in queue.waiting.check(&self.slots) {
                assert_eq!(self.homes[tag.index()], Some(direction), "home of {tag}");
                assert_eq!(place.sector(), pool[tag].sector, "place of {tag}");
                mergeable.extend(pool[tag].mergeable().then_some(tag));
                held.push(tag);
            }
            let next_waits =
                queue.next.is_none_or(|tag| self.homes[tag.index()] == Some(direction));
            assert!(next_waits, "the sweep of {direction:?} goes on with what waits");
        }
        self.merges.check(mergeable, pool);
        held.sort();
        let waiting = pool.iter().filter(|request| request.state() == TagState::Waiting);
        assert_eq!(held, waiting.map(|request| request.tag).collect::<Vec<_>>(), "held requests");
    }
}
