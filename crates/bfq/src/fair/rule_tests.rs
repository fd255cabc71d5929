// SPDX-License-Identifier: MIT OR Apache-2.0
//! Single rules of spec 1 and 10.2, each in the smallest time line that shows it.

use super::{Choice, EntityId, InService, One, Reweighed, Rules, Service, tests::TimeLine};
use crate::units::{Class, Span, Weight};

const RT: Class = Class::RealTime;
const BE: Class = Class::BestEffort;
const IDLE: Class = Class::Idle;

/// Virtual time that `sectors` take at `weight`.
fn delta(sectors: u64, weight: u64) -> u64 {
    (sectors << 22) / weight
}

#[test]
fn a_class_waits_for_the_ones_before_it() {
    let mut line = TimeLine::new(Rules::EXACT);
    let root = line.root();
    let [idle, be, rt] = [IDLE, BE, RT].map(|class| line.queue(root, class, 40));
    for queue in [idle, be, rt] {
        line.activate(queue, 512);
    }
    for expected in [rt, be, idle] {
        assert_eq!(line.slot(512), expected);
        assert_eq!(line.choose(), expected, "backlogged, it goes on");
        line.expire_empty(expected);
    }
    assert!(line.fair.choose_next(line.now).is_none());
}

#[test]
fn the_idle_class_comes_first_once_after_more_than_its_period() {
    for (waited_ns, idle_is_next) in [(200_000_000, false), (200_000_001, true)] {
        let mut line = TimeLine::new(Rules::EXACT);
        let root = line.root();
        let [a, b] = [(); 2].map(|()| line.queue(root, BE, 40));
        let idle = line.queue(root, IDLE, 40);
        for queue in [a, b, idle] {
            line.activate(queue, 512);
        }
        assert_eq!(line.choose(), a);
        line.serve(a, 512);
        line.now = line.now + Span::from_ns(waited_ns);
        line.requeue(a, 512);
        if idle_is_next {
            assert_eq!(line.slot(512), idle);
        }
        assert_eq!([line.slot(512), line.slot(512), line.slot(512)], [b, a, b]);
    }
}

#[test]
fn a_candidate_found_before_the_idle_class_was_due_is_served_first() {
    let mut line = TimeLine::new(Rules::EXACT);
    let root = line.root();
    let [a, b] = [(); 2].map(|()| line.queue(root, BE, 40));
    let idle = line.queue(root, IDLE, 40);
    for queue in [a, b, idle] {
        line.activate(queue, 512);
    }
    line.now = line.now + Span::from_ns(200_000_001);
    assert_eq!(line.choose(), a);
    assert_eq!(line.fair.candidate(root), Some(idle), "b waits, but now it is the idle class");
}

#[test]
fn equal_finish_times_are_served_in_the_order_of_insertion() {
    for rules in [Rules::EXACT, Rules::REFERENCE] {
        let mut line = TimeLine::new(rules);
        let root = line.root();
        let queues = [(); 9].map(|()| line.queue(root, BE, 40));
        for queue in queues {
            line.activate(queue, 512);
        }
        for _ in 0..3 {
            assert_eq!(queues.map(|_| line.slot(512)), queues);
        }
    }
}

#[test]
fn a_queue_in_service_is_no_candidate_and_no_active_member() {
    let mut line = TimeLine::new(Rules::EXACT);
    let (group, members) = line.group(100);
    let [a, b] = [(); 2].map(|()| line.queue(members, BE, 40));
    let active_members = |line: &TimeLine| line.fair.levels[members].active_members;
    line.activate(a, 512);
    line.activate(b, 1024);
    assert_eq!(active_members(&line), 2);

    assert_eq!(line.choose(), a);
    assert!(!line.fair.is_active(a) && line.fair.is_active(b));
    assert_eq!((line.fair.candidate(members), active_members(&line)), (Some(b), 1));
    assert!(line.fair.is_active(group), "two members were active: it may be next again");
    assert_eq!(line.fair.entity(group).budget(), Service::of(1024), "that of the candidate");

    line.expire_empty(a);
    assert_eq!(line.choose(), b);
    assert!(!line.fair.is_active(group), "its only active member is in service");
    assert_eq!((line.fair.candidate(members), active_members(&line)), (None, 0));
    let root = line.root();
    let candidate = line.fair.candidate(root).expect("the walk stopped before the root");
    assert!(line.fair.entity(candidate).is_in_service(), "no other to be next");
}

#[test]
fn a_new_weight_counts_from_the_next_insertion() {
    let mut line = TimeLine::new(Rules::EXACT);
    let root = line.root();
    let [x, y] = [(); 2].map(|()| line.queue(root, BE, 40));
    line.activate(x, 512);
    line.activate(y, 512);
    assert_eq!(line.choose(), x);
    line.fair.request_weight(x, Weight::of(80));
    line.serve(x, 512);
    assert_eq!((line.fair.entity(x).weight().get(), line.w(root)), (40, 80));

    line.requeue(x, 512);
    assert_eq!((line.fair.entity(x).weight().get(), line.w(root)), (80, 120));
    let start = delta(512, 40);
    assert_eq!(line.times(x), (start, start + delta(512, 80)));
}

#[test]
fn a_raise_can_be_applied_within_the_slot_which_then_costs_as_much_less() {
    let mut line = TimeLine::new(Rules::EXACT);
    let root = line.root();
    let x = line.queue(root, BE, 40);
    line.activate(x, 512);
    assert_eq!(line.choose(), x);
    line.serve(x, 512);
    line.fair.set_coefficient(x, 30);
    line.fair.request_class(x, IDLE);
    assert_eq!(line.fair.entity(x).weight().get(), 40);

    let _ = line.fair.apply_weight(x);
    line.fair.check();
    let raised = line.fair.entity(x);
    assert_eq!((raised.weight().get(), raised.class(), line.w(root)), (1200, BE, 1200));
    let before = Reweighed { leaf: x, weight: Weight::of(40), class: BE };
    assert_eq!([line.fair.take_reweighed(), line.fair.take_reweighed()], [Some(before), None]);

    line.requeue(x, 512);
    assert_eq!(line.fair.entity(x).class(), IDLE, "the class changes at the insertion only");
    assert_eq!((line.w(root), line.fair.weight_sum(root, IDLE)), (0, 1200));
    assert_eq!(line.times(x), (0, delta(512, 1200)), "from V of the idle class");
}

#[test]
fn a_queue_that_changes_class_starts_at_the_virtual_time_of_the_new_one() {
    let mut line = TimeLine::new(Rules::EXACT);
    let root = line.root();
    let [x, y] = [(); 2].map(|()| line.queue(root, BE, 40));
    let rt = line.queue(root, RT, 40);
    line.activate(rt, 512);
    line.slot(512);
    assert_eq!(line.fair.virtual_time(root, RT), delta(512, 40));
    line.activate(x, 512);
    line.activate(y, 512);

    line.fair.request_class(y, RT);
    line.fair.set_budget(y, Service::of(1024));
    let _ = line.fair.reposition(y, line.now);
    line.fair.check();
    assert_eq!((line.w(root), line.fair.weight_sum(root, RT)), (40, 80));
    assert_eq!(line.times(y), (delta(512, 40), delta(512, 40) + delta(1024, 40)));
}

#[test]
fn a_backshifted_raised_queue_is_pushed_up_so_much_less() {
    for (coefficient, expected) in [(1, 600), (30, 20)] {
        let mut line = TimeLine::new(Rules::EXACT);
        let root = line.root();
        let [x, y] = [(); 2].map(|()| line.queue(root, BE, 40));
        line.fair.set_coefficient(x, coefficient);
        line.activate(x, 0);
        line.activate(y, 4096);
        assert_eq!(line.choose(), x);
        line.expire_empty(x);
        assert_eq!(line.choose(), y);
        line.serve(y, 600);
        assert_eq!(line.v(root), delta(600, 40));
        line.activate_in_time(x, 0);
        assert_eq!(line.times(x), (delta(expected, 40), delta(expected, 40)));
    }
}

/// Row 1. `far` is the top of the tree, `early` its left child and not eligible, `near` the right
/// child of that one.
#[test]
fn the_reference_walk_overlooks_an_eligible_entity() {
    for (choice, expect_near) in [(Choice::Exact, true), (Choice::ReferenceWalk, false)] {
        let mut line = TimeLine::new(Rules { choice, ..Rules::EXACT });
        let root = line.root();
        let [far, early, later, near, last] = [(); 5].map(|()| line.queue(root, BE, 40));
        line.activate(far, 10_000);
        line.activate(early, 1000);
        line.activate(later, 20_000);
        assert_eq!(line.slot(1000), early);
        line.activate(near, 5000);
        line.activate(last, 30_000);

        let (start, finish) = line.times(early);
        assert!(start > line.v(root), "it has had its turn");
        assert!(finish < line.times(near).1 && line.times(near).1 < line.times(far).1);
        assert!(line.times(near).0 <= line.v(root), "eligible");
        assert_eq!(line.choose(), if expect_near { near } else { far });
    }
}

/// Row 2 of spec 10.2.
#[test]
fn service_of_a_group_repositioned_within_a_slot_is_counted_once_or_twice() {
    for (recounts_group_service, sectors) in [(false, 200), (true, 300)] {
        let mut line =
            TimeLine::new(Rules { in_service: One { recounts_group_service }, ..Rules::EXACT });
        let (group, members) = line.group(100);
        let [a, b] = [(); 2].map(|()| line.queue(members, BE, 40));
        line.activate(a, 512);
        assert_eq!(line.choose(), a);
        line.serve(a, 100);
        line.activate(b, 512);
        assert_eq!(line.times(group).0, delta(100, 100));
        line.serve(a, 100);
        line.requeue(a, 512);
        assert_eq!(line.times(group).0, delta(sectors, 100));
    }
}

/// Row 4: the only backlogged queue starts behind the wrap, virtual time is before it.
#[test]
fn the_forward_jump_crosses_the_wrap_or_not() {
    for jump_ignores_wrap in [false, true] {
        let mut line = TimeLine::new(Rules { jump_ignores_wrap, ..Rules::EXACT });
        let root = line.root();
        let origin = 0u64.wrapping_sub(delta(300, 40));
        line.fair.levels[root].tree(BE).virtual_time = origin;
        let [x, y] = [(); 2].map(|()| line.queue(root, BE, 40));
        line.activate(x, 512);
        line.activate(y, 512);
        assert_eq!(line.slot(512), x);
        let (start, v) = (line.times(x).0, line.v(root));
        assert!(start < v && start == origin.wrapping_add(delta(512, 40)));

        let _ = line.fair.deactivate(y, false, line.now);
        line.fair.check();
        let (expected_v, expected) = if jump_ignores_wrap { (v, None) } else { (start, Some(x)) };
        assert_eq!((line.v(root), line.fair.candidate(root)), (expected_v, expected));
    }
}

/// Row 19: of two idle queues of equal finish time the cached last one goes.
#[test]
fn virtual_time_is_set_back_to_the_last_idle_finish_unless_that_was_lost() {
    for forgets_last_idle_among_equals in [false, true] {
        let mut line = TimeLine::new(Rules { forgets_last_idle_among_equals, ..Rules::EXACT });
        let root = line.root();
        let [p, q, r] = [(); 3].map(|()| line.queue(root, BE, 40));
        for queue in [p, q, r] {
            line.activate(queue, 512);
        }
        for queue in [p, q] {
            assert_eq!(line.choose(), queue);
            line.serve(queue, 100);
            line.expire_empty(queue);
        }
        assert_eq!(line.times(p).1, line.times(q).1);
        let v = line.v(root);
        assert_eq!(line.choose(), r);
        let _ = line.fair.forget_idle(p);
        line.serve(r, 200);
        assert!(!line.fair.entity(q).is_scheduled());
        let passed = v + delta(200, 80);
        let expected = if forgets_last_idle_among_equals { passed } else { delta(100, 40) };
        assert_eq!(line.v(root), expected);
    }
}

#[test]
fn one_entity_is_forgotten_a_step_and_none_at_a_choice_without_a_jump() {
    let mut line = TimeLine::new(Rules::EXACT);
    let root = line.root();
    let [p, q, r, s] = [(); 4].map(|()| line.queue(root, BE, 40));
    for queue in [p, q, r, s] {
        line.activate(queue, 512);
    }
    for queue in [p, q] {
        assert_eq!(line.choose(), queue);
        line.serve(queue, 100);
        line.expire_empty(queue);
    }
    let scheduled = |line: &TimeLine| [p, q].map(|queue| line.fair.entity(queue).is_scheduled());
    assert_eq!(line.choose(), r);
    line.serve(r, 512);
    assert!(line.v(root) > line.times(q).1, "virtual time has passed both");
    assert_eq!(scheduled(&line), [false, true]);
    line.requeue(r, 512);
    assert_eq!(line.choose(), s);
    assert_eq!(scheduled(&line), [false, true]);
    line.serve(s, 1);
    assert_eq!(scheduled(&line), [false, false]);
}

#[test]
fn a_forward_jump_forgets_who_it_passes() {
    let mut line = TimeLine::new(Rules::EXACT);
    let root = line.root();
    let [idle, x, y] = [40, 40, 1000].map(|weight| line.queue(root, BE, weight));
    line.activate(idle, 512);
    line.activate(x, 512);
    line.activate(y, 1 << 20);
    assert_eq!(line.choose(), idle);
    line.serve(idle, 100);
    line.expire_empty(idle);
    assert_eq!(line.slot(512), x);
    assert!(line.v(root) < line.times(idle).1 && line.times(idle).1 < line.times(x).0);

    let _ = line.fair.deactivate(y, false, line.now);
    line.fair.check();
    assert_eq!(line.v(root), line.times(x).0, "only x is backlogged, and starts later");
    assert!(!line.fair.entity(idle).is_scheduled());
}

#[test]
fn forgotten_leaves_are_handed_out_once() {
    let mut line = TimeLine::new(Rules::EXACT);
    let root = line.root();
    let queues = [(); 3].map(|()| line.queue(root, BE, 40));
    for queue in queues {
        line.activate(queue, 512);
    }
    for queue in queues {
        assert_eq!(line.choose(), queue);
        line.serve(queue, 512);
        line.expire_empty(queue);
    }
    while line.fair.forget_first_idle(root, BE).is_some() {}
    line.fair.check();
    let mut forgotten = [(); 3].map(|()| line.fair.take_forgotten());
    forgotten.sort_unstable();
    assert_eq!(forgotten, queues.map(Some));
    assert_eq!((line.fair.take_forgotten(), line.w(root)), (None, 0));
}

#[test]
fn a_leaf_is_handed_out_as_forgotten_even_if_that_happened_twice_but_not_once_removed() {
    let mut line = TimeLine::new(Rules::EXACT);
    let root = line.root();
    let [x, y] = [(); 2].map(|()| line.queue(root, BE, 40));
    for queue in [x, y, x] {
        line.activate(queue, 512);
        let _ = line.fair.deactivate(queue, false, line.now);
    }
    line.fair.remove_leaf(y);
    assert_eq!((line.fair.take_forgotten(), line.fair.take_forgotten()), (Some(x), None));
}

#[test]
fn a_group_that_goes_is_no_active_group() {
    let mut line = TimeLine::new(Rules::EXACT);
    let (group, members) = line.group(100);
    let x = line.queue(members, BE, 40);
    line.activate(x, 512);
    assert_eq!(line.fair.active_groups(), 1);
    let _ = line.fair.deactivate(x, false, line.now);
    let root = line.root();
    line.fair.rehang_leaf(x, root);
    let _ = line.fair.deactivate(group, false, line.now);
    line.fair.remove_group(group);
    line.fair.check();
    assert_eq!(line.fair.active_groups(), 0);
}

#[test]
fn the_largest_charges_and_weights_overflow_nothing() {
    check_largest_charges(Rules::EXACT);
    check_largest_charges(Rules::SEVERAL);
}

fn check_largest_charges(rules: Rules<impl InService>) {
    let most = Service::MAX;
    for weight in [1, 10_000] {
        let mut line = TimeLine::new(rules);
        let (group, members) = line.group(weight);
        let [x, y]: [EntityId; 2] = [(); 2].map(|()| line.queue(members, BE, weight));
        line.fair.set_coefficient(y, 3000);
        line.activate(x, u64::MAX);
        line.activate(y, u64::MAX);
        for _ in 0..100 {
            let queue = line.choose();
            line.serve(queue, u64::MAX);
            assert_eq!([queue, group].map(|e| line.fair.entity(e).service()), [most; 2]);
            line.requeue(queue, u64::MAX);
        }
        line.fair.set_coefficient(x, u32::MAX);
        assert_eq!(line.choose(), y);
        line.serve(y, u64::MAX);
        line.serve(y, u64::MAX);
        assert_eq!(line.fair.entity(y).service(), most, "it stops there");
        line.requeue(y, 0);
        assert_eq!(line.fair.entity(group).budget(), Service::ZERO);
    }
}

/// Slots of 274 s, by the nanosecond: the order of times still holds, even across the wrap.
#[test]
fn shares_are_right_at_the_bound_of_an_amount() {
    check_shares_at_the_bound(Rules::EXACT);
    check_shares_at_the_bound(Rules::SEVERAL);
}

fn check_shares_at_the_bound(rules: Rules<impl InService>) {
    let mut line = TimeLine::new(rules);
    let root = line.root();
    line.fair.levels[root].tree(BE).virtual_time = 0u64.wrapping_sub(delta(1 << 39, 1));
    let [x, y] = [1, 2].map(|weight| line.queue(root, BE, weight));
    line.activate(x, u64::MAX);
    line.activate(y, u64::MAX);
    let mut slots = [0; 2];
    for _ in 0..300 {
        slots[usize::from(line.slot(u64::MAX) == y)] += 1;
    }
    assert_eq!(slots, [100, 200], "{rules:?}");
}
