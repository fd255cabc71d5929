// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who pauses after each read, beside one who has always four, on flash devices of any speed: the
//! pauses in which it keeps its turn.

use crate::{
    Config, NewRequest, ProcessAttributes, ProcessId, RequestId, Time,
    policy::time::TimeFair,
    scheduler::Scheduler,
    tunables::Tunable,
    units::{Sectors, Span},
    why::Silent,
};
use std::{cmp::Reverse, collections::BinaryHeap, vec::Vec};

const US: u64 = 1000;
const MS: u64 = 1000 * US;

/// What happens next: the earliest first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Comes(RequestId),
    Completes(RequestId),
}

/// In how many pauses in 100 ms, once the device is known, a process is expected back, if each read
/// takes so long and it pauses for so long.
fn pauses_with_turn(read_ns: u64, pause_ns: u64, low_latency: u64) -> u32 {
    let mut scheduler: Scheduler<Silent, TimeFair> =
        Scheduler::attach(Time::ZERO, Config::new(false, 64), Silent).expect("memory");
    scheduler.set_tunable(Time::ZERO, Tunable::LowLatency, low_latency);
    let root = scheduler.root_group();
    let processes: Vec<ProcessId> = (0..2)
        .map(|_| scheduler.add_process(Time::ZERO, root, ProcessAttributes::default()))
        .collect::<Result<_, _>>()
        .expect("memory");
    // The first is that of the process that pauses.
    let mut events: BinaryHeap<_> =
        (0..5).map(|index| Reverse((0, Event::Comes(RequestId::from_index(index))))).collect();
    let mut sector = 0;
    let mut with_turn = 0;
    let mut now_ns = 0;
    while now_ns < 200 * MS {
        let timer_ns = scheduler.next_timer().map(Time::as_ns);
        let event_ns =
            events.peek().map(|Reverse((at_ns, _))| *at_ns).expect("all have something to do");
        now_ns = timer_ns.map_or(event_ns, |timer_ns| timer_ns.min(event_ns)).max(now_ns);
        let now = Time::from_ns(now_ns);
        if timer_ns.is_some_and(|timer_ns| timer_ns <= now_ns) {
            scheduler.on_timer(now);
        }
        let mut pauses_now = false;
        while events.peek().is_some_and(|Reverse((at_ns, _))| *at_ns <= now_ns) {
            let Reverse((_, event)) = events.pop().expect("it was seen");
            match event {
                Event::Comes(id) => {
                    sector += 1 << 20;
                    let process = processes[usize::from(id.index() > 0)];
                    let new = NewRequest::read(process, sector, 8, now);
                    scheduler.insert(now, id, &new, false).expect("free");
                }
                Event::Completes(id) => {
                    scheduler.complete(now, id).expect("in the device");
                    pauses_now |= id.index() == 0;
                    let pause_ns = if id.index() == 0 { pause_ns } else { 0 };
                    events.push(Reverse((now_ns + pause_ns, Event::Comes(id))));
                }
            }
        }
        while let Some(id) = scheduler.dispatch(now) {
            events.push(Reverse((now_ns + read_ns, Event::Completes(id))));
        }
        let keeps_turn = pauses_now && is_anybody_expected(&scheduler);
        with_turn += u32::from(keeps_turn && now_ns > 100 * MS);
        scheduler.check();
    }
    with_turn
}

/// Whether a queue that has nothing keeps its turn.
fn is_anybody_expected(scheduler: &Scheduler<Silent, TimeFair>) -> bool {
    scheduler.model.queues.iter().any(|(_, queue)| {
        queue.is_empty()
            && queue.in_flight == 0
            && scheduler.policy.shares.is_active(queue.policy.node)
    })
}

#[test]
fn nobody_is_waited_for_longer_than_what_fills_the_device_takes() {
    for (read_us, pause_us, low_latency, keeps_turn) in [
        (100, 120, 0, true),
        (100, 400, 0, false),
        (20, 30, 0, true),
        (20, 120, 0, false),
        (20, 120, 1, true),
        (2, 5, 0, false),
        (2, 5, 1, false),
    ] {
        let pauses = pauses_with_turn(read_us * US, pause_us * US, low_latency);
        assert_eq!(
            pauses > 0,
            keeps_turn,
            "{read_us} µs a read, {pause_us} a pause, low_latency={low_latency}: {pauses} times"
        );
    }
}

/// A process with more reads than fill the device, which delivers one in 20 µs, and takes 200 µs
/// for a small one: how many are in flight if there are no loans, and how many if it is on loan.
#[test]
fn a_loan_leaves_half_of_the_device_free() {
    let in_flight = [0, 1].map(|low_latency| {
        let mut scheduler: Scheduler<Silent, TimeFair> =
            Scheduler::attach(Time::ZERO, Config::new(false, 128), Silent).expect("memory");
        scheduler.set_tunable(Time::ZERO, Tunable::LowLatency, low_latency);
        let (root, attributes) = (scheduler.root_group(), ProcessAttributes::default());
        let process = scheduler.add_process(Time::ZERO, root, attributes).expect("memory");
        let (learnt, read) = (&mut scheduler.policy.learnt, Sectors::of(8));
        (0..64).for_each(|_| learnt.seen_alone(read, false, Span::from_us(200)));
        learnt.dispatched(Time::ZERO);
        let done = |number: u64| Time::from_ns(number * 20 * US);
        (1..=1000).for_each(|number| learnt.completed(done(number), read, false, 1));
        let now = done(1000);
        for index in 0..120 {
            let new = NewRequest::read(process, (index as u64) << 20, 8, now);
            scheduler.insert(now, RequestId::from_index(index), &new, false).expect("free");
        }
        core::iter::from_fn(|| scheduler.dispatch(now)).count()
    });
    assert_eq!(in_flight, [80, 40]);
}
