// SPDX-License-Identifier: MIT OR Apache-2.0
//! The count of raised busy queues, and where the reference miscounts it (spec 10.2, row 6).

use crate::{
    Behaviour, Class, Config, Ioprio, NewRequest, ProcessAttributes, RequestId, Scheduler, Time,
    tunables::Tunable,
};

const NOW: Time = Time::from_ns(1_000_000);

/// A disk on which one read waits of each process. Processes of the default priority are raised;
/// those of another one never are. One of the queues
/// is in service.
fn busy_with(behaviour: Behaviour, levels: &[u8]) -> Scheduler {
    let config = Config { behaviour, ..Config::new(true, 64) };
    let mut bfq = Scheduler::new(NOW, config).expect("memory");
    for (tag, &level) in levels.iter().enumerate() {
        let attributes = ProcessAttributes::with_ioprio(Ioprio::new(Class::BestEffort, level));
        let process = bfq.add_process(NOW, bfq.root_group(), attributes).expect("memory");
        let read = NewRequest::read(process, 100_000 * tag as u64, 8, NOW);
        bfq.insert(NOW, RequestId::from_index(tag), &read, false).expect("the tag is free");
    }
    bfq.dispatch(NOW);
    bfq.check();
    bfq
}

#[test]
fn only_raises_that_there_were_not_are_miscounted() {
    use Behaviour::{Improved, Linux6_1, Linux6_12};
    for (behaviour, levels, before, after, miscounted) in [
        // Ours ends the raises that there are.
        (Improved, &[4, 4, 4][..], 3, 0, false),
        (Improved, &[4, 4, 2], 2, 0, false),
        // The reference leaves the one in service raised, which is counted.
        (Linux6_1, &[4, 4, 4], 3, 1, false),
        (Linux6_12, &[4, 4, 4], 3, 1, false),
        // It counts off a queue that was not raised.
        (Linux6_1, &[4, 4, 2], 2, 0, true),
        (Linux6_1, &[2, 2, 2], 0, -2, true),
        (Linux6_12, &[2, 2, 2], 0, -2, true),
        // Nothing is in a tree.
        (Linux6_1, &[], 0, 0, false),
    ] {
        let mut bfq = busy_with(behaviour, levels);
        let raised = bfq.policy.competition.busy.raised();
        bfq.set_tunable(NOW, Tunable::LowLatency, 0);
        let found = (
            raised,
            bfq.policy.competition.busy.raised(),
            bfq.policy.competition.busy.counted_raised().is_none(),
        );
        assert_eq!(found, (before, after, miscounted), "{behaviour:?} {levels:?}");
        bfq.check();
    }
}

#[test]
#[should_panic = "raised busy queues"]
fn a_wrong_count_is_found_under_the_kernels_behaviours_too() {
    let mut bfq = busy_with(Behaviour::Linux6_1, &[4, 4]);
    bfq.policy.competition.busy.change_raised(1);
    bfq.check();
}
