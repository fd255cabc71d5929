// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time lines of submitting: plugs, tags and sleepers, splitting, flushes, errors.

use crate::lab::{Lab, Scripted};
use base::Op;
use blk::{BlockLayer, DeviceLimits, IoError, QueueSettings, Tag, TagSearch};

#[test]
fn a_plug_keeps_a_batch_together() {
    let mut lab = Lab::new(32, "nomerges=2");
    let (p, q) = (lab.process(), lab.process());
    lab.layer.plug(p);
    lab.read(0, p, 0, 8);
    lab.read(0, p, 100, 8);
    lab.read(0, q, 500, 8);
    assert_eq!(lab.issue(0), ["2: 500+8"], "q has no plug");
    lab.layer.unplug(1, p);
    assert_eq!(lab.issue(1), ["0: 0+8", "1: 100+8"]);
    lab.read(2, p, 200, 8);
    assert_eq!(lab.issue(2), ["3: 200+8"], "the plug is gone");
}

#[test]
fn bios_join_the_tail_of_the_plug_only() {
    let mut lab = Lab::new(32, "");
    let p = lab.process();
    lab.layer.plug(p);
    for sector in [0, 100, 108, 92, 8] {
        lab.read(0, p, sector, 8);
    }
    assert_eq!(lab.statistic("plug_merges"), 2, "108 behind 100, 92 before it; 8 is too late");
    lab.layer.unplug(0, p);
    assert_eq!(lab.issue(0), ["0: 0+16", "1: 92+24"], "8 was appended to 0 at insertion");
}

#[test]
fn a_plug_is_flushed_at_the_33rd_request() {
    let mut lab = Lab::new(64, "nomerges=2");
    let p = lab.process();
    lab.layer.plug(p);
    for index in 0..32 {
        lab.read(0, p, index * 100, 8);
    }
    assert_eq!(lab.issue(0).len(), 0);
    lab.read(0, p, 3200, 8);
    assert_eq!(lab.issue(0).len(), 32);
    lab.layer.unplug(0, p);
    assert_eq!(lab.issue(0), ["32: 3200+8"]);
}

#[test]
fn a_plug_is_flushed_behind_a_large_request() {
    for (settings, first, issued) in [("", 256, 1), ("", 255, 0), ("nomerges=2", 256, 0)] {
        let mut lab = Lab::new(64, settings);
        let p = lab.process();
        lab.layer.plug(p);
        lab.read(0, p, 0, first);
        lab.read(0, p, 1000, 8);
        assert_eq!(lab.issue(0).len(), issued, "{settings} {first}");
    }
}

#[test]
fn a_process_that_sleeps_or_exits_leaves_no_plug_behind() {
    let mut lab = Lab::new(8, "nr_requests=2,nomerges=2");
    let (p, q) = (lab.process(), lab.process());
    lab.layer.plug(p);
    assert!(lab.read(0, p, 0, 8));
    assert!(lab.read(0, p, 100, 8));
    assert!(!lab.read(0, p, 200, 8), "two tags only");
    assert_eq!(lab.issue(0), ["0: 0+8", "1: 100+8"]);
    lab.complete(10, 1);
    assert_eq!(lab.woken(), [p]);
    assert_eq!(lab.issue(10), [""; 0], "the batch goes on: 200 is in the plug");
    lab.layer.unplug(11, p);
    assert_eq!(lab.issue(11), ["1: 200+8"]);
    lab.complete(12, 0);

    lab.layer.plug(q);
    assert!(lab.read(13, q, 300, 8));
    lab.layer.exit_process(13, q).expect("q lives");
    lab.layer.check();
    assert_eq!(lab.issue(13), ["0: 300+8"]);
}

#[test]
fn a_batch_closed_while_its_process_sleeps_needs_no_second_unplug() {
    let mut lab = Lab::new(8, "nr_requests=1,nomerges=2");
    let p = lab.process();
    lab.layer.plug(p);
    lab.read(0, p, 0, 8);
    assert!(!lab.read(0, p, 100, 8));
    lab.layer.unplug(0, p);
    assert_eq!(lab.issue(0), ["0: 0+8"]);
    lab.complete(1, 0);
    assert_eq!(lab.issue(1), ["0: 100+8"]);
}

#[test]
fn each_freed_tag_wakes_one_sleeper_first_come_first_served() {
    let mut lab = Lab::new(8, "nr_requests=2,nomerges=2");
    let processes: Vec<_> = (0..4).map(|_| lab.process()).collect();
    for (index, &process) in processes.iter().enumerate() {
        assert_eq!(lab.read(0, process, 100 * index as u64, 8), index < 2);
    }
    lab.issue(0);
    lab.complete(5, 1);
    assert_eq!(lab.woken(), [processes[2]]);
    assert_eq!(lab.issue(5), ["1: 200+8"]);
    lab.complete(6, 0);
    assert_eq!(lab.woken(), [processes[3]]);
    assert_eq!(lab.issue(6), ["0: 300+8"]);
    lab.complete(7, 1);
    assert_eq!(lab.woken(), []);
    assert_eq!(lab.done(), [2, 1, 3]);
    assert_eq!(lab.statistic("sleeps"), 2);
}

#[test]
fn the_sleeper_goes_on_before_the_process_whose_request_ended() {
    let mut lab = Lab::new(1, "nr_requests=1,nomerges=2");
    let (p, q) = (lab.process(), lab.process());
    lab.read(0, p, 0, 8);
    lab.issue(0);
    assert!(!lab.read(0, q, 100, 8));
    lab.complete(9, 0);
    assert!(!lab.read(9, p, 8, 8), "q has the tag by now");
    assert_eq!(lab.issue(9), ["0: 100+8"]);
    let request = &lab.layer.pool()[Tag(0)];
    assert_eq!((request.asked_ns, request.allocated_ns), (0, 9));
}

#[test]
fn a_limit_cuts_the_upper_tags_off_and_a_sleeper_keeps_it() {
    let mut lab = Lab::new(8, "nr_requests=4,nomerges=2");
    let (p, q, r) = (lab.process(), lab.process(), lab.process());
    lab.script.borrow_mut().write_limit = Some(2);
    for (process, sector) in [(p, 0), (p, 100), (q, 200), (q, 300)] {
        lab.read(0, process, sector, 8);
    }
    lab.issue(0);
    assert!(!lab.write(1, r, 1000, 8));
    lab.script.borrow_mut().write_limit = None;

    lab.complete(2, 3);
    assert_eq!(lab.woken(), [], "tag 3 is beyond its part");
    assert_eq!(lab.statistic("sleeps_again"), 1);
    assert!(lab.read(2, p, 400, 8), "others may have it");
    lab.complete(3, 1);
    assert_eq!(lab.woken(), [r]);
    assert_eq!(lab.issue(3), ["3: 400+8", "1: 1000+8"]);
}

#[test]
fn a_sleeper_that_finds_nothing_goes_to_the_end_of_the_line() {
    let mut lab = Lab::new(8, "nr_requests=3,nomerges=2");
    let (p, q, r) = (lab.process(), lab.process(), lab.process());
    lab.script.borrow_mut().write_limit = Some(0);
    for sector in [0, 100, 200] {
        lab.read(0, p, sector, 8);
    }
    lab.issue(0);
    assert!(!lab.write(0, q, 1000, 8), "a limit of 0 counts as 1");
    assert!(!lab.read(0, r, 2000, 8));
    lab.complete(1, 2);
    assert_eq!(lab.woken(), [], "the writer was woken, in vain; the reader sleeps on");
    lab.complete(2, 1);
    assert_eq!(lab.woken(), [r], "now the reader is first");
    lab.complete(3, 0);
    assert_eq!(lab.woken(), [q]);
    assert_eq!(lab.issue(3), ["1: 2000+8", "0: 1000+8"]);
}

/// A layer whose sleepers look when they are let.
fn lab_of_linux_6_1() -> Lab {
    let mut lab = Lab::new(8, "nr_requests=2,nomerges=2");
    let settings = QueueSettings { tag_search: TagSearch::Linux6_1, ..*lab.layer.settings() };
    let elevator = Box::new(Scripted(std::rc::Rc::clone(&lab.script)));
    lab.layer = BlockLayer::new(settings, *lab.layer.limits(), elevator);
    lab
}

#[test]
fn a_sleeper_whose_process_is_gone_looks_at_once() {
    let mut lab = lab_of_linux_6_1();
    let [gone, quick] = [(); 2].map(|()| lab.process());
    assert!(lab.read(0, quick, 0, 8) && lab.read(0, quick, 100, 8));
    assert!(!lab.read(0, gone, 200, 8));
    lab.layer.exit_process(0, gone).unwrap();
    lab.issue(0);
    lab.complete(1, 0);
    assert_eq!(lab.layer.take_roused(1), None, "there is no process to be given the CPU");
    assert_eq!(lab.issue(1), ["0: 200+8"]);
    lab.layer.check();
}

/// docs/decisions.md, "A submitter with a limit can be passed by". As each sleeper is a task of the
/// CPU, and a process that is awake may be quicker.
#[test]
fn on_linux_6_1_a_sleeper_looks_when_it_has_the_cpu() {
    let mut lab = lab_of_linux_6_1();
    let [first, second, quick] = [(); 3].map(|()| lab.process());
    assert!(lab.read(0, quick, 0, 8) && lab.read(0, quick, 100, 8));
    assert!(!lab.read(0, first, 200, 8) && !lab.read(0, second, 300, 8));
    assert_eq!(lab.issue(0), ["0: 0+8", "1: 100+8"]);
    lab.complete(1, 0);
    assert_eq!(lab.layer.take_roused(1), Some(first));
    assert!(lab.read(1, quick, 400, 8), "the tag is free still");
    assert!(!lab.layer.look(1, first), "and now it is not");
    assert!(!lab.layer.look(1, second), "that one was not woken");
    lab.complete(2, 1);
    assert_eq!(lab.layer.take_roused(2), Some(second), "the first one lay down behind it");
    assert!(lab.layer.look(2, second));
    assert_eq!(lab.layer.take_roused(2), None);
    lab.layer.check();
}

#[test]
fn a_sleeper_with_a_limit_is_passed_by_as_long_as_two_tags_take_turns() {
    let mut lab = Lab::new(8, "nr_requests=2,nomerges=2");
    let [mut served, keeper, writer, mut waits] = [(); 4].map(|()| lab.process());
    lab.script.borrow_mut().write_limit = Some(1);
    assert!(lab.read(0, served, 0, 8) && lab.read(0, keeper, 100, 8));
    assert!(!lab.write(0, writer, 1000, 8) && !lab.read(0, waits, 200, 8));
    lab.issue(0);
    for round in 1..100 {
        lab.complete(2 * round, 1);
        assert_eq!(lab.woken(), [], "tag 1 is not for the writer, who goes to the end of the line");
        assert!(lab.read(2 * round, keeper, 100, 8), "who is awake may have it");
        lab.issue(2 * round);
        lab.complete(2 * round + 1, 0);
        assert_eq!(lab.woken(), [waits], "for tag 0 it is the other one's turn");
        std::mem::swap(&mut served, &mut waits);
        assert!(!lab.read(2 * round + 1, waits, 200, 8));
        lab.issue(2 * round + 1);
    }
    // The first pause that the keeper of tag 1 makes ends it.
    lab.complete(1000, 1);
    lab.complete(1001, 0);
    lab.issue(1001);
    lab.complete(1002, 0);
    assert_eq!(lab.woken(), [waits, writer]);
}

#[test]
fn more_requests_wake_sleepers_and_fewer_let_the_upper_ones_end() {
    let mut lab = Lab::new(8, "nr_requests=1,nomerges=2");
    let (p, q) = (lab.process(), lab.process());
    lab.read(0, p, 0, 8);
    assert!(!lab.read(0, q, 100, 8));
    lab.log();
    lab.layer.set_queue(1, "nr_requests", "3").expect("in range");
    lab.layer.check();
    assert_eq!(lab.log(), ["pool 3 of 3", "insert 1"]);
    assert_eq!(lab.woken(), [q]);
    lab.layer.set_queue(2, "nr_requests", "1").expect("in range");
    assert_eq!(lab.issue(2), ["0: 0+8", "1: 100+8"]);
    lab.complete(3, 1);
    assert!(!lab.read(3, p, 200, 8), "tag 1 is no more, 0 is taken");
    lab.complete(4, 0);
    assert_eq!(lab.woken(), [p]);
}

#[test]
fn a_bio_larger_than_a_request_is_split_and_ends_once() {
    let mut lab = Lab::new(8, "max_sectors_kb=4,nr_requests=2");
    let p = lab.process();
    assert!(!lab.read(0, p, 100, 20), "three parts, two tags");
    assert_eq!(lab.issue(0), ["0: 100+8", "1: 108+8"]);
    lab.complete(5, 1);
    assert_eq!(lab.woken(), [p]);
    assert_eq!(lab.issue(5), ["1: 116+4"]);
    lab.layer.complete(6, Tag(1), Err(IoError::Io));
    lab.layer.check();
    assert_eq!(lab.done(), [0; 0]);
    lab.complete(7, 0);
    let done = lab.layer.take_completed().expect("all parts have ended");
    assert_eq!((done.token, done.sector, done.sectors), (1, 100, 20));
    assert_eq!(done.result, Err(IoError::Io), "of one part");
    assert_eq!((done.submitted_ns, done.queued_ns), (0, 5));
    assert_eq!((done.dispatched_ns, done.completed_ns), (0, 7));
    assert!(lab.layer.idle());
    assert_eq!(lab.statistic("bios_split"), 1);
}

#[test]
fn a_flush_bypasses_the_elevator_and_waits_for_the_flush_before() {
    let mut lab = Lab::new(2, "");
    let p = lab.process();
    lab.read(0, p, 0, 8);
    lab.flush(0);
    lab.flush(0);
    assert_eq!(lab.issue(0), ["1: flush", "0: 0+8"], "the second flush shares the first");
    assert_eq!(lab.log(), ["insert 0", "dispatch 0"]);

    lab.flush(1);
    lab.flush(1);
    lab.complete(2, 0);
    assert_eq!(lab.issue(2), [""; 0], "one flush at a time");
    lab.complete(3, 1);
    assert_eq!(lab.done(), [1, 2, 3]);
    assert_eq!(lab.issue(3), ["2: flush"]);
    lab.layer.requeue(4, Tag(2));
    lab.layer.check();
    assert_eq!(lab.issue(4), ["2: flush"]);
    lab.complete(5, 2);
    assert_eq!(lab.done(), [4, 5]);
    assert_eq!(lab.statistic("flushes_shared"), 2);
}

#[test]
fn a_flush_without_tag_sleeps_and_may_share_on_waking() {
    let mut lab = Lab::new(2, "nr_requests=1");
    let p = lab.process();
    lab.read(0, p, 0, 8);
    lab.issue(0);
    assert!(!lab.flush(0));
    assert!(!lab.flush(0));
    lab.complete(1, 0);
    assert_eq!(lab.issue(1), ["0: flush"]);
    lab.complete(2, 0);
    assert_eq!(lab.done(), [1, 2], "the second one found no tag and waits for the first's");
    assert_eq!(lab.issue(2), ["0: flush"]);
    lab.complete(3, 0);
    assert_eq!(lab.done(), [3]);
}

#[test]
fn bios_without_process_or_with_an_unknown_one_pass() {
    let mut lab = Lab::new(2, "nr_requests=1,nomerges=2");
    assert!(lab.submit(0, None, Op::Read, 0, 8));
    assert!(!lab.submit(0, Some(blk::ProcessId(99)), Op::Read, 100, 8));
    assert!(!lab.submit(0, None, Op::Write, 200, 8));
    assert_eq!(lab.layer.pool()[Tag(0)].process, None);
    for tag in [0, 0, 0] {
        assert_eq!(lab.issue(1).len(), 1);
        lab.complete(1, tag);
    }
    assert_eq!(lab.woken(), [], "no process to wake");
    assert_eq!(lab.done(), [1, 2, 3]);
}

#[test]
fn a_bio_of_a_process_that_comes_later_is_not_its_own() {
    let mut lab = Lab::new(2, "");
    assert!(lab.submit(0, Some(blk::ProcessId(0)), Op::Read, 0, 8));
    assert_eq!(lab.process(), blk::ProcessId(0));
    lab.issue(1);
    lab.complete(1, 0);
    assert_eq!(lab.done(), [1]);
    lab.layer.exit_process(2, blk::ProcessId(0)).unwrap();
    assert_eq!(lab.process(), blk::ProcessId(0), "nothing of it is left");
}

#[test]
fn what_cannot_be_done_ends_at_once() {
    let limits = DeviceLimits {
        capacity_sectors: 1000,
        max_discard_sectors: 0,
        ..DeviceLimits::new(4, false)
    };
    let mut lab = Lab::with_limits(limits, "");
    let p = lab.process();
    for (op, sector, sectors, result) in [
        (Op::Read, 992, 9, Err(IoError::BeyondEnd)),
        (Op::Write, u64::MAX, 8, Err(IoError::BeyondEnd)),
        (Op::Discard, 0, 8, Err(IoError::NotSupported)),
        (Op::Read, 1000, 0, Ok(())),
    ] {
        assert!(lab.submit(3, Some(p), op, sector, sectors));
        let done = lab.layer.take_completed().expect("at once");
        assert_eq!((done.op, done.result, done.completed_ns), (op, result, 3));
    }
    assert!(lab.read(3, p, 992, 8));
    assert_eq!(lab.issue(3), ["0: 992+8"]);
    assert_eq!(lab.statistic("bios_failed"), 3);
}

#[test]
fn an_error_is_every_bios_of_the_request() {
    let mut lab = Lab::new(4, "");
    let p = lab.process();
    lab.read(0, p, 0, 8);
    lab.read(1, p, 8, 8);
    lab.issue(2);
    lab.layer.complete(9, Tag(0), Err(IoError::Os(61)));
    for (token, submitted_ns) in [(1, 0), (2, 1)] {
        let done = lab.layer.take_completed().expect("both end");
        assert_eq!((done.token, done.result), (token, Err(IoError::Os(61))));
        assert_eq!((done.submitted_ns, done.dispatched_ns), (submitted_ns, 2));
    }
    assert!(lab.layer.idle());
}
