// SPDX-License-Identifier: MIT OR Apache-2.0
//! The share of a disk that is a group's due, by the weights that `bfq doctor` finds.

use doctor::share::{Contest, leaves, shares};
use doctor::{Machine, View};
use live::DiskFigures;

/// Says of each group what its due is while all that used the disk in the interval want it at once.
pub fn add_to(disk: &mut DiskFigures, machine: &Machine) {
    let Some(seen) = machine.disks.iter().find(|seen| seen.disk.name == disk.name) else { return };
    let view = View::of(machine, seen);
    let Some(shared) = view.groups.as_ref().filter(|_| view.governor.weighs()) else { return };
    let groups = &shared.tree.groups;
    let mut contest = Contest { wants: vec![false; groups.len()] };
    for group in &disk.groups {
        if let Some(place) = shared.tree.find(&group.group) {
            // Where the controller is not enabled, I/O counts as that of the group above.
            contest.wants[place] = groups[place].governs;
        }
    }
    let leaves = leaves(groups, &contest);
    let weight = |place: usize| shared.weight[place].map_or(leaves[place], f64::from);
    let due = shares(groups, &contest, weight);
    for group in &mut disk.groups {
        let place = shared.tree.find(&group.group);
        group.entitled_percent = place.and_then(|place| due[place]).map(|part| part * 100.0);
    }
}
