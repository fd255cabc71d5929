// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bursts of creations, as time lines in ms.

use crate::{
    Behaviour, Config, NewRequest, ProcessAttributes, ProcessId, QueueId, RequestId, Scheduler,
    Time, calls::Birth,
};

const BEHAVIOURS: [Behaviour; 3] = [Behaviour::Improved, Behaviour::Linux6_1, Behaviour::Linux6_12];

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

/// A read comes from a process; returns its number, and the queue that the process has then.
fn ask(bfq: &mut Scheduler, process: ProcessId, at: u64) -> (RequestId, QueueId) {
    let id = RequestId::from_index(0);
    let sector = 10_000_000 * process.index() as u64 + 1000 * at;
    let read = NewRequest::read(process, sector, 8, ms(at));
    bfq.insert(ms(at), id, &read, false).expect("a free tag");
    (id, bfq.queue_of_process(process, true).expect("it has one"))
}

/// A read that takes from `start` to `end`; then the disk is kept idle for 20 ms.
fn read(bfq: &mut Scheduler, process: ProcessId, start: u64, end: u64) -> QueueId {
    let (id, queue) = ask(bfq, process, start);
    assert_eq!(bfq.dispatch(ms(start)), Some(id));
    bfq.complete(ms(end), id).expect("dispatched");
    bfq.on_timer(ms(end + 20));
    queue
}

#[test]
fn the_arrival_with_which_a_burst_is_forgiven_ends_the_raise() {
    for behaviour in BEHAVIOURS {
        let mut bfq = disk(behaviour, 1000);
        let first = process(&mut bfq);
        let queue = read(&mut bfq, first, 200, 205);
        // Seven more processes make it a large burst.
        for at in (240..).step_by(25).take(7) {
            let other = process(&mut bfq);
            read(&mut bfq, other, at, at + 1);
        }
        let state = &bfq.model.queues[queue].policy;
        assert!(state.burst.in_large_burst && state.coefficient() == 30, "{behaviour:?}");
        // The raise would last until 10,700. More than 10 s later the queue is forgiven.
        ask(&mut bfq, first, 10_500);
        let state = &bfq.model.queues[queue].policy;
        let weight = bfq.policy.fair.entity(state.entity).weight();
        assert!(!state.burst.in_large_burst, "{behaviour:?}");
        assert_eq!((state.coefficient(), weight.get()), (1, 40), "{behaviour:?}");
        bfq.check();
    }
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
