// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a process has again after a split, as time lines in ms.

use crate::{
    Behaviour, Config, NewRequest, ProcessAttributes, ProcessId, QueueId, RequestId, Scheduler,
    Time, calls::Birth, policy::budget::queue::Sharing, tunables::Tunable,
};

fn ms(ms: u64) -> Time {
    Time::from_ns(ms * 1_000_000)
}

fn disk(behaviour: Behaviour) -> (Scheduler, ProcessId) {
    let config = Config { behaviour, ..Config::new(true, 64) };
    let mut bfq = Scheduler::new(ms(0), config).expect("memory");
    bfq.set_tunable(ms(0), Tunable::LowLatency, 0);
    let process = reader(&mut bfq);
    (bfq, process)
}

fn reader(bfq: &mut Scheduler) -> ProcessId {
    bfq.add_process(bfq.clock.now(), bfq.root_group(), ProcessAttributes::default())
        .expect("memory")
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
fn a_new_queue_knows_when_the_shared_one_completed_something() {
    for (behaviour, last) in
        [(Behaviour::Linux6_1, 5), (Behaviour::Linux6_12, 5), (Behaviour::Improved, 30)]
    {
        let (mut bfq, process) = disk(behaviour);
        read(&mut bfq, process, 1, 5);
        bfq.on_timer(ms(13));
        let other = reader(&mut bfq);
        read(&mut bfq, other, 20, 30);
        let [queue, shared] =
            [process, other].map(|process| bfq.queue_of_process(process, true).expect("its own"));
        bfq.schedule_merge(queue, shared).expect("two of one group");
        bfq.merge_queues(process, queue, shared);
        bfq.model.queues[shared].policy.merge.sharing = Sharing::Parting;
        let new = bfq.split_and_restore(process, shared);
        assert!(new != shared, "the other process has that");
        assert_eq!(bfq.model.queues[new].history.last_completion, ms(last), "{behaviour:?}");
        bfq.check();
    }
}

/// A process leaves a queue whose waker is where it was to be merged. Only that merge holds the
/// waker if its process `ends` before.
#[test]
fn a_waker_is_handed_on_as_long_as_it_exists() {
    for ends in [false, true] {
        let (mut bfq, process) = disk(Behaviour::Improved);
        let other = reader(&mut bfq);
        let [shared, waker] =
            [process, other].map(|process| bfq.queue_for(process, true, 0, Birth::Again));
        bfq.model.queues.set_waker(shared, Some(waker));
        bfq.schedule_merge(shared, waker).expect("two of one group");
        bfq.model.queues[shared].policy.merge.sharing = Sharing::Parting;
        if ends {
            bfq.exit_process(ms(1), other).expect("it lives");
            assert!(bfq.model.queues.contains(waker), "the merge holds it");
        }
        // The new queue may get the number of one that has just been freed.
        let new = bfq.split_and_restore(process, shared);
        let expected = if ends { None } else { Some(waker) };
        assert_eq!(bfq.model.queues[new].policy.waking.waker, expected, "ends: {ends}");
        bfq.check();
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
