// SPDX-License-Identifier: MIT OR Apache-2.0
//! What queues are charged after probes that found this or that.

use super::*;
use std::vec::Vec;

const MS: u64 = 1_000_000;

/// A queue of requests of one kind.
struct Queue {
    kind: Kind,
    probes: Option<OwnProbes>,
}

impl Queue {
    fn of(sectors: u64, depth: u32, writes: bool) -> Self {
        Queue { kind: Kind { sectors: Sectors::of(sectors), depth, writes }, probes: None }
    }

    fn of_reads() -> Self {
        Queue::of(8, 8, false)
    }

    /// A probe finds that a request takes this. Returns what the queue is charged, in ns.
    fn finds(&mut self, kinds: &mut Kinds, now_ns: u64, took_ns: u64) -> u64 {
        let found = Measured { took: Span::from_ns(took_ns), kind: self.kind };
        let own = OwnProbes::with(self.probes, found);
        self.probes = Some(own);
        kinds.charged(Time::from_ns(now_ns), own).took.as_ns()
    }
}

#[test]
fn queues_that_do_the_same_are_charged_alike() {
    let mut kinds = Kinds::new();
    // Eight queues of random reads of 4 KiB, as probes on a simulated disk have found them.
    let found = [6593, 8940, 6573, 8328, 8928, 6573, 8035, 6647];
    let charged: Vec<_> =
        found.iter().map(|&ns| Queue::of_reads().finds(&mut kinds, MS, ns)).collect();
    // The least so far.
    assert_eq!(charged, [6593, 6593, 6573, 6573, 6573, 6573, 6573, 6573]);
    // A second later they are taken to be slower by 1 %, if that is what a probe finds.
    let mut queue = Queue::of_reads();
    assert_eq!(queue.finds(&mut kinds, 1001 * MS, 8000), 6638);
    assert_eq!(queue.finds(&mut kinds, 2001 * MS, 6600), 6600);
}

#[test]
fn a_queue_that_takes_longer_each_time_is_charged_for_that() {
    // (what each of its probes finds beside a kind of 1,000 ns, after which of them it is charged)
    for (finds_ns, believed_after) in [(1600, 1), (1450, 2), (1300, 3), (1220, 4)] {
        let mut kinds = Kinds::new();
        let (mut one, mut other) = (Queue::of_reads(), Queue::of_reads());
        for probe in 1..=6 {
            assert!(one.finds(&mut kinds, probe * 1000 * MS, 1000) <= 1010);
            let charged_ns = other.finds(&mut kinds, probe * 1000 * MS, finds_ns);
            let expected_ns =
                if probe >= believed_after { finds_ns..=finds_ns } else { 1000..=1010 };
            assert!(expected_ns.contains(&charged_ns), "{finds_ns}, probe {probe}: {charged_ns}");
        }
    }
}

#[test]
fn what_is_of_another_kind_is_charged_by_its_own_probes() {
    for (mut other, charged_ns) in [
        (Queue::of(8, 16, false), 1000),
        (Queue::of(8, 17, false), 1200),
        (Queue::of(16, 8, false), 1200),
        (Queue::of(8, 8, true), 1200),
    ] {
        let mut kinds = Kinds::new();
        assert_eq!(Queue::of_reads().finds(&mut kinds, MS, 1000), 1000);
        assert_eq!(other.finds(&mut kinds, MS, 1200), charged_ns, "{:?}", other.kind);
    }
}

/// Probes at depths of 16 and 8 leave the kind as deep as the least was found.
#[test]
fn what_was_found_at_one_depth_holds_for_depths_like_that() {
    let mut kinds = Kinds::new();
    for (depth, finds_ns, charged_ns) in [(32, 1000, 1000), (16, 1100, 1000), (8, 1300, 1300)] {
        let charged = Queue::of(8, depth, false).finds(&mut kinds, MS, finds_ns);
        assert_eq!(charged, charged_ns, "at a depth of {depth}");
    }
}

#[test]
fn the_last_kinds_are_remembered() {
    let mut kinds = Kinds::new();
    // Of nine kinds the second is forgotten, as the first was measured once more.
    for (at_ms, number) in [1, 2, 3, 4, 5, 6, 7, 8, 1, 9].into_iter().enumerate() {
        Queue::of(8 * number, 1, false).finds(&mut kinds, at_ms as u64 * MS, 1000);
    }
    for (number, charged_ns) in [(1, 1000), (3, 1000), (2, 1200)] {
        let mut queue = Queue::of(8 * number, 1, false);
        assert_eq!(queue.finds(&mut kinds, 10 * MS, 1200), charged_ns, "kind {number}");
    }
}

#[test]
fn a_disk_that_became_slower_is_believed_little_by_little() {
    let mut kinds = Kinds::new();
    let mut queue = Queue::of_reads();
    queue.finds(&mut kinds, 0, 1000);
    let charged: Vec<_> =
        (1..=3).map(|probe| queue.finds(&mut kinds, probe * 1000 * MS, 5000)).collect();
    assert_eq!(charged, [1010, 1020, 1030]);
}
