// SPDX-License-Identifier: MIT OR Apache-2.0
//! A disk as its groups see it: who decides on it, what each group asked for, and what it gets.

use crate::governor::Governor;
use crate::machine::{DiskSeen, Machine};
use crate::process::{MOVED_FOR_CERTAIN_BYTES, ProcessSeen};
use crate::share::{Contest, leaves, level_weight, shares};
use crate::tree::{GroupSeen, Tree};
use crate::weight::DEFAULT;
use host::{CgroupVersion, DeviceNumber};

/// A disk with the groups that share it.
pub struct View<'m> {
    /// The machine that it is a disk of.
    pub machine: &'m Machine,
    /// The disk that is shared.
    pub seen: &'m DiskSeen,
    /// Who decides on shares.
    pub governor: Governor,
    /// How the groups share it; none without control groups.
    pub groups: Option<Shared<'m>>,
}

/// The groups of a disk and their shares.
pub struct Shared<'m> {
    /// All groups of the machine.
    pub tree: &'m Tree,
    /// The disk's number, by which files of groups tell it.
    pub device: DeviceNumber,
    /// Who wants the disk.
    pub contest: Contest,
    /// The weight that was asked for, of each group.
    pub asked_weight: Vec<u32>,
    /// The weight that counts, of each group; none where none does.
    pub weight: Vec<Option<u32>>,
    /// The share that each group would get by what was asked for.
    pub asked: Vec<Option<f64>>,
    /// The share that each group gets.
    pub real: Vec<Option<f64>>,
}

impl<'m> View<'m> {
    /// Of one of a machine's disks.
    pub fn of(machine: &'m Machine, seen: &'m DiskSeen) -> Self {
        let tree = machine.tree.as_ref();
        let governor = Governor::of(seen, tree);
        let groups = tree.map(|tree| Shared::of(machine, seen, tree, &governor));
        View { machine, seen, governor, groups }
    }

    /// The groups that use the disk and asked for a weight.
    pub fn weighted(&self) -> Vec<usize> {
        let of = |shared: &Shared<'_>| {
            let all = 1..shared.tree.groups.len();
            let asking = all.filter(|&place| shared.has_asked(place));
            asking.filter(|&place| shared.contest.wants[place]).collect()
        };
        self.groups.as_ref().map_or_else(Vec::new, of)
    }
}

impl<'m> Shared<'m> {
    fn of(machine: &'m Machine, seen: &DiskSeen, tree: &'m Tree, governor: &Governor) -> Self {
        let device = seen.disk.device;
        let groups = &tree.groups;
        let asked_of = |group: &GroupSeen| asked_weight(machine, tree, group, device, governor);
        let asked_weight: Vec<u32> = groups.iter().map(asked_of).collect();
        let weight: Vec<_> = groups.iter().map(|group| governor.weight_of(group, device)).collect();
        let contest = contest(machine, tree, device, &asked_weight);
        let asked = shares(groups, &contest, |place| f64::from(asked_weight[place]));
        let counts = leaves(groups, &contest);
        let real = shares(groups, &contest, |place| weight[place].map_or(counts[place], f64::from));
        Shared { tree, device, contest, asked_weight, weight, asked, real }
    }

    /// A group by its place.
    pub fn group(&self, place: usize) -> &'m GroupSeen {
        &self.tree.groups[place]
    }

    /// Whether a group asked for another weight than all have.
    pub fn has_asked(&self, place: usize) -> bool {
        self.group(place).parent.is_some() && self.asked_weight[place] != DEFAULT
    }

    /// The points of the disk that a group lacks of what it asked for, or has more.
    pub fn lost(&self, place: usize) -> f64 {
        match (self.asked[place], self.real[place]) {
            (Some(asked), Some(real)) => (asked - real).abs() * 100.0,
            _ => 0.0,
        }
    }

    /// Of some groups the one whose share is furthest from what it asked for.
    pub fn most_lost(&self, places: &[usize]) -> Option<usize> {
        places.iter().copied().max_by(|&a, &b| self.lost(a).total_cmp(&self.lost(b)))
    }

    /// The groups that compete with one on its level.
    pub fn rivals(&self, place: usize) -> Vec<usize> {
        self.tree.siblings(place).filter(|&other| self.contest.wants[other]).collect()
    }

    /// The processes that are directly in a group and may use the disk: the group has certainly
    /// used it beyond what groups below have, and they use some disk. (What they say does not
    /// suffice: a shell counts what its children did in other groups.)
    pub fn processes_beside(&self, machine: &'m Machine, place: usize) -> Vec<&'m ProcessSeen> {
        let moved = |place: usize| {
            let moved = self.group(place).moved_bytes.as_ref();
            moved.and_then(|moved| moved.get(&self.device)).copied().unwrap_or(0)
        };
        let group = self.group(place);
        let below: u64 = group.children.iter().map(|&child| moved(child)).sum();
        if moved(place) < below + MOVED_FOR_CERTAIN_BYTES {
            return Vec::new();
        }
        machine.processes_in(&group.path).filter(|process| process.uses_disks()).collect()
    }

    /// The part of its level that a group gets, by the weights that count.
    pub fn part_of_level(&self, place: usize) -> Option<f64> {
        let parent = self.group(place).parent?;
        let weight_of = |place: usize| f64::from(self.weight[place].unwrap_or(DEFAULT));
        let level = level_weight(&self.tree.groups, &self.contest, parent, weight_of);
        (level > 0.0).then(|| weight_of(place) / level)
    }

    /// The file in which who decides reads the weight of a group.
    pub fn governor_file(&self, governor: &Governor, place: usize) -> String {
        governor.weight_file(self.tree, self.group(place))
    }

    /// What that file says of a group that was given no weight.
    pub fn text_of_default(&self, governor: &Governor) -> String {
        match (self.tree.version, governor) {
            (CgroupVersion::V1, Governor::Elevator { .. }) => DEFAULT.to_string(),
            _ => format!("default {DEFAULT}"),
        }
    }

    /// The file that says what a group asked for, and the line of it.
    pub fn evidence(&self, machine: &Machine, place: usize) -> (String, String) {
        let group = self.group(place);
        if let Some(asked) = machine.unit_weight_of(group) {
            return (asked.file.clone(), asked.line.clone());
        }
        let (io, bfq) = (group.io_weight_on(self.device), group.bfq_weight_on(self.device));
        if self.asked_weight[place] == bfq && io != bfq {
            return (self.tree.bfq_weight_file(group), bfq.to_string());
        }
        match group.io_weight {
            Some(_) => (self.tree.io_weight_file(group), io.to_string()),
            None => (self.tree.bfq_weight_file(group), bfq.to_string()),
        }
    }
}

/// The weight that was asked for: in the unit's file, or in one of the group's two. What
/// differs there only by what systemd makes of a weight is the same; of two others the one that is
/// read counts.
fn asked_weight(
    machine: &Machine,
    tree: &Tree,
    group: &GroupSeen,
    disk: DeviceNumber,
    governor: &Governor,
) -> u32 {
    if let Some(asked) = machine.unit_weight_of(group) {
        return asked.weight;
    }
    let (io, bfq) = (group.io_weight_on(disk), group.bfq_weight_on(disk));
    match (io, bfq) {
        (DEFAULT, bfq) => bfq,
        (io, DEFAULT) => io,
        (io, bfq) if bfq == tree.by_systemd(io) => io,
        (io, _) if *governor == Governor::IoCost => io,
        (_, bfq) => bfq,
    }
}

/// Who wants the disk: groups with processes that have used it, or that asked for a weight and
/// have used none yet.
fn contest(machine: &Machine, tree: &Tree, disk: DeviceNumber, asked_weight: &[u32]) -> Contest {
    let groups = &tree.groups;
    let mut wants = vec![false; groups.len()];
    let mut populated: Vec<bool> = groups.iter().map(|group| group.populated).collect();
    for process in machine.processes.iter().filter(|process| !process.is_kernel) {
        if let Some(place) = tree.find(&process.group) {
            populated[place] = true;
        }
    }
    for place in (1..groups.len()).rev() {
        let group = &groups[place];
        let parent = group.parent.unwrap_or(0);
        let is_populated = populated[place];
        populated[parent] |= is_populated;
        let uses = match &group.moved_bytes {
            None => may_use_disks(machine, group),
            Some(moved) if moved.values().all(|&bytes| bytes == 0) => {
                asked_weight[place] != DEFAULT
            }
            Some(moved) => moved.get(&disk).is_some_and(|&bytes| bytes > 0),
        };
        wants[place] |= group.governs && is_populated && uses;
        let wanted = wants[place];
        wants[parent] |= wanted;
    }
    wants[0] = true;
    Contest { wants }
}

/// Whether processes of a group, or of one below, use disks, as far as is known.
fn may_use_disks(machine: &Machine, group: &GroupSeen) -> bool {
    let mut processes = machine.processes_below(group);
    processes.any(|process| process.moved_bytes.is_none() || process.uses_disks())
}
