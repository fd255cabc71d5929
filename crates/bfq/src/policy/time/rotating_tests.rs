// SPDX-License-Identifier: MIT OR Apache-2.0
//! Slots of readers in two groups, on a disk with moving parts that does one request at a time.

use crate::{
    Config, GroupId, NewRequest, ProcessAttributes, ProcessId, RequestId, Time,
    policy::time::TimeFair, scheduler::Scheduler, why::Silent,
};
use std::vec::Vec;

const MS: u64 = 1_000_000;
const S: u64 = 1_000 * MS;
/// Sectors of a read.
const READ: u64 = 128;

/// Processes that read in sequence, each far from the others, one read at a time.
struct Host {
    scheduler: Scheduler<Silent, TimeFair>,
    now_ns: u64,
    head: u64,
    readers: Vec<(ProcessId, u64)>,
    /// When a read of each was last served.
    served_ns: Vec<u64>,
}

impl Host {
    fn new() -> Self {
        let scheduler =
            Scheduler::attach(Time::ZERO, Config::new(true, 64), Silent).expect("memory");
        Host { scheduler, now_ns: 0, head: 0, readers: Vec::new(), served_ns: Vec::new() }
    }

    fn group(&mut self, weight: u32) -> GroupId {
        let now = Time::from_ns(self.now_ns);
        let root = self.scheduler.root_group();
        let group = self.scheduler.add_group(now, root).expect("memory");
        self.scheduler.set_group_weight(now, group, weight).expect("it exists");
        group
    }

    fn begin(&mut self, group: GroupId) {
        let (now, who) = (Time::from_ns(self.now_ns), self.readers.len());
        let process = self.scheduler.add_process(now, group, ProcessAttributes::default());
        self.readers.push((process.expect("memory"), (who as u64) << 32));
        self.served_ns.push(self.now_ns);
        self.read(who);
    }

    fn read(&mut self, who: usize) {
        let (now, (process, position)) = (Time::from_ns(self.now_ns), self.readers[who]);
        let new = NewRequest::read(process, position, READ as u32, now);
        self.scheduler.insert(now, RequestId::from_index(who), &new, false).expect("free");
    }

    /// Serves for a while: a read takes 1 ms where the head is, and 10 ms elsewhere. Returns the
    /// longest time, ns, that a reader was not served.
    fn run(&mut self, span_ns: u64) -> u64 {
        let mut longest_ns = 0;
        let end_ns = self.now_ns + span_ns;
        while self.now_ns < end_ns {
            let Some(id) = self.scheduler.dispatch(Time::from_ns(self.now_ns)) else {
                self.now_ns += MS;
                self.scheduler.on_timer(Time::from_ns(self.now_ns));
                continue;
            };
            let who = id.index();
            let position = self.readers[who].1;
            self.now_ns += if position == self.head { MS } else { 10 * MS };
            self.head = position + READ;
            self.readers[who].1 = self.head;
            longest_ns = longest_ns.max(self.now_ns - self.served_ns[who]);
            self.served_ns[who] = self.now_ns;
            self.scheduler.complete(Time::from_ns(self.now_ns), id).expect("it was dispatched");
            self.read(who);
            self.scheduler.check();
        }
        let still = self.served_ns.iter().map(|served_ns| self.now_ns - served_ns);
        still.fold(longest_ns, u64::max)
    }
}

/// A reader of weight 100 beside one of 1000 has short slots, not one of 0.4 s in 4.4 s.
#[test]
fn a_light_reader_has_short_slots() {
    let mut host = Host::new();
    for weight in [100, 1000] {
        let group = host.group(weight);
        host.begin(group);
    }
    host.run(20 * S);
    let longest_ns = host.run(60 * S);
    assert!(longest_ns < 2_500 * MS, "{} ms", longest_ns / MS);
}

/// Of random readers with eight reads each, who is due more has longer slots; nobody has shorter
/// ones than eight seeks.
#[test]
fn a_heavy_random_reader_has_longer_slots() {
    let mut host = Host::new();
    let mut id = 0;
    for weight in [100, 100, 400] {
        let group = host.group(weight);
        let process = host.scheduler.add_process(Time::ZERO, group, ProcessAttributes::default());
        for place in (1..=8_u64).rev() {
            let new =
                NewRequest::read(process.expect("memory"), place << 24, READ as u32, Time::ZERO);
            host.scheduler
                .insert(Time::ZERO, RequestId::from_index(id), &new, false)
                .expect("free");
            id += 1;
        }
    }
    let scheduler = &host.scheduler;
    let seek_ns = scheduler.policy.rotation.seek.mean().as_ns();
    let mut slots_ns = Vec::new();
    let mut next = scheduler.model.queues.next_key(None);
    while let Some(queue) = next {
        if !scheduler.model.queues[queue].is_empty() {
            assert!(scheduler.is_random(queue), "{queue:?}");
            slots_ns.push(scheduler.slot(scheduler.node_of(queue)).as_ns());
        }
        next = scheduler.model.queues.next_key(next);
    }
    // Three of them, and two thirds of the disk: twice an equal part.
    assert_eq!(slots_ns, [8 * seek_ns, 8 * seek_ns, 16 * seek_ns]);
}
