// SPDX-License-Identifier: MIT OR Apache-2.0
//! A policy of a screen: first come, first served, but the next one from the group that got
//! least for its weight. It idles for no queue, and shares by weight as long as each group
//! has something waiting.

use bfq::{
    Attached, Behaviour, Clock, Device, GroupId, NewQueue, NewRequest, OutOfMemory, Policy,
    QueueId, RequestId, Scheduler, Service, Weight,
    scheduler::{Groups, Inspection, Queues, Redirection},
    why::{Decision, Observer},
};
use std::collections::VecDeque;

/// The fractional bits of sectors per weight.
const FRACTION_BITS: u32 = 16;

/// What is known of the device: the queues whose requests wait, in the order of arrival.
#[derive(Debug, Default)]
pub struct Toy {
    waiting: VecDeque<QueueId>,
    /// What the group served last has got: those that come back begin there.
    now: u64,
}

/// A group: its weight, and what it got for that.
#[derive(Debug)]
pub struct ToyGroup {
    weight: Weight,
    got: u64,
}

impl Attached for Toy {
    type Queue = ();
    type Group = ToyGroup;
    type Process = ();
}

impl Policy for Toy {
    const NAME: &'static str = "toy";

    fn new(_: &Clock, _: &Device, _: Behaviour) -> Result<Self, OutOfMemory> {
        Ok(Toy::default())
    }

    fn arrived<O: Observer>(
        s: &mut Scheduler<O, Self>,
        queue: QueueId,
        id: RequestId,
        _: &NewRequest,
        _: bool,
    ) {
        let (group, now) = (s.queue(queue).group(), s.policy().now);
        let idle = !s.policy().waiting.iter().any(|&other| s.queue(other).group() == group);
        if idle {
            let group = s.state_of_group(group);
            group.got = group.got.max(now);
        }
        s.enqueue(queue, id);
        s.policy_mut().waiting.push_back(queue);
    }

    fn withdrawn<O: Observer>(s: &mut Scheduler<O, Self>, queue: QueueId, id: RequestId) {
        s.take_out(queue, id);
        let waiting = &mut s.policy_mut().waiting;
        let at = waiting.iter().position(|&other| other == queue).expect("it waits");
        waiting.remove(at);
    }

    fn dispatch<O: Observer>(s: &mut Scheduler<O, Self>) -> Option<RequestId> {
        let got = |queue: &QueueId| s.group(s.queue(*queue).group()).policy.got;
        // Of equals the first.
        let turn = s.policy().waiting.iter().enumerate().min_by_key(|(_, queue)| got(queue));
        let (at, &queue) = turn?;
        s.policy_mut().waiting.remove(at);
        let id = s.send_next(queue)?;
        let (sectors, group) = (s.sectors_of(id), s.queue(queue).group());
        let state = s.state_of_group(group);
        let before = state.got;
        state.got += (sectors.count() << FRACTION_BITS) / u64::from(state.weight);
        s.policy_mut().now = before;
        let charged = Service::of(sectors.count());
        s.tell(|_| Decision::Served { queue, request: id, charged });
        Some(id)
    }

    fn completed<O: Observer>(s: &mut Scheduler<O, Self>, queue: QueueId, _: RequestId) {
        s.count_completion(queue);
    }
}

impl Groups for Toy {
    fn root_group(&self) -> ToyGroup {
        ToyGroup { weight: Weight::DEFAULT_GROUP, got: self.now }
    }

    fn new_group(&mut self, _: &ToyGroup) -> Result<ToyGroup, OutOfMemory> {
        Ok(self.root_group())
    }

    fn set_group_weight(&mut self, group: &mut ToyGroup, weight: Weight) {
        group.weight = weight;
    }

    fn group_weight(&self, group: &ToyGroup) -> Weight {
        group.weight
    }

    fn move_queue<O: Observer>(s: &mut Scheduler<O, Self>, queue: QueueId, group: GroupId) {
        s.rehome(queue, group);
    }
}

impl Queues for Toy {
    fn new_queue(&mut self, _: &Clock, _: NewQueue<'_, ToyGroup>) -> Result<(), OutOfMemory> {
        Ok(())
    }
}

impl Redirection for Toy {}

impl Inspection for Toy {
    fn check<O: Observer>(s: &Scheduler<O, Self>) {
        let waiting: u32 = s.queues().map(|(_, queue)| queue.waiting()).sum();
        assert_eq!(waiting as usize, s.policy().waiting.len(), "tokens of waiting requests");
    }
}
