// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time lines of the elevator switch and of the identities it replays.

use std::cell::RefCell;
use std::rc::Rc;

use base::{Class, IoprioValue, Op, OutOfMemory};
use blk::{BlockLayer, GroupId, GroupSpec, IdentityError, ProcessId, ProcessSpec, Tag};

use crate::lab::{Lab, Script, Scripted};

/// Switches to a fresh scripted elevator.
fn switch(lab: &mut Lab, now_ns: u64) {
    let script = Rc::new(RefCell::new(Script::default()));
    lab.layer.switch_elevator(now_ns, Box::new(Scripted(Rc::clone(&script)))).expect("memory");
    lab.script = script;
    lab.layer.check();
}

fn group(layer: &mut BlockLayer, parent: Option<GroupId>, weight: u32) -> GroupId {
    let spec = GroupSpec { parent, weight, path: "g".to_owned() };
    layer.add_group(0, spec).expect("group")
}

fn process(layer: &mut BlockLayer, group: GroupId) -> Result<ProcessId, IdentityError> {
    layer
        .add_process(0, ProcessSpec { group, ioprio: IoprioValue::default(), name: "p".to_owned() })
}

#[test]
fn waiting_requests_move_in_order_and_those_on_the_device_end_unknown() {
    let mut lab = Lab::new(2, "nomerges=2");
    let p = lab.process();
    for sector in [0, 100, 200, 300, 400] {
        lab.read(0, p, sector, 8);
    }
    assert_eq!(lab.issue(0).len(), 2);
    lab.layer.requeue(1, Tag(1));
    lab.log();
    switch(&mut lab, 2);
    assert_eq!(
        lab.log(),
        ["pool 4 of 4", "process 0 in group 0", "insert 3", "insert 1 at head"],
        "0 is on the device, 2 was refused by it, the sleeper of 400 still sleeps"
    );
    assert_eq!(lab.issue(2), ["2: 200+8"]);
    lab.complete(3, 0);
    lab.complete(3, 2);
    assert_eq!(
        lab.log(),
        ["dispatch 1", "insert 0"],
        "0 and 2 end without a word; the sleeper goes on with tag 0"
    );
    assert_eq!(lab.issue(3), ["1: 100+8", "3: 300+8"]);
    lab.complete(4, 1);
    lab.complete(4, 3);
    assert_eq!(lab.issue(4), ["0: 400+8"]);
    lab.complete(5, 0);
    assert_eq!(lab.done(), [1, 3, 2, 4, 5]);
    assert!(lab.layer.idle());
}

#[test]
fn a_request_of_the_old_elevator_may_come_back_into_the_new_one() {
    let mut lab = Lab::new(2, "");
    let p = lab.process();
    lab.read(0, p, 0, 8);
    lab.issue(0);
    switch(&mut lab, 1);
    lab.log();
    lab.layer.requeue(2, Tag(0));
    lab.layer.check();
    assert_eq!(lab.log(), ["insert 0 at head"], "not `requeued`: it never dispatched it");
    assert_eq!(lab.issue(2), ["0: 0+8"]);
    lab.complete(3, 0);
    assert_eq!(lab.log(), ["dispatch 0", "completed 0"]);
}

#[test]
fn plugs_stay_and_sleepers_get_a_new_limit() {
    let mut lab = Lab::new(8, "nr_requests=2,nomerges=2");
    let (p, q) = (lab.process(), lab.process());
    lab.script.borrow_mut().write_limit = Some(1);
    lab.layer.plug(p);
    lab.write(0, p, 0, 8);
    assert!(!lab.write(0, q, 100, 8), "tag 0 is p's");
    switch(&mut lab, 1);
    assert_eq!(lab.woken(), [q], "the new elevator knows no limit");
    assert_eq!(lab.issue(1), ["1: 100+8"]);
    lab.layer.unplug(2, p);
    assert_eq!(lab.issue(2), ["0: 0+8"]);
}

#[test]
fn everything_alive_is_told_again_parents_first() {
    let mut lab = Lab::new(8, "");
    let layer = &mut lab.layer;
    let gone = group(layer, None, 10);
    let a = group(layer, None, 100);
    layer.remove_group(0, gone).expect("empty");
    let b = group(layer, Some(a), 200);
    assert_eq!(b, gone, "the number is given again, to the child of a higher one");
    let p = process(layer, a).expect("a exists");
    let q = process(layer, b).expect("b exists");
    let r = process(layer, b).expect("b exists");
    layer.exit_process(0, q).expect("q lives");
    layer.set_group_weight(0, b, 300).expect("in range");
    layer.move_process(0, p, b).expect("both exist");
    lab.log();
    switch(&mut lab, 1);
    assert_eq!(
        lab.log()[1..],
        [
            format!("group {a} in None weight 100"),
            format!("group {b} in Some({}) weight 300", a.0),
            format!("process {p} in group {b}"),
            format!("process {r} in group {b}"),
        ]
    );
}

#[test]
fn an_elevator_without_memory_does_not_get_in() {
    let mut lab = Lab::new(8, "");
    let p = lab.process();
    group(&mut lab.layer, None, 100);
    lab.read(0, p, 0, 8);
    let script = Rc::new(RefCell::new(Script::default()));
    script.borrow_mut().no_memory = true;
    let poor = Box::new(Scripted(script));
    assert!(matches!(lab.layer.switch_elevator(1, poor), Err(OutOfMemory)));
    lab.layer.check();
    assert_eq!(lab.issue(1), ["0: 0+8"], "the present one goes on");

    lab.script.borrow_mut().no_memory = true;
    let spec = GroupSpec { parent: None, weight: 1, path: "x".to_owned() };
    assert_eq!(lab.layer.add_group(2, spec), Err(IdentityError::OutOfMemory(OutOfMemory)));
}

#[test]
fn identities_that_make_no_sense_are_refused() {
    let mut lab = Lab::new(8, "");
    let layer = &mut lab.layer;
    let (nowhere, nobody) = (GroupId(9), ProcessId(9));
    let a = group(layer, None, 100);
    let p = process(layer, a).expect("a exists");
    let high = IoprioValue { class: Some(Class::BestEffort), level: 8 };
    let spec = |parent, weight| GroupSpec { parent, weight, path: String::new() };

    assert_eq!(
        layer.add_group(0, spec(Some(nowhere), 1)),
        Err(IdentityError::UnknownGroup(nowhere))
    );
    assert_eq!(layer.add_group(0, spec(None, 0)), Err(IdentityError::Weight(0)));
    assert_eq!(layer.add_group(0, spec(None, 10_001)), Err(IdentityError::Weight(10_001)));
    assert_eq!(layer.set_group_weight(0, GroupId::ROOT, 5), Err(IdentityError::RootGroup));
    assert_eq!(layer.set_group_weight(0, a, 0), Err(IdentityError::Weight(0)));
    assert_eq!(layer.remove_group(0, a), Err(IdentityError::GroupNotEmpty(a)));
    assert_eq!(layer.remove_group(0, GroupId::ROOT), Err(IdentityError::RootGroup));
    assert_eq!(process(layer, nowhere), Err(IdentityError::UnknownGroup(nowhere)));
    assert_eq!(layer.set_ioprio(0, p, high), Err(IdentityError::Level(8)));
    assert_eq!(
        layer.set_ioprio(0, nobody, IoprioValue::default()),
        Err(IdentityError::UnknownProcess(nobody))
    );
    assert_eq!(layer.move_process(0, p, nowhere), Err(IdentityError::UnknownGroup(nowhere)));
    layer.exit_process(0, p).expect("p lives");
    assert_eq!(layer.exit_process(0, p), Err(IdentityError::UnknownProcess(p)));
    layer.remove_group(0, a).expect("empty now");
}

#[test]
fn numbers_are_given_again_only_when_nothing_of_the_old_owner_is_left() {
    let mut lab = Lab::new(8, "");
    let a = group(&mut lab.layer, None, 100);
    let p = process(&mut lab.layer, a).expect("a exists");
    lab.read(0, p, 0, 8);
    lab.layer.exit_process(0, p).expect("p lives");
    lab.layer.remove_group(0, a).expect("no processes");
    let b = group(&mut lab.layer, None, 100);
    let q = process(&mut lab.layer, b).expect("b exists");
    assert_ne!((a, p), (b, q));
    assert!(a != b && p != q, "a request of p in a is on its way");
    lab.issue(0);
    lab.complete(1, 0);
    assert_eq!(group(&mut lab.layer, None, 100), a);
    assert_eq!(process(&mut lab.layer, b), Ok(p));
}

#[test]
fn a_process_that_exits_asleep_is_nobody_when_its_tag_comes() {
    let mut lab = Lab::new(8, "nr_requests=1,nomerges=2");
    let (p, q) = (lab.process(), lab.process());
    lab.read(0, p, 0, 8);
    assert!(!lab.submit(0, Some(q), Op::Read, 100, 8));
    lab.layer.exit_process(0, q).expect("q lives");
    lab.issue(0);
    lab.complete(1, 0);
    assert_eq!(lab.woken(), []);
    assert_eq!(lab.layer.pool()[Tag(0)].process, None);
    lab.issue(1);
    lab.complete(2, 0);
    let ends: Vec<_> = std::iter::from_fn(|| lab.layer.take_completed()).collect();
    assert_eq!(ends[1].process, Some(q), "the end still says whose it was");
}

#[test]
fn a_tunable_may_kick() {
    let mut lab = Lab::new(8, "");
    let p = lab.process();
    lab.layer.set_tunable(0, "hold", "1").expect("known");
    lab.read(0, p, 0, 8);
    assert_eq!(lab.issue(0), [""; 0]);
    lab.layer.set_tunable(1, "hold", "0").expect("known");
    assert_eq!(lab.issue(1), ["0: 0+8"]);
    let error = lab.layer.set_tunable(1, "holt", "0").expect_err("unknown");
    assert_eq!(error.to_string(), "scripted has no tunable `holt`; did you mean `hold`?");
}
