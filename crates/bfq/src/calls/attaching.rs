// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device gets a scheduler: the root group, and the queue that needs no memory (spec 12.2).

use crate::{
    model::{
        Counts, Model,
        clock::Clock,
        detailed::Detailed,
        device::Device,
        group::{AsyncPlaces, Epoch, Group},
        load::Load,
        process::Processes,
        queue::{Home, Queue},
        request::Requests,
    },
    scheduler::{Config, NewQueue, Policy, Scheduler},
    store::{
        arena::{Arena, OutOfMemory},
        list::List,
    },
    tunables::Tunables,
    units::{Ioprio, Ticks, Time},
    why::Observer,
};

impl<O: Observer, P: Policy> Scheduler<O, P> {
    /// Attaches a scheduler to a device, with the defaults of all tunables; `observer` is
    /// told every decision.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn attach(now: Time, config: Config<'_>, observer: O) -> Result<Self, OutOfMemory> {
        let ticks = Ticks::of_hz(config.hz);
        let clock = Clock::new(now, ticks);
        let device = Device::new(config.rotational, config.nr_requests, config.actuator_ends);
        let mut policy = P::new(&clock, &device, config.behaviour)?;
        policy.observed(observer.is_watching());
        let model = Model::new(&clock, &device, &mut policy)?;
        Ok(Scheduler { observer, clock, device, tunables: Tunables::new(ticks), model, policy })
    }
}

impl<P: Policy> Model<P> {
    /// What there is on a device to which nothing has come yet.
    pub(crate) fn new(clock: &Clock, device: &Device, policy: &mut P) -> Result<Self, OutOfMemory> {
        let mut groups = Arena::new();
        let places = AsyncPlaces::new(device.actuators)?;
        let root = groups.insert(Group::new(None, policy.root_group(), places))?;
        let ioprio = Ioprio::DEFAULT;
        let new = NewQueue {
            group: &groups[root].policy,
            sync: false,
            actuator: 0,
            class: ioprio.class(),
            weight: ioprio.weight(),
        };
        let state = policy.new_queue(clock, new)?;
        let home = Home { group: root, sync: false, actuator: 0 };
        let mut queues = Arena::new();
        let fallback = queues.insert(Queue::new(state, home, clock))?;
        policy.queue_created(&mut queues[fallback].policy, fallback);
        queues[fallback].references.processes = 1;
        // The host and the fallback queue name the root.
        groups[root].references = 2;
        let mut model = Model {
            groups,
            processes: Processes::new(device.actuators),
            queues,
            requests: Requests::new(),
            detailed: Detailed::default(),
            direct: List::new(),
            root,
            fallback,
            load: Load::default(),
            counts: Counts::default(),
            kick: false,
            epoch: Epoch::FIRST,
        };
        model.grow_requests(device.nr_requests)?;
        Ok(model)
    }
}
