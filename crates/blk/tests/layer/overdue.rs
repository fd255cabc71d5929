// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time lines of commands that the device does not give back in time.

use crate::lab::{Lab, Scripted};
use base::Op;
use blk::{BlockLayer, DeviceLimits, IoError, QueueSettings, Tag, TagState};

fn set_overdue(lab: &mut Lab, now_ns: u64, tag: u32) -> bool {
    let set = lab.layer.set_overdue(now_ns, Tag(tag));
    lab.layer.check();
    set
}

#[test]
fn the_place_and_the_elevator_are_free_and_the_bio_ends_later_and_once() {
    let mut lab = Lab::new(1, "nr_requests=4,nomerges=2");
    let p = lab.process();
    lab.read(0, p, 0, 8);
    lab.read(0, p, 100, 8);
    assert_eq!(lab.issue(0), ["0: 0+8"]);
    lab.log();

    assert!(set_overdue(&mut lab, 10, 0));
    assert_eq!(lab.log(), ["completed 0"]);
    assert_eq!((lab.layer.in_flight(), lab.layer.overdue()), (0, 1));
    assert_eq!(lab.done(), [0; 0], "its answer is still to come");
    assert_eq!(lab.issue(10), ["1: 100+8"]);
    lab.read(11, p, 200, 8);
    assert_eq!(lab.issue(11), [""; 0]);
    assert_eq!(lab.layer.pool()[Tag(2)].state(), TagState::Listed, "1 has the only place");
    lab.log();

    lab.complete(20, 0);
    assert_eq!(lab.done(), [1]);
    assert_eq!(lab.log(), [""; 0], "the elevator knows it already");
    assert_eq!(lab.issue(20), [""; 0], "no place is free because of that");
    lab.complete(21, 0);
    assert_eq!(lab.done(), [0; 0], "once");
    lab.complete(22, 1);
    assert_eq!(lab.issue(22), ["2: 200+8"]);
    lab.complete(23, 2);
    assert_eq!(lab.done(), [2, 3]);
    assert_eq!((lab.statistic("overdue"), lab.statistic("completed")), (1, 3));
}

#[test]
fn a_tag_is_not_used_again_while_its_command_is_out() {
    let mut lab = Lab::new(8, "nr_requests=2,nomerges=2");
    let p = lab.process();
    lab.read(0, p, 0, 8);
    lab.issue(0);
    set_overdue(&mut lab, 1, 0);
    for number in 1..5 {
        lab.read(number, p, number * 100, 8);
        assert_eq!(lab.issue(number), [format!("1: {}+8", number * 100)]);
        lab.complete(number, 1);
    }
    lab.complete(5, 0);
    lab.read(6, p, 600, 8);
    assert_eq!(lab.issue(6), ["0: 600+8"]);
}

#[test]
fn its_error_is_told_as_any_other() {
    let mut lab = Lab::new(1, "");
    let p = lab.process();
    lab.read(0, p, 0, 8);
    lab.issue(0);
    set_overdue(&mut lab, 1, 0);
    lab.layer.complete(9, Tag(0), Err(IoError::Io));
    let done = lab.layer.take_completed().expect("it has ended");
    assert_eq!((done.result, done.dispatched_ns, done.completed_ns), (Err(IoError::Io), 0, 9));
    assert!(lab.layer.idle());
}

#[test]
fn what_is_not_on_the_device_cannot_be_overdue() {
    let mut lab = Lab::new(1, "nomerges=2");
    let p = lab.process();
    lab.read(0, p, 0, 8);
    lab.read(0, p, 100, 8);
    assert!(!set_overdue(&mut lab, 0, 0), "it waits");
    lab.issue(0);
    assert!(!set_overdue(&mut lab, 1, 1), "it is kept until there is a place");
    assert!(set_overdue(&mut lab, 1, 0));
    assert!(!set_overdue(&mut lab, 2, 0), "it is already");
    for tag in [2, 4000] {
        assert!(!set_overdue(&mut lab, 2, tag), "there is none");
    }
}

#[test]
fn a_flush_that_hangs_lets_the_next_one_begin() {
    let mut lab = Lab::new(4, "");
    lab.flush(0);
    assert_eq!(lab.issue(0), ["0: flush"]);
    lab.flush(1);
    assert_eq!(lab.issue(1), [""; 0], "one at a time");
    set_overdue(&mut lab, 2, 0);
    assert_eq!(lab.issue(2), ["1: flush"]);
    lab.flush(3);
    lab.complete(4, 0);
    assert_eq!(lab.done(), [1]);
    assert_eq!(lab.issue(4), [""; 0], "the second is still on the device");
    lab.complete(5, 1);
    assert_eq!(lab.issue(5), ["2: flush"]);
    lab.complete(6, 2);
    assert_eq!(lab.done(), [2, 3]);
}

#[test]
fn what_comes_back_undone_goes_to_the_head_as_a_new_request() {
    let mut lab = Lab::new(1, "nomerges=2");
    let p = lab.process();
    lab.read(0, p, 0, 8);
    lab.issue(0);
    set_overdue(&mut lab, 1, 0);
    lab.read(2, p, 100, 8);
    lab.log();
    lab.layer.requeue(3, Tag(0));
    lab.layer.check();
    assert_eq!(lab.log(), ["insert 0 at head"], "it is not requeued: it had ended");
    assert_eq!(lab.issue(3), ["0: 0+8"]);
    lab.complete(4, 0);
    assert_eq!(lab.issue(4), ["1: 100+8"]);

    lab.flush(5);
    lab.complete(5, 1);
    lab.issue(5);
    set_overdue(&mut lab, 6, 0);
    lab.flush(7);
    assert_eq!(lab.issue(7), ["1: flush"]);
    lab.layer.requeue(8, Tag(0));
    lab.layer.check();
    lab.complete(9, 1);
    assert_eq!(lab.issue(9), ["0: flush"]);
    lab.complete(10, 0);
    assert_eq!(lab.done(), [1, 2, 4, 3]);
}

#[test]
fn where_tags_are_the_devices_own_there_is_one_more_for_each() {
    let limits = DeviceLimits::new(2, false);
    let mut lab = Lab::new(2, "");
    lab.script.borrow_mut().device_tags = true;
    let elevator = Box::new(Scripted(std::rc::Rc::clone(&lab.script)));
    lab.layer = BlockLayer::new(QueueSettings::default(), limits, elevator);
    let p = lab.process();
    let read = |lab: &mut Lab, sector| lab.submit(0, Some(p), Op::Read, sector, 8);
    assert!(read(&mut lab, 0));
    assert!(read(&mut lab, 100));
    assert!(!read(&mut lab, 200), "both tags are taken");
    assert_eq!(lab.issue(0), ["0: 0+8", "1: 100+8"]);
    set_overdue(&mut lab, 1, 0);
    assert_eq!(lab.woken(), [p]);
    assert_eq!(lab.issue(1), ["2: 200+8"]);
    assert!(!read(&mut lab, 300));
    lab.complete(2, 0);
    assert_eq!(lab.issue(2), [""; 0], "the device has two, and that is its depth");
    lab.complete(3, 1);
    lab.complete(3, 2);
    assert_eq!(lab.issue(3).len(), 1);
    assert_eq!(lab.layer.pool().nr_requests(), 2);
}
