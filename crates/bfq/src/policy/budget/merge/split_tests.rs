// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a process has again after a split, as time lines in ms.

use crate::{
    Behaviour, Config, NewRequest, ProcessAttributes, ProcessId, QueueId, RequestId, Scheduler,
    Time, tunables::Tunable,
};

fn ms(ms: u64) -> Time {
    Time::from_ns(ms * 1_000_000)
}

fn disk(behaviour: Behaviour) -> (Scheduler, ProcessId) {
    let config = Config { behaviour, ..Config::new(true, 64) };
    let mut bfq = Scheduler::new(ms(0), config).expect("memory");
    bfq.set_tunable(ms(0), Tunable::LowLatency, 0);
    let root = bfq.root_group();
    let process = bfq.add_process(ms(0), root, ProcessAttributes::default()).expect("memory");
    (bfq, process)
}

/// A read that takes from `start` to `end`.
fn read(bfq: &mut Scheduler, process: ProcessId, start: u64, end: u64) {
    let id = RequestId::from_index(0);
    let read = NewRequest::read(process, 1000 * start, 8, ms(start));
    bfq.insert(ms(start), id, &read, false).expect("a free tag");
    assert_eq!(bfq.dispatch(ms(start)), Some(id));
    bfq.complete(ms(end), id).expect("dispatched");
}

#[test]
fn in_the_reference_the_last_completion_is_that_of_before_the_merge() {
    for (behaviour, last) in
        [(Behaviour::Linux6_1, 5), (Behaviour::Linux6_12, 5), (Behaviour::Improved, 50)]
    {
        let (mut bfq, process) = disk(behaviour);
        read(&mut bfq, process, 1, 5);
        let queue = bfq.queue_of_process(process, true).expect("it has one");
        save(&mut bfq, queue);
        read(&mut bfq, process, 6, 50);
        bfq.restore_state(process, queue);
        assert_eq!(bfq.model.queues[queue].history.last_completion, ms(last), "{behaviour:?}");
    }
}

#[test]
fn what_is_saved_goes_with_its_process() {
    let (mut bfq, process) = disk(Behaviour::Improved);
    read(&mut bfq, process, 1, 5);
    let queue = bfq.queue_of_process(process, true).expect("it has one");
    assert_eq!(bfq.policy.saved.len(), 0, "nothing before a merge");
    save(&mut bfq, queue);
    save(&mut bfq, queue);
    assert_eq!(bfq.policy.saved.len(), 1);
    bfq.check();
    bfq.exit_process(ms(6), process).expect("it lives");
    assert_eq!(bfq.policy.saved.len(), 0);
    bfq.check();
}

/// What the queue knows is saved for its process.
fn save(bfq: &mut Scheduler, queue: QueueId) {
    bfq.policy.save_state(&mut bfq.model, &bfq.clock, &bfq.device, &bfq.tunables, queue);
}
