// SPDX-License-Identifier: MIT OR Apache-2.0
//! Groups of queues in generation B: whose turn it is by the disk time they have had, for their
//! weights (peers.md §5.5, step 1). Generation A has only the root.
//!
//! There is no hierarchy: all groups are siblings, the root's own queues among them.

use std::collections::BTreeSet;
use std::ops::{Index, IndexMut};

use blk::GroupId;

use super::queue_id::QueueId;
use super::service_tree::{Location, ServiceTree, Workload};
use super::ticks::HZ;
use base::Class;

/// The weight of the root and of a group without one. The host's default weight is 100, so the
/// host's weights count five times.
const DEFAULT_WEIGHT: u32 = 500;
const WEIGHT_SCALE: u32 = 5;
/// A tick of a group of default weight, in virtual time.
const VIRTUAL_TICK: u64 = 1 << 12;
/// A group that becomes busy stands so far behind the last one, in virtual time.
const NEWCOMER_LAG: u64 = HZ as u64 / 5;

/// Generation B: what is being served, and until when before another kind of load has its turn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Serving {
    pub group: GroupId,
    pub class: Class,
    pub workload: Workload,
    pub until_ticks: i64,
}

/// The part of a workload's time that a group could not use because others had their turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unfinished {
    pub class: Class,
    pub workload: Workload,
    pub left_ticks: i64,
}

/// A group of queues.
#[derive(Debug)]
pub(super) struct Group {
    weight: u32,
    virtual_time: u64,
    /// Its place among the busy groups: virtual time and order of arrival.
    place: Option<(u64, u64)>,
    /// By class and workload.
    trees: [[ServiceTree; Workload::ALL.len()]; Class::ALL.len()],
    /// Busy queues by class, smoothed.
    smoothed: [i64; Class::ALL.len()],
    pub unfinished: Option<Unfinished>,
}

impl Group {
    fn new(weight: u32) -> Group {
        Group {
            weight,
            virtual_time: 0,
            place: None,
            trees: Default::default(),
            smoothed: Default::default(),
            unfinished: None,
        }
    }

    /// The time it has had, for its weight.
    #[cfg(test)]
    pub fn virtual_time(&self) -> u64 {
        self.virtual_time
    }

    pub fn tree(&self, class: Class, workload: Workload) -> &ServiceTree {
        &self.trees[class as usize][workload as usize]
    }

    /// Busy queues of a class.
    pub fn busy_of_class(&self, class: Class) -> usize {
        self.trees[class as usize].iter().map(ServiceTree::len).sum()
    }

    /// Busy queues of all classes.
    pub fn busy_queues(&self) -> usize {
        Class::ALL.into_iter().map(|class| self.busy_of_class(class)).sum()
    }

    /// Whether a synchronous queue is busy (the idle class counts as such).
    pub fn has_busy_sync(&self) -> bool {
        self.trees.iter().any(|[sync, no_idle, _]| sync.len() + no_idle.len() > 0)
    }

    /// The smoothed number of busy queues of a class.
    pub fn smoothed_busy(&self, class: Class) -> i64 {
        self.smoothed[class as usize]
    }

    /// Takes the present number of busy queues of a class into the smoothed one, and returns that.
    pub fn smooth_busy(&mut self, class: Class) -> i64 {
        let busy = self.busy_of_class(class) as i64;
        let smoothed = &mut self.smoothed[class as usize];
        *smoothed = (3 * busy.max(*smoothed) + busy.min(*smoothed) + 2) / 4;
        *smoothed
    }
}

/// All groups of the device.
#[derive(Debug)]
pub(super) struct Groups {
    groups: Vec<Group>,
    /// Groups with busy queues, by virtual time.
    busy: BTreeSet<(u64, u64, GroupId)>,
    busy_queues: usize,
    /// The least virtual time of a busy group, ever growing.
    least_virtual_time: u64,
    sequence: u64,
}

impl Groups {
    /// The groups of a new scheduler: the root with the default weight.
    pub fn new() -> Groups {
        Groups {
            groups: vec![Group::new(DEFAULT_WEIGHT)],
            busy: BTreeSet::new(),
            busy_queues: 0,
            least_virtual_time: 0,
            sequence: 0,
        }
    }

    /// A group has come into being. (One of that number may have been before; it is drained.)
    pub fn add(&mut self, id: GroupId, weight: u32) {
        while self.groups.len() <= id.index() {
            self.groups.push(Group::new(DEFAULT_WEIGHT));
        }
        self.set_weight(id, weight);
    }

    /// Sets the weight, as the host counts weights.
    pub fn set_weight(&mut self, id: GroupId, weight: u32) {
        self[id].weight = (weight * WEIGHT_SCALE).max(1);
    }

    /// Busy queues of all groups.
    pub fn busy_queues(&self) -> usize {
        self.busy_queues
    }

    /// A number that grows, for places.
    pub fn next_sequence(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }

    /// Puts a queue into its tree. [`settle`](Groups::settle) is to follow.
    pub fn put_in(&mut self, at: Location, id: QueueId) {
        self.busy_queues += 1;
        self[at.group].trees[at.class as usize][at.workload as usize].insert(at.place, id);
    }

    /// Takes a queue out of its tree. [`settle`](Groups::settle) is to follow, when it may
    /// have come back.
    pub fn take_out(&mut self, from: Location, id: QueueId) {
        self.busy_queues -= 1;
        self[from.group].trees[from.class as usize][from.workload as usize].remove(from.place, id);
    }

    /// Makes a group one of the busy ones, or not, as its queues say.
    pub fn settle(&mut self, id: GroupId) {
        match (self[id].place, self[id].busy_queues() > 0) {
            (None, true) => {
                let last = self.busy.last().map(|(virtual_time, ..)| virtual_time + NEWCOMER_LAG);
                self.enlist(id, last.unwrap_or(self.least_virtual_time));
            }
            (Some((virtual_time, sequence)), false) => {
                self.busy.remove(&(virtual_time, sequence, id));
                self[id].place = None;
                self[id].unfinished = None;
            }
            _ => {}
        }
    }

    fn enlist(&mut self, id: GroupId, virtual_time: u64) {
        let sequence = self.next_sequence();
        self.busy.insert((virtual_time, sequence, id));
        self[id].virtual_time = virtual_time;
        self[id].place = Some((virtual_time, sequence));
    }

    /// A group has used the disk for that time.
    pub fn charge(&mut self, id: GroupId, used_ticks: i64) {
        let group = &self[id];
        let weight = u64::from(group.weight);
        let charge = used_ticks as u64 * VIRTUAL_TICK * u64::from(DEFAULT_WEIGHT) / weight;
        let virtual_time = group.virtual_time + charge;
        if let Some((old, sequence)) = group.place {
            self.busy.remove(&(old, sequence, id));
            self.enlist(id, virtual_time);
        }
        if let Some((least, ..)) = self.busy.first() {
            self.least_virtual_time = self.least_virtual_time.max(*least);
        }
    }

    /// The busy group that had least.
    pub fn first(&self) -> Option<GroupId> {
        self.busy.first().map(|(.., id)| *id)
    }

    /// A group's part of `all_ticks`, by weight among the busy ones.
    pub fn slice_ticks(&self, id: GroupId, all_ticks: i64) -> i64 {
        let weights = self.busy.iter().map(|(.., group)| i64::from(self[*group].weight));
        all_ticks * i64::from(self[id].weight) / weights.sum::<i64>().max(1)
    }

    /// Every queue in a tree, and where.
    pub fn located(&self) -> impl Iterator<Item = (Location, QueueId)> {
        let groups = (0..self.groups.len() as u32).map(GroupId);
        groups.flat_map(move |group| {
            Class::ALL.into_iter().flat_map(move |class| {
                Workload::ALL.into_iter().flat_map(move |workload| {
                    let tree = self[group].tree(class, workload);
                    let located =
                        move |(place, id)| (Location { group, class, workload, place }, id);
                    tree.iter().map(located)
                })
            })
        })
    }

    /// Asserts that the busy groups are those with queues.
    pub fn check(&self) {
        let mut queues = 0;
        for (index, group) in self.groups.iter().enumerate() {
            assert_eq!(group.place.is_some(), group.busy_queues() > 0, "group {index}");
            if let Some((virtual_time, sequence)) = group.place {
                assert_eq!(group.virtual_time, virtual_time);
                assert!(self.busy.contains(&(virtual_time, sequence, GroupId(index as u32))));
            }
            queues += group.busy_queues();
        }
        let busy = self.groups.iter().filter(|group| group.place.is_some()).count();
        assert_eq!((self.busy.len(), self.busy_queues), (busy, queues), "busy groups and queues");
    }
}

impl Index<GroupId> for Groups {
    type Output = Group;

    fn index(&self, id: GroupId) -> &Group {
        &self.groups[id.index()]
    }
}

impl IndexMut<GroupId> for Groups {
    fn index_mut(&mut self, id: GroupId) -> &mut Group {
        &mut self.groups[id.index()]
    }
}
