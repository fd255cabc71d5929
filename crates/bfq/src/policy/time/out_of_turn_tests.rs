// SPDX-License-Identifier: MIT OR Apache-2.0
//! Processes that always have eight random reads, on a device that has room for all of them:
//! whether it is kept free for one whose reads take longest.

use crate::{
    Config, NewRequest, ProcessAttributes, ProcessId, RequestId, Time, policy::time::TimeFair,
    scheduler::Scheduler, tunables::Tunable, why::Silent,
};
use std::{cmp::Reverse, collections::BinaryHeap, vec::Vec};

const US: u64 = 1000;
const MS: u64 = 1000 * US;
/// Processes, and reads of each.
const PROCESSES: usize = 4;
const DEPTH: usize = 8;

/// How often in half a second it is kept free, if the first process reads so many sectors at a
/// time, and has that nice value, and the others read 8 each, and have 0. With `low_latency` all
/// begin on loan, and their loans end one after the other.
fn holds(sectors: u32, nice: i8, low_latency: u64) -> u64 {
    let mut scheduler: Scheduler<Silent, TimeFair> =
        Scheduler::attach(Time::ZERO, Config::new(false, 64), Silent).expect("memory");
    scheduler.set_tunable(Time::ZERO, Tunable::LowLatency, low_latency);
    let root = scheduler.root_group();
    let processes: Vec<ProcessId> = (0..PROCESSES)
        .map(|index| {
            let nice = if index == 0 { nice } else { 0 };
            let attributes = ProcessAttributes { nice, ..ProcessAttributes::default() };
            scheduler.add_process(Time::ZERO, root, attributes)
        })
        .collect::<Result<_, _>>()
        .expect("memory");
    // When which read is complete, or comes if none is.
    let mut events: BinaryHeap<_> =
        (0..PROCESSES * DEPTH).map(|index| Reverse((0, RequestId::from_index(index)))).collect();
    let mut sector = 0;
    while let Some(Reverse((now_ns, id))) = events.pop().filter(|Reverse((ns, _))| *ns < 500 * MS) {
        let now = Time::from_ns(now_ns);
        if now_ns > 0 {
            scheduler.complete(now, id).expect("in the device");
        }
        sector += 1 << 20;
        let owner = id.index() / DEPTH;
        let sectors = if owner == 0 { sectors } else { 8 };
        let new = NewRequest::read(processes[owner], sector, sectors, now);
        scheduler.insert(now, id, &new, false).expect("free");
        // While nothing waits, nothing is kept from it.
        while scheduler.model.load.queued > 0
            && let Some(id) = scheduler.dispatch(now)
        {
            let is_first = id.index() < DEPTH;
            let took_ns = if is_first { 300 * US } else { 100 * US };
            events.push(Reverse((now_ns + took_ns + id.index() as u64, id)));
        }
        scheduler.check();
    }
    scheduler.policy.counters.holds
}

#[test]
fn nothing_is_kept_for_who_asks_for_the_same() {
    assert_eq!(holds(8, 0, 0), 0, "all are alike");
    assert_eq!(holds(8, 0, 1), 0, "some are on loan, and all are alike");
    assert!(holds(64, 0, 0) > 0, "its reads are larger");
    assert!(holds(64, 0, 1) > 0, "its reads are larger, and it is on loan");
    assert!(holds(8, -20, 0) > 0, "it is due more");
}
