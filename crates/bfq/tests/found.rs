// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bugs that the random scenarios found, each as the few steps that it takes.

use bfq::{
    Config, GroupId, HostError, NewRequest, ProcessAttributes, ProcessId, RequestId, Scheduler,
    Side, Time, why::Silent,
};

const NOW: Time = Time::ZERO;
/// Far away from everything else.
const FAR: u64 = 1 << 30;

fn rotational() -> Scheduler<Silent> {
    Scheduler::new(NOW, Config::new(true, 64)).expect("memory")
}

fn processes<const N: usize>(s: &mut Scheduler, group: GroupId) -> [ProcessId; N] {
    [(); N].map(|()| s.add_process(NOW, group, ProcessAttributes::default()).expect("memory"))
}

fn read(s: &mut Scheduler, id: usize, process: ProcessId, sector: u64) {
    let request = NewRequest::read(process, sector, 8, NOW);
    s.insert(NOW, RequestId::from_index(id), &request, false).expect("free");
    s.check();
}

fn statistic(s: &Scheduler, name: &str) -> u64 {
    let (_, value) = s.statistics().find(|(info, _)| info.name == name).expect("known");
    value
}

/// Serves and completes everything; returns how many requests that were.
fn drain(s: &mut Scheduler) -> usize {
    let mut now = NOW;
    let mut served = 0;
    while s.has_work() {
        match s.dispatch(now) {
            Some(id) => {
                s.complete(now, id).expect("dispatched");
                served += 1;
            }
            None => {
                now = s.next_timer().expect("idling ends");
                s.on_timer(now);
            }
        }
        s.check();
    }
    served
}

#[test]
fn a_request_does_not_absorb_itself() {
    let mut s = rotational();
    let root = s.root_group();
    let [p] = processes(&mut s, root);
    read(&mut s, 0, p, 0);
    let id = RequestId::from_index(0);
    assert_eq!(s.coalesced(NOW, id, id, 16), Err(HostError::NotWaiting(id)));
    s.check();
    assert_eq!(drain(&mut s), 1);
}

#[test]
fn a_request_has_sectors_and_each_of_them_a_number() {
    let mut s = rotational();
    let root = s.root_group();
    let [p] = processes(&mut s, root);
    let id = RequestId::from_index(0);
    let process = |process| {
        move |(sector, sectors)| NewRequest { process, ..NewRequest::read(p, sector, sectors, NOW) }
    };
    let bad = [(0, 0), (u64::MAX, 0), (u64::MAX, 1), (u64::MAX, u32::MAX), (u64::MAX - 7, 8)];
    for range in bad {
        for request in [process(Some(p))(range), process(None)(range)] {
            for at_head in [false, true] {
                let refused = s.insert(NOW, id, &request, at_head);
                assert_eq!(refused, Err(HostError::BadRange(id)), "{range:?}");
            }
        }
    }
    s.check();
    let last = NewRequest::read(p, u64::MAX - 8, 8, NOW);
    assert_eq!(s.insert(NOW, id, &last, false), Ok(()));
    assert_eq!(s.merged(NOW, id, Side::Back, u64::MAX - 8, 9), Err(HostError::BadRange(id)));
    s.check();
    assert_eq!(drain(&mut s), 1);
}

#[test]
fn a_very_coarse_clock_still_has_a_budget_timeout() {
    let config = Config { hz: 1, ..Config::new(true, 64) };
    let mut s = Scheduler::new(NOW, config).expect("memory");
    let root = s.root_group();
    let [p] = processes(&mut s, root);
    for at in 0..40 {
        // Seeks, so that the slot is charged by time.
        read(&mut s, at, p, at as u64 * FAR);
    }
    assert_eq!(drain(&mut s), 40);
}

#[test]
fn a_process_moves_along_a_chain_of_merges_step_by_step() {
    let mut s = rotational();
    let root = s.root_group();
    let [p1, p2, p3, p4, bystander] = processes(&mut s, root);
    read(&mut s, 0, bystander, FAR);
    read(&mut s, 1, p1, 10_000);
    read(&mut s, 2, p2, 10_100); // close to p1's: p2 joins it
    assert_eq!(statistic(&s, "merges"), 1);
    read(&mut s, 3, p3, 50_000);
    read(&mut s, 4, p1, 50_000); // p1 leaves for p3's; p2 is still to follow
    assert_eq!(statistic(&s, "merges"), 2);
    read(&mut s, 5, p4, 90_000);
    read(&mut s, 6, p3, 90_000); // p3 goes on to p4's
    assert_eq!(statistic(&s, "merges"), 3);
    read(&mut s, 7, p2, 90_200); // p2 follows, by way of p3's
    assert_eq!(statistic(&s, "merges"), 5);
    assert_eq!(s.queue_of_process(p2, true), s.queue_of_process(p4, true));
    assert_eq!(drain(&mut s), 8);
}

#[test]
fn queues_of_different_actuators_do_not_merge() {
    for (boundary, merges) in [(2000, 0), (500, 1)] {
        let ends = [boundary, 2 * FAR];
        let config = Config { actuator_ends: &ends, ..Config::new(true, 64) };
        let mut s = Scheduler::new(NOW, config).expect("memory");
        let root = s.root_group();
        let [p1, p2, bystander] = processes(&mut s, root);
        read(&mut s, 0, bystander, FAR);
        read(&mut s, 1, p1, 1000);
        read(&mut s, 2, p2, 3000);
        assert_eq!(statistic(&s, "merges"), merges, "boundary at {boundary}");
        assert_eq!(drain(&mut s), 3);
    }
}

#[test]
fn subgroups_go_with_their_group() {
    let mut s = rotational();
    let root = s.root_group();
    let above = s.add_group(NOW, root).expect("memory");
    let below = s.add_group(NOW, above).expect("memory");
    let [p] = processes(&mut s, below);
    read(&mut s, 0, p, 0);
    s.remove_group(NOW, above).expect("it exists");
    s.check();
    assert!(s.group_statistics(below).is_err());
    assert_eq!(drain(&mut s), 1, "nothing is left behind in the group that went");
}

#[test]
fn an_idle_queue_does_not_wake_up_in_a_group_that_went() {
    let mut s = rotational();
    let root = s.root_group();
    let above = s.add_group(NOW, root).expect("memory");
    let below = s.add_group(NOW, above).expect("memory");
    let [p] = processes(&mut s, below);
    s.remove_group(NOW, below).expect("it exists");
    read(&mut s, 0, p, 0); // served with the group above
    assert_eq!(drain(&mut s), 1);
    s.remove_group(NOW, above).expect("it exists");
    read(&mut s, 0, p, 8);
    let queue = s.queue_of_process(p, true).expect("it has one");
    assert_eq!(s.queue_state(queue).expect("it exists").group, root);
    assert_eq!(drain(&mut s), 1);
}

#[test]
fn requests_are_counted_where_their_queue_is() {
    let mut s = rotational();
    let root = s.root_group();
    let group = s.add_group(NOW, root).expect("memory");
    let [p] = processes(&mut s, group);
    for at in 0..4 {
        read(&mut s, at, p, 8 * at as u64);
    }
    s.move_process(p, root).expect("both exist");
    read(&mut s, 4, p, 32); // the queue moves, with five requests
    assert_eq!(drain(&mut s), 5);
}
