// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shares of siblings sum up to what is above them, whatever the tree and the weights.

use super::*;
use proptest::collection::vec;
use proptest::prelude::*;

/// A tree: each group's parent is one before it.
fn tree(parents: &[usize]) -> Vec<GroupSeen> {
    let mut groups: Vec<GroupSeen> = Vec::new();
    for place in 0..=parents.len() {
        let parent = place.checked_sub(1).map(|at| parents[at] % place);
        if let Some(parent) = parent {
            groups[parent].children.push(place);
        }
        groups.push(GroupSeen {
            path: format!("/{place}"),
            parent,
            children: Vec::new(),
            governs: true,
            io_weight: None,
            bfq_weight: None,
            moved_bytes: None,
            hands_down: Vec::new(),
            latency_targets: std::collections::BTreeMap::new(),
            populated: true,
        });
    }
    groups
}

/// A group wants what one below wants.
fn wants(groups: &[GroupSeen], leaves: &[bool]) -> Vec<bool> {
    let mut wants = leaves[..groups.len()].to_vec();
    for place in (1..groups.len()).rev() {
        let parent = groups[place].parent.unwrap();
        wants[parent] |= wants[place];
    }
    wants[0] = true;
    wants
}

#[test]
fn groups_beside_each_other_share_by_weight_and_those_below_share_that() {
    // The root, a (300) and b (100) in it, and c (100) and d (400) in b.
    let groups = tree(&[0, 0, 2, 2]);
    let weights = [0.0, 300.0, 100.0, 100.0, 400.0];
    let mut contest = Contest { wants: vec![true; 5] };
    let found = shares(&groups, &contest, |place| weights[place]);
    assert_eq!(found, [1.0, 0.75, 0.25, 0.05, 0.2].map(Some));
    contest.wants[1] = false;
    let found = shares(&groups, &contest, |place| weights[place]);
    assert_eq!(found[..3], [Some(1.0), None, Some(1.0)]);
    assert_eq!(leaves(&groups, &contest), [2.0, 0.0, 2.0, 1.0, 1.0]);
}

proptest! {
    #[test]
    fn shares_of_siblings_sum_to_what_is_above(
        parents in vec(any::<usize>(), 1..40),
        weights in vec(1u32..=10_000, 40),
        leaf_wants in vec(any::<bool>(), 40),
        weighs in any::<bool>(),
    ) {
        let groups = tree(&parents);
        let contest = Contest { wants: wants(&groups, &leaf_wants) };
        let counts = leaves(&groups, &contest);
        let weight_of = |place: usize| match weighs {
            true => f64::from(weights[place]),
            false => counts[place],
        };
        let found = shares(&groups, &contest, weight_of);
        for (place, group) in groups.iter().enumerate() {
            prop_assert_eq!(found[place].is_some(), contest.wants[place]);
            let wanting = group.children.iter().filter(|&&child| contest.wants[child]);
            let below: Vec<f64> = wanting.map(|&child| found[child].unwrap()).collect();
            if below.is_empty() {
                continue;
            }
            let whole = found[place].unwrap();
            let sum = below.iter().sum::<f64>();
            prop_assert!((sum - whole).abs() < 1e-9, "{} of {}", sum, whole);
            prop_assert!(below.iter().all(|share| (0.0..=1.0).contains(share)));
        }
    }
}
