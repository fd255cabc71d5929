// SPDX-License-Identifier: MIT OR Apache-2.0
//! A disk: what is under way at it, and what each process has used since the interval began.

use crate::device_time::DeviceTime;
use crate::event::{BlockEvent, BlockEventKind};
use crate::in_flight::{Bio, Extent, InFlight};
use crate::requests::{MOST_REQUESTS, Place, Request, Requests};
use crate::speed::Speed;
use crate::threads::Owner;
use crate::usage::Usage;
use base::{Op, SECTOR_BYTES};
use std::collections::BTreeMap;

/// Processes that are told apart at most; of more, the least recently active ones are together.
pub(crate) const MOST_PROCESSES: usize = 1024;

/// The number of those that are together: no process has it.
pub(crate) const OTHERS: u32 = u32::MAX;

/// How long a request may go on while the device does others that were issued later: the kernel
/// gives one up far sooner, and tries again.
const LONGEST_NS: u64 = 600 * 1_000_000_000;

/// A process that uses the disk.
#[derive(Clone, Debug)]
pub(crate) struct ProcessSums {
    pub who: Owner,
    pub usage: Usage,
    /// Its I/O that is under way, of all requests that are issued.
    pub under_way: u32,
    active_ns: u64,
}

/// A disk that is watched.
#[derive(Clone, Debug, Default)]
pub(crate) struct DiskSums {
    in_flight: InFlight,
    requests: Requests,
    /// Owners of requests that were given back.
    requeued: BTreeMap<Place, Option<u32>>,
    /// When the youngest request was issued that the device has done.
    done_ns: u64,
    pub time: DeviceTime,
    pub speed: Speed,
    pub processes: BTreeMap<u32, ProcessSums>,
    /// What cannot be told to have been used by a process.
    pub unknown: Usage,
    began_ns: u64,
    folded: u64,
    /// I/O that ends by an event: empty between events, and kept, as none is to allocate.
    ended: Vec<Bio>,
}

impl DiskSums {
    /// Something happened at the disk. `who` tells whose I/O is that is queued.
    pub fn take(&mut self, event: &BlockEvent, who: Option<&Owner>) {
        self.time.go_to(event.time_ns);
        let extent = Extent::of(event.op, event.sector, event.sectors);
        match event.kind {
            BlockEventKind::Queued => {
                who.into_iter().for_each(|who| self.queue(event.op, extent, who))
            }
            BlockEventKind::Issued => self.issue(event.op, extent),
            BlockEventKind::Requeued => self.requeue(event.op, extent),
            BlockEventKind::Completed => self.complete(event.op, extent),
        }
    }

    fn queue(&mut self, op: Op, extent: Extent, who: &Owner) {
        let now_ns = self.time.now_ns();
        let owner = self.process(who, now_ns);
        if let Some(forgotten) = self.in_flight.queue(op, extent, owner, now_ns) {
            self.leave(&forgotten);
        }
    }

    fn issue(&mut self, op: Op, extent: Extent) {
        let key = (extent.sector, op);
        // What is at its place has ended, and if there are too many, the oldest has: the events
        // that told it were lost.
        if self.end(key).is_none()
            && self.requests.is_full()
            && let Some((oldest, _)) = self.requests.oldest()
        {
            self.end(oldest);
        }
        let owner = self.in_flight.issue(op, extent, self.time.now_ns());
        let owner = owner.or(self.requeued.remove(&key).flatten());
        let alone = self.requests.len() == 0;
        if self.requests.len() == 1 {
            self.requests.iter_mut().for_each(|other| other.alone = false);
        }
        self.time.enter();
        let (issued_ns, charged_ns) = (self.time.now_ns(), self.time.part_ns());
        let sectors = extent.sectors;
        let request = Request { sectors, owner, issued_ns, charged_ns, alone };
        self.requests.insert(key, request);
    }

    fn requeue(&mut self, op: Op, extent: Extent) {
        let key = (extent.sector, op);
        if let Some(request) = self.end(key)
            && self.requeued.len() < MOST_REQUESTS
        {
            self.requeued.insert(key, request.owner);
        }
    }

    fn complete(&mut self, op: Op, extent: Extent) {
        let now_ns = self.time.now_ns();
        if let Some(request) = self.end((extent.sector, op)) {
            self.done_ns = self.done_ns.max(request.issued_ns);
            let took_ns = now_ns.saturating_sub(request.issued_ns);
            self.speed.done(op, request.sectors, took_ns, request.alone);
        }
        let mut ended = std::mem::take(&mut self.ended);
        self.in_flight.complete(op, extent, |bio| ended.push(bio));
        for bio in ended.drain(..) {
            let usage = self.leave(&bio);
            usage.ios += 1;
            usage.moved(op, bio.sectors * SECTOR_BYTES);
            let issued_ns = bio.issued_ns.unwrap_or(now_ns);
            usage.waiting.add(issued_ns.saturating_sub(bio.queued_ns));
            usage.in_device.add(now_ns.saturating_sub(issued_ns));
            usage.whole.add(now_ns.saturating_sub(bio.queued_ns));
        }
        self.ended = ended;
    }

    /// A request is not in the device any more.
    fn end(&mut self, key: Place) -> Option<Request> {
        let request = self.requests.remove(key)?;
        let got_ns = self.time.part_ns() - request.charged_ns;
        self.usage_of(request.owner).device_ns += got_ns;
        self.time.leave();
        Some(request)
    }

    /// I/O of a process is not under way any more: whose it was.
    fn leave(&mut self, bio: &Bio) -> &mut Usage {
        let now_ns = self.time.now_ns();
        let since_ns = bio.queued_ns.max(self.began_ns);
        let usage = match self.processes.get_mut(&bio.owner) {
            Some(process) => {
                process.under_way = process.under_way.saturating_sub(1);
                process.active_ns = now_ns;
                &mut process.usage
            }
            None => &mut self.unknown,
        };
        usage.under_way_ns += now_ns.saturating_sub(since_ns) as f64;
        usage
    }

    fn usage_of(&mut self, owner: Option<u32>) -> &mut Usage {
        match owner.and_then(|owner| self.processes.get_mut(&owner)) {
            Some(process) => &mut process.usage,
            None => &mut self.unknown,
        }
    }

    /// The place of a process that hands over I/O.
    fn process(&mut self, who: &Owner, now_ns: u64) -> u32 {
        if let Some(process) = self.processes.get_mut(&who.process) {
            if process.who != *who {
                process.who = who.clone();
            }
            process.under_way += 1;
            process.active_ns = now_ns;
            return who.process;
        }
        if self.is_full() {
            self.fold();
        }
        let (number, who) = match self.is_full() {
            true => (OTHERS, others()),
            false => (who.process, who.clone()),
        };
        let new = || ProcessSums { who, usage: Usage::default(), under_way: 0, active_ns: now_ns };
        let process = self.processes.entry(number).or_insert_with(new);
        process.under_way += 1;
        process.active_ns = now_ns;
        number
    }

    fn is_full(&self) -> bool {
        let others = usize::from(self.processes.contains_key(&OTHERS));
        self.processes.len() - others >= MOST_PROCESSES
    }

    /// Adds the least recently active process that has nothing under way to the others.
    fn fold(&mut self) {
        let all = self.processes.iter();
        let idle = all.filter(|(number, process)| **number != OTHERS && process.under_way == 0);
        let oldest = idle.min_by_key(|(_, process)| process.active_ns);
        let Some(number) = oldest.map(|(number, _)| *number) else { return };
        let folded = self.processes.remove(&number).expect("just found");
        self.folded += 1;
        let new = || ProcessSums {
            who: others(),
            usage: Usage::default(),
            under_way: 0,
            active_ns: folded.active_ns,
        };
        let others = self.processes.entry(OTHERS).or_insert_with(new);
        others.usage.add_all(&folded.usage);
    }

    /// Events before a time were lost: what was under way then may have ended since, untold. (Of
    /// what goes on, neither the end nor the bytes will be told.)
    pub fn forget_before(&mut self, time_ns: u64) {
        self.time.go_to(time_ns);
        self.requeued.clear();
        self.give_up_before(time_ns);
    }

    /// Takes for ended what was issued, or queued, before a time.
    fn give_up_before(&mut self, time_ns: u64) {
        while let Some((place, request)) = self.requests.oldest()
            && request.issued_ns < time_ns
        {
            self.end(place);
        }
        let mut given_up = std::mem::take(&mut self.ended);
        self.in_flight.forget_before(time_ns, |bio| given_up.push(bio));
        for bio in given_up.drain(..) {
            self.leave(&bio);
        }
        self.ended = given_up;
    }

    /// Brings all sums to a time: also what is still under way has used something.
    pub fn settle(&mut self, now_ns: u64) {
        self.time.go_to(now_ns);
        let part_ns = self.time.part_ns();
        let mut charges = Vec::new();
        for request in self.requests.iter_mut() {
            charges.push((request.owner, part_ns - request.charged_ns));
            request.charged_ns = part_ns;
        }
        for (owner, got_ns) in charges {
            self.usage_of(owner).device_ns += got_ns;
        }
        let began_ns = self.began_ns;
        for bio in self.in_flight.iter() {
            let since_ns = bio.queued_ns.max(began_ns);
            if let Some(process) = self.processes.get_mut(&bio.owner) {
                process.usage.under_way_ns += now_ns.saturating_sub(since_ns) as f64;
            }
        }
    }

    /// Begins a new interval. Who has done nothing in the last one is forgotten.
    pub fn begin(&mut self, now_ns: u64) {
        self.give_up_before(self.done_ns.saturating_sub(LONGEST_NS));
        self.began_ns = now_ns;
        self.unknown = Usage::default();
        self.folded = 0;
        self.processes.retain(|_, process| process.under_way > 0);
        self.processes.values_mut().for_each(|process| process.usage = Usage::default());
    }

    /// How much is kept.
    #[cfg(test)]
    pub fn entries(&self) -> usize {
        let of_requests = self.requests.entries() + self.requeued.len() + self.ended.capacity();
        of_requests + self.processes.len() + self.in_flight.entries()
    }

    /// How many requests are taken to be in the device.
    #[cfg(test)]
    pub fn requests(&self) -> usize {
        self.requests.len()
    }

    /// How much waits to be issued.
    pub fn waiting(&self) -> usize {
        self.in_flight.waiting()
    }

    /// How many processes were added to the others in this interval.
    pub fn folded(&self) -> u64 {
        self.folded
    }
}

fn others() -> Owner {
    Owner { process: OTHERS, name: "others".to_owned(), group: None, is_kernel: false }
}
