// SPDX-License-Identifier: MIT OR Apache-2.0
//! Groups that go, as time lines: where their queues, requests and figures go, and what comes
//! next (spec 6.6).

use super::test_host::Lab;
use crate::{IdentityError, Operation, ProcessAttributes, Span, Time, tunables::Tunable};
use alloc::vec::Vec;

#[test]
fn a_group_takes_its_subgroups_along() {
    let mut lab = Lab::new();
    let root = lab.root();
    let above = lab.group(root);
    let (a, b) = (lab.group(above), lab.group(above));
    let below = lab.group(a);
    let processes: Vec<_> = [above, a, b, below].map(|group| lab.process(group)).into();
    for &process in &processes {
        lab.read(process);
    }
    assert_eq!([above, a, b, below].map(|group| lab.queued(group)), [1; 4]);

    lab.remove(above);
    for gone in [above, a, b, below] {
        let unknown = Err(IdentityError::UnknownGroup(gone));
        assert_eq!(lab.bfq.remove_group(lab.now(), gone), unknown);
        assert_eq!(lab.bfq.set_group_weight(lab.now(), gone, 10), unknown);
        assert_eq!(lab.bfq.add_group(lab.now(), gone).map(|_| ()), unknown);
        let attributes = ProcessAttributes::default();
        assert_eq!(lab.bfq.add_process(lab.now(), gone, attributes).map(|_| ()), unknown);
        assert_eq!(lab.bfq.group_statistics(gone).map(|_| ()), unknown);
    }
    assert_eq!(lab.queued(root), 4);
    assert_eq!(lab.serve_all(), 4);

    // Its processes go on, in the root group.
    for &process in &processes {
        lab.read(process);
    }
    assert_eq!((lab.queued(root), lab.serviced(root)), (4, 4));
    assert_eq!(lab.serve_all(), 4);
}

#[test]
fn processes_go_on_with_the_nearest_ancestor_that_exists() {
    let mut lab = Lab::new();
    let a = lab.group(lab.root());
    let b = lab.group(a);
    let c = lab.group(b);
    let process = lab.process(c);
    lab.read(process);
    lab.remove(c);
    assert_eq!((lab.queued(lab.root()), lab.queued(b)), (1, 0), "what waits goes to the root");
    lab.read(process);
    assert_eq!((lab.queued(lab.root()), lab.queued(b)), (0, 2), "and comes back with its process");
    lab.remove(b);
    lab.read(process);
    assert_eq!((lab.queued(lab.root()), lab.queued(a)), (0, 3));
    assert_eq!(lab.serve_all(), 3);

    // The same for one that was idle when its group went.
    lab.remove(a);
    lab.read(process);
    assert_eq!(lab.queued(lab.root()), 1);
    assert_eq!(lab.serve_all(), 1);
}

#[test]
fn the_queue_in_service_loses_the_disk() {
    let mut lab = Lab::new();
    let (a, b) = (lab.group(lab.root()), lab.group(lab.root()));
    let (first, second) = (lab.process(a), lab.process(b));
    lab.read(first);
    lab.read(second);
    let id = lab.dispatch().expect("something waits");
    lab.pass_us(2000);
    lab.complete(id);
    assert!(lab.bfq.next_timer().is_some(), "the disk is kept for the first");
    let owner = lab.bfq.queue_in_service().expect("one is");
    assert_eq!(lab.bfq.queue_state(owner).map(|queue| queue.group), Some(a));
    lab.bfq.take_kick();

    lab.remove(a);
    assert_eq!(lab.bfq.next_timer(), None);
    assert_eq!(lab.bfq.queue_in_service(), None);
    assert!(lab.bfq.take_kick(), "there is no reason to wait any longer");
    assert!(lab.dispatch().is_some());
    lab.bfq.on_timer(lab.now() + Span::from_s(1));
    lab.bfq.check();
}

#[test]
fn requests_in_flight_complete() {
    let mut lab = Lab::new();
    let root = lab.root();
    let above = lab.group(root);
    let group = lab.group(above);
    let process = lab.process(group);
    lab.read(process);
    lab.read(process);
    let id = lab.dispatch().expect("something waits");
    lab.remove(group);
    assert_eq!(lab.queued(root), 1);
    lab.pass_us(700);
    lab.complete(id);
    let time = |lab: &Lab, group| {
        lab.bfq
            .recursive_group_statistics(group)
            .expect("it exists")
            .service_time_ns
            .of(Operation::Read)
    };
    assert_eq!(time(&lab, root), 700_000);

    // The last one is in flight when the process has nothing else any more.
    lab.read(process);
    lab.remove(above);
    let mut in_flight = Vec::new();
    while let Some(id) = lab.dispatch() {
        in_flight.push(id);
    }
    lab.bfq.exit_process(lab.now(), process).expect("it lives");
    lab.bfq.check();
    for id in in_flight {
        lab.pass_us(100);
        lab.complete(id);
    }
    assert_eq!(lab.serve_all(), 0);
    assert!(time(&lab, root) > 700_000);
}

#[test]
fn what_completes_late_is_the_ancestors() {
    let mut lab = Lab::new();
    lab.bfq.set_tunable(lab.now(), Tunable::SliceIdle, 0);
    let above = lab.group(lab.root());
    let group = lab.group(above);
    let process = lab.process(group);
    lab.read(process);
    let id = lab.dispatch().expect("something waits");
    assert_eq!(lab.dispatch(), None);
    assert_eq!(lab.bfq.queue_in_service(), None, "the queue is empty and not worth idling for");
    lab.remove(group);
    lab.pass_us(400);
    lab.complete(id);
    let statistics = lab.statistics(above);
    assert_eq!(statistics.own.service_time_ns.of(Operation::Read), 0);
    assert_eq!(statistics.inherited.service_time_ns.of(Operation::Read), 400_000);
}

#[test]
fn async_queues_are_left_to_the_root() {
    let mut lab = Lab::new();
    let above = lab.group(lab.root());
    let group = lab.group(above);
    let process = lab.process(group);
    lab.write(process);
    lab.write(process);
    let first = lab.dispatch().expect("something waits");
    lab.remove(group);
    assert_eq!(lab.queued(lab.root()), 1);
    lab.write(process);
    assert_eq!((lab.queued(lab.root()), lab.queued(above)), (1, 1), "it has a new queue there");
    lab.complete(first);
    assert_eq!(lab.serve_all(), 2);

    // An idle one goes without a trace.
    lab.remove(above);
    lab.write(process);
    assert_eq!(lab.queued(lab.root()), 1);
    assert_eq!(lab.serve_all(), 1);
}

#[test]
fn a_pending_weight_goes_with_its_group() {
    let mut lab = Lab::new();
    let root = lab.root();
    let group = lab.group(root);
    let process = lab.process(group);
    lab.read(process);
    lab.bfq.set_group_weight(lab.now(), group, 700).expect("in range");
    lab.bfq.check();
    lab.remove(group);
    let new = lab.group(root);
    assert_eq!(lab.bfq.group_weight(new), Ok(100));
    assert_eq!(lab.serve_all(), 1);
}

#[test]
fn a_new_group_of_the_same_parent_starts_afresh() {
    let mut lab = Lab::new();
    let above = lab.group(lab.root());
    let old = lab.group(above);
    let process = lab.process(old);
    lab.read(process);
    lab.remove(old);

    // Its name is not given away while a process is in it.
    let new = lab.group(above);
    assert_ne!(new, old);
    assert_eq!(lab.serviced(new), 0);
    lab.read(process);
    assert_eq!((lab.queued(above), lab.queued(new)), (2, 0));
    lab.bfq.move_process(process, new).expect("both exist");
    lab.bfq.check();
    lab.read(process);
    assert_eq!((lab.queued(above), lab.queued(new)), (0, 3), "all that waits moves along");
    assert_eq!(lab.serve_all(), 3);

    // Now it is, and the process in the new bearer of the name is not mistaken for the old one's.
    lab.remove(new);
    let again = lab.group(above);
    assert_eq!(again, old);
    lab.read(process);
    assert_eq!((lab.queued(above), lab.queued(again)), (1, 0));
    lab.bfq.move_process(process, again).expect("both exist");
    lab.read(process);
    assert_eq!((lab.queued(above), lab.queued(again)), (0, 2));
    assert_eq!(lab.serve_all(), 2);
}

#[test]
fn what_a_group_did_is_inherited() {
    let mut lab = Lab::new();
    let root = lab.root();
    let above = lab.group(root);
    let group = lab.group(above);
    for (member, requests) in [(above, 2), (group, 3)] {
        let process = lab.process(member);
        for _ in 0..requests {
            lab.read(process);
            lab.pass_us(50);
        }
        lab.write(process);
    }
    lab.serve_all();
    lab.pass_us(10_000);
    lab.bfq.on_timer(lab.now());
    assert_eq!(lab.bfq.queue_in_service(), None, "no slot is open");
    let sum = |lab: &Lab, group| lab.bfq.recursive_group_statistics(group).expect("it exists");
    let (of_root, of_above) = (sum(&lab, root), sum(&lab, above));
    assert_eq!((of_above.serviced.total(), of_above.serviced.of(Operation::Write)), (7, 2));
    assert!(of_above.service_time_ns.total() > 0 && of_above.in_service > Span::ZERO);

    lab.remove(group);
    assert_eq!(sum(&lab, above), of_above);
    assert_eq!(lab.statistics(above).inherited.serviced.of(Operation::Read), 3);
    assert_eq!(lab.serviced(above), 3, "its own are not mixed with these");
    lab.remove(above);
    assert_eq!(sum(&lab, root), of_root);
    assert_eq!(lab.serviced(root), 0);
}

#[test]
fn the_root_group_stays() {
    let mut lab = Lab::new();
    let root = lab.root();
    assert_eq!(lab.bfq.remove_group(Time::ZERO, root), Err(IdentityError::RootGroup));
    lab.bfq.check();
}
