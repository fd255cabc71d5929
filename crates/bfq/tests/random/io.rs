// SPDX-License-Identifier: MIT OR Apache-2.0
//! The way of a piece of I/O through the host: merged or put into a request, inserted, handed to
//! the device, completed, refused or failed.

use crate::{
    host::{Host, Sleeper},
    memory,
    model::{State, id},
    options::Pattern,
    played::Played,
};
use bfq::{BioMerge, NewRequest, Side, Time};

impl<P: Played> Host<P> {
    /// A worker does its next piece of I/O.
    pub fn work(&mut self, worker: usize) {
        let (options, now) = (&self.options, self.now);
        let io = self.workers[worker].next_io(&mut self.dice, options, now);
        if self.workers[worker].outstanding == 0 {
            self.workers[worker].served_ns = now;
        }
        self.workers[worker].outstanding += 1;
        let bio = self.model.new_bio(Some(worker));
        self.submit(bio, io);
        self.run_due = true;
    }

    /// Submits a piece of I/O: into a waiting request, or as a new one.
    pub fn submit(&mut self, bio: usize, io: NewRequest) {
        if self.options.merges && self.merge(bio, &io) {
            return;
        }
        let now = Time::from_ns(self.now);
        let (process, operation, sync) = (io.process, io.operation, io.sync);
        let allowance = memory::without_allocating(|| {
            self.scheduler.allowed_requests(now, process, operation, sync)
        });
        assert!((1..=self.nr_requests.max(1)).contains(&(allowance.requests as usize)));
        let limit = allowance.requests as usize;
        match self.model.free_slot(limit) {
            Some(slot) => self.insert_bio(slot, bio, io),
            None => {
                if let Some(worker) = self.model.bios[bio].worker {
                    self.workers[worker].sleeping = true;
                }
                self.sleepers.push_back(Sleeper { bio, io, limit });
            }
        }
    }

    fn fits(&self, sectors: u32, more: u32) -> Option<u32> {
        let sum = sectors.checked_add(more)?;
        (u64::from(sum) <= self.options.max_sectors).then_some(sum)
    }

    /// Adds a piece of I/O to a waiting request, if there is one for it.
    fn merge(&mut self, bio: usize, io: &NewRequest) -> bool {
        let now = Time::from_ns(self.now);
        // A merge of queues that it leads to takes memory, but never fails for want of it. When it
        // is short is not left to the dice: a scenario shall stay what it was.
        let short = self.now % 1000 < self.options.out_of_memory;
        let (candidates, refused) = memory::with_memory_for(short.then_some(0), || {
            self.scheduler.merge_candidates(now, io)
        });
        if refused > 0 {
            self.scheduler.check();
        }
        for BioMerge { request, side } in candidates.into_iter().flatten() {
            let slot = request.index();
            assert_eq!(self.model.slots[slot].state, State::Waiting, "a candidate that waits");
            let what = self.model.what(slot);
            assert_eq!(what.operation, io.operation);
            assert!(what.sync || !io.sync, "sync I/O in an async request");
            let start = match side {
                Side::Back => {
                    assert_eq!(what.end(), io.start());
                    what.sector
                }
                Side::Front => {
                    assert_eq!(io.end(), what.start());
                    io.sector
                }
            };
            if let Some(sectors) = self.fits(what.sectors, io.sectors) {
                self.model.slots[slot].bios.push(bio);
                self.grow(slot, side, start, sectors);
                return true;
            }
        }
        false
    }

    /// A request has grown; if it touches its neighbour now, they become one.
    fn grow(&mut self, slot: usize, side: Side, sector: u64, sectors: u32) {
        let now = Time::from_ns(self.now);
        let grown = NewRequest { sector, sectors, ..self.model.what(slot) };
        self.model.slots[slot].what = Some(grown);
        let (scheduler, request) = (&mut self.scheduler, id(slot));
        memory::without_allocating(|| scheduler.merged(now, request, side, sector, sectors))
            .expect("it waits");
        let Some(neighbour) = self.scheduler.neighbour(request, side) else { return };
        let other = neighbour.index();
        let (survivor, absorbed) = match side {
            Side::Back => (slot, other),
            Side::Front => (other, slot),
        };
        let (first, second) = (self.model.what(survivor), self.model.what(absorbed));
        if first.end() != second.start() || self.fits(first.sectors, second.sectors).is_none() {
            return;
        }
        let sectors = first.sectors + second.sectors;
        let scheduler = &mut self.scheduler;
        memory::without_allocating(|| {
            scheduler.coalesced(now, id(survivor), id(absorbed), sectors)
        })
        .expect("both wait");
        let mut bios = self.model.free(absorbed);
        self.model.slots[survivor].bios.append(&mut bios);
        self.model.slots[survivor].what = Some(NewRequest { sectors, ..first });
        self.wake_one();
    }

    fn insert_bio(&mut self, slot: usize, bio: usize, io: NewRequest) {
        if self.options.merges
            && let Some(found) = self.scheduler.insertion_merge_candidate(&io)
        {
            let what = self.model.what(found.index());
            assert_eq!(what.end(), io.start());
            if let Some(sectors) = self.fits(what.sectors, io.sectors) {
                self.model.slots[found.index()].bios.push(bio);
                self.grow(found.index(), Side::Back, what.sector, sectors);
                return;
            }
        }
        self.model.slots[slot].bios = vec![bio];
        self.model.slots[slot].worker = self.model.bios[bio].worker;
        let at_head = self.dice.per_mille(if self.options.calm { 0 } else { 2 });
        self.insert(slot, io, at_head);
    }

    /// Inserts a request whose I/O is in its slot.
    pub fn insert(&mut self, slot: usize, io: NewRequest, at_head: bool) {
        let fallbacks = self.fallbacks();
        let (inserted, short) = self.call(|s, now| s.insert(now, id(slot), &io, at_head));
        assert_eq!(inserted, Ok(()));
        assert!(short || self.fallbacks() == fallbacks, "fallback without need");
        assert!(self.fallbacks() - fallbacks <= 1, "a request is counted once");
        let first = P::sends_nobody_first(self);
        let direct = at_head || (io.process.is_none() && first);
        let place = &mut self.model.slots[slot];
        place.what = Some(io);
        place.counted = io.process.is_some() || !direct;
        place.foreign = false;
        place.state = if direct { State::Direct } else { State::Waiting };
        if at_head {
            self.model.direct.push_front(slot);
        } else if direct {
            self.model.direct.push_back(slot);
        }
        self.run_due = true;
    }

    /// Requests put into the fallback queue so far.
    fn fallbacks(&self) -> u64 {
        let mut statistics = self.scheduler.statistics();
        statistics.find(|(info, _)| info.name == "fallbacks").map_or(0, |(_, value)| value)
    }

    /// Hands a dispatched request to the device, which may refuse it.
    pub fn serve(&mut self, slot: usize) {
        if !self.model.slots[slot].foreign && self.dice.per_mille(self.options.requeues) {
            let now = Time::from_ns(self.now);
            let scheduler = &mut self.scheduler;
            memory::without_allocating(|| scheduler.requeue(now, id(slot))).expect("dispatched");
            let until_ns = self.now + self.dice.below(2_000_000);
            self.model.slots[slot].state = State::Refused { until_ns };
            return;
        }
        let latency_ns = self.dice.between(self.options.latency_ns.0, self.options.latency_ns.1);
        let start = if self.options.serial { self.device_free_ns.max(self.now) } else { self.now };
        self.device_free_ns = start + latency_ns;
        self.device.push((start + latency_ns, slot));
    }

    /// Refused requests whose time has come go to the head of the line.
    pub fn reinsert_refused(&mut self) {
        for slot in 0..self.model.slots.len() {
            let State::Refused { until_ns } = self.model.slots[slot].state else { continue };
            if until_ns <= self.now {
                let mut io = self.model.what(slot);
                io.process = self.model.slots[slot].worker.and_then(|w| self.workers[w].id);
                self.insert(slot, io, true);
            }
        }
    }

    /// All completions that are due.
    pub fn completions(&mut self) {
        while let Some(at) = self.device.iter().position(|&(at, _)| at <= self.now) {
            let (_, slot) = self.device.swap_remove(at);
            self.complete(slot);
        }
    }

    fn complete(&mut self, slot: usize) {
        let failed = self.dice.per_mille(self.options.errors);
        if !self.model.slots[slot].foreign {
            let now = Time::from_ns(self.now);
            let scheduler = &mut self.scheduler;
            memory::without_allocating(|| scheduler.complete(now, id(slot))).expect("dispatched");
        }
        if std::mem::take(&mut self.refused) {
            self.run_due = true;
        }
        let what = self.model.what(slot);
        let bios = self.model.free(slot);
        self.wake_one();
        // A failed request is sometimes tried again, as one new piece of I/O for all.
        let retry = failed && self.submitting && self.dice.half();
        for bio in bios {
            self.end(bio);
        }
        if retry {
            let process = self.model.slots[slot].worker.and_then(|w| self.workers[w].id);
            let bio = self.model.new_bio(None);
            self.submit(bio, NewRequest { process, ..what });
        }
    }

    /// A piece of I/O has ended; its process goes on.
    pub fn end(&mut self, bio: usize) {
        self.model.end_bio(bio);
        let Some(worker) = self.model.bios[bio].worker else { return };
        let think_ns = self.dice.between(self.options.think_ns.0, self.options.think_ns.1);
        let think_ns = if self.dice.half() { 0 } else { think_ns };
        let now = self.now;
        let state = &mut self.workers[worker];
        state.outstanding -= 1;
        if !matches!(state.pattern, Pattern::Woken { .. } | Pattern::Periodic { .. }) {
            state.next_ns = state.next_ns.max(now + think_ns);
        }
        for other in &mut self.workers {
            if let Pattern::Woken { by, after_ns } = other.pattern
                && by == worker
            {
                other.next_ns = other.next_ns.min(now + after_ns);
            }
        }
    }

    /// A place in the pool has become free: the first sleeper looks whether it may have it.
    pub fn wake_one(&mut self) {
        for _ in 0..self.sleepers.len() {
            let Some(sleeper) = self.sleepers.pop_front() else { return };
            let Some(slot) = self.model.free_slot(sleeper.limit) else {
                self.sleepers.push_back(sleeper);
                continue;
            };
            let worker = self.model.bios[sleeper.bio].worker;
            let mut io = sleeper.io;
            if let Some(worker) = worker {
                self.workers[worker].sleeping = false;
                io.process = self.workers[worker].id;
            }
            self.insert_bio(slot, sleeper.bio, io);
            return;
        }
    }
}
