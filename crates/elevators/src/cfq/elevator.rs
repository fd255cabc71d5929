// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the block layer asks cfq (peers.md §5).

use base::{IoprioValue, Op, OutOfMemory};
use blk::{
    Bio, Elevator, GroupId, GroupSpec, Merge, MergeKind, MergeRules, Pool, ProcessId, ProcessSpec,
    Statistic, StatisticSpec, Tag, Tunable, TunableError, TunableSpec, Values,
};

use super::generation::Generation;
use super::process::ProcessState;
use super::requests::{NewRequest, is_sync};
use super::ticks::{TICK_NS, tick_at};
use super::{Cfq, Entry, GENERATION, Home, UNUSED, statistics, tunables};

impl Elevator for Cfq {
    fn name(&self) -> &'static str {
        Cfq::NAME
    }

    fn tunables(&self) -> Vec<Tunable> {
        let generation = Tunable {
            name: GENERATION,
            unit: "release",
            doc: "of Linux, whose behaviour is followed; to be chosen before the scheduler is used",
            value: self.tunables.generation.name().to_owned(),
            default: Generation::DEFAULT.name().to_owned(),
            values: Values::Words(Generation::NAMES),
        };
        let table = tunables::table(self.tunables.generation);
        let numbers = TunableSpec::read(table, &self.tunables);
        std::iter::once(generation).chain(numbers).collect()
    }

    fn set_tunable(&mut self, _: u64, name: &str, value: &str) -> Result<(), TunableError> {
        if name == GENERATION {
            return self.set_generation(value);
        }
        let generation = self.tunables.generation;
        let (table, scheduler) = (tunables::table(generation), generation.scheduler());
        TunableSpec::write(table, scheduler, &mut self.tunables, name, value)
    }

    fn statistics(&self) -> Vec<Statistic> {
        StatisticSpec::read(statistics::TABLE, &self.counters)
    }

    fn group_added(&mut self, _: u64, group: GroupId, spec: &GroupSpec) -> Result<(), OutOfMemory> {
        self.fresh = false;
        self.groups.add(group, spec.weight);
        Ok(())
    }

    fn group_weight(&mut self, _: u64, group: GroupId, weight: u32) {
        self.groups.set_weight(group, weight);
    }

    fn process_added(&mut self, now_ns: u64, process: ProcessId, spec: &ProcessSpec) {
        self.fresh = false;
        if self.processes.len() <= process.index() {
            self.processes.resize_with(process.index() + 1, || None);
        }
        let priority = spec.ioprio.effective();
        let added = ProcessState::new(tick_at(now_ns), priority, spec.group);
        self.processes[process.index()] = Some(added);
    }

    fn process_ioprio(&mut self, _: u64, process: ProcessId, ioprio: IoprioValue) {
        if let Some(process) = self.process_mut(Some(process)) {
            process.priority = ioprio.effective();
        }
    }

    fn process_moved(&mut self, now_ns: u64, process: ProcessId, group: GroupId) {
        self.process_moves(tick_at(now_ns), process, group);
    }

    fn process_exited(&mut self, now_ns: u64, process: ProcessId) {
        self.process_ends(tick_at(now_ns), process);
    }

    fn pool_resized(&mut self, _: u64, nr_requests: u32, tags: u32) {
        self.nr_requests = nr_requests;
        self.entries.resize(self.entries.len().max(tags as usize), UNUSED);
        self.links.resize(tags);
        self.merges.resize(tags);
    }

    /// The hosts of CFQ had two pools of the same size (§6): asynchronous requests never take more
    /// than half of ours.
    fn allowed_requests(&mut self, _: u64, _: Option<ProcessId>, op: Op, sync: bool) -> u32 {
        if is_sync(op, sync) { u32::MAX } else { self.least_allowed_requests() }
    }

    fn least_allowed_requests(&self) -> u32 {
        self.nr_requests.div_ceil(2)
    }

    fn find_merge(&mut self, _: u64, bio: &Bio, rules: &MergeRules, pool: &Pool) -> Option<Merge> {
        let sync = is_sync(bio.op, bio.sync);
        let id = self.existing_queue(bio.process, sync, rules.ioprio.effective())?;
        let own = |_: &mut (), tag: Tag| {
            let entry = &self.entries[tag.index()];
            entry.queue == Some(id) && (entry.sync || !sync)
        };
        let starting_at = |_: &mut (), sector| self.queues[id].sorted.at(sector);
        self.merges.find(&mut (), bio, rules, pool, own, starting_at)
    }

    fn bio_merged(&mut self, _: u64, tag: Tag, kind: MergeKind, pool: &Pool) {
        if kind == MergeKind::Front {
            self.sort_again(tag, pool[tag].sector);
        }
        self.entries[tag.index()].end_sector = pool[tag].end_sector();
        self.merges.grown(tag, pool);
    }

    fn neighbour(&self, tag: Tag, kind: MergeKind, _: &Pool) -> Option<Tag> {
        let entry = &self.entries[tag.index()];
        let sorted = &self.queues[entry.queue?].sorted;
        match kind {
            MergeKind::Back => sorted.next(entry.place, tag),
            MergeKind::Front => sorted.previous(entry.place, tag),
        }
    }

    fn requests_merged(&mut self, _: u64, survivor: Tag, absorbed: Tag, pool: &Pool) {
        self.absorb(survivor, absorbed);
        self.entries[survivor.index()].end_sector = pool[survivor].end_sector();
        self.merges.grown(survivor, pool);
    }

    /// Only within the queue that the request is to enter.
    fn find_insertion_merge(
        &mut self,
        _: u64,
        tag: Tag,
        rules: &MergeRules,
        pool: &Pool,
    ) -> Option<Tag> {
        let survivor = self.merges.find_insertion_merge(tag, rules, pool)?;
        let request = &pool[tag];
        let queue = match self.entries[tag.index()] {
            // It is the survivor of such a merge already, and asked about once more.
            Entry { home: Home::Queue, queue, .. } => queue,
            _ => {
                let sync = is_sync(request.op, request.sync);
                self.existing_queue(request.process, sync, request.ioprio.effective())
            }
        };
        (queue.is_some() && self.entries[survivor.index()].queue == queue).then_some(survivor)
    }

    fn insert(&mut self, now_ns: u64, tag: Tag, at_head: bool, pool: &Pool) {
        self.fresh = false;
        let request = NewRequest::of(&pool[tag]);
        if at_head {
            self.come_back(tag, request);
        } else {
            self.arrive(tick_at(now_ns), tag, request);
            self.merges.inserted(tag, pool);
        }
    }

    fn has_work(&self) -> bool {
        self.has_waiting()
    }

    fn dispatch(&mut self, now_ns: u64, _: &Pool) -> Option<Tag> {
        self.dispatch_one(tick_at(now_ns))
    }

    fn completed(&mut self, now_ns: u64, tag: Tag, _: &Pool) {
        self.complete(tick_at(now_ns), tag);
    }

    fn requeued(&mut self, _: u64, tag: Tag, _: &Pool) {
        if let Some(id) = self.leaves_device(tag) {
            self.queues.release(id);
        }
        self.kick |= self.has_waiting();
    }

    fn next_timer_ns(&self) -> Option<u64> {
        self.idle_timer_ticks.map(|ticks| ticks as u64 * TICK_NS)
    }

    fn on_timer(&mut self, now_ns: u64) {
        if self.idle_timer_ticks.is_some_and(|ticks| ticks <= tick_at(now_ns)) {
            self.wait_ended(tick_at(now_ns));
        }
    }

    fn take_kick(&mut self) -> bool {
        std::mem::take(&mut self.kick)
    }

    fn check(&self, pool: &Pool) {
        self.check_all(pool);
    }
}
