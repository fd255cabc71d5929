// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bursts of creations, as time lines in ms.

use crate::{
    Behaviour, Config, NewRequest, ProcessAttributes, ProcessId, RequestId, Scheduler, Time,
    calls::Birth,
};

fn ms(ms: u64) -> Time {
    Time::from_ns(ms * 1_000_000)
}

fn disk(behaviour: Behaviour, hz: u32) -> Scheduler {
    Scheduler::new(ms(0), Config { behaviour, hz, ..Config::new(true, 64) }).expect("memory")
}

fn process(bfq: &mut Scheduler) -> ProcessId {
    bfq.add_process(bfq.clock.now(), bfq.root_group(), ProcessAttributes::default())
        .expect("memory")
}

/// A read comes from a process.
fn ask(bfq: &mut Scheduler, process: ProcessId, at: u64) {
    let id = RequestId::from_index(0);
    let sector = 10_000_000 * process.index() as u64 + 1000 * at;
    let read = NewRequest::read(process, sector, 8, ms(at));
    bfq.insert(ms(at), id, &read, false).expect("a free tag");
}

#[test]
fn ten_ms_after_a_split_are_three_ticks_of_4_ms() {
    for (hz, at, counted) in [
        (250, 208, 0),
        (250, 212, 0),
        (250, 216, 1),
        (1000, 210, 0),
        (1000, 211, 1),
        (100, 210, 0),
        (100, 220, 1),
    ] {
        let mut bfq = disk(Behaviour::Linux6_12, hz);
        let process = process(&mut bfq);
        let queue = bfq.queue_for(process, true, 0, Birth::Again);
        bfq.model.queues[queue].policy.merge.split_at = ms(200);
        ask(&mut bfq, process, at);
        assert_eq!(bfq.policy.burst.size(), counted, "{at} ms at {hz} Hz");
    }
}
