// SPDX-License-Identifier: MIT OR Apache-2.0
//! Weighted max-min shares over a tree of groups.
//!
//! At each group, what it has is divided among its members by weight; what one does not ask for
//! goes to the others by weight. Classes come one after another: real-time processes of a group
//! first, then best-effort ones and child groups, then idle ones.

pub use bfq::Class;

/// A group of a [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeGroup(usize);

/// A process, and what it asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeProcess {
    /// The group that it is a member of.
    pub group: TreeGroup,
    /// Its weight among the members of its group.
    pub weight: u32,
    /// Its I/O priority class among the members of its group.
    pub class: Class,
    /// The part of the device's time that it uses when it is alone, 0 to 1.
    pub demand: f64,
}

/// Groups, and the processes in them.
#[derive(Clone, Debug)]
pub struct Tree {
    /// All groups, parents before children, the root first.
    groups: Vec<Node>,
    processes: Vec<TreeProcess>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: Option<TreeGroup>,
    weight: u32,
}

/// Shares below this are the rounding of sums.
const NOTHING: f64 = 1e-9;

impl Tree {
    /// The group that has the whole device.
    pub const ROOT: TreeGroup = TreeGroup(0);

    /// A tree with nothing but the root.
    pub fn new() -> Self {
        Self { groups: vec![Node { parent: None, weight: 1 }], processes: Vec::new() }
    }

    /// Adds a group below another.
    pub fn group(&mut self, parent: TreeGroup, weight: u32) -> TreeGroup {
        self.groups.push(Node { parent: Some(parent), weight });
        TreeGroup(self.groups.len() - 1)
    }

    /// Adds a process; its number is how many there were before.
    pub fn process(&mut self, process: TreeProcess) {
        self.processes.push(process);
    }

    /// The processes, in the order in which they were added.
    pub fn processes(&self) -> &[TreeProcess] {
        &self.processes
    }

    /// All groups, the root first, then in the order in which they were added.
    pub fn groups(&self) -> impl Iterator<Item = TreeGroup> {
        (0..self.groups.len()).map(TreeGroup)
    }

    /// Whether a process is in a group or below it.
    pub(crate) fn is_within(&self, process: &TreeProcess, group: TreeGroup) -> bool {
        let parent = |below: &TreeGroup| self.groups[below.0].parent;
        std::iter::successors(Some(process.group), parent).any(|above| above == group)
    }

    /// The share of the device's time that each process is due while those are there
    /// that `present` says.
    pub fn shares(&self, present: &[bool]) -> Vec<f64> {
        let mut demands = vec![0.0; self.groups.len()];
        let there = || (0..self.processes.len()).filter(|&process| present[process]);
        for process in there() {
            let TreeProcess { group, demand, .. } = self.processes[process];
            demands[group.0] += demand;
        }
        for (place, node) in self.groups.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                demands[parent.0] += demands[place];
            }
        }
        let mut room = vec![0.0; self.groups.len()];
        room[0] = 1.0;
        let mut shares = vec![0.0; self.processes.len()];
        for group in self.groups() {
            let mut left = room[group.0];
            for class in Class::ALL {
                let mut members: Vec<(Member, u32, f64)> = there()
                    .filter(|&process| self.processes[process].group == group)
                    .filter(|&process| self.processes[process].class == class)
                    .map(|process| {
                        let TreeProcess { weight, demand, .. } = self.processes[process];
                        (Member::Process(process), weight, demand)
                    })
                    .collect();
                if class == Class::BestEffort {
                    let below =
                        self.groups().filter(|&one| self.groups[one.0].parent == Some(group));
                    members.extend(below.map(|one| {
                        (Member::Group(one), self.groups[one.0].weight, demands[one.0])
                    }));
                }
                let parts = divided(left, &members);
                for ((member, ..), part) in members.iter().zip(parts) {
                    match member {
                        Member::Process(process) => shares[*process] = part,
                        Member::Group(below) => room[below.0] = part,
                    }
                    left -= part;
                }
                left = if left < NOTHING { 0.0 } else { left };
            }
        }
        shares
    }
}

impl Default for Tree {
    fn default() -> Self {
        Self::new()
    }
}

/// What competes in a group.
#[derive(Clone, Copy)]
enum Member {
    Process(usize),
    Group(TreeGroup),
}

/// Divides `whole` by weight; no part is more than its demand.
fn divided(whole: f64, members: &[(Member, u32, f64)]) -> Vec<f64> {
    let mut parts = vec![0.0; members.len()];
    // Who asks for least for their weight is satisfied first.
    let mut order: Vec<usize> = (0..members.len()).collect();
    let need = |place: usize| members[place].2 / f64::from(members[place].1);
    order.sort_by(|&one, &other| need(one).total_cmp(&need(other)));
    let mut left = whole;
    let mut weights: f64 = members.iter().map(|(_, weight, _)| f64::from(*weight)).sum();
    for place in order {
        let (_, weight, demand) = members[place];
        parts[place] = demand.min(left * f64::from(weight) / weights);
        left -= parts[place];
        weights -= f64::from(weight);
    }
    parts
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
