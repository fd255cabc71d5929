// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cfq`: each process has the disk for a slice of time in turn, for as long as its ioprio says
//! (peers.md §5). The scheduler of Linux before bfq, in two generations.
//!
//! | Where | What |
//! |---|---|
//! | [`process`], [`queue`], [`requests`] | what belongs to whom, and which request of a queue is next (§5.2) |
//! | [`think_time`], [`seek`], [`queueing`] | what is learnt of processes and of the device (§5.2, §5.10) |
//! | [`mod@slice`], [`service_tree`], [`groups`], [`workload`] | how long, and whose turn it is (§5.3 to §5.5) |
//! | [`select`], [`dispatch`], [`completion`] | who keeps the disk, how much goes to it, what comes back (§5.3, §5.6, §5.7) |
//! | [`idling`], [`preemption`], [`cooperation`] | waiting, pushing in, making way (§5.8, §5.9) |

mod check;
mod completion;
mod cooperation;
mod dispatch;
mod generation;
mod groups;
mod idling;
mod preemption;
mod process;
mod queue;
mod queueing;
mod requests;
mod seek;
mod select;
mod service_tree;
mod slice;
mod statistics;
#[cfg(test)]
mod tests;
mod think_time;
mod ticks;
mod tunables;
mod workload;

use base::{IoprioValue, Op, OutOfMemory};
use blk::{
    Bio, DeviceLimits, Elevator, GroupId, GroupSpec, Merge, MergeIndex, MergeKind, MergeRules,
    Pool, ProcessId, ProcessSpec, Statistic, StatisticSpec, Tag, Tunable, TunableError,
    TunableSpec, Values,
};

use crate::sorted_tags::SortKey;
use crate::tag_list::{TagLinks, TagList};
use cooperation::Positions;
use generation::Generation;
use groups::Groups;
use process::{ProcessState, SharedQueues};
use queue::{QueueId, Queues};
use queueing::Queueing;
use requests::{NewRequest, is_sync};
use statistics::Counters;
use ticks::{TICK_NS, tick_at};
use tunables::Tunables;
use workload::Serving;

/// The tunable that chooses a generation, when the scheduler is built.
const GENERATION: &str = "generation";

/// Where a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Home {
    /// It is not here.
    Away,
    Queue,
    /// In the direct-dispatch list.
    Direct,
    Device,
}

/// What is remembered of a request.
#[derive(Debug, Clone, Copy)]
struct Entry {
    home: Home,
    /// The queue that it waits in or came from; none if it went by the direct-dispatch list.
    queue: Option<QueueId>,
    process: Option<ProcessId>,
    sync: bool,
    metadata: bool,
    place: SortKey,
    end_sector: u64,
    allocated_ticks: i64,
    deadline_ticks: i64,
}

const UNUSED: Entry = Entry {
    home: Home::Away,
    queue: None,
    process: None,
    sync: false,
    metadata: false,
    place: SortKey::unsorted(0),
    end_sector: 0,
    allocated_ticks: 0,
    deadline_ticks: 0,
};

/// The scheduler `cfq`.
#[derive(Debug)]
pub struct Cfq {
    tunables: Tunables,
    rotational: bool,
    /// Processes, by their number.
    processes: Vec<Option<ProcessState>>,
    queues: Queues,
    shared: SharedQueues,
    groups: Groups,
    positions: Positions,
    /// The requests by tag.
    entries: Vec<Entry>,
    links: TagLinks,
    merges: MergeIndex,
    /// Served before everything: requests that came back from the device.
    direct: TagList,
    /// Requests in queues.
    waiting: u32,
    /// The size of the pool.
    nr_requests: u32,
    /// Requests on the device: asynchronous, synchronous.
    in_flight: [u32; 2],
    /// The queue whose turn it is.
    active: Option<QueueId>,
    /// Generation B: the kind of load whose turn it is.
    serving: Option<Serving>,
    /// While the active queue is waited for: until when.
    idle_timer_ticks: Option<i64>,
    /// The end of the request dispatched last.
    head_sector: u64,
    /// When a synchronous request completed last; in generation B, one that had taken long.
    sync_seen_ticks: Option<i64>,
    queueing: Queueing,
    counters: Counters,
    kick: bool,
    /// Nothing was asked of it yet, so that its generation may still be chosen.
    fresh: bool,
}

impl Cfq {
    /// The name of this scheduler.
    pub const NAME: &'static str = "cfq";

    /// An empty scheduler for a device, of generation 2.6.32.
    pub fn new(limits: &DeviceLimits) -> Cfq {
        Cfq::with_tunables(limits.rotational, Tunables::new(Generation::DEFAULT))
    }

    fn with_tunables(rotational: bool, tunables: Tunables) -> Cfq {
        Cfq {
            queueing: Queueing::new(tunables.generation),
            tunables,
            rotational,
            processes: Vec::new(),
            queues: Queues::default(),
            shared: SharedQueues::default(),
            groups: Groups::new(),
            positions: Positions::default(),
            entries: Vec::new(),
            links: TagLinks::default(),
            merges: MergeIndex::new(),
            direct: TagList::default(),
            waiting: 0,
            nr_requests: 0,
            in_flight: [0; 2],
            active: None,
            serving: None,
            idle_timer_ticks: None,
            head_sector: 0,
            sync_seen_ticks: None,
            counters: Counters::default(),
            kick: false,
            fresh: true,
        }
    }

    fn set_generation(&mut self, value: &str) -> Result<(), TunableError> {
        let Some(generation) = Generation::from_name(value).filter(|_| self.fresh) else {
            return Err(TunableError::NotAValue {
                name: GENERATION,
                value: value.to_owned(),
                expected: "2.6.32 or 2.6.35, before the scheduler is used",
            });
        };
        self.queueing = Queueing::new(generation);
        self.tunables.generation = generation;
        Ok(())
    }
}

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
