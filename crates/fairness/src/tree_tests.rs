// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shares beside what comes out by hand.

use super::*;
use Class::{BestEffort, Idle, RealTime};

/// Groups as (parent, weight), 0 is the root; processes as (group, weight, class, demand).
fn shares(groups: &[(usize, u32)], processes: &[(usize, u32, Class, f64)]) -> Vec<f64> {
    let mut tree = Tree::new();
    for &(parent, weight) in groups {
        tree.group(TreeGroup(parent), weight);
    }
    for &(group, weight, class, demand) in processes {
        tree.process(TreeProcess { group: TreeGroup(group), weight, class, demand });
    }
    let shares = tree.shares(&vec![true; processes.len()]);
    shares.into_iter().map(|share| (share * 1e6).round() / 1e6).collect()
}

#[test]
fn by_hand() {
    let busy = |group, weight| (group, weight, BestEffort, 1.0);
    let asks = |group, weight, demand| (group, weight, BestEffort, demand);
    for (case, groups, processes, expected) in [
        ("one alone", &[][..], &[busy(0, 40)][..], &[1.0][..]),
        ("one that pauses, alone", &[], &[asks(0, 40, 0.3)], &[0.3]),
        ("1 : 2 : 7", &[], &[busy(0, 10), busy(0, 20), busy(0, 70)], &[0.1, 0.2, 0.7]),
        ("ioprio 0 and 7: 80 : 10", &[], &[busy(0, 80), busy(0, 10)], &[0.888889, 0.111111]),
        (
            "what a thinker leaves goes to the others by weight",
            &[],
            &[busy(0, 10), busy(0, 20), asks(0, 70, 0.1)],
            &[0.3, 0.6, 0.1],
        ),
        (
            "one who asks for more than their share gets the share",
            &[],
            &[busy(0, 40), asks(0, 40, 0.6)],
            &[0.5, 0.5],
        ),
        (
            "satisfied one after another: .1, then .3 of .9 · 2/3, the rest",
            &[],
            &[asks(0, 10, 0.1), asks(0, 10, 0.3), busy(0, 10)],
            &[0.1, 0.3, 0.6],
        ),
        ("all ask for little", &[], &[asks(0, 40, 0.2), asks(0, 40, 0.3)], &[0.2, 0.3]),
        ("no demand, no share", &[], &[busy(0, 40), asks(0, 40, 0.0)], &[1.0, 0.0]),
        (
            "groups 1 : 3, however many are in each",
            &[(0, 100), (0, 300)],
            &[busy(1, 40), busy(2, 40), busy(2, 40)],
            &[0.25, 0.375, 0.375],
        ),
        (
            "a process beside a group: 40 : 100",
            &[(0, 100)],
            &[busy(0, 40), busy(1, 40)],
            &[0.285714, 0.714286],
        ),
        (
            "nested: a 200 (x 100, y 300), b 100",
            &[(0, 200), (1, 100), (1, 300), (0, 100)],
            &[busy(2, 40), busy(3, 40), busy(4, 40)],
            &[0.166667, 0.5, 0.333333],
        ),
        (
            "what one of a group leaves stays in the group",
            &[(0, 100), (0, 100)],
            &[asks(1, 40, 0.1), busy(1, 40), busy(2, 40)],
            &[0.1, 0.4, 0.5],
        ),
        (
            "what a group leaves goes to its siblings by weight",
            &[(0, 100), (0, 100), (0, 300)],
            &[asks(1, 40, 0.1), asks(1, 40, 0.02), busy(2, 40), busy(3, 40)],
            &[0.1, 0.02, 0.22, 0.66],
        ),
        ("an empty group takes nothing", &[(0, 900)], &[busy(0, 40)], &[1.0]),
        (
            "real time first, then by weight, idle last",
            &[],
            &[(0, 40, RealTime, 0.25), busy(0, 10), busy(0, 20), (0, 10, Idle, 1.0)],
            &[0.25, 0.25, 0.5, 0.0],
        ),
        ("idle gets what is left", &[], &[asks(0, 40, 0.6), (0, 10, Idle, 1.0)], &[0.6, 0.4]),
        (
            "real time of a group comes first in the group only",
            &[(0, 100), (0, 100)],
            &[(1, 40, RealTime, 1.0), busy(1, 40), busy(2, 40)],
            &[0.5, 0.0, 0.5],
        ),
    ] {
        assert_eq!(shares(groups, processes), expected, "{case}");
    }
}

#[test]
fn who_is_not_there_takes_nothing() {
    let mut tree = Tree::new();
    let (a, b) = (tree.group(Tree::ROOT, 100), tree.group(Tree::ROOT, 300));
    for group in [a, b] {
        tree.process(TreeProcess { group, weight: 40, class: BestEffort, demand: 1.0 });
    }
    assert_eq!(tree.shares(&[true, true]), [0.25, 0.75]);
    assert_eq!(tree.shares(&[true, false]), [1.0, 0.0]);
    assert_eq!(tree.shares(&[false, false]), [0.0, 0.0]);
}

#[test]
fn shares_are_within_demands_and_no_more_than_the_device() {
    let mut state = 1_u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % below
    };
    for _ in 0..500 {
        let mut tree = Tree::new();
        for place in 0..random(5) as usize {
            tree.group(TreeGroup(random(place as u64 + 1) as usize), 1 + random(1000) as u32);
        }
        for _ in 0..1 + random(8) {
            tree.process(TreeProcess {
                group: TreeGroup(random(tree.groups.len() as u64) as usize),
                weight: 1 + random(80) as u32,
                class: [RealTime, BestEffort, Idle][random(3) as usize],
                demand: random(1001) as f64 / 1000.0,
            });
        }
        let demands = tree.processes.iter().map(|process| process.demand);
        let shares = tree.shares(&vec![true; tree.processes.len()]);
        let sum: f64 = shares.iter().sum();
        // It conserves work: the device idles only if no process asks for more.
        assert!((sum - demands.clone().sum::<f64>().min(1.0)).abs() < 1e-6, "{tree:?} {shares:?}");
        assert!(shares.iter().zip(demands).all(|(share, demand)| *share <= demand + 1e-9));
    }
}
