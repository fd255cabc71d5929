// SPDX-License-Identifier: MIT OR Apache-2.0
//! What holds of the order whatever is charged: the invariants of `docs/tfq.md`, by their numbers,
//! in hierarchies of any shape.

use super::{
    super::device_time::DeviceTime,
    LevelId, NodeId, Shares,
    idle_share::TURN,
    virtual_time::{VirtualSpan, VirtualTime},
};
use crate::units::{Class, Ioprio, Span, Time, Weight};
use proptest::prelude::*;
use std::{collections::BTreeMap, vec::Vec};

/// What one charge is at most, ns.
const MOST_NS: u64 = 10_000_000;
const MOST: Span = Span::from_ns(MOST_NS);
/// The most service of others that idle members of a level wait for: two turns, each a 64th
/// of that, and the charge that begins the second one.
const LONGEST_IDLE_WAIT_NS: u64 = 2 * 64 * TURN.as_ns() + MOST_NS;

/// A hierarchy whose queues are all active: groups of these parents and weights, queues likewise.
struct Hierarchy {
    shares: Shares,
    /// Each group's node and level; the root has no node.
    groups: Vec<(Option<NodeId>, LevelId)>,
    queues: Vec<NodeId>,
}

impl Hierarchy {
    fn new(groups: &[(usize, u32)], queues: &[(usize, u32)]) -> Self {
        let mut shares = Shares::new().expect("memory");
        let mut levels = std::vec![(None, shares.root())];
        for &(parent, weight) in groups {
            let above = levels[parent % levels.len()].1;
            let (node, level) = shares.add_group(above, Weight::of(weight)).expect("memory");
            levels.push((Some(node), level));
        }
        let queues = queues.iter().map(|&(parent, weight)| {
            let level = levels[parent % levels.len()].1;
            let node =
                shares.add_queue(level, Class::BestEffort, Weight::of(weight)).expect("memory");
            shares.activate(node, Span::ZERO);
            node
        });
        let queues = queues.collect();
        Hierarchy { shares, groups: levels, queues }
    }

    /// The active members of a level.
    fn members(&self, level: LevelId) -> Vec<NodeId> {
        let nodes = self.shares.nodes.iter().filter(|(_, node)| node.level == level && node.active);
        nodes.map(|(id, _)| id).collect()
    }

    fn vtime(&self, node: NodeId) -> VirtualTime {
        self.shares.nodes[node].vtime
    }

    fn weight(&self, node: NodeId) -> Weight {
        self.shares.nodes[node].weight
    }

    /// The virtual time of a level.
    fn level_vtime(&self, level: LevelId) -> VirtualTime {
        self.shares.levels[level].clocks[Class::BestEffort.index()].now()
    }

    /// The node, and the groups above it.
    fn path(&self, node: NodeId) -> Vec<NodeId> {
        let above = |&node: &NodeId| self.shares.levels[self.shares.nodes[node].level].node;
        core::iter::successors(Some(node), above).collect()
    }

    /// How often each queue is first of `count` times, if each time the first is charged that.
    fn turns(&mut self, count: u32, charge_ns: u64) -> Vec<u32> {
        let mut turns = std::vec![0; self.queues.len()];
        for _ in 0..count {
            let first = self.shares.first().expect("all are active");
            turns[self.queues.iter().position(|&queue| queue == first).expect("known")] += 1;
            self.shares.charge(first, DeviceTime::from_ns(charge_ns as i64));
        }
        turns
    }
}

fn members(most: usize) -> impl Strategy<Value = Vec<(usize, u32)>> {
    prop::collection::vec((0..8_usize, 1..=1000_u32), 1..most)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// I2: of two members of a level that are always there, none is further before the other than
    /// by one charge at the lesser weight; at every level.
    #[test]
    fn siblings_stay_together(
        groups in members(5),
        queues in members(10),
        charges in prop::collection::vec(1..=MOST_NS, 1..300),
    ) {
        let mut all = Hierarchy::new(&groups, &queues);
        for charge_ns in charges {
            let first = all.shares.first().expect("all are active");
            all.shares.charge(first, DeviceTime::from_ns(charge_ns as i64));
            for &(_, level) in &all.groups {
                let members = all.members(level);
                let with_all = |one| members.iter().map(move |other| (one, other));
                for (&one, &other) in members.iter().flat_map(with_all) {
                    let least = all.weight(one).min(all.weight(other));
                    let most = VirtualSpan::of(MOST, least);
                    prop_assert!(all.vtime(one).is_within(most, all.vtime(other)));
                }
            }
        }
        all.shares.check();
    }

    /// I1: who is served out of turn, because `is_within` allows it, is never further before its
    /// level than by that and one charge; and none that is always there falls behind it.
    #[test]
    fn nobody_runs_far_ahead(
        groups in members(5),
        queues in members(10),
        allowed_ns in 1..=100_000_000_u64,
        services in prop::collection::vec((0..10_usize, 1..=MOST_NS), 1..300),
    ) {
        let mut all = Hierarchy::new(&groups, &queues);
        for (who, charge_ns) in services {
            let wanted = all.queues[who % all.queues.len()];
            let allowed = all.shares.is_within(wanted, Span::from_ns(allowed_ns));
            let served = if allowed { wanted } else { all.shares.first().expect("active") };
            all.shares.charge(served, DeviceTime::from_ns(charge_ns as i64));
            for (id, node) in all.shares.nodes.iter().filter(|(_, node)| node.active) {
                let of_level = all.level_vtime(node.level);
                prop_assert!(!node.vtime.is_before(of_level), "{id:?} fell behind");
                // The sum is rounded once, its parts are twice.
                let most = VirtualSpan::of(Span::from_ns(allowed_ns) + MOST, node.weight);
                prop_assert!(node.vtime.is_within(most, of_level), "{id:?} is far before its level");
            }
        }
    }

    /// I3: what a group is charged is what its members are charged, refunds included.
    #[test]
    fn charges_add_up(
        groups in members(5),
        queues in members(10),
        charges in prop::collection::vec((0..10_usize, -(MOST_NS as i64)..=MOST_NS as i64), 1..300),
    ) {
        let mut all = Hierarchy::new(&groups, &queues);
        let nodes: Vec<NodeId> = all.shares.nodes.iter().map(|(id, _)| id).collect();
        let mut before: Vec<(NodeId, VirtualTime, i64)> =
            nodes.iter().map(|&node| (node, all.vtime(node), 0)).collect();
        let count = charges.len() as i64;
        for (who, charge_ns) in charges {
            let queue = all.queues[who % all.queues.len()];
            all.shares.charge(queue, DeviceTime::from_ns(charge_ns));
            let path = all.path(queue);
            for (.., sum) in before.iter_mut().filter(|(node, ..)| path.contains(node)) {
                *sum += charge_ns;
            }
        }
        for (node, vtime, sum) in before {
            let wanted = VirtualSpan::of(Span::from_ns(sum.unsigned_abs()), all.weight(node));
            let wanted = if sum < 0 { vtime - wanted } else { vtime + wanted };
            // Each charge is rounded once.
            let off = all.vtime(node).ahead_of(wanted);
            prop_assert!(off.abs() <= count, "{node:?} is off by {off}");
        }
    }

    /// I4: the virtual time of a level never falls, and is before no member by more than the lag
    /// that it may keep or gets after a loan, what it was refunded, and what is forgotten where a
    /// group gets less.
    #[test]
    fn virtual_time_never_falls(
        groups in members(5),
        queues in members(10),
        lag_ns in 0..=100_000_000_u64,
        steps in prop::collection::vec((0..6_u8, 0..10_usize, 1..=MOST_NS), 1..300),
    ) {
        let mut all = Hierarchy::new(&groups, &queues);
        let mut refunded_ns = 0;
        for ((what, who, charge_ns), at_s) in steps.into_iter().zip((0_u64..).step_by(20)) {
            let levels: Vec<VirtualTime> = all.groups.iter().map(|&(_, at)| all.level_vtime(at)).collect();
            let queue = all.queues[who % all.queues.len()];
            match what {
                0 if all.shares.is_active(queue) => all.shares.deactivate(queue),
                0 => all.shares.activate(queue, Span::from_ns(lag_ns)),
                1 => {
                    all.shares.charge(queue, DeviceTime::from_ns(-(charge_ns as i64)));
                    refunded_ns += charge_ns;
                }
                2 => {
                    let now = Time::from_ns(at_s * 1_000_000_000);
                    all.shares.limit_leads(queue, Span::from_ns(charge_ns), now);
                }
                3 => all.shares.put_behind(queue, Span::from_ns(lag_ns)),
                _ => all.shares.charge(queue, DeviceTime::from_ns(charge_ns as i64)),
            }
            for (&(_, level), before) in all.groups.iter().zip(levels) {
                prop_assert!(!all.level_vtime(level).is_before(before), "it fell");
            }
            for (_, node) in all.shares.nodes.iter().filter(|(_, node)| node.active) {
                // The lag is of service at a usual weight, that of a queue at the least.
                let most = VirtualSpan::of(Span::from_ns(lag_ns), Ioprio::DEFAULT.weight())
                    + VirtualSpan::of(Span::from_ns(refunded_ns + 1), node.weight);
                let of_level = all.level_vtime(node.level);
                let counted = all.shares.levels[node.level].leads.counted(node.vtime);
                prop_assert!(of_level.is_within(most, counted), "it is far behind");
            }
        }
        all.shares.check();
    }

    /// I7: idle members of a level are not starved by best-effort ones, on loan or not.
    #[test]
    fn the_idle_class_waits_for_a_bounded_service(
        groups in members(5),
        queues in members(10),
        idle in members(4),
        steps in prop::collection::vec((0..10_usize, 1..=MOST_NS), 500..1500),
    ) {
        let mut all = Hierarchy::new(&groups, &queues);
        let idle: Vec<_> = idle.iter().map(|&(at, weight)| {
            let level = all.groups[at % all.groups.len()].1;
            let node = all.shares.add_queue(level, Class::Idle, Weight::of(weight)).expect("memory");
            all.shares.activate(node, Span::ZERO);
            (node, level)
        }).collect();
        let mut waits_ns: BTreeMap<LevelId, u64> = BTreeMap::new();
        for (who, charge_ns) in steps {
            let queue = all.queues[who % all.queues.len()];
            // One in ten comes, goes or starts.
            match charge_ns % 30 {
                0 => all.shares.deactivate(queue),
                1 => all.shares.activate(queue, Span::ZERO),
                2 => all.shares.begin_loan(queue),
                _ => {}
            }
            let first = all.shares.first().expect("the idle ones are active");
            all.shares.charge(first, DeviceTime::from_ns(charge_ns as i64));
            for node in all.path(first) {
                let level = all.shares.nodes[node].level;
                let wait_ns = waits_ns.entry(level).or_default();
                *wait_ns += charge_ns;
                if all.shares.class(node) == Class::Idle || idle.iter().all(|(_, at)| *at != level)
                {
                    *wait_ns = 0;
                }
                prop_assert!(*wait_ns <= LONGEST_IDLE_WAIT_NS, "{wait_ns} ns at {level:?}");
            }
            all.shares.check();
        }
    }

    /// I9: whatever a request is taken to cost, like requests get the same turns: the cost cancels.
    #[test]
    fn the_cost_of_like_requests_cancels(
        groups in members(4),
        queues in members(8),
        cost_ns in 100_000..=MOST_NS,
        halvings in 1..=6_u32,
    ) {
        let [dear, cheap] = [cost_ns, cost_ns >> halvings].map(|cost_ns| {
            Hierarchy::new(&groups, &queues).turns(1000, cost_ns)
        });
        for (dear, cheap) in dear.iter().zip(&cheap) {
            // Rounding may change who of two equals is first, at each level.
            prop_assert!(dear.abs_diff(*cheap) <= 4, "{dear} turns, or {cheap}");
        }
    }
}
