// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who counts in the symmetry test, as a time line in ms.

use crate::{
    Behaviour, Class, Config, Ioprio, NewRequest, ProcessAttributes, RequestId, Scheduler, Time,
    tunables::Tunable,
};

fn ms(ms: u64) -> Time {
    Time::from_ns(ms * 1_000_000)
}

#[test]
fn in_the_reference_a_queue_does_not_count_for_a_request_that_goes_first() {
    let [direct, low, normal] = [0, 1, 2].map(RequestId::from_index);
    for (behaviour, counts) in
        [(Behaviour::Improved, true), (Behaviour::Linux6_1, false), (Behaviour::Linux6_12, false)]
    {
        let config = Config { behaviour, ..Config::new(false, 64) };
        let mut bfq = Scheduler::new(ms(0), config).expect("memory");
        bfq.set_tunable(ms(0), Tunable::LowLatency, 0);
        let root = bfq.root_group();
        let [a, b] = [7, 4].map(|level| {
            let ioprio = Ioprio::new(Class::BestEffort, level);
            let attributes = ProcessAttributes::with_ioprio(ioprio);
            bfq.add_process(ms(0), root, attributes).expect("memory")
        });
        // A request that came back from the device goes before all queues.
        bfq.insert(ms(1), direct, &NewRequest::read(a, 0, 8, ms(1)), true).expect("a free tag");
        assert_eq!(bfq.dispatch(ms(1)), Some(direct));
        // While it is in the device, its queue and another one become busy.
        bfq.insert(ms(2), low, &NewRequest::read(a, 8000, 8, ms(2)), false).expect("a free tag");
        bfq.insert(ms(2), normal, &NewRequest::read(b, 0, 8, ms(2)), false).expect("a free tag");
        bfq.check();
        let [a, b] = [a, b].map(|process| {
            let queue = bfq.queue_of_process(process, true).expect("it has one");
            &bfq.model.queues[queue]
        });
        assert_eq!(a.policy.counted.weight.is_some(), counts, "{behaviour:?}");
        assert_eq!(a.policy.counted.pending, counts, "{behaviour:?}");
        // Of two weights, b has the greater one.
        assert_eq!(bfq.policy.is_asymmetric(b), counts, "{behaviour:?}");
        bfq.complete(ms(3), direct).expect("dispatched");
        bfq.check();
    }
}
