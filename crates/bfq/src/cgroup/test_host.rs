// SPDX-License-Identifier: MIT OR Apache-2.0
//! A host for the tests of groups: it calls the scheduler as all hosts do, and has everything
//! checked after each step.

use super::statistics::{GROUP_STATISTICS, GroupFigure, GroupStatisticInfo, GroupStatistics};
use crate::{
    Config, GroupId, NewRequest, ProcessAttributes, ProcessId, RequestId, Scheduler, Time,
    tunables::Tunable,
};
use alloc::vec::Vec;

/// Sectors of each request.
pub const SECTORS: u32 = 8;

pub struct Lab {
    pub bfq: Scheduler,
    now_us: u64,
    in_use: Vec<bool>,
    next_sector: u64,
}

impl Lab {
    /// A disk with moving parts, detailed statistics on, no queue favoured.
    pub fn new() -> Self {
        let mut bfq = Scheduler::new(Time::ZERO, Config::new(true, 64)).expect("memory");
        bfq.set_tunable(Time::ZERO, Tunable::LowLatency, 0);
        bfq.set_detailed_statistics(Time::ZERO, true);
        Lab { bfq, now_us: 1000, in_use: [false; 64].to_vec(), next_sector: 0 }
    }

    pub fn now(&self) -> Time {
        Time::from_ns(self.now_us * 1000)
    }

    pub fn pass_us(&mut self, us: u64) {
        self.now_us += us;
    }

    pub fn root(&self) -> GroupId {
        self.bfq.root_group()
    }

    pub fn group(&mut self, parent: GroupId) -> GroupId {
        let group = self.bfq.add_group(self.now(), parent).expect("the parent exists");
        self.bfq.check();
        group
    }

    pub fn process(&mut self, group: GroupId) -> ProcessId {
        let attributes = ProcessAttributes::default();
        let process = self.bfq.add_process(self.now(), group, attributes).expect("it exists");
        self.bfq.check();
        process
    }

    pub fn remove(&mut self, group: GroupId) {
        self.bfq.remove_group(self.now(), group).expect("it exists");
        self.bfq.check();
    }

    /// A read of a process, far from all others.
    pub fn read(&mut self, process: ProcessId) -> RequestId {
        self.next_sector += 100_000;
        self.insert(NewRequest::read(process, self.next_sector, SECTORS, self.now()))
    }

    /// A write that no process waits for.
    pub fn write(&mut self, process: ProcessId) -> RequestId {
        self.next_sector += 100_000;
        self.insert(NewRequest::write(process, self.next_sector, SECTORS, false, self.now()))
    }

    pub fn insert(&mut self, new: NewRequest) -> RequestId {
        let tag = self.in_use.iter().position(|used| !used).expect("a free tag");
        self.in_use[tag] = true;
        let id = RequestId::from_index(tag);
        self.bfq.insert(self.now(), id, &new, false).expect("a living process");
        self.bfq.check();
        id
    }

    pub fn dispatch(&mut self) -> Option<RequestId> {
        let id = self.bfq.dispatch(self.now());
        self.bfq.check();
        id
    }

    pub fn complete(&mut self, id: RequestId) {
        self.in_use[id.index()] = false;
        self.bfq.complete(self.now(), id).expect("it was dispatched");
        self.bfq.check();
    }

    /// The neighbour `absorbed` becomes part of `survivor`.
    pub fn coalesce(&mut self, survivor: RequestId, absorbed: RequestId) {
        self.in_use[absorbed.index()] = false;
        let now = self.now();
        self.bfq.coalesced(now, survivor, absorbed, 2 * SECTORS).expect("both wait");
        self.bfq.check();
    }

    /// Serves all that waits, one request after another; how many these were.
    pub fn serve_all(&mut self) -> usize {
        let mut served = 0;
        while self.bfq.has_work() {
            match self.dispatch() {
                Some(id) => {
                    self.pass_us(100);
                    self.complete(id);
                    served += 1;
                }
                None => {
                    let timer = self.bfq.next_timer().expect("else nothing would ever happen");
                    self.now_us = timer.as_ns().div_ceil(1000);
                    self.bfq.on_timer(self.now());
                    self.bfq.check();
                }
            }
        }
        served
    }

    pub fn statistics(&self, group: GroupId) -> GroupStatistics {
        self.bfq.group_statistics(group).expect("it exists")
    }

    /// How many requests wait in a group.
    pub fn queued(&self, group: GroupId) -> u64 {
        self.statistics(group).own.queued.total()
    }

    /// How many requests came for a group.
    pub fn serviced(&self, group: GroupId) -> u64 {
        self.statistics(group).own.serviced.total()
    }

    /// All figures of a group by name, as totals.
    pub fn figures(&self, group: GroupId) -> Vec<(&'static str, u64)> {
        let statistics = self.statistics(group);
        let value = |info: &GroupStatisticInfo| match info.own(&statistics) {
            GroupFigure::Plain(value) => value,
            GroupFigure::ByOperation(value) => value.total(),
        };
        GROUP_STATISTICS.iter().map(|info| (info.name, value(info))).collect()
    }
}
