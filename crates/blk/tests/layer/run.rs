// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time lines of the dispatch loop: the host's habits of bfq.md §0.4, one test each.

use crate::lab::{Lab, MS, Scripted};
use blk::{BlockLayer, QueueSettings, SubmitterRuns};

#[test]
fn a_run_asks_until_nothing_is_left_and_issues_in_that_order() {
    let mut lab = Lab::new(32, "nomerges=2");
    let p = lab.process();
    for sector in [800, 0, 400] {
        lab.read(0, p, sector, 8);
    }
    assert_eq!(lab.issue(0), ["0: 800+8", "1: 0+8", "2: 400+8"]);
    assert_eq!(lab.issue(0), [""; 0], "no run is due");
}

#[test]
fn one_request_too_many_is_kept_and_goes_first() {
    let mut lab = Lab::new(1, "nr_requests=3,nomerges=2");
    let p = lab.process();
    for sector in [0, 100, 200] {
        lab.read(0, p, sector, 8);
    }
    assert_eq!(lab.issue(0), ["0: 0+8"]);
    assert_eq!(lab.log()[3..], ["dispatch 0", "dispatch 1"], "1 was refused by the device");
    assert_eq!(lab.statistic("refused"), 1);
    lab.layer.run();
    assert_eq!(lab.issue(1), [""; 0]);
    assert_eq!(lab.log(), [""; 0], "nothing is asked while it is kept");

    lab.complete(10, 0);
    assert_eq!(lab.issue(10), ["1: 100+8"]);
    assert_eq!(lab.log(), ["completed 0", "dispatch 2"]);
    assert_eq!(lab.layer.next_timer_ns(), None, "a full device sets no poll");
    lab.complete(20, 1);
    assert_eq!(lab.issue(20), ["2: 200+8"]);
}

#[test]
fn a_completion_starts_a_run_only_by_kick_or_after_a_refusal() {
    let mut lab = Lab::new(4, "nomerges=2");
    let p = lab.process();
    lab.read(0, p, 0, 8);
    lab.issue(0);
    lab.script.borrow_mut().hold = true;
    lab.read(1, p, 100, 8);
    lab.read(1, p, 200, 8);
    assert_eq!(lab.issue(1), [""; 0]);
    lab.script.borrow_mut().hold = false;

    lab.complete(2, 0);
    assert_eq!(lab.issue(2), [""; 0], "not refused, not kicked");
    lab.layer.run();
    assert_eq!(lab.issue(3), ["1: 100+8", "2: 200+8"]);

    lab.script.borrow_mut().hold = true;
    lab.read(4, p, 300, 8);
    lab.issue(4);
    lab.script.borrow_mut().hold = false;
    lab.script.borrow_mut().kick = true;
    lab.complete(5, 1);
    assert_eq!(lab.issue(5), ["0: 300+8"]);
}

#[test]
fn a_completion_starts_a_run_after_one_that_began_with_what_had_been_refused() {
    let mut lab = Lab::new(1, "nr_requests=3,nomerges=2");
    let p = lab.process();
    lab.read(0, p, 0, 8);
    lab.read(0, p, 100, 8);
    lab.issue(0);
    lab.script.borrow_mut().hold = true;
    lab.read(1, p, 200, 8);
    lab.complete(2, 0);
    assert_eq!(lab.issue(2), ["1: 100+8"], "the refused one, and nothing behind it");
    lab.script.borrow_mut().hold = false;
    lab.complete(3, 1);
    assert_eq!(lab.issue(3), ["2: 200+8"], "though the device was not full");
}

#[test]
fn on_linux_6_1_a_writer_runs_the_loop_itself_and_a_reader_does_not() {
    let mut lab = Lab::new(1, "nr_requests=8");
    lab.layer = {
        let settings =
            QueueSettings { submitter_runs: SubmitterRuns::Linux6_1, ..*lab.layer.settings() };
        let elevator = Box::new(Scripted(std::rc::Rc::clone(&lab.script)));
        BlockLayer::new(settings, *lab.layer.limits(), elevator)
    };
    let p = lab.process();
    for sector in [0, 8, 16, 24] {
        lab.write(0, p, sector, 8);
    }
    assert_eq!(lab.issue(0), ["0: 0+8"]);
    lab.complete(1, 0);
    assert_eq!(lab.issue(1), ["1: 8+8"], "that one had been taken out before the next one came");
    lab.complete(2, 1);
    assert_eq!(lab.issue(2), ["2: 16+16"], "the third waited for the fourth");
    lab.complete(3, 2);
    for sector in [100, 108] {
        lab.read(3, p, sector, 8);
    }
    assert_eq!(lab.issue(3), ["0: 100+16"]);
}

#[test]
fn the_poll_comes_at_the_fourth_tick() {
    for (now_ns, poll_ns) in
        [(0, 4 * MS), (1, 4 * MS), (200_000, 4 * MS), (999_999, 4 * MS), (10 * MS, 14 * MS)]
    {
        let mut lab = Lab::new(4, "");
        let p = lab.process();
        lab.script.borrow_mut().hold = true;
        lab.read(now_ns, p, 0, 8);
        assert_eq!(lab.issue(now_ns), [""; 0]);
        assert_eq!(lab.layer.next_timer_ns(), Some(poll_ns), "from {now_ns}");
    }
}

#[test]
fn the_poll_repeats_while_runs_are_fruitless_and_an_earlier_run_replaces_it() {
    let mut lab = Lab::new(4, "nomerges=2");
    let p = lab.process();
    lab.script.borrow_mut().hold = true;
    lab.read(0, p, 0, 8);
    lab.issue(0);
    assert_eq!(lab.layer.next_timer_ns(), Some(4 * MS));

    lab.layer.on_timer(4 * MS - 1);
    lab.log();
    assert_eq!(lab.issue(4 * MS - 1), [""; 0]);
    assert_eq!(lab.log(), [""; 0], "too early: no run");
    lab.layer.on_timer(4 * MS);
    lab.issue(4 * MS);
    assert_eq!(lab.log(), ["dispatch nothing"]);
    assert_eq!(lab.layer.next_timer_ns(), Some(8 * MS));

    lab.read(6 * MS, p, 100, 8);
    lab.issue(6 * MS);
    assert_eq!(lab.layer.next_timer_ns(), Some(10 * MS), "8 ms is forgotten");
    lab.script.borrow_mut().hold = false;
    lab.layer.on_timer(10 * MS);
    assert_eq!(lab.issue(10 * MS), ["0: 0+8", "1: 100+8"]);
    assert_eq!(lab.layer.next_timer_ns(), None);
}

#[test]
fn a_submitter_that_has_to_sleep_runs_the_loop_and_leaves_the_poll_where_it_is() {
    let mut lab = Lab::new(4, "nr_requests=1,nomerges=2");
    let (p, q) = (lab.process(), lab.process());
    lab.script.borrow_mut().hold = true;
    lab.read(0, p, 0, 8);
    lab.issue(0);
    assert!(!lab.read(2 * MS, q, 100, 8));
    lab.log();
    assert_eq!(lab.issue(2 * MS), [""; 0]);
    assert_eq!(lab.log(), ["dispatch nothing"]);
    assert_eq!(lab.layer.next_timer_ns(), Some(4 * MS), "not 6");
    lab.layer.on_timer(4 * MS);
    lab.issue(4 * MS);
    assert_eq!(lab.layer.next_timer_ns(), Some(8 * MS));
}

#[test]
fn a_run_that_obtained_something_asks_once_more_and_polls_for_the_rest() {
    let mut lab = Lab::new(4, "nomerges=2");
    let p = lab.process();
    lab.read(0, p, 0, 8);
    lab.read(0, p, 100, 8);
    lab.log();
    assert!(lab.layer.next_command(0).is_some());
    lab.script.borrow_mut().hold = true;
    assert!(lab.layer.next_command(0).is_none());
    assert_eq!(
        lab.log(),
        ["dispatch 0", "dispatch nothing", "dispatch nothing"],
        "the pass that obtained one ends, the next one obtains nothing"
    );
    assert_eq!(lab.layer.next_timer_ns(), Some(4 * MS));
}

#[test]
fn the_elevators_timer_and_its_kick() {
    let mut lab = Lab::new(4, "");
    let p = lab.process();
    {
        let mut script = lab.script.borrow_mut();
        script.hold = true;
        script.timer_ns = Some(3 * MS);
    }
    lab.read(0, p, 0, 8);
    lab.issue(0);
    assert_eq!(lab.layer.next_timer_ns(), Some(3 * MS), "the earlier of timer and poll");
    lab.log();
    lab.layer.on_timer(3 * MS);
    assert_eq!(lab.log(), ["timer"]);
    assert_eq!(lab.issue(3 * MS), [""; 0], "no kick, no run");
    assert_eq!(lab.log(), [""; 0]);
    assert_eq!(lab.layer.next_timer_ns(), Some(4 * MS));

    lab.script.borrow_mut().timer_ns = Some(3 * MS + 5);
    lab.script.borrow_mut().kick = true;
    lab.script.borrow_mut().hold = false;
    lab.layer.on_timer(3 * MS + 5);
    assert_eq!(lab.issue(3 * MS + 5), ["0: 0+8"]);
    assert_eq!(lab.layer.next_timer_ns(), None);
}

#[test]
fn a_requeued_request_is_first_again_and_takes_no_part_in_merging() {
    let mut lab = Lab::new(2, "");
    let p = lab.process();
    lab.read(0, p, 0, 8);
    lab.issue(0);
    lab.read(0, p, 100, 8);
    lab.log();
    lab.layer.requeue(5, blk::Tag(0));
    lab.layer.check();
    assert_eq!(lab.log(), ["requeued 0", "insert 0 at head"]);
    lab.read(5, p, 8, 8);
    assert_eq!(lab.log(), ["insert 2"], "it touches 0, which was on its way already");
    assert_eq!(lab.issue(5), ["0: 0+8", "1: 100+8"]);
    lab.complete(6, 0);
    lab.complete(6, 1);
    assert_eq!(lab.done(), [1, 2]);
    assert_eq!(lab.statistic("requeued"), 1);
}

#[test]
fn a_tag_that_is_not_on_the_device_is_ignored() {
    let mut lab = Lab::new(2, "");
    let p = lab.process();
    lab.read(0, p, 0, 8);
    for tag in [0, 1, 4000] {
        lab.complete(1, tag);
        lab.layer.requeue(1, blk::Tag(tag));
        lab.layer.check();
    }
    assert_eq!(lab.done(), [0; 0]);
    assert_eq!(lab.issue(1), ["0: 0+8"]);
}

#[test]
fn who_leaves_the_elevator_at_once_has_not_waited() {
    let mut lab = Lab::new(4, "nomerges=2");
    let p = lab.process();
    let counts = |lab: &Lab| (lab.statistic("waited"), lab.statistic("waiting_max"));
    lab.read(5, p, 0, 8);
    lab.issue(5);
    assert_eq!(counts(&lab), (0, 1));
    lab.script.borrow_mut().hold = true;
    lab.read(6, p, 100, 8);
    lab.read(6, p, 200, 8);
    lab.issue(6);
    assert_eq!(counts(&lab), (0, 2), "they are still there");
    lab.script.borrow_mut().hold = false;
    lab.read(9, p, 300, 8);
    assert_eq!(lab.issue(9), ["1: 100+8", "2: 200+8", "3: 300+8"]);
    assert_eq!(counts(&lab), (2, 3));
}
