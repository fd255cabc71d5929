// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much of the request pool an allocation may use (spec 3.22).

use crate::{
    fair::{Entity, EntityId},
    model::{
        Model,
        allowance::Allowance,
        device::Device,
        ids::{ProcessId, QueueId},
        request::Operation,
    },
    policy::budget::state::{Budget, Scheduler},
    quirks::Quirk,
    units::Class,
    why::{Decision, Observer},
};
use core::{iter::successors, num::NonZeroU32};

/// Weight of a class against the next lower one in a queue's share of its group's requests.
const CLASS_FACTOR: u64 = 8;
/// The part of the pool that sync reads have to leave to raised queues.
const KEPT_FOR_RAISED: u32 = 8;
/// Deeper group trees are compared only at their lowest levels.
const MAX_DEPTH: usize = 64;

/// A queue, or a group above it, has its share of the pool.
#[derive(Clone, Copy, Debug)]
struct Exhausted {
    queue: QueueId,
    /// Requests that it has.
    allocated: u32,
    /// How many are its share.
    limit: u32,
    /// How far above the queue it is.
    level: u32,
}

impl<O: Observer> Scheduler<O> {
    /// How much of the pool a new request may use.
    pub(crate) fn share_of_pool(
        &mut self,
        process: Option<ProcessId>,
        operation: Operation,
        sync: bool,
    ) -> Allowance {
        let (policy, model, device) = (&self.policy, &self.model, &self.device);
        let sync_read = sync && operation == Operation::Read;
        let all = device.nr_requests;
        let requests = if sync_read { all } else { policy.table_limit(all, sync) };
        let depth = if sync_read { 0 } else { policy.shown_depth(device, requests, sync) };
        let limits = !sync_read || policy.holds_sync_reads(model, device);
        let exhausted = process.filter(|_| limits).and_then(|process| {
            (0..device.actuators as u8).find_map(|actuator| {
                let queue = self.linked_queue(process, sync, actuator)?;
                policy.exhausted_share(model, queue, requests)
            })
        });
        let always = policy.quirks.has(Quirk::SyncReadsAlwaysLimited);
        let held = if sync_read && !always { policy.open_places(device) } else { 1 };
        let over_share = exhausted.is_some();
        let depth = if over_share { held } else { depth };
        debug_assert!(held.max(requests) <= all.max(1), "the pool has {all}");
        if let Some(Exhausted { queue, allocated, limit, level }) = exhausted {
            self.tell(|_| Decision::GroupLimit { queue, allocated, limit, level });
        }
        self.tell(|s| {
            let raised_busy = s.policy.competition.busy.raised() as u32;
            Decision::RequestLimit { process, raised_busy, sync, depth: NonZeroU32::new(depth) }
        });
        Allowance { requests: if over_share { held } else { requests }, over_share }
    }
}

impl Budget {
    /// Whether sync reads may be denied a part of the pool now: they are held to their queue's
    /// share only when the next one would have one of the last places of the pool: as long as there
    /// is room, no queue lacks what another has.
    #[inline]
    pub(crate) fn holds_sync_reads(&self, model: &Model<Budget>, device: &Device) -> bool {
        let next = model.groups[model.root].allocated.saturating_add(1);
        next > self.open_places(device) || self.quirks.has(Quirk::SyncReadsAlwaysLimited)
    }

    /// Places of the pool that a sync read may have whatever its queue's share is. The last ones
    /// are kept: half of all; beside a raised queue, whose weight leaves the others next to
    /// nothing, only as many as it needs to come in (spec 10.2, row 25).
    fn open_places(&self, device: &Device) -> u32 {
        let all = device.nr_requests;
        let kept = if self.competition.busy.raised() != 0 {
            (all / KEPT_FOR_RAISED).max(1)
        } else {
            all / 2
        };
        debug_assert!(kept <= all.max(1), "more than there are");
        all.saturating_sub(kept).max(1)
    }

    /// The limit that depends only on the kind of request and on whether raised queues are busy.
    fn table_limit(&self, all: u32, sync: bool) -> u32 {
        let all = u64::from(all);
        let limit = match (self.competition.busy.raised() != 0, sync) {
            (false, true) => all * 3 / 4,
            (false, false) => all / 2,
            (true, true) => all * 6 / 16,
            (true, false) => all * 3 / 16,
        };
        limit.max(1) as u32
    }

    /// The limit as the reference reports it: 6.1 counts by words of at most 64 tags, of which a
    /// pool has at least four.
    fn shown_depth(&self, device: &Device, limit: u32, sync: bool) -> u32 {
        if self.quirks.has(Quirk::DepthOfAWord) {
            let word = 1 << (device.nr_requests / 4).clamp(1, u64::BITS).ilog2();
            self.table_limit(word, sync)
        } else {
            limit
        }
    }

    /// The queue itself, or the highest group above it, that has at least its share of `limit`
    /// requests allocated; none if nothing has, or the queue is not scheduled.
    // Inlined, so that its path and the other policy's take the same place on a kernel's stack.
    #[inline]
    fn exhausted_share(
        &self,
        model: &Model<Budget>,
        queue: QueueId,
        limit: u32,
    ) -> Option<Exhausted> {
        let state = &model.queues[queue];
        let mut path = [(state.policy.entity, state.references.requests); MAX_DEPTH];
        let depth = self.scheduled_path(model, queue, &mut path)?;
        let mut limit = u64::from(limit);
        for level in (0..depth).rev() {
            let (entity, allocated) = path[level];
            let entity = self.fair.entity(entity);
            let sum = self.share_base(level == 0, entity);
            debug_assert!(sum >= u64::from(entity.weight()), "the sum lacks it");
            // Rounded to nearest: both factors are below 2³², so the product fits.
            let weighted = limit * u64::from(entity.weight()) + sum / 2;
            limit = weighted.checked_div(sum).unwrap_or(limit);
            if u64::from(allocated) >= limit {
                let (limit, level) = (limit as u32, level as u32);
                return Some(Exhausted { queue, allocated, limit, level });
            }
        }
        None
    }

    /// Completes a path, which begins at a queue, by the groups above: their entities, and how many
    /// requests they have. Returns its length; none if one of them is not scheduled.
    #[inline]
    fn scheduled_path(
        &self,
        model: &Model<Budget>,
        queue: QueueId,
        path: &mut [(EntityId, u32); MAX_DEPTH],
    ) -> Option<usize> {
        let state = &model.queues[queue];
        if !self.leaf(state).is_scheduled() {
            return None;
        }
        let mut depth = 1;
        let groups = successors(Some(state.group), |&group| model.groups[group].parent);
        for group in groups.map(|group| &model.groups[group]) {
            let Some(entity) = group.policy.entity else { break };
            if !self.fair.entity(entity).is_scheduled() {
                return None;
            }
            if depth < MAX_DEPTH {
                path[depth] = (entity, group.allocated);
                depth += 1;
            }
        }
        Some(depth)
    }

    /// The weights that an entity's share is computed against: its class's, and for a queue those
    /// of the higher classes eightfold each step.
    fn share_base(&self, is_queue: bool, entity: &Entity) -> u64 {
        let (level, class) = (entity.level(), entity.class());
        if !is_queue {
            return self.fair.weight_sum(level, class);
        }
        let classes = Class::ALL.into_iter().take(class.index() + 1);
        classes.fold(0, |sum: u64, class| {
            sum.saturating_mul(CLASS_FACTOR).saturating_add(self.fair.weight_sum(level, class))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Behaviour, Config, Ioprio, NewRequest, ProcessAttributes, RequestId, Time,
        tunables::Tunable,
    };

    const NOW: Time = Time::from_ns(1_000_000);

    /// A pool of 64 in which processes of priority 0 and 7 have put `of_0` and `of_7` reads, and
    /// one of the default priority, whose queue may be raised, a last one.
    fn readers(low_latency: u64, of_0: usize, of_7: usize) -> (Scheduler, [ProcessId; 3]) {
        let mut bfq = Scheduler::new(NOW, Config::new(false, 64)).expect("memory");
        bfq.set_tunable(NOW, Tunable::LowLatency, low_latency);
        let processes = [0, 7, 4].map(|level| {
            let attributes = ProcessAttributes::with_ioprio(Ioprio::new(Class::BestEffort, level));
            bfq.add_process(NOW, bfq.root_group(), attributes).expect("memory")
        });
        for tag in 0..=of_0 + of_7 {
            let who = usize::from(tag >= of_0) + usize::from(tag == of_0 + of_7);
            let process = processes[who];
            let read = NewRequest::read(process, 1000 * tag as u64, 8, NOW);
            bfq.insert(NOW, RequestId::from_index(tag), &read, false).expect("the tag is free");
        }
        (bfq, processes)
    }

    #[test]
    fn limits_of_6_1_are_those_of_a_word_of_tags() {
        for (pool, sync_write, asynchronous) in
            [(256, 48, 32), (64, 12, 8), (100, 12, 8), (2, 1, 1)]
        {
            let config = Config { behaviour: Behaviour::Linux6_1, ..Config::new(false, pool) };
            let bfq = Scheduler::new(NOW, config).expect("memory");
            let shown = [true, false].map(|sync| bfq.policy.shown_depth(&bfq.device, pool, sync));
            assert_eq!(shown, [sync_write, asynchronous], "a pool of {pool}");
        }
    }

    #[test]
    fn sync_reads_are_held_to_their_share_of_a_crowded_pool() {
        // Weights 80, 10 and 40: shares of 39, 5 and 20 requests of 64.
        for (low_latency, of_0, of_7, held) in [
            (0, 8, 8, [false, false, false]),
            (0, 22, 8, [false, false, false]),
            (0, 23, 8, [false, true, false]),
            (0, 34, 4, [false, false, false]),
            (0, 39, 2, [true, false, false]),
            // The last one is raised, thirtyfold: the others have to leave it eight places.
            (1, 46, 8, [false, false, false]),
            (1, 47, 8, [true, true, false]),
        ] {
            let (mut bfq, processes) = readers(low_latency, of_0, of_7);
            let found = processes.map(|process| {
                let process = Some(process);
                bfq.allowed_requests(NOW, process, Operation::Read, true).over_share
            });
            assert_eq!(found, held, "low_latency {low_latency}, {of_0} and {of_7} reads");
        }
    }
}
