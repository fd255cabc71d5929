// SPDX-License-Identifier: MIT OR Apache-2.0
//! What else happens to a scheduler: groups and processes come and go, settings change, elevators
//! are switched, hosts make mistakes.

use crate::{
    host::{Group, Host, TRACE, attach},
    memory,
    model::{State, id},
    options::{EVENTS, Event},
    played::Played,
    workers::{Worker, draw_attributes},
};
use bfq::{
    GroupId, HostError, IdentityError, NewRequest, ProcessId, Side, Time,
    tunables::{TUNABLES, Tunable},
};
use std::sync::atomic::Ordering;

/// More groups than this are not added.
const MAX_GROUPS: usize = 24;

impl<P: Played> Host<P> {
    /// Lets something happen, and says when the next thing does.
    pub fn disturb(&mut self) {
        if let Some(at) = self.dice.weighted(&self.options.rates) {
            self.happen(EVENTS[at]);
        }
        self.next_event_ns = self.now + self.dice.scale(1, 2 * self.options.disturbance_ns);
    }

    pub fn happen(&mut self, event: Event) {
        let now = Time::from_ns(self.now);
        if TRACE.load(Ordering::Relaxed) {
            eprintln!("{} {event:?}", self.now);
        }
        match event {
            Event::AddGroup => self.add_group(),
            Event::RemoveGroup => {
                let at = self.some_group();
                self.remove_group(at);
            }
            Event::WeighGroup => self.weigh_group(),
            Event::AddProcess => self.add_process(),
            Event::Burst => self.burst(),
            Event::ExitProcess => self.exit_process(),
            Event::Renice => self.renice(),
            Event::MoveProcess => self.move_process(),
            Event::Repattern => self.repattern(),
            Event::WriteTunable => self.write_tunable(),
            Event::Detail => {
                let wanted = self.dice.half();
                memory::without_allocating(|| {
                    self.scheduler.set_detailed_statistics(now, wanted);
                });
            }
            Event::Switch => self.switch(),
            Event::Resize => self.resize(),
            Event::SpuriousTimer => memory::without_allocating(|| self.scheduler.on_timer(now)),
            Event::SpuriousRun => self.run(),
            Event::Misuse => self.misuse(),
            Event::Cancel => self.cancel(),
            Event::Pause => self.pause(),
            Event::Orphan => self.orphan(),
            Event::AtHead => self.insert_at_head(),
            Event::Probe => self.probe(),
            Event::BackInTime => self.call_in_the_past(),
        }
    }

    fn some_group(&mut self) -> usize {
        let alive: Vec<usize> =
            (0..self.groups.len()).filter(|&at| self.groups[at].alive).collect();
        self.dice.pick(&alive)
    }

    fn some_worker(&mut self) -> Option<usize> {
        let workers = 0..self.workers.len();
        let alive: Vec<usize> = workers.filter(|&at| self.workers[at].id.is_some()).collect();
        (!alive.is_empty()).then(|| self.dice.pick(&alive))
    }

    fn add_group(&mut self) {
        if self.groups.len() >= MAX_GROUPS {
            return;
        }
        let parent = self.some_group();
        let above = self.groups[parent].id;
        let (added, short) = self.call(|s, now| s.add_group(now, above));
        match added {
            Ok(id) => {
                let known = self.groups.iter().any(|group| group.alive && group.id == id);
                assert!(!known, "{id:?} is in use");
                self.groups.push(Group { id, parent, alive: true });
            }
            Err(error) => assert!(short && error == IdentityError::OutOfMemory, "{error}"),
        }
    }

    pub fn remove_group(&mut self, at: usize) {
        let (group, now) = (self.groups[at].id, Time::from_ns(self.now));
        let removed = memory::without_allocating(|| self.scheduler.remove_group(now, group));
        if at == 0 {
            assert_eq!(removed, Err(IdentityError::RootGroup));
            return;
        }
        assert_eq!(removed, Ok(()));
        // Its subgroups go with it; they come behind it in the list.
        self.groups[at].alive = false;
        for below in at + 1..self.groups.len() {
            if !self.groups[self.groups[below].parent].alive {
                self.groups[below].alive = false;
            }
        }
        self.run_due = true;
    }

    fn weigh_group(&mut self) {
        let at = self.some_group();
        let weight = self.dice.scale(1, 10_000) as u32;
        let (group, now) = (self.groups[at].id, Time::from_ns(self.now));
        let weighed =
            memory::without_allocating(|| self.scheduler.set_group_weight(now, group, weight));
        assert_eq!(weighed.is_ok(), at != 0);
    }

    fn add_process(&mut self) {
        let alive = self.workers.iter().filter(|worker| worker.id.is_some()).count();
        if alive >= self.options.max_processes {
            return;
        }
        let group = self.some_group();
        let attributes = draw_attributes(&mut self.dice, &self.options);
        let name = self.groups[group].id;
        let (added, short) = self.call(|s, now| s.add_process(now, name, attributes));
        match added {
            Ok(id) => {
                assert!(self.workers.iter().all(|worker| worker.id != Some(id)), "{id:?} in use");
                let mut worker = Worker::new(id, group, attributes, self.now);
                let peer = self.dice.below(self.workers.len() as u64 + 1) as usize;
                worker.choose_pattern(&mut self.dice, &self.options, peer);
                self.workers.push(worker);
            }
            Err(error) => assert!(short && error == IdentityError::OutOfMemory, "{error}"),
        }
    }

    /// An application starts many processes at once.
    fn burst(&mut self) {
        let from = self.workers.len();
        for _ in 0..self.dice.between(4, 14) {
            self.add_process();
        }
        let mut start = self.now;
        for worker in &mut self.workers[from..] {
            start += self.dice.below(30_000_000);
            worker.next_ns = start;
        }
    }

    fn exit_process(&mut self) {
        let Some(at) = self.some_worker() else { return };
        let Some(process) = self.workers[at].id.take() else { return };
        let now = Time::from_ns(self.now);
        let exited = memory::without_allocating(|| self.scheduler.exit_process(now, process));
        assert_eq!(exited, Ok(()));
        for sleeper in &mut self.sleepers {
            if sleeper.io.process == Some(process) {
                sleeper.io.process = None;
            }
        }
    }

    fn renice(&mut self) {
        let Some(at) = self.some_worker() else { return };
        let attributes = draw_attributes(&mut self.dice, &self.options);
        let Some(process) = self.workers[at].id else { return };
        self.workers[at].attributes = attributes;
        let set = memory::without_allocating(|| self.scheduler.set_attributes(process, attributes));
        assert_eq!(set, Ok(()));
    }

    fn move_process(&mut self) {
        let Some(at) = self.some_worker() else { return };
        let group = self.some_group();
        let Some(process) = self.workers[at].id else { return };
        self.workers[at].group = group;
        let name = self.groups[group].id;
        let moved = memory::without_allocating(|| self.scheduler.move_process(process, name));
        assert_eq!(moved, Ok(()));
    }

    fn repattern(&mut self) {
        let Some(at) = self.some_worker() else { return };
        let peer = self.dice.below(self.workers.len() as u64) as usize;
        let now = self.now;
        let worker = &mut self.workers[at];
        worker.choose_pattern(&mut self.dice, &self.options, peer);
        worker.next_ns = worker.next_ns.min(now);
    }

    fn write_tunable(&mut self) {
        // Also those that the policy does not heed; `strict` only where it is heeded, so that a
        // seed keeps its scenario.
        let is_strict_heeded = P::TUNABLES.contains(&Tunable::Strict);
        let known = if is_strict_heeded { TUNABLES.len() } else { Tunable::OF_BFQ.len() };
        let tunable = TUNABLES[self.dice.below(known as u64) as usize].tunable;
        let value = match self.dice.below(6) {
            0 => 0,
            1 => u64::MAX,
            2 => self.dice.scale(1, u64::from(u32::MAX)),
            3 => self.scheduler.tunables().get(tunable),
            4 => self.dice.below(2),
            _ => self.dice.scale(1, 1000),
        };
        let text = value.to_string();
        let now = Time::from_ns(self.now);
        let written =
            memory::without_allocating(|| self.scheduler.write_tunable(now, tunable, &text));
        assert_eq!(written, Ok(()));
        if P::TUNABLES.contains(&Tunable::SliceIdle) {
            let slice_idle_ns = self.scheduler.tunables().slice_idle.as_ns();
            self.longest_idle_ns = self.longest_idle_ns.max(slice_idle_ns);
        }
        let info = tunable.info();
        let read = self.scheduler.tunables().get(tunable);
        assert!((info.min..=info.max).contains(&read) || info.unit == "ms", "{}", info.name);
    }

    /// The elevator is switched: a new scheduler takes over what waits. What is in the device
    /// completes without it.
    fn switch(&mut self) {
        let short = self.dice.per_mille(self.options.out_of_memory);
        let left = short.then(|| self.dice.below(8));
        self.options.nr_requests = self.model.slots.len() as u32;
        let (attached, refused) = memory::with_memory_for(left, || attach(&self.options, self.now));
        let Ok(new) = attached else {
            assert!(refused > 0, "attached without need");
            return;
        };
        self.cover();
        self.scheduler = new;
        self.groups[0].id = self.scheduler.root_group();
        let now = Time::from_ns(self.now);
        self.scheduler.set_nr_requests(now, self.nr_requests as u32).expect("shrinking");
        for at in 1..self.groups.len() {
            if self.groups[at].alive {
                let parent = self.groups[self.groups[at].parent].id;
                self.groups[at].id = self.scheduler.add_group(now, parent).expect("memory");
            }
        }
        for at in 0..self.workers.len() {
            let (group, attributes) = (self.workers[at].group, self.workers[at].attributes);
            let group = self.groups[self.living_group(group)].id;
            if self.workers[at].id.is_some() {
                let added = self.scheduler.add_process(now, group, attributes);
                self.workers[at].id = Some(added.expect("memory"));
            }
        }
        for sleeper in &mut self.sleepers {
            let worker = self.model.bios[sleeper.bio].worker;
            sleeper.io.process = worker.and_then(|worker| self.workers[worker].id);
        }
        self.reinsert_all();
    }

    fn living_group(&self, at: usize) -> usize {
        let mut at = at;
        while !self.groups[at].alive {
            at = self.groups[at].parent;
        }
        at
    }

    fn reinsert_all(&mut self) {
        let direct = std::mem::take(&mut self.model.direct);
        let waiting: Vec<usize> =
            direct.into_iter().chain(self.model.in_state(State::Waiting)).collect();
        for slot in &mut self.model.slots {
            slot.foreign |= slot.state == State::Dispatched;
        }
        for slot in waiting {
            let worker = self.model.slots[slot].worker;
            let process = worker.and_then(|worker| self.workers[worker].id);
            let io = NewRequest { process, ..self.model.what(slot) };
            self.insert(slot, io, false);
        }
    }

    fn resize(&mut self) {
        let size = self.dice.scale(1, 1024) as u32;
        let (resized, short) = self.call(|s, now| s.set_nr_requests(now, size));
        if resized.is_err() {
            assert!(short, "resized without need");
            return;
        }
        self.nr_requests = size as usize;
        self.model.resize(size as usize);
        for sleeper in &mut self.sleepers {
            sleeper.limit = sleeper.limit.min(size as usize);
        }
    }

    /// The host withdraws a request that waits.
    fn cancel(&mut self) {
        let waiting = self.model.in_state(State::Waiting);
        let all: Vec<usize> = waiting.chain(self.model.in_state(State::Direct)).collect();
        if all.is_empty() {
            return;
        }
        let slot = self.dice.pick(&all);
        let (request, now) = self.slot_of(slot);
        let removed = memory::without_allocating(|| self.scheduler.remove(now, request));
        assert_eq!(removed, Ok(()));
        self.model.direct.retain(|&other| other != slot);
        for bio in self.model.free(slot) {
            self.end(bio);
        }
        self.wake_one();
    }

    fn pause(&mut self) {
        let until = self.now + self.dice.scale(1_000_000, 12_000_000_000);
        for at in 0..self.workers.len() {
            if self.dice.half() {
                self.workers[at].next_ns = self.workers[at].next_ns.max(until);
            }
        }
    }

    /// I/O of no process.
    fn orphan(&mut self) {
        let bio = self.model.new_bio(None);
        let sector = self.dice.below(self.options.capacity_sectors);
        let now = Time::from_ns(self.now);
        let nobody = NewRequest::read(ProcessId::from_index(0), sector, 8, now);
        let sync = self.dice.half();
        self.submit(bio, NewRequest { process: None, sync, ..nobody });
        self.run_due = true;
    }

    fn insert_at_head(&mut self) {
        let Some(worker) = self.some_worker() else { return };
        let Some(slot) = self.model.free_slot(self.nr_requests) else { return };
        let io = self.workers[worker].next_io(&mut self.dice, &self.options, self.now);
        let bio = self.model.new_bio(None);
        self.model.slots[slot].bios = vec![bio];
        self.model.slots[slot].worker = Some(worker);
        self.insert(slot, io, true);
    }

    /// Questions that change nothing that a host could see.
    fn probe(&mut self) {
        let now = Time::from_ns(self.now);
        let Some(worker) = self.some_worker() else { return };
        let process = self.workers[worker].id;
        for slot in 0..self.model.slots.len().min(32) {
            let Some(what) = self.model.slots[slot].what else { continue };
            let io = NewRequest { process, ..what };
            let allowed = self.scheduler.allows_merge(now, &io, id(slot));
            assert!(!allowed || self.model.slots[slot].state == State::Waiting);
        }
        for group in self.groups.iter().filter(|group| group.alive) {
            self.scheduler.group_statistics(group.id).expect("it exists");
        }
        if let Some(process) = process {
            P::check_queue_of(&self.scheduler, process);
        }
    }

    /// Time never runs backwards for the scheduler, whatever the host says.
    fn call_in_the_past(&mut self) {
        let real = self.now;
        self.now = self.now.saturating_sub(self.dice.scale(1, 1 << 40));
        let past = Time::from_ns(self.now);
        self.scheduler.on_timer(past);
        self.scheduler.merge_candidates(past, &nothing());
        self.now = real;
    }

    /// Mistakes of the host: each is answered by an error and changes nothing.
    fn misuse(&mut self) {
        let now = Time::from_ns(self.now);
        // Brings the scheduler's clock to the present.
        self.scheduler.merge_candidates(now, &nothing());
        let small = self.model.slots.len() <= 64;
        let before = small.then(|| format!("{:?}", self.scheduler));
        self.misuse_requests(now);
        self.misuse_identities(now);
        if let Some(before) = before {
            let after = format!("{:?}", self.scheduler);
            assert!(before == after, "a mistake of the host changed something");
        }
    }

    fn misuse_requests(&mut self, now: Time) {
        let beyond = id(self.model.slots.len() + 5000);
        let ghost = ProcessId::from_index(1 << 20);
        let s = &mut self.scheduler;
        assert_eq!(
            s.insert(now, beyond, &nothing(), false),
            Err(HostError::UnknownRequest(beyond))
        );
        assert_eq!(s.complete(now, beyond), Err(HostError::UnknownRequest(beyond)));
        assert_eq!(s.remove(now, beyond), Err(HostError::UnknownRequest(beyond)));
        assert!(!s.allows_merge(now, &nothing(), beyond));
        for slot in 0..self.model.slots.len().min(16) {
            let (at, state, foreign) =
                (id(slot), self.model.slots[slot].state, self.model.slots[slot].foreign);
            let stranger = NewRequest { process: Some(ghost), ..nothing() };
            let inside = matches!(state, State::Waiting | State::Direct)
                || (state == State::Dispatched && !foreign);
            let empty = NewRequest { sectors: 0, ..nothing() };
            let beyond_all = NewRequest { sector: u64::MAX, sectors: u32::MAX, ..nothing() };
            for bad in [empty, beyond_all, NewRequest { sectors: 1, ..beyond_all }] {
                let refused =
                    if inside { HostError::RequestInUse(at) } else { HostError::BadRange(at) };
                assert_eq!(s.insert(now, at, &bad, false), Err(refused));
                assert_eq!(s.insert(now, at, &bad, true), Err(refused));
            }
            if inside {
                let used = Err(HostError::RequestInUse(at));
                assert_eq!(s.insert(now, at, &nothing(), false), used);
            } else {
                let unknown = Err(HostError::UnknownProcess(ghost));
                assert_eq!(s.insert(now, at, &stranger, true), unknown);
            }
            if state != State::Dispatched || foreign {
                assert_eq!(s.complete(now, at), Err(HostError::NotDispatched(at)));
                assert_eq!(s.requeue(now, at), Err(HostError::NotDispatched(at)));
            }
            if state != State::Waiting {
                let error = Err(HostError::NotWaiting(at));
                assert_eq!(s.merged(now, at, Side::Back, 0, 8), error);
                assert_eq!(s.coalesced(now, at, beyond, 8), error);
                assert_eq!(s.neighbour(at, Side::Front), None);
            } else {
                assert_eq!(s.coalesced(now, at, at, 8), Err(HostError::NotWaiting(at)));
                let range = Err(HostError::BadRange(at));
                assert_eq!(s.merged(now, at, Side::Back, 8, 0), range);
                assert_eq!(s.merged(now, at, Side::Front, u64::MAX, 1), range);
                let NewRequest { sector, sectors, .. } =
                    self.model.slots[slot].what.expect("it waits");
                for (side, sector, sectors) in [
                    (Side::Back, sector + 1, sectors),
                    (Side::Back, sector, sectors - 1),
                    (Side::Front, sector, sectors.wrapping_add(1)),
                    (Side::Front, sector + 1, sectors - 1),
                ] {
                    assert_eq!(s.merged(now, at, side, sector, sectors), range);
                }
                let unknown = Err(HostError::UnknownRequest(beyond));
                assert_eq!(s.coalesced(now, at, beyond, 8), unknown);
            }
        }
    }

    fn misuse_identities(&mut self, now: Time) {
        let ghost = ProcessId::from_index(1 << 20);
        let nowhere = GroupId::from_index(1 << 20);
        let s = &mut self.scheduler;
        let unknown = IdentityError::UnknownGroup(nowhere);
        assert_eq!(s.add_group(now, nowhere), Err(unknown));
        assert_eq!(s.remove_group(now, nowhere), Err(unknown));
        assert_eq!(s.set_group_weight(now, nowhere, 100), Err(unknown));
        assert_eq!(s.add_process(now, nowhere, Default::default()), Err(unknown));
        assert_eq!(s.exit_process(now, ghost), Err(HostError::UnknownProcess(ghost)));
        assert!(s.set_attributes(ghost, Default::default()).is_err());
        assert!(s.move_process(ghost, self.groups[0].id).is_err());
        assert!(!P::check_queue_of(s, ghost));
        for group in self.groups.iter().filter(|group| group.alive) {
            assert!(s.set_group_weight(now, group.id, 0).is_err());
            assert!(s.set_group_weight(now, group.id, 10_001).is_err());
        }
        if let Some(process) = self.workers.iter().find_map(|worker| worker.id) {
            assert_eq!(s.move_process(process, nowhere), Err(unknown));
        }
    }
}

/// A request of no process.
fn nothing() -> NewRequest {
    let nobody = ProcessId::from_index(0);
    NewRequest { process: None, ..NewRequest::read(nobody, 0, 8, Time::ZERO) }
}
