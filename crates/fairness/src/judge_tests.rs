// SPDX-License-Identifier: MIT OR Apache-2.0
//! Verdicts beside what comes out by hand.

use super::*;
use crate::tree::{Class, TreeProcess};

const MB: u64 = 1_000_000;
const S: u64 = 1_000_000_000;

/// A process of the root: weight, demand, MB/s alone; start, ramp's end and end in s, MB moved.
type Row = (u32, f64, f64, u64, u64, u64, u64);

fn verdict(rows: &[Row]) -> Verdict {
    let mut tree = Tree::new();
    let (mut alone, mut lives) = (Vec::new(), Vec::new());
    for &(weight, demand, rate, start, from, end, moved) in rows {
        let class = Class::BestEffort;
        tree.process(TreeProcess { group: Tree::ROOT, weight, class, demand });
        alone.push(Alone { rate: rate * MB as f64 });
        lives.push(Some(Life {
            started_ns: start * S,
            counts_from_ns: from * S,
            goes_on_until_ns: end * S,
            ended_ns: end * S,
            bytes: moved * MB,
        }));
    }
    judge(&tree, &alone, &lives)
}

#[test]
fn by_hand() {
    // What is expected: R of each, the useful time.
    let cases: &[(&str, &[Row], &[f64], f64)] = &[
        ("alone", &[(40, 1.0, 100.0, 0, 0, 10, 1000)], &[1.0], 1.0),
        ("alone, and it pauses", &[(40, 0.2, 10.0, 0, 0, 10, 100)], &[1.0], 0.2),
        (
            "50 : 20 as their weights: fair, though one moves far less alone",
            &[(50, 1.0, 140.0, 0, 0, 10, 1000), (20, 1.0, 7.0, 0, 0, 10, 20)],
            &[1.0, 1.0],
            1.0,
        ),
        (
            "half of the time is lost",
            &[(40, 1.0, 100.0, 0, 0, 10, 250), (40, 1.0, 100.0, 0, 0, 10, 250)],
            &[0.5, 0.5],
            0.5,
        ),
        (
            "a disk that serves both at once",
            &[(40, 1.0, 100.0, 0, 0, 10, 900), (40, 1.0, 100.0, 0, 0, 10, 900)],
            &[1.8, 1.8],
            1.8,
        ),
        (
            "one who asks for a tenth, gets half of that; the other has nine tenths",
            &[(40, 0.1, 5.0, 0, 0, 10, 25), (40, 1.0, 100.0, 0, 0, 10, 900)],
            &[0.5, 1.0],
            0.95,
        ),
        (
            "the other has left at 5 s: 50 %, then all: 7.5 s due of 10",
            &[(40, 1.0, 100.0, 0, 0, 10, 750), (40, 1.0, 100.0, 0, 0, 5, 250)],
            &[1.0, 1.0],
            1.0,
        ),
        (
            "the second comes at 8 s: 9 s due of 10, and 1 of 2",
            &[(40, 1.0, 100.0, 0, 0, 10, 810), (40, 1.0, 100.0, 8, 8, 10, 100)],
            &[0.9, 1.0],
            0.91,
        ),
        (
            "a ramp competes, and does not count",
            &[(40, 1.0, 100.0, 0, 0, 10, 500), (40, 1.0, 100.0, 0, 6, 10, 200)],
            &[1.0, 1.0],
            1.0,
        ),
        (
            "one phase after the other",
            &[(40, 1.0, 100.0, 0, 0, 5, 500), (40, 1.0, 100.0, 5, 5, 10, 400)],
            &[1.0, 0.8],
            0.9,
        ),
        (
            "a pause between phases is charged to no process",
            &[(40, 1.0, 100.0, 0, 0, 5, 500), (40, 1.0, 100.0, 15, 15, 20, 500)],
            &[1.0, 1.0],
            1.0,
        ),
    ];
    for (case, rows, expected, useful) in cases {
        let verdict = verdict(rows);
        for (judged, expected) in verdict.processes.iter().zip(*expected) {
            let r = judged.r.unwrap();
            assert!((r - expected).abs() < 1e-9, "{case}: R {r}, expected {expected}");
        }
        assert!((verdict.useful - useful).abs() < 1e-9, "{case}: U {}", verdict.useful);
        let worst = expected.iter().copied().reduce(f64::min).unwrap();
        assert!((verdict.worst.unwrap() - worst).abs() < 1e-9, "{case}");
    }
}

#[test]
fn the_rate_that_would_be_fair() {
    let rows = [(40, 0.1, 5.0, 0, 0, 10, 25), (40, 1.0, 100.0, 0, 0, 10, 900)];
    let [thinker, busy] = verdict(&rows).processes[..] else { panic!() };
    assert!((thinker.share - 0.1).abs() < 1e-12 && (thinker.fair_rate - 5e6).abs() < 1e-3);
    assert!((busy.share - 0.9).abs() < 1e-12 && (busy.fair_rate - 90e6).abs() < 1e-3);
}

#[test]
fn who_is_due_nothing_is_not_judged() {
    let busy = (40, 1.0, 100.0, 0, 0, 10, 1000);
    for (case, row) in [
        ("asks for nothing", (40, 0.0, 5.0, 0, 0, 10, 50)),
        ("moves nothing alone", (40, 1.0, 0.0, 0, 0, 10, 0)),
        ("never got past its ramp", (40, 1.0, 100.0, 0, 10, 10, 0)),
    ] {
        let verdict = verdict(&[busy, row]);
        assert_eq!(verdict.processes[1].r, None, "{case}");
        assert_eq!(verdict.worst, verdict.processes[0].r, "{case}");
    }
    let starved = verdict(&[busy, (40, 1.0, 100.0, 0, 0, 10, 0)]);
    assert_eq!(starved.worst, Some(0.0));
}

#[test]
fn who_is_due_most_only_when_all_is_over_is_not_judged() {
    // A real-time process ends when its runtime does, at 10 s. The other waits for its last
    // completion 50 ms longer, with the disk to itself.
    const MS: u64 = S / 1000;
    for (case, demand, goes_on_until_ns, expected) in [
        ("due nothing before", 1.0, 10 * S, None),
        ("due a thousandth before", 0.999, 10 * S, None),
        ("due a hundredth before", 0.99, 10 * S, Some(0.67)),
        ("without a runtime: it goes on", 1.0, 10 * S + 50 * MS, Some(2.0)),
    ] {
        let mut tree = Tree::new();
        let classes = [(Class::RealTime, demand), (Class::BestEffort, 1.0)];
        for (class, demand) in classes {
            tree.process(TreeProcess { group: Tree::ROOT, weight: 40, class, demand });
        }
        let life = |goes_on_until_ns, ended_ns, bytes| {
            Some(Life { started_ns: 0, counts_from_ns: 0, goes_on_until_ns, ended_ns, bytes })
        };
        let lives =
            [life(10 * S, 10 * S, 1000 * MB), life(goes_on_until_ns, 10 * S + 50 * MS, 10 * MB)];
        let verdict = judge(&tree, &[Alone { rate: 1e8 }; 2], &lives);
        let r = verdict.processes[1].r.map(|r| (r * 100.0).round() / 100.0);
        assert_eq!(r, expected, "{case}");
    }
}

#[test]
fn a_group_is_judged_by_the_time_of_its_members() {
    let mut tree = Tree::new();
    let (a, b) = (tree.group(Tree::ROOT, 100), tree.group(Tree::ROOT, 300));
    for group in [a, a, b] {
        tree.process(TreeProcess { group, weight: 40, class: Class::BestEffort, demand: 1.0 });
    }
    let life = |bytes| {
        let (goes_on_until_ns, ended_ns) = (10 * S, 10 * S);
        let bytes = bytes * MB;
        Some(Life { started_ns: 0, counts_from_ns: 0, goes_on_until_ns, ended_ns, bytes })
    };
    let alone = [Alone { rate: 1e8 }, Alone { rate: 1e7 }, Alone { rate: 1e8 }];
    // Due: 1.25 s each in a, 7.5 s in b.
    let verdict = judge(&tree, &alone, &[life(250), life(0), life(600)]);
    let r = |place: usize| (verdict.groups[place].r.unwrap() * 1e6).round() / 1e6;
    assert_eq!([r(0), r(1), r(2)], [0.85, 1.0, 0.8]);
    assert_eq!(verdict.worst, Some(0.0));
    assert!((verdict.groups[2].share - 0.75).abs() < 1e-12);
}

#[test]
fn a_group_is_due_a_part_of_the_time_in_which_it_has_members() {
    // Two members, in seconds from start to end, beside one of an equal group from 0 to 4 s.
    let half = 0.5;
    for (case, members, expected) in [
        ("one after the other", [(0, 2), (2, 4)], half),
        ("one after a pause", [(0, 1), (3, 4)], half),
        ("both at once", [(0, 4), (0, 4)], half),
        ("one joins the other", [(0, 4), (1, 3)], half),
        ("one stays when all else is over", [(0, 4), (4, 8)], 0.75),
    ] {
        let mut tree = Tree::new();
        let (a, b) = (tree.group(Tree::ROOT, 100), tree.group(Tree::ROOT, 100));
        for group in [a, a, b] {
            tree.process(TreeProcess { group, weight: 40, class: Class::BestEffort, demand: 1.0 });
        }
        let life = |(start, end)| {
            let (started_ns, ended_ns) = (start * S, end * S);
            let (counts_from_ns, goes_on_until_ns) = (started_ns, ended_ns);
            Some(Life { started_ns, counts_from_ns, goes_on_until_ns, ended_ns, bytes: MB })
        };
        let lives = [life(members[0]), life(members[1]), life((0, 4))];
        let verdict = judge(&tree, &[Alone { rate: 1e8 }; 3], &lives);
        let [root, group, _] = verdict.groups[..] else { panic!() };
        assert!((root.share - 1.0).abs() < 1e-9, "{case}: the root, {}", root.share);
        assert!((group.share - expected).abs() < 1e-9, "{case}: {}", group.share);
        assert!((group.fair_rate - expected * 1e8).abs() < 1.0, "{case}: {}", group.fair_rate);
    }
}
