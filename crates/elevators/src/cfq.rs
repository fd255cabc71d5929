// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cfq`: each process has the disk for a slice of time in turn, for as long as its ioprio says
//! (peers.md §5). The scheduler of Linux before bfq, in two generations.
//!
//! | Where | What |
//! |---|---|
//! | [`process`], [`queue`], [`membership`], [`requests`] | what belongs to whom, and which request of a queue is next (§5.2) |
//! | [`think_time`], [`seek`], [`queueing`] | what is learnt of processes and of the device (§5.2, §5.10) |
//! | [`mod@slice`], [`lengths`], [`service_tree`], [`order`], [`groups`], [`workload`] | how long, and whose turn it is (§5.3 to §5.5) |
//! | [`select`], [`expiry`], [`dispatch`], [`completion`] | who keeps the disk, how much goes to it, what comes back (§5.3, §5.6, §5.7) |
//! | [`idling`], [`preemption`], [`positions`], [`cooperation`] | waiting, pushing in, making way (§5.8, §5.9) |

mod check;
mod completion;
mod cooperation;
mod dispatch;
mod elevator;
mod expiry;
mod generation;
mod groups;
mod idling;
mod lengths;
mod membership;
mod order;
mod positions;
mod preemption;
mod process;
mod queue;
mod queue_id;
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

use blk::{DeviceLimits, MergeIndex, ProcessId, TunableError};

use crate::sorted_tags::SortKey;
use crate::tag_list::{TagLinks, TagList};
use generation::Generation;
use groups::{Groups, Serving};
use positions::Positions;
use process::{ProcessState, SharedQueues};
use queue::Queues;
use queue_id::QueueId;
use queueing::Queueing;
use statistics::Counters;
use tunables::Tunables;

/// The tunable that chooses a generation, when the scheduler is built.
pub(crate) const GENERATION: &str = "generation";

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

/// The scheduler `cfq`: processes get the device in turn, for slices of time by their priority.
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
    /// Requests in queues, at present; those in `direct` are not counted.
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
