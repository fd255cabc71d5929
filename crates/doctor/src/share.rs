// SPDX-License-Identifier: MIT OR Apache-2.0
//! The share of a disk that each group gets while all that use the disk want it at once.

use crate::tree::GroupSeen;

/// Who is in the contest.
#[derive(Clone, Debug, Default)]
pub struct Contest {
    /// For each group whether it or one below wants the disk.
    pub wants: Vec<bool>,
}

/// The shares by weights, level by level: each is the group's part of what its level weighs, of
/// what the group above gets. None for groups that do not want the disk.
pub fn shares(
    groups: &[GroupSeen],
    contest: &Contest,
    weight_of: impl Fn(usize) -> f64,
) -> Vec<Option<f64>> {
    let mut shares = vec![None; groups.len()];
    for place in 0..groups.len() {
        if !contest.wants[place] {
            continue;
        }
        shares[place] = match groups[place].parent {
            None => Some(1.0),
            Some(parent) => shares[parent].map(|whole: f64| {
                let level: f64 = level_weight(groups, contest, parent, &weight_of);
                if level == 0.0 { 0.0 } else { whole * weight_of(place) / level }
            }),
        };
    }
    shares
}

/// A part of 1 in percent, with one digit.
pub(crate) fn percent(share: f64) -> f64 {
    (share * 1000.0).round() / 10.0
}

/// What all together weigh that compete right below a group.
pub fn level_weight(
    groups: &[GroupSeen],
    contest: &Contest,
    parent: usize,
    weight_of: impl Fn(usize) -> f64,
) -> f64 {
    let children = groups[parent].children.iter().copied();
    let wanting = children.filter(|&child| contest.wants[child]);
    wanting.map(weight_of).sum()
}

/// How many groups without groups below want the disk, in and below each: where weights do not
/// count, loads of the same kind share by these.
pub fn leaves(groups: &[GroupSeen], contest: &Contest) -> Vec<f64> {
    let mut leaves = vec![0.0; groups.len()];
    for place in (0..groups.len()).rev() {
        if !contest.wants[place] {
            continue;
        }
        let has_wanting_child = groups[place].children.iter().any(|&child| contest.wants[child]);
        leaves[place] += if has_wanting_child { 0.0 } else { 1.0 };
        if let Some(parent) = groups[place].parent {
            let below = leaves[place];
            leaves[parent] += below;
        }
    }
    leaves
}

#[cfg(test)]
#[path = "share_tests.rs"]
mod tests;
