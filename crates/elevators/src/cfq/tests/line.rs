// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scheduler on a time line, its requests named by their start sectors; and a disk of one request
//! at a time with processes that keep it busy.

use base::{Class, Ioprio, IoprioValue};
use blk::{DeviceLimits, Elevator, GroupId, GroupSpec, ProcessId, ProcessSpec, Tag};

use crate::cfq::Cfq;
use crate::cfq::queue::CfqQueue;
use crate::cfq::queue_id::QueueId;
use crate::cfq::requests::NewRequest;

/// More than a page.
pub const SECTORS: u64 = 16;

pub fn real_time(level: u8) -> IoprioValue {
    IoprioValue { class: Some(Class::RealTime), level }
}

pub fn best_effort(level: u8) -> IoprioValue {
    IoprioValue { class: Some(Class::BestEffort), level }
}

pub fn idle() -> IoprioValue {
    IoprioValue { class: Some(Class::Idle), level: 0 }
}

/// A scheduler and the time.
pub struct Line {
    pub cfq: Cfq,
    pub now_ms: i64,
    processes: u32,
    groups: u32,
    /// Dispatch times by tag.
    starts: Vec<u64>,
}

impl Line {
    /// Generation A on a rotating disk.
    pub fn a(tunables: &[(&str, &str)]) -> Line {
        Line::on(true, "2.6.32", tunables)
    }

    /// Generation B on a rotating disk.
    pub fn b(tunables: &[(&str, &str)]) -> Line {
        Line::on(true, "2.6.35", tunables)
    }

    pub fn on(rotational: bool, generation: &str, tunables: &[(&str, &str)]) -> Line {
        let mut cfq = Cfq::new(&DeviceLimits::new(32, rotational));
        cfq.pool_resized(0, 256, 1 << 17);
        cfq.set_tunable(0, "generation", generation).expect("a generation");
        for (name, value) in tunables {
            cfq.set_tunable(0, name, value).expect(name);
        }
        // Late enough for everything to have been long ago.
        Line { cfq, now_ms: 100_000, processes: 0, groups: 0, starts: Vec::new() }
    }

    fn now_ns(&self) -> u64 {
        self.now_ms as u64 * 1_000_000
    }

    pub fn now_ticks(&self) -> i64 {
        self.now_ms / 4
    }

    pub fn process(&mut self, ioprio: IoprioValue) -> ProcessId {
        self.process_in(GroupId::ROOT, ioprio)
    }

    pub fn process_in(&mut self, group: GroupId, ioprio: IoprioValue) -> ProcessId {
        let id = ProcessId(self.processes);
        self.processes += 1;
        let spec = ProcessSpec { group, ioprio, name: String::new() };
        self.cfq.process_added(self.now_ns(), id, &spec);
        id
    }

    pub fn group(&mut self, weight: u32) -> GroupId {
        self.groups += 1;
        let id = GroupId(self.groups);
        let spec = GroupSpec { parent: None, weight, path: String::new() };
        self.cfq.group_added(self.now_ns(), id, &spec).expect("memory");
        id
    }

    /// A request of 8 KiB.
    pub fn arrives(&mut self, process: Option<ProcessId>, sync: bool, sector: u64) -> Tag {
        let request = self.request(process, sync, sector);
        self.arrives_as(request)
    }

    /// A request of 8 KiB that is yet to arrive.
    pub fn request(&self, process: Option<ProcessId>, sync: bool, sector: u64) -> NewRequest {
        let default = Ioprio::DEFAULT;
        NewRequest {
            process,
            priority: self.cfq.process(process).map_or(default, |process| process.priority),
            sync,
            metadata: false,
            sector,
            end_sector: sector + SECTORS,
            allocated_ticks: self.now_ticks(),
        }
    }

    pub fn arrives_as(&mut self, request: NewRequest) -> Tag {
        let tag = Tag(self.starts.len() as u32);
        self.starts.push(request.sector);
        self.cfq.fresh = false;
        self.cfq.arrive(self.now_ticks(), tag, request);
        tag
    }

    pub fn reads(&mut self, process: ProcessId, sectors: &[u64]) {
        for &sector in sectors {
            self.arrives(Some(process), true, sector);
        }
    }

    /// Asynchronous writes of no process.
    pub fn writes(&mut self, sectors: &[u64]) {
        for &sector in sectors {
            self.arrives(None, false, sector);
        }
    }

    /// The start of the request dispatched now.
    pub fn next(&mut self) -> Option<u64> {
        let tag = self.cfq.dispatch_one(self.now_ticks())?;
        Some(self.starts[tag.index()])
    }

    /// As many as go to the device now.
    pub fn all(&mut self) -> Vec<u64> {
        std::iter::from_fn(|| self.next()).collect()
    }

    /// The request that started there last leaves the device.
    pub fn completes(&mut self, sector: u64) {
        let tag = self.starts.iter().rposition(|start| *start == sector).expect("it arrived");
        self.cfq.complete(self.now_ticks(), Tag(tag as u32));
    }

    /// Time passes; the timer fires when it is due.
    pub fn pass(&mut self, span_ms: i64) {
        let end_ms = self.now_ms + span_ms;
        while let Some(timer_ns) = self.cfq.next_timer_ns() {
            let timer_ms = timer_ns as i64 / 1_000_000;
            if timer_ms > end_ms {
                break;
            }
            self.now_ms = self.now_ms.max(timer_ms);
            self.cfq.on_timer(self.now_ns());
        }
        self.now_ms = end_ms;
    }

    /// A read that takes this time, from its arrival on.
    pub fn read_for(&mut self, process: ProcessId, sector: u64, span_ms: i64) {
        self.reads(process, &[sector]);
        assert_eq!(self.next(), Some(sector), "served at once");
        self.pass(span_ms);
        self.completes(sector);
    }

    pub fn is_waiting_for_more(&self) -> bool {
        self.cfq.idle_timer_ticks.is_some()
    }

    pub fn queue_id(&self, process: ProcessId) -> QueueId {
        self.cfq.existing_queue(Some(process), true, Ioprio::DEFAULT).expect("it has sent a read")
    }

    pub fn queue(&self, process: ProcessId) -> &CfqQueue {
        &self.cfq.queues[self.queue_id(process)]
    }

    pub fn is_active(&self, process: ProcessId) -> bool {
        self.cfq.active.is_some()
            && self.cfq.active == self.cfq.process(Some(process)).and_then(|process| process.queue)
    }

    pub fn statistic(&self, name: &str) -> u64 {
        let all = self.cfq.statistics();
        all.iter().find(|statistic| statistic.name == name).expect(name).value
    }
}

/// A process (or, without one, the writeback) that always has requests.
pub struct Load {
    process: Option<ProcessId>,
    sync: bool,
    /// Of the next request.
    sector: u64,
    /// From the start of a request to the start of the next one.
    step_sectors: u64,
    /// Requests waiting or on the device at a time.
    depth: usize,
    pending: Vec<u64>,
}

impl Load {
    /// Reads on and on, each request after the one before.
    pub fn reader(process: ProcessId) -> Load {
        Load {
            process: Some(process),
            sync: true,
            sector: u64::from(process.0 + 1) << 36,
            step_sectors: SECTORS,
            depth: 1,
            pending: Vec::new(),
        }
    }

    /// Reads here and there, far from everywhere.
    pub fn seeker(process: ProcessId) -> Load {
        Load { step_sectors: 1 << 20, ..Load::reader(process) }
    }

    /// Asynchronous writes, with many requests waiting.
    pub fn writeback() -> Load {
        Load { process: None, sync: false, sector: 0, depth: 40, ..Load::reader(ProcessId(0)) }
    }
}

/// Requests of one load in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// Its number in the list.
    pub load: usize,
    pub requests: u64,
    /// From the first dispatch to the last completion.
    pub span_ms: i64,
}

impl Line {
    /// Runs loads on a disk that takes 4 ms for each request, for this time.
    pub fn run(&mut self, loads: &mut [Load], span_ms: i64) -> Vec<Turn> {
        let end_ms = self.now_ms + span_ms;
        let mut begun_ms = self.now_ms;
        let mut turns: Vec<Turn> = Vec::new();
        while self.now_ms < end_ms {
            loads.iter_mut().for_each(|load| self.send(load));
            let Some(sector) = self.next() else {
                self.pass(4);
                continue;
            };
            let of = |load: &Load| load.pending.contains(&sector);
            let number = loads.iter().position(of).expect("it is of a load");
            if turns.last().is_none_or(|turn| turn.load != number) {
                begun_ms = self.now_ms;
                turns.push(Turn { load: number, requests: 0, span_ms: 0 });
            }
            self.pass(4);
            self.completes(sector);
            loads[number].pending.retain(|pending| *pending != sector);
            let turn = turns.last_mut().expect("just pushed");
            turn.requests += 1;
            turn.span_ms = self.now_ms - begun_ms;
        }
        turns
    }

    fn send(&mut self, load: &mut Load) {
        while load.pending.len() < load.depth {
            self.arrives(load.process, load.sync, load.sector);
            load.pending.push(load.sector);
            load.sector += load.step_sectors;
        }
    }

    /// What part of the requests of a run each load had, in percent.
    pub fn shares(&mut self, loads: &mut [Load], span_ms: i64) -> Vec<u64> {
        let turns = self.run(loads, span_ms);
        let all: u64 = turns.iter().map(|turn| turn.requests).sum();
        let share = |number| {
            let of = turns.iter().filter(|turn| turn.load == number);
            let own: u64 = of.map(|turn| turn.requests).sum();
            (200 * own + all) / (2 * all)
        };
        (0..loads.len()).map(share).collect()
    }
}
