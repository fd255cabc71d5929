// SPDX-License-Identifier: MIT OR Apache-2.0
//! Virtual time over a hierarchy: order, weights, lag, groups, and a naive model beside it.

use super::super::device_time::DeviceTime;
use super::{
    LevelId, NodeId, Shares,
    level_clock::LevelClock,
    virtual_time::{FRACTION_BITS, VirtualSpan, VirtualTime},
};
use crate::units::{Class, Ioprio, Span, Weight};
use std::vec::Vec;

/// What is charged for `ms` milliseconds.
fn ms(ms: i64) -> DeviceTime {
    DeviceTime::from_ns(ms * 1_000_000)
}

/// The weight of a queue of the default priority.
const QUEUE_WEIGHT: u32 = Ioprio::DEFAULT.weight().get();

/// Active queues of the root, of these classes and weights.
fn queues<const N: usize>(of: [(Class, u32); N]) -> (Shares, [NodeId; N]) {
    let mut shares = Shares::new().expect("memory");
    let nodes = of.map(|(class, weight)| active(&mut shares, None, class, weight));
    (shares, nodes)
}

/// One more, of a level or of the root.
fn active(shares: &mut Shares, level: Option<LevelId>, class: Class, weight: u32) -> NodeId {
    let level = level.unwrap_or(shares.root());
    let node = shares.add_queue(level, class, Weight::of(weight)).expect("memory");
    shares.activate(node, Span::ZERO);
    node
}

/// All active queues, in order.
fn order(shares: &Shares) -> Vec<NodeId> {
    core::iter::successors(shares.first(), |&node| shares.after(node)).collect()
}

/// How often each queue is first in `count` turns, each charged alike.
fn turns<const N: usize>(shares: &mut Shares, nodes: [NodeId; N], count: u32) -> [u32; N] {
    let mut turns = [0; N];
    for _ in 0..count {
        let first = shares.first().expect("a node is active");
        turns[nodes.iter().position(|&node| node == first).expect("one of them")] += 1;
        shares.charge(first, ms(1));
    }
    shares.check();
    turns
}

#[test]
fn classes_go_before_virtual_time() {
    let (mut shares, [idle, late, early, real_time]) = queues([
        (Class::Idle, 40),
        (Class::BestEffort, 40),
        (Class::BestEffort, 40),
        (Class::RealTime, 40),
    ]);
    shares.charge(real_time, ms(1000));
    shares.charge(late, ms(2));
    shares.charge(early, ms(1));
    assert_eq!(order(&shares), [real_time, early, late, idle]);
    shares.set_class(late, Class::RealTime);
    assert_eq!(order(&shares).last(), Some(&idle));
    assert_eq!(order(&shares)[2], early);
    shares.check();
}

/// Among many, the place of a charged member is sought from the one that was placed before it. That
/// one may be the same, may have left meanwhile, or may be another queue by now.
#[test]
fn places_among_many_are_sought_from_any_member() {
    let (mut shares, _) = queues([(Class::BestEffort, 40); 40]);
    for turn in 0..400 {
        let first = shares.first().expect("a node is active");
        shares.charge(first, ms(1 + turn % 7));
        match turn % 8 {
            2 => shares.charge(first, ms(50)),
            4 => {
                shares.deactivate(first);
                shares.check();
                shares.activate(first, Span::from_ms(turn as u64 % 3));
            }
            6 => {
                shares.deactivate(first);
                shares.remove(first);
                active(&mut shares, None, Class::BestEffort, 40);
            }
            7 => shares.set_class(first, Class::RealTime),
            _ => {}
        }
        shares.check();
        if turn % 8 == 7 {
            shares.set_class(first, Class::BestEffort);
        }
    }
    assert_eq!(order(&shares).len(), 40);
}

/// What is charged to whom, ms, and who goes first then, but for real-time. A turn of the idle
/// class is 16 ms, and it earns a 64th of what others get.
#[test]
fn the_idle_class_has_a_least_share() {
    let (shares, [idle, other]) = queues([(Class::Idle, 40), (Class::BestEffort, 40)]);
    let mut shares = shares.of_moving_parts();
    let real_time = active(&mut shares, None, Class::RealTime, 40);
    for (charged, ms, first) in [
        (other, 1000, other),
        // It has earned 16 ms: its turn begins, goes on, although it earns 2 ms, and is used up.
        (other, 24, idle),
        (idle, 10, idle),
        (other, 128, idle),
        (idle, 8, other),
        // It gets more than is due to it, of which a turn counts: two turns later it is first.
        (idle, 100, other),
        (other, 2047, other),
        (other, 1, idle),
        (idle, 16, other),
        // Of real-time service it earns nothing.
        (real_time, 9999, other),
        (other, 1024, idle),
    ] {
        shares.charge(charged, self::ms(ms));
        assert_eq!(order(&shares)[..2], [real_time, first], "after {ms} ms of {charged:?}");
        assert_eq!(order(&shares).len(), 3);
        shares.check();
    }
    // While no other is there, nothing is earned and nothing is owed.
    shares.charge(idle, ms(16));
    shares.deactivate(real_time);
    shares.deactivate(other);
    shares.charge(idle, ms(1000));
    shares.activate(other, Span::ZERO);
    shares.charge(other, ms(1023));
    assert_eq!(shares.first(), Some(other));
    shares.charge(other, ms(1));
    assert_eq!(shares.first(), Some(idle));
}

/// Of the places in the pool, others leave the idle class as little as of the time.
#[test]
fn the_idle_class_has_few_places() {
    let (mut shares, [idle, other]) = queues([(Class::Idle, 40), (Class::BestEffort, 40)]);
    assert_eq!(share(&shares, other), Some((40, 40)));
    assert_eq!(share(&shares, idle), Some((40, 64 * 40)));
    shares.deactivate(other);
    assert_eq!(share(&shares, idle), Some((40, 40)));
}

#[test]
fn weights_1_to_3_give_turns_1_to_3_at_each_of_three_levels() {
    let mut shares = Shares::new().expect("memory");
    let mut level = shares.root();
    let mut light = Vec::new();
    for _ in 0..2 {
        light.push(active(&mut shares, Some(level), Class::BestEffort, 10));
        (_, level) = shares.add_group(level, Weight::of(30)).expect("memory");
    }
    light.push(active(&mut shares, Some(level), Class::BestEffort, 10));
    let heavy = active(&mut shares, Some(level), Class::BestEffort, 30);
    let nodes = [light[0], light[1], light[2], heavy];
    let turns = turns(&mut shares, nodes, 10_000);
    for (got, wanted) in turns.into_iter().zip([2500, 1875, 1406, 4219]) {
        assert!(got.abs_diff(wanted) <= 4, "{turns:?}");
    }
}

#[test]
fn who_comes_back_lies_behind_by_its_lag_at_most() {
    let usual_turns = |lag| {
        let (mut shares, [stays, goes]) = queues([(Class::BestEffort, QUEUE_WEIGHT); 2]);
        shares.deactivate(goes);
        shares.charge(stays, ms(1000));
        shares.activate(goes, lag);
        let mut turns = 0;
        while shares.first() == Some(goes) {
            shares.charge(goes, ms(1));
            turns += 1;
        }
        turns
    };
    // (lag, turns of 1 ms in a row); at the same virtual time the one that was there goes first.
    for (lag_ms, turns) in [(0, 0..=1), (10, 10..=11), (100, 100..=101), (5000, 1000..=1001)] {
        let got = usual_turns(Span::from_ms(lag_ms));
        assert!(turns.contains(&got), "a lag of {lag_ms} ms: {got} turns");
    }
}

/// Virtual time has no order beyond half of its wrap, which is 128 of these steps.
#[test]
fn who_comes_back_after_any_time_does_not_wait_for_it() {
    for steps in [1, 64, 127, 128, 129, 192, 255, 256, 257, 300] {
        let (mut shares, [stays, goes]) = queues([(Class::BestEffort, 1); 2]);
        shares.charge(goes, ms(50));
        shares.deactivate(goes);
        (0..steps).for_each(|_| shares.charge(stays, ms(1 << 21)));
        shares.activate(goes, Span::ZERO);
        shares.charge(stays, ms(1));
        assert_eq!(order(&shares), [goes, stays], "{steps} steps");
        shares.charge(goes, ms(2));
        assert_eq!(order(&shares), [stays, goes], "{steps} steps");
        shares.check();
    }
}

#[test]
fn a_debt_is_paid_in_pieces() {
    let (mut shares, [borrower, other]) =
        queues([(Class::BestEffort, QUEUE_WEIGHT), (Class::BestEffort, QUEUE_WEIGHT)]);
    shares.begin_loan(borrower);
    shares.charge(borrower, ms(1000));
    shares.end_loan(borrower);
    // It waits for 100 ms in one piece; then it gets a fifth, until the other 900 ms are paid with
    // 300 ms of service; then a half.
    for (count, wanted) in [(100, [0, 100]), (1500, [300, 1200]), (1000, [500, 500])] {
        let got = turns(&mut shares, [borrower, other], count);
        assert!(got[0].abs_diff(wanted[0]) <= 2, "{got:?}, and not {wanted:?}");
    }
    // Together each has had 1800 ms, the loan included.
}

/// Alone or in a group, its next 100 ms come before all others', whatever it had on loan up to its
/// lead. Of 300 ms it owes 200, and pays 75 of them with 25 ms of service.
#[test]
fn who_is_put_behind_after_a_loan_goes_first_for_the_lag() {
    let cases = [(0, 100), (60, 100), (300, 25)];
    for (in_group, (lent_ms, first)) in
        [false, true].into_iter().flat_map(|in_group| cases.map(|case| (in_group, case)))
    {
        let (mut shares, [other]) = queues([(Class::BestEffort, QUEUE_WEIGHT)]);
        let root = shares.root();
        let group =
            in_group.then(|| shares.add_group(root, Weight::DEFAULT_GROUP).expect("memory"));
        let level = group.map(|(_, level)| level);
        let sibling = active(&mut shares, level, Class::BestEffort, QUEUE_WEIGHT);
        let film = active(&mut shares, level, Class::BestEffort, QUEUE_WEIGHT);
        shares.begin_loan(film);
        shares.charge(film, ms(lent_ms));
        shares.end_loan(film);
        shares.put_behind(film, Span::from_ms(100));
        let got = turns(&mut shares, [film, sibling, other], first);
        assert_eq!(got, [first, 0, 0], "in a group: {in_group}, {lent_ms} ms on loan");
    }
}

#[test]
fn what_is_got_on_loan_stops_at_its_bound() {
    // Seed 8185 of the random scenarios: a device whose full rate was learnt from its pauses.
    let (mut shares, [one, other]) = queues([(Class::BestEffort, 1); 2]);
    for node in [one, other] {
        shares.begin_loan(node);
    }
    for _ in 0..100 {
        shares.note_got(one, Span::MAX);
    }
    assert_eq!(order(&shares), [other, one]);
    shares.check();
}

#[test]
fn who_stays_away_pays_its_debt_as_well() {
    let (mut shares, [borrower, other]) =
        queues([(Class::BestEffort, QUEUE_WEIGHT), (Class::BestEffort, QUEUE_WEIGHT)]);
    shares.begin_loan(borrower);
    shares.charge(borrower, ms(1000));
    shares.end_loan(borrower);
    shares.deactivate(borrower);
    // The lead, and 600 of 900 ms.
    shares.charge(other, ms(700));
    shares.activate(borrower, Span::from_ms(100));
    // Coming and going pays nothing more.
    shares.deactivate(borrower);
    shares.activate(borrower, Span::from_ms(100));
    let got = turns(&mut shares, [borrower, other], 500);
    assert!(got[0].abs_diff(100) <= 2, "300 ms are paid with 100 ms of service: {got:?}");
    let got = turns(&mut shares, [borrower, other], 100);
    assert!(got[0].abs_diff(50) <= 2, "{got:?}");
}

#[test]
fn a_group_is_active_while_a_member_is() {
    let mut shares = Shares::new().expect("memory");
    let (outer, level) = shares.add_group(shares.root(), Weight::DEFAULT_GROUP).expect("memory");
    let (inner, level) = shares.add_group(level, Weight::DEFAULT_GROUP).expect("memory");
    let members = [0; 2].map(|_| active(&mut shares, Some(level), Class::BestEffort, 40));
    // (member that goes, whether the groups are active then)
    for (gone, active) in [(members[0], true), (members[1], false)] {
        shares.deactivate(gone);
        assert_eq!([outer, inner].map(|group| shares.is_active(group)), [active; 2]);
        shares.check();
    }
    assert_eq!(shares.first(), None);
    shares.activate(members[1], Span::ZERO);
    assert_eq!(order(&shares), [members[1]]);
    let root = shares.root();
    shares.move_queue(members[1], root);
    assert!(!shares.is_active(outer) && shares.is_active(members[1]));
    shares.check();
}

/// The share of the places as numbers.
fn share(shares: &Shares, node: NodeId) -> Option<(u32, u64)> {
    shares.share(node).map(|(weight, sum)| (weight.get(), sum))
}

#[test]
fn weights_of_the_active_stay_their_sum() {
    const SECOND: Span = Span::from_s(1);
    let (mut shares, [first, second]) = queues([(Class::BestEffort, 40), (Class::BestEffort, 60)]);
    assert_eq!(
        (share(&shares, first), shares.part_of(second, SECOND)),
        (Some((40, 100)), Span::from_ms(600))
    );
    shares.set_weight(first, Weight::of(180));
    assert_eq!(
        (share(&shares, first), shares.part_of(second, SECOND)),
        (Some((180, 240)), Span::from_ms(250))
    );
    shares.deactivate(first);
    shares.set_weight(first, Weight::of(20));
    assert_eq!((share(&shares, first), share(&shares, second)), (None, Some((60, 60))));
    shares.activate(first, Span::ZERO);
    assert_eq!(share(&shares, second), Some((60, 80)));
}

#[test]
fn a_refund_moves_to_the_front() {
    let (mut shares, [first, second]) = queues([(Class::BestEffort, 40); 2]);
    shares.charge(first, ms(3));
    shares.charge(second, ms(2));
    assert_eq!(order(&shares), [second, first]);
    shares.charge(first, ms(-2));
    assert_eq!(order(&shares), [first, second]);
    shares.check();
}

#[test]
fn virtual_time_wraps_around() {
    let (mut shares, nodes) = queues([(Class::BestEffort, 1), (Class::BestEffort, 3)]);
    let root = shares.root();
    let end = VirtualTime::START - VirtualSpan::of(Span::from_ms(100), Weight::MIN);
    nodes.iter().for_each(|&node| shares.nodes[node].vtime = end);
    shares.levels[root].clocks = [LevelClock::at(end); 3];
    let turns = turns(&mut shares, nodes, 4000);
    assert!(shares.nodes[nodes[0]].vtime.at_weight_1() < end.at_weight_1(), "it has wrapped");
    assert!(turns[0].abs_diff(1000) <= 2, "{turns:?}");
}

/// Any charges and refunds, comings and goings: the order is that of a sorted list.
#[test]
fn the_order_is_that_of_a_sorted_list() {
    let classes = [Class::RealTime, Class::BestEffort, Class::Idle];
    let mut shares = Shares::new().expect("memory");
    // Class, weight and virtual time of each; whether it is active.
    let mut model: Vec<(usize, u32, i64, bool)> = Vec::new();
    let nodes: Vec<NodeId> = (0..12)
        .map(|at| {
            model.push((at % 3, 10 + 7 * at as u32, 0, true));
            active(&mut shares, None, classes[at % 3], model[at].1)
        })
        .collect();
    let mut random = 1_u64;
    for _ in 0..20_000 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let (at, amount) = ((random >> 33) as usize % nodes.len(), (random >> 45) as i64 - 50_000);
        let (class, weight, vtime, is_active) = model[at];
        if random >> 60 == 0 {
            let (node, lag) = (nodes[at], Span::from_ns(1 << 40));
            if is_active {
                shares.deactivate(node)
            } else {
                shares.activate(node, lag)
            }
            model[at].3 = !is_active;
        } else {
            shares.charge(nodes[at], DeviceTime::from_ns(amount));
            let change = ((amount.unsigned_abs() << FRACTION_BITS) / u64::from(weight)) as i64;
            model[at] = (class, weight, vtime + change * amount.signum(), is_active);
        }
        let got: Vec<(usize, i64)> = order(&shares)
            .into_iter()
            .map(|node| model[nodes.iter().position(|&other| other == node).expect("known")])
            .map(|(class, _, vtime, _)| (class, vtime))
            .collect();
        let mut wanted: Vec<(usize, i64)> =
            model.iter().filter(|state| state.3).map(|state| (state.0, state.2)).collect();
        wanted.sort_unstable();
        assert_eq!(got, wanted);
    }
    shares.check();
}
