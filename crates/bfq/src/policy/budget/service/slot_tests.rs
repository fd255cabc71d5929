// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long a slot may last, as a time line in ms.

use crate::{
    Behaviour, Config, NewRequest, ProcessAttributes, RequestId, Scheduler, Time,
    calls::Birth,
    policy::budget::{
        latency::raise::{Cause, INTERACTIVE_COEFFICIENT, Raise, SOFT_RT_COEFFICIENT},
        queue::Phase,
    },
    tunables::Tunable,
    units::Span,
};

const TIMEOUT: u64 = 125;

fn ms(ms: u64) -> Time {
    Time::from_ns(ms * 1_000_000)
}

/// A queue raised for this cause is merged into another one while its read waits. Returns the time
/// by which its slot, which begins at 2 ms, ends.
fn deadline_after_a_merge(behaviour: Behaviour, coefficient: u32, cause: Cause) -> Time {
    let config = Config { behaviour, ..Config::new(true, 64) };
    let mut bfq = Scheduler::new(ms(0), config).expect("memory");
    bfq.set_tunable(ms(0), Tunable::LowLatency, 0);
    let root = bfq.root_group();
    let [process, other] = [(); 2]
        .map(|()| bfq.add_process(ms(0), root, ProcessAttributes::default()).expect("memory"));
    let [queue, target] =
        [process, other].map(|process| bfq.queue_for(process, true, 0, Birth::Again));
    let raise = Raise { cause: Some(cause), ..Raise::new(ms(0)) };
    bfq.raising(queue).inherit(coefficient, &raise);
    let id = RequestId::from_index(0);
    bfq.insert(ms(1), id, &NewRequest::read(process, 0, 8, ms(1)), false).expect("a free tag");
    assert_eq!(bfq.schedule_merge(queue, target), Some(target));
    bfq.merge_queues(process, queue, target);
    let state = &bfq.model.queues[queue].policy;
    let weight = bfq.policy.fair.entity(state.entity).weight();
    assert_eq!((state.coefficient(), weight.get()), (1, 40 * coefficient), "it keeps its weight");
    assert_eq!(bfq.dispatch(ms(2)), Some(id));
    let Phase::Slot { deadline } = bfq.model.queues[queue].policy.slot.phase else {
        panic!("it has no slot")
    };
    bfq.check();
    deadline
}

#[test]
fn a_queue_that_lost_its_soft_real_time_raise_has_one_timeout() {
    for behaviour in [Behaviour::Improved, Behaviour::Linux6_1, Behaviour::Linux6_12] {
        let deadline = deadline_after_a_merge(behaviour, SOFT_RT_COEFFICIENT, Cause::SoftRealTime);
        assert_eq!(deadline, ms(2 + TIMEOUT), "{behaviour:?}");
    }
}

#[test]
fn one_that_lost_its_interactive_raise_has_thirty_in_the_reference() {
    for (behaviour, timeouts) in
        [(Behaviour::Improved, 1), (Behaviour::Linux6_1, 30), (Behaviour::Linux6_12, 30)]
    {
        let cause = Cause::Interactive { period: Span::from_ms(10_500) };
        let deadline = deadline_after_a_merge(behaviour, INTERACTIVE_COEFFICIENT, cause);
        assert_eq!(deadline, ms(2 + timeouts * TIMEOUT), "{behaviour:?}");
    }
}
