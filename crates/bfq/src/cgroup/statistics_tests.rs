// SPDX-License-Identifier: MIT OR Apache-2.0
//! The figures of groups: what counts where, when, and how it is shown (spec 6.7).

use super::{
    statistics::{ByOperation, GROUP_STATISTICS, GroupFigure, GroupStatisticInfo, StatisticLines},
    test_host::{Lab, SECTORS},
    weight::DeviceNumber,
};
use crate::{NewRequest, Operation, Span};
use std::string::ToString;

/// The figures of one request.
const BYTES: u64 = SECTORS as u64 * 512;

#[test]
fn a_time_line_with_all_figures() {
    let mut lab = Lab::new();
    let group = lab.group(lab.root());
    let other = lab.group(lab.root());
    let (process, rival) = (lab.process(group), lab.process(other));

    // The rival has the disk for 1 ms; two requests come for the group meanwhile.
    lab.read(rival);
    let rivals = lab.dispatch().expect("the only one");
    lab.pass_us(300);
    lab.read(process);
    lab.pass_us(200);
    let last = lab.write(process);
    lab.pass_us(500);
    lab.complete(rivals);
    assert_eq!(lab.dispatch(), None, "the disk is kept for the rival");
    lab.pass_us(10_000);
    lab.bfq.on_timer(lab.now());
    let first = lab.dispatch().expect("the rival's turn is over");
    lab.pass_us(2000);
    lab.complete(first);

    // The disk is kept for the group; after 3 ms its next request comes.
    assert!(lab.bfq.next_timer().is_some());
    lab.pass_us(3000);
    let next = lab.read(process);
    assert_eq!(lab.dispatch(), Some(next));
    lab.pass_us(1000);
    lab.complete(next);
    lab.pass_us(10_000);
    lab.bfq.on_timer(lab.now());
    assert_eq!(lab.dispatch(), Some(last));
    lab.pass_us(4000);
    lab.complete(last);
    // Nothing waits for 6 ms.
    lab.pass_us(2000);
    lab.read(process);

    let us = 1000;
    let expected = [
        ("io_service_bytes", 4 * BYTES),
        ("io_serviced", 4),
        ("sectors", 4 * u64::from(SECTORS)),
        // The reads' slot: 2 + 3 + 1 + 10 ms; the write's: 4 ms.
        ("time", 16 + 4),
        ("io_service_time", (2000 + 1000 + 4000) * us),
        // The first read, the write, and the read that came while the disk was kept idle.
        ("io_wait_time", (10_700 + (10_500 + 2000 + 3000 + 1000 + 10_000)) * us),
        ("io_merged", 0),
        ("io_queued", 1),
        // 2, 2 and 1.
        ("avg_queue_size", 1),
        ("group_wait_time", 10_700 * us),
        ("idle_time", 3000 * us),
        ("empty_time", 6000 * us),
        ("dequeue", 2),
    ];
    assert_eq!(lab.figures(group), expected);
    assert_eq!(lab.statistics(group).own.serviced.asynchronous(), 1);

    lab.bfq.reset_group_statistics(lab.now(), group).expect("it exists");
    let always = ["io_service_bytes", "io_serviced", "sectors", "io_queued"];
    for ((name, was), (_, is)) in expected.into_iter().zip(lab.figures(group)) {
        assert_eq!(is, if always.contains(&name) { was } else { 0 }, "{name}");
    }
    assert_eq!(lab.serviced(other), 1, "no other group is concerned");
}

#[test]
fn a_group_does_not_wait_while_it_is_served() {
    let mut lab = Lab::new();
    let group = lab.group(lab.root());
    let process = lab.process(group);
    lab.read(process);
    lab.dispatch().expect("something waits");
    lab.pass_us(100);
    lab.read(process);
    lab.pass_us(100);
    lab.dispatch().expect("the slot goes on");
    assert_eq!(lab.statistics(group).group_wait, Span::ZERO);
    assert_eq!(lab.statistics(group).own.wait_time_ns.of(Operation::Read), 100_000);
}

#[test]
fn a_large_request_ends_idling_when_it_comes() {
    let mut lab = Lab::new();
    let group = lab.group(lab.root());
    let process = lab.process(group);
    lab.read(process);
    let id = lab.dispatch().expect("something waits");
    lab.pass_us(100);
    lab.complete(id);
    assert!(lab.bfq.next_timer().is_some());
    lab.pass_us(2000);
    lab.insert(NewRequest::read(process, 0, 8 * SECTORS, lab.now()));
    assert_eq!(lab.bfq.next_timer(), None);
    lab.pass_us(500);
    lab.dispatch().expect("the slot goes on");
    assert_eq!(lab.statistics(group).idle, Span::from_ms(2));
}

#[test]
fn a_reset_cuts_what_is_being_measured() {
    let mut lab = Lab::new();
    let group = lab.group(lab.root());
    let process = lab.process(group);
    lab.read(process);
    lab.pass_us(100);
    lab.bfq.reset_group_statistics(lab.now(), group).expect("it exists");
    lab.pass_us(30);
    lab.dispatch().expect("something waits");
    assert_eq!(lab.statistics(group).group_wait, Span::from_us(30));
    lab.pass_us(100);
    lab.bfq.reset_group_statistics(lab.now(), group).expect("it exists");
    lab.pass_us(20);
    lab.read(process);
    assert_eq!(lab.statistics(group).empty, Span::from_us(20));
}

#[test]
fn requests_that_are_absorbed_or_cancelled_wait_no_more() {
    let mut lab = Lab::new();
    let group = lab.group(lab.root());
    let process = lab.process(group);
    let now = lab.now();
    let first = lab.insert(NewRequest::read(process, 0, SECTORS, now));
    let second = lab.insert(NewRequest::read(process, u64::from(SECTORS), SECTORS, now));
    let third = lab.read(process);
    lab.pass_us(10);
    lab.coalesce(first, second);
    let figures = |lab: &Lab| {
        let own = lab.statistics(group).own;
        (own.serviced.total(), own.merged.total(), own.queued.total())
    };
    assert_eq!(figures(&lab), (3, 1, 2));
    for id in [third, first] {
        lab.bfq.remove(lab.now(), id).expect("it waits");
        lab.bfq.check();
    }
    assert_eq!(figures(&lab), (3, 1, 0));
    assert_eq!(lab.statistics(group).group_wait, Span::from_us(10), "no request waits any longer");
}

#[test]
fn turned_off_they_rest_and_turned_on_they_go_on() {
    let mut lab = Lab::new();
    let group = lab.group(lab.root());
    let process = lab.process(group);
    assert!(lab.bfq.has_detailed_statistics());
    lab.bfq.set_detailed_statistics(lab.now(), false);
    let in_flight = lab.read(process);
    lab.read(process);
    lab.read(process);
    assert_eq!(lab.dispatch(), Some(in_flight));
    assert_eq!((lab.queued(group), lab.serviced(group)), (0, 3), "the cheap ones are kept");

    lab.bfq.set_detailed_statistics(lab.now(), true);
    lab.bfq.check();
    assert_eq!(lab.queued(group), 2);
    lab.pass_us(900);
    lab.complete(in_flight);
    assert_eq!(lab.statistics(group).own.service_time_ns.total(), 0, "half a time is none");
    assert_eq!(lab.serve_all(), 2);
    let own = lab.statistics(group).own;
    assert_eq!((own.service_time_ns.of(Operation::Read), own.queued.total()), (200_000, 0));

    lab.bfq.set_detailed_statistics(lab.now(), false);
    lab.read(process);
    lab.bfq.set_detailed_statistics(lab.now(), false);
    lab.serve_all();
    assert_eq!(lab.statistics(group).own.service_time_ns.of(Operation::Read), 200_000);
}

#[test]
fn nothing_is_measured_across_a_pause() {
    let mut lab = Lab::new();
    let group = lab.group(lab.root());
    let process = lab.process(group);
    lab.read(process);
    let id = lab.dispatch().expect("something waits");
    lab.pass_us(100);
    lab.bfq.set_detailed_statistics(lab.now(), false);
    lab.pass_us(100);
    lab.bfq.set_detailed_statistics(lab.now(), true);
    lab.pass_us(100);
    lab.complete(id);
    lab.read(process);
    let statistics = lab.statistics(group);
    assert_eq!(
        (statistics.own.service_time_ns.of(Operation::Read), statistics.empty),
        (0, Span::ZERO)
    );
}

#[test]
fn requests_that_move_are_counted_where_they_wait() {
    let mut lab = Lab::new();
    let (a, b) = (lab.group(lab.root()), lab.group(lab.root()));
    let process = lab.process(a);
    lab.read(process);
    lab.pass_us(10);
    lab.bfq.move_process(process, b).expect("both exist");
    assert_eq!((lab.queued(a), lab.queued(b)), (1, 0), "at its next request");
    lab.read(process);
    assert_eq!((lab.queued(a), lab.queued(b)), (0, 2));
    assert_eq!((lab.serviced(a), lab.serviced(b)), (1, 1));
    lab.pass_us(5);
    assert_eq!(lab.serve_all(), 2);
    let waited = [a, b].map(|group| lab.statistics(group).group_wait);
    assert_eq!(waited, [10, 5].map(Span::from_us));
    assert_eq!(lab.statistics(b).own.wait_time_ns.of(Operation::Read), 15_000 + 5000 + 100_000);
}

#[test]
fn subtrees_add_up() {
    let mut lab = Lab::new();
    let root = lab.root();
    let above = lab.group(root);
    let (a, b) = (lab.group(above), lab.group(above));
    for (group, requests) in [(root, 1), (above, 2), (a, 3), (b, 4)] {
        let process = lab.process(group);
        for _ in 0..requests {
            lab.read(process);
        }
    }
    for (group, requests) in [(root, 10), (above, 9), (a, 3), (b, 4)] {
        let sum = lab.bfq.recursive_group_statistics(group).expect("it exists");
        assert_eq!((sum.serviced.of(Operation::Read), sum.queued.sync()), (requests, requests));
    }
}

#[test]
fn lines_as_users_read_them() {
    let sda = DeviceNumber { major: 8, minor: 0 };
    let sdb = DeviceNumber { major: 8, minor: 16 };
    let values = ByOperation::new([5, 6, 7], 8);
    let one = ByOperation::new([1, 0, 0], 1);
    for (figures, expected) in [
        (
            &[(sda, GroupFigure::ByOperation(values)), (sdb, GroupFigure::ByOperation(one))][..],
            "8:0 Read 5\n8:0 Write 6\n8:0 Sync 8\n8:0 Async 10\n8:0 Discard 7\n8:0 Total 18\n\
             8:16 Read 1\n8:16 Write 0\n8:16 Sync 1\n8:16 Async 0\n8:16 Discard 0\n\
             8:16 Total 1\nTotal 19\n",
        ),
        (&[(sda, GroupFigure::Plain(3)), (sdb, GroupFigure::Plain(0))], "8:0 3\n8:16 0\n"),
        (&[], ""),
    ] {
        assert_eq!(StatisticLines(figures).to_string(), expected);
    }
}

#[test]
fn the_table_says_what_adds_up_and_what_costs() {
    let lab = Lab::new();
    let sum = lab.bfq.recursive_group_statistics(lab.root()).expect("it exists");
    let row =
        |info: &GroupStatisticInfo| (info.name, info.detailed, info.recursive(&sum).is_some());
    assert_eq!(
        GROUP_STATISTICS.each_ref().map(row),
        [
            ("io_service_bytes", false, true),
            ("io_serviced", false, true),
            ("sectors", true, true),
            ("time", true, true),
            ("io_service_time", true, true),
            ("io_wait_time", true, true),
            ("io_merged", true, true),
            ("io_queued", true, true),
            ("avg_queue_size", true, false),
            ("group_wait_time", true, false),
            ("idle_time", true, false),
            ("empty_time", true, false),
            ("dequeue", true, false),
        ]
    );
    for info in &GROUP_STATISTICS {
        assert_eq!(
            GroupStatisticInfo::from_name(info.name).map(|found| found.unit),
            Some(info.unit)
        );
    }
    assert!(GroupStatisticInfo::from_name("io_serviced_recursive").is_none());
}
