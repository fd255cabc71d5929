// SPDX-License-Identifier: MIT OR Apache-2.0
//! What weights are worth: exact shares of always backlogged groups, over a long run.

use crate::{
    Config, GroupId, NewRequest, ProcessAttributes, ProcessId, RequestId, Scheduler, Span, Time,
    tunables::Tunable,
};
use alloc::vec::Vec;

/// Requests of each process that wait at any time.
const BACKLOG: usize = 4;
const SECTORS: u32 = 64;
/// A slot: a request.
const BUDGET: u64 = 64;
/// The first slots of queues are larger (spec 3.8); after this number of requests all have had
/// theirs.
const SETTLED: usize = 2000;

struct Reader {
    process: ProcessId,
    next_sector: u64,
    served: u64,
}

struct Race {
    bfq: Scheduler,
    now: Time,
    groups: Vec<GroupId>,
    readers: Vec<Reader>,
}

impl Race {
    /// A sequential reader in a group of its own for each weight, all past their first slots.
    fn new(weights: &[u32]) -> Self {
        let now = Time::from_ns(1_000_000);
        let mut bfq = Scheduler::new(now, Config::new(true, 64)).expect("memory");
        bfq.set_tunable(now, Tunable::LowLatency, 0);
        bfq.set_tunable(now, Tunable::MaxBudget, BUDGET);
        let mut race = Race { bfq, now, groups: Vec::new(), readers: Vec::new() };
        for at in 0..weights.len() {
            let root = race.bfq.root_group();
            let group = race.bfq.add_group(now, root).expect("memory");
            let attributes = ProcessAttributes::default();
            let process = race.bfq.add_process(now, group, attributes).expect("memory");
            race.groups.push(group);
            race.readers.push(Reader { process, next_sector: (at as u64) << 40, served: 0 });
            for request in 0..BACKLOG {
                race.read(at, RequestId::from_index(at * BACKLOG + request));
            }
        }
        race.run(SETTLED);
        race.weigh(weights);
        race
    }

    fn weigh(&mut self, weights: &[u32]) {
        for (&group, &weight) in self.groups.iter().zip(weights) {
            self.bfq.set_group_weight(self.now, group, weight).expect("in range");
            assert_eq!(self.bfq.group_weight(group), Ok(weight));
        }
        // Each is sorted in under the old weights once more.
        self.run(SETTLED);
    }

    fn read(&mut self, at: usize, id: RequestId) {
        let reader = &mut self.readers[at];
        let read = NewRequest::read(reader.process, reader.next_sector, SECTORS, self.now);
        reader.next_sector += u64::from(SECTORS);
        self.bfq.insert(self.now, id, &read, false).expect("the number is free");
    }

    /// Serves `requests` requests, one at a time; the sectors that each reader got in this time.
    fn run(&mut self, requests: usize) -> Vec<u64> {
        for reader in &mut self.readers {
            reader.served = 0;
        }
        for _ in 0..requests {
            let id = self.bfq.dispatch(self.now).expect("all are backlogged");
            self.now = self.now + Span::from_us(50);
            self.bfq.complete(self.now, id).expect("in the device");
            let at = id.index() / BACKLOG;
            self.readers[at].served += u64::from(SECTORS);
            self.read(at, id);
        }
        self.bfq.check();
        self.readers.iter().map(|reader| reader.served).collect()
    }
}

/// B-WF2Q+ keeps each within a slot or two of its share, however long the run.
fn assert_shares(weights: &[u32], served: &[u64]) {
    let all: u64 = served.iter().sum();
    let sum: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
    for (&weight, &served) in weights.iter().zip(served) {
        let due = all * u64::from(weight) / sum;
        assert!(due.abs_diff(served) <= 2 * BUDGET, "{weights:?}: {served} sectors, not {due}");
    }
}

#[test]
fn shares_are_those_of_the_weights() {
    for (weights, requests) in [
        (&[200, 300][..], 20_000),
        (&[100, 100], 1000),
        (&[1, 1000], 40_000),
        (&[1, 10_000], 200_000),
        (&[9999, 10_000], 40_000),
        (&[3, 7, 4990, 5000], 40_000),
    ] {
        let served = Race::new(weights).run(requests);
        assert_shares(weights, &served);
    }
}

#[test]
fn two_hundred_to_three_hundred_is_forty_to_sixty() {
    let served = Race::new(&[200, 300]).run(20_000);
    let all: u64 = served.iter().sum();
    let per_mille = |part: u64| (1000 * part + all / 2) / all;
    assert_eq!([per_mille(served[0]), per_mille(served[1])], [400, 600]);
    assert!((all * 2 / 5).abs_diff(served[0]) <= all / 1000, "{served:?}");
}

#[test]
fn a_new_weight_counts_after_a_slot() {
    let mut race = Race::new(&[100, 100]);
    for weights in [[100, 100], [10_000, 1], [1, 3], [200, 300]] {
        race.weigh(&weights);
        let served = race.run(20_000);
        assert_shares(&weights, &served);
    }
}

#[test]
fn weights_out_of_range_change_nothing() {
    let mut race = Race::new(&[70]);
    for weight in [0, 10_001, u32::MAX] {
        race.bfq.set_group_weight(race.now, race.groups[0], weight).unwrap_err();
    }
    assert_eq!(race.bfq.group_weight(race.groups[0]), Ok(70));
    let root = race.bfq.root_group();
    race.bfq.set_group_weight(race.now, root, 100).unwrap_err();
    race.bfq.group_weight(root).unwrap_err();
}
