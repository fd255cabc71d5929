// SPDX-License-Identifier: MIT OR Apache-2.0
//! Leads within a group that gets less: when they count, and for how much.

use super::{super::super::device_time::DeviceTime, *};
use crate::units::Weight;

const MEMBER_WEIGHT: u32 = 40;

fn ms(ms: u64) -> Span {
    Span::from_ms(ms)
}

/// A group with two members that want the device, of this weight each, and a queue beside it that
/// is nine times as heavy and wants nothing yet.
fn group_of_two() -> (Shares, [NodeId; 2], NodeId) {
    let mut shares = Shares::new().expect("memory").of_moving_parts();
    let root = shares.root();
    let (_, level) = shares.add_group(root, Weight::of(100)).expect("memory");
    let mut queue = |level, weight| {
        shares.add_queue(level, Class::BestEffort, Weight::of(weight)).expect("memory")
    };
    let members = [queue(level, MEMBER_WEIGHT), queue(level, MEMBER_WEIGHT)];
    let heavy = queue(root, 900);
    for member in members {
        shares.activate(member, Span::ZERO);
    }
    (shares, members, heavy)
}

/// Serves the member that is behind until it is where the other one is; returns it, and the other.
fn get_even(shares: &mut Shares, [one, other]: [NodeId; 2]) -> [NodeId; 2] {
    let [at_one, at_other] = [one, other].map(|member| shares.at_weight_1(member));
    let [one, other] = if at_one > at_other { [other, one] } else { [one, other] };
    let behind = at_one.max(at_other) - at_one.min(at_other);
    shares.charge(one, DeviceTime::of(behind * u64::from(MEMBER_WEIGHT)));
    [one, other]
}

/// Serves the group's first member in slots of this length until it is another one's turn. Returns
/// what the first one got.
fn served_before_other(shares: &mut Shares, of: &[NodeId; 2], slot: Span) -> Span {
    let group = shares.nodes[of[0]].level;
    let first = shares.first_queue_below(group).expect("two want the device");
    let mut served = Span::ZERO;
    while shares.first_queue_below(group) == Some(first) {
        shares.charge(first, DeviceTime::of(slot));
        served = served.plus(slot);
    }
    shares.check();
    served
}

/// When, and whether the heavy queue wants the device then; and what the member that is behind gets
/// in slots of 30 ms, until it is the turn of the other one, which is 310 ms before it. A lead is
/// limited to 35 ms.
#[test]
fn a_lead_counts_for_a_slot_once_the_group_gets_less() {
    let (mut shares, members, heavy) = group_of_two();
    for (at_s, is_heavy_there, gets_ms) in [
        // The group has all of the device.
        (1, false, 330),
        // It has a tenth from now on.
        (2, true, 60),
        // It has no less than before.
        (3, true, 330),
        // It falls a second time within a minute, and later.
        (4, false, 330),
        (61, true, 330),
        (62, true, 60),
        (200, true, 330),
    ] {
        match is_heavy_there {
            true => shares.activate(heavy, Span::ZERO),
            false => shares.deactivate(heavy),
        }
        let [one, other] = get_even(&mut shares, members);
        shares.charge(one, DeviceTime::of(ms(310)));
        shares.limit_leads(other, ms(35), Time::from_ns(at_s * 1_000_000_000));
        let got = served_before_other(&mut shares, &members, ms(30));
        assert_eq!(got, ms(gets_ms), "at {at_s} s");
    }
}

/// Members of the root have no group that could get less, and a shorter lead stays what it is.
#[test]
fn other_leads_stay() {
    let (mut shares, members, heavy) = group_of_two();
    shares.limit_leads(members[0], ms(35), Time::ZERO);
    shares.charge(members[0], DeviceTime::of(ms(20)));
    shares.activate(heavy, Span::ZERO);
    let before = members.map(|member| shares.nodes[member].vtime);
    shares.limit_leads(members[1], ms(35), Time::from_ns(1));
    shares.limit_leads(heavy, ms(35), Time::from_ns(1));
    assert_eq!(members.map(|member| shares.nodes[member].vtime), before);
    assert_eq!(served_before_other(&mut shares, &members, ms(30)), ms(30));
}
