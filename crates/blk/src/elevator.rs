// SPDX-License-Identifier: MIT OR Apache-2.0
//! The contract between the layer and a scheduler.

use crate::bio::Bio;
use crate::identity::{GroupSpec, ProcessSpec};
use crate::ids::{GroupId, ProcessId, Tag};
use crate::merge::MergeRules;
use crate::pool::Pool;
use crate::request::{Merge, MergeKind};
use crate::statistic::{GroupStatistic, Statistic};
use crate::tunable::{Tunable, TunableError};
use base::{IoprioValue, Op, OutOfMemory};

/// A scheduler of requests.
///
/// # Life of an elevator
///
/// 1. [`pool_resized`](Elevator::pool_resized), once, with the time of attachment; then the replay
///    of what exists: [`group_added`](Elevator::group_added) for each group (parents first, the
///    root never), [`process_added`](Elevator::process_added) for each process.
/// 2. Events, in the order in which they happen.
/// 3. It is dropped. Requests still waiting in it are given to its successor; nothing is told.
///
/// # Life of a request, as the elevator sees it
///
/// [`allowed_requests`](Elevator::allowed_requests) (once, before a tag is sought) →
/// [`find_insertion_merge`](Elevator::find_insertion_merge) (unless merging is off) →
/// [`insert`](Elevator::insert) → [`dispatch`](Elevator::dispatch) →
/// [`completed`](Elevator::completed), or [`requeued`](Elevator::requeued) and then `insert` again,
/// at the head. A request may instead be absorbed by another one before it is dispatched:
/// [`requests_merged`](Elevator::requests_merged), and the elevator is not told of it again.
///
/// After a switch the new elevator is told only of requests that were inserted into it: those on
/// the device at that time complete without a word to it.
///
/// Flushes never come here. Times are nanoseconds and never go back. An elevator keeps per-tag
/// state in arrays of [`Pool::tags`] elements.
pub trait Elevator {
    /// Its name, as in `/sys/block/<disk>/queue/scheduler`.
    fn name(&self) -> &'static str;

    /// Whether requests hold a device tag from the start, so that the default pool is as large as
    /// the device's queue is deep and can never be larger. True of `none` only.
    fn uses_device_tags(&self) -> bool {
        false
    }

    /// Whether it only keeps requests in an order: it has no timer, never asks for a run, lets
    /// every submitter have every tag, and changes nothing when it is asked for a merge or a
    /// request has ended. The layer then never asks it for a timer to wait for, a kick or a limit,
    /// does not call [`completed`](Elevator::completed), and calls
    /// [`find_merge`](Elevator::find_merge) only while requests wait. The answer must not change:
    /// it is asked for at attachment, also by a switch.
    fn only_queues(&self) -> bool {
        false
    }

    /// All tunables with their present values, in the order of the elevator's table.
    fn tunables(&self) -> Vec<Tunable> {
        Vec::new()
    }

    /// Sets a tunable as a write to its file would.
    ///
    /// # Errors
    /// An unknown name, or a text that is no number or too large a one. Values out of range are
    /// clamped, not refused.
    fn set_tunable(&mut self, now_ns: u64, name: &str, value: &str) -> Result<(), TunableError>;

    /// Sets a tunable as somebody asks for it who has to know what is in force: as
    /// [`set_tunable`](Self::set_tunable), but values out of range are refused.
    ///
    /// # Errors
    /// What `set_tunable` says, or a number out of range.
    fn set_tunable_in_range(
        &mut self,
        now_ns: u64,
        name: &str,
        value: &str,
    ) -> Result<(), TunableError> {
        if let Some(tunable) = self.tunables().iter().find(|tunable| tunable.name == name) {
            tunable.check_range(value)?;
        }
        self.set_tunable(now_ns, name, value)
    }

    /// What a group (which exists, perhaps the root) has done; empty if the elevator does not
    /// count by groups.
    fn group_statistics(&self, _group: GroupId) -> Vec<GroupStatistic> {
        Vec::new()
    }

    /// All statistics, in the order of the elevator's table.
    fn statistics(&self) -> Vec<Statistic> {
        Vec::new()
    }

    /// A group has come into being.
    ///
    /// # Errors
    /// If there is no memory for it; the group then does not exist.
    fn group_added(
        &mut self,
        _now_ns: u64,
        _group: GroupId,
        _spec: &GroupSpec,
    ) -> Result<(), OutOfMemory> {
        Ok(())
    }

    /// The weight (1 to 10,000) of a group was written.
    fn group_weight(&mut self, _now_ns: u64, _group: GroupId, _weight: u32) {}

    /// A group has gone; it had no processes and no children any more, perhaps still requests.
    fn group_removed(&mut self, _now_ns: u64, _group: GroupId) {}

    /// A process has come into being.
    fn process_added(&mut self, _now_ns: u64, _process: ProcessId, _spec: &ProcessSpec) {}

    /// A process has a new ioprio.
    fn process_ioprio(&mut self, _now_ns: u64, _process: ProcessId, _ioprio: IoprioValue) {}

    /// A process is in another group now. Its waiting requests keep the group they have.
    fn process_moved(&mut self, _now_ns: u64, _process: ProcessId, _group: GroupId) {}

    /// A process has gone. It submits nothing any more; its requests may still be on their way.
    fn process_exited(&mut self, _now_ns: u64, _process: ProcessId) {}

    /// The pool has `nr_requests` requests now; every tag is below `tags` (≥ `nr_requests`, never
    /// shrinks). The place to grow per-tag arrays.
    fn pool_resized(&mut self, now_ns: u64, nr_requests: u32, tags: u32);

    /// Asked once when a request is to be allocated: only tags below the answer may be used
    /// for it (0 counts as 1; beyond the pool is no limit). A submitter that has to sleep
    /// keeps the answer.
    fn allowed_requests(
        &mut self,
        _now_ns: u64,
        _process: Option<ProcessId>,
        _op: Op,
        _sync: bool,
    ) -> u32 {
        u32::MAX
    }

    /// The least answer that [`allowed_requests`](Elevator::allowed_requests) may ever give.
    fn least_allowed_requests(&self) -> u32 {
        u32::MAX
    }

    /// Seeks a waiting request that `bio` can join. How to search, and whom to ask, is wholly
    /// the elevator's business; `rules` says what the layer allows: [`MergeRules::admits`] is
    /// the precondition (same operation, group, ioprio), [`MergeRules::fits`] the size. The
    /// layer looks at both and at adjacency again and merges nothing if they are not met.
    /// With [`MergeRules::one_hit_only`] only the cheapest attempt is wanted. Not called if
    /// merging is off.
    fn find_merge(
        &mut self,
        _now_ns: u64,
        _bio: &Bio,
        _rules: &MergeRules,
        _pool: &Pool,
    ) -> Option<Merge> {
        None
    }

    /// The waiting request `tag` has grown by a bio at the end `kind`; `pool[tag]` shows it
    /// already. Not called if the growth made it coalesce with a neighbour (then
    /// [`requests_merged`](Elevator::requests_merged) is).
    fn bio_merged(&mut self, _now_ns: u64, _tag: Tag, _kind: MergeKind, _pool: &Pool) {}

    /// The waiting request that follows (back) or precedes (front) `tag` in sector order, to see
    /// whether the two became adjacent. Asked after `tag` has grown at that end and before
    /// [`bio_merged`](Elevator::bio_merged), so the elevator's order still has it at its old place.
    fn neighbour(&self, _tag: Tag, _kind: MergeKind, _pool: &Pool) -> Option<Tag> {
        None
    }

    /// `survivor`, a waiting request, has taken over all bios of `absorbed`, which ends here: it is
    /// to leave every structure of the elevator. `pool[survivor]` shows the union, `pool[absorbed]`
    /// what it was. Either may have grown by a bio immediately before, without a
    /// [`bio_merged`](Elevator::bio_merged). At an insertion merge `absorbed` was never inserted.
    /// To be implemented by elevators that answer `neighbour` or `find_insertion_merge`.
    fn requests_merged(&mut self, _now_ns: u64, _survivor: Tag, _absorbed: Tag, _pool: &Pool) {}

    /// `tag` is about to be inserted: names the waiting request that ends at its start and is to
    /// absorb it. If the layer agrees, `requests_merged` follows and the question is asked again
    /// for the survivor (waiting already, and grown), until the answer is `None`. The question
    /// itself changes nothing. Not called if merging is off, if nothing waits, or for an insertion
    /// at the head.
    fn find_insertion_merge(
        &mut self,
        _now_ns: u64,
        _tag: Tag,
        _rules: &MergeRules,
        _pool: &Pool,
    ) -> Option<Tag> {
        None
    }

    /// A request to schedule; `at_head`: before everything else (it comes back after a requeue).
    fn insert(&mut self, now_ns: u64, tag: Tag, at_head: bool, pool: &Pool);

    /// Whether anything waits, even if [`dispatch`](Elevator::dispatch) would hold it back now. The
    /// layer knows that itself; this is for hosts without one, and for checks.
    fn has_work(&self) -> bool;

    /// The request to go to the device next; `None`: nothing, or nothing now. Asked only while
    /// requests wait.
    fn dispatch(&mut self, now_ns: u64, pool: &Pool) -> Option<Tag>;

    /// A dispatched request has ended, well or not. Not called if the elevator
    /// [`only_queues`](Elevator::only_queues).
    fn completed(&mut self, now_ns: u64, tag: Tag, pool: &Pool);

    /// A dispatched request came back from the device undone; its insertion at the head follows.
    fn requeued(&mut self, now_ns: u64, tag: Tag, pool: &Pool);

    /// When [`on_timer`](Elevator::on_timer) is wanted next, ns.
    fn next_timer_ns(&self) -> Option<u64> {
        None
    }

    /// The time of [`next_timer_ns`](Elevator::next_timer_ns) has come.
    fn on_timer(&mut self, _now_ns: u64) {}

    /// Whether the elevator wants dispatching to run again; the call forgets the wish. Asked after
    /// completions, requeues, timers, exits, moves, weights and tunables.
    fn take_kick(&mut self) -> bool {
        false
    }

    /// Asserts the elevator's own invariants, among them that it holds exactly the requests of
    /// `pool` whose state is [`Waiting`](crate::TagState::Waiting). For tests; may be slow.
    fn check(&self, _pool: &Pool) {}
}
