// SPDX-License-Identifier: MIT OR Apache-2.0
//! Groups and processes: what the layer remembers of them, to stamp requests with their group and
//! ioprio and to tell everything again to a new elevator.

use crate::ids::{GroupId, ProcessId, Tag};
use base::{IoprioValue, MAX_GROUP_WEIGHT, MIN_GROUP_WEIGHT, OutOfMemory};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// What is known of a group when it comes into being.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupSpec {
    /// The group it is in; `None` is the root.
    pub parent: Option<GroupId>,
    /// Its weight among its siblings, 1 to 10,000 (as `io.weight` of a cgroup).
    pub weight: u32,
    /// Its path in the tree, for people.
    pub path: String,
}

/// What is known of a process when it comes into being.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessSpec {
    /// Group of the process.
    pub group: GroupId,
    /// The I/O priority of the process.
    pub ioprio: IoprioValue,
    /// Its name, for people.
    pub name: String,
}

/// Why a group or process was not added, changed or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IdentityError {
    /// There is no such group.
    #[error("no group {0}")]
    UnknownGroup(GroupId),
    /// There is no such process.
    #[error("no process {0}")]
    UnknownProcess(ProcessId),
    /// The root group has no weight and cannot be removed.
    #[error("not possible with the root group")]
    RootGroup,
    /// The weight is out of range.
    #[error("weight {0}: expected a number from 1 to 10000")]
    Weight(u32),
    /// The ioprio level is out of range.
    #[error("ioprio level {0}: expected a number from 0 to 7")]
    Level(u8),
    /// The group has processes or child groups.
    #[error("group {0} is not empty")]
    GroupNotEmpty(GroupId),
    /// There is no memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// A process as the layer knows it.
#[derive(Debug)]
pub(crate) struct ProcessEntry {
    pub spec: ProcessSpec,
    /// Order of addition, for the replay at a switch.
    born: u64,
    pub alive: bool,
    /// Bios submitted and not ended; the id is not given again before they are gone.
    pub bios: u32,
    /// Whether it collects requests in a plug.
    pub plugged: bool,
    /// The plug: a list of requests through [`Request::next`](crate::Request).
    pub plug_first: Option<Tag>,
    pub plug_last: Option<Tag>,
    pub plug_requests: u32,
}

impl ProcessEntry {
    /// Whether its id can be given to another one.
    fn is_unused(&self) -> bool {
        !self.alive && self.bios == 0
    }

    /// What is known of it as the submitter of a bio, if it is alive.
    #[inline]
    fn submitter(&self, own: Option<ProcessId>) -> Submitter {
        if !self.alive {
            return Submitter::NOBODY;
        }
        Submitter {
            process: own,
            group: self.spec.group,
            ioprio: self.spec.ioprio,
            is_plugged: self.plugged,
            plug_last: self.plug_last,
        }
    }

    /// Empties the plug; returns its first request, which leads to the others.
    pub fn take_plug(&mut self) -> Option<Tag> {
        self.plug_last = None;
        self.plug_requests = 0;
        self.plug_first.take()
    }
}

/// Who submits a bio.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Submitter {
    /// None: there is no such process (any more). Elevators are never told of processes that they
    /// were told to forget.
    pub process: Option<ProcessId>,
    pub group: GroupId,
    pub ioprio: IoprioValue,
    pub is_plugged: bool,
    pub plug_last: Option<Tag>,
}

impl Submitter {
    const NOBODY: Submitter = Submitter {
        process: None,
        group: GroupId::ROOT,
        ioprio: IoprioValue::UNSET,
        is_plugged: false,
        plug_last: None,
    };
}

#[derive(Debug)]
struct Group {
    spec: GroupSpec,
    born: u64,
    alive: bool,
    /// Existing processes and child groups in it.
    members: u32,
}

/// All groups and processes. Hot lookups are by index.
#[derive(Debug)]
pub(crate) struct Identities {
    groups: Vec<Group>,
    /// The groups that were removed; their numbers can be given again.
    removed: BTreeSet<GroupId>,
    processes: Vec<ProcessEntry>,
    /// The processes that were unused at some time; those that are now are among them.
    unused: BinaryHeap<Reverse<u32>>,
    births: u64,
}

impl Identities {
    pub fn new() -> Identities {
        let spec = GroupSpec { parent: None, weight: 100, path: String::new() };
        let root = Group { spec, born: 0, alive: true, members: 0 };
        Identities {
            groups: vec![root],
            removed: BTreeSet::new(),
            processes: Vec::new(),
            unused: BinaryHeap::new(),
            births: 0,
        }
    }

    /// The process, if it is alive.
    pub fn process(&self, process: Option<ProcessId>) -> Option<&ProcessEntry> {
        self.processes.get(process?.index()).filter(|process| process.alive)
    }

    /// The process, if it is alive.
    pub fn process_mut(&mut self, process: Option<ProcessId>) -> Option<&mut ProcessEntry> {
        self.processes.get_mut(process?.index()).filter(|process| process.alive)
    }

    /// What is known of who submits a bio, or of no process if that does not exist.
    #[inline]
    pub fn submitter(&self, process: Option<ProcessId>) -> Submitter {
        let entry = process.and_then(|process| self.processes.get(process.index()));
        entry.map_or(Submitter::NOBODY, |entry| entry.submitter(process))
    }

    /// A bio of the process has begun (whether the process exists or not). Returns who submits it,
    /// and whether it is counted: it is not if no process has ever had that id.
    #[inline]
    pub fn bio_begins(&mut self, process: Option<ProcessId>) -> (Submitter, bool) {
        match process.and_then(|process| self.processes.get_mut(process.index())) {
            Some(entry) => {
                entry.bios += 1;
                (entry.submitter(process), true)
            }
            None => (Submitter::NOBODY, false),
        }
    }

    /// A bio of the process that was counted has ended.
    #[inline]
    pub fn bio_ends(&mut self, process: Option<ProcessId>) {
        if let Some(id) = process
            && let Some(process) = self.processes.get_mut(id.index())
        {
            process.bios -= 1;
            if process.is_unused() {
                self.keep_unused(id);
            }
        }
    }

    /// Remembers a process whose number can be given to another one.
    #[cold]
    #[inline(never)]
    fn keep_unused(&mut self, process: ProcessId) {
        self.unused.push(Reverse(process.0));
    }

    /// The existing processes, by id.
    pub fn process_ids(&self) -> impl Iterator<Item = ProcessId> {
        (0..self.processes.len() as u32)
            .map(ProcessId)
            .filter(|process| self.processes[process.index()].alive)
    }

    /// Every existing process in order of addition.
    pub fn processes_by_age(&self) -> Vec<(ProcessId, &ProcessSpec)> {
        let mut list: Vec<ProcessId> = self.process_ids().collect();
        list.sort_by_key(|process| self.processes[process.index()].born);
        list.into_iter().map(|process| (process, &self.processes[process.index()].spec)).collect()
    }

    /// Every existing group but the root in order of addition, hence parents before children.
    pub fn groups_by_age(&self) -> Vec<(GroupId, &GroupSpec)> {
        let mut list: Vec<GroupId> = (1..self.groups.len() as u32)
            .map(GroupId)
            .filter(|group| self.groups[group.index()].alive)
            .collect();
        list.sort_by_key(|group| self.groups[group.index()].born);
        list.into_iter().map(|group| (group, &self.groups[group.index()].spec)).collect()
    }

    fn birth(&mut self) -> u64 {
        self.births += 1;
        self.births
    }

    fn group_mut(&mut self, group: GroupId) -> Result<&mut Group, IdentityError> {
        self.groups
            .get_mut(group.index())
            .filter(|group| group.alive)
            .ok_or(IdentityError::UnknownGroup(group))
    }

    /// Adds a group, under a number that is unused and not `taken` by requests of a removed one.
    pub fn add_group(
        &mut self,
        spec: GroupSpec,
        taken: impl Fn(GroupId) -> bool,
    ) -> Result<GroupId, IdentityError> {
        check_weight(spec.weight)?;
        let parent = spec.parent.unwrap_or(GroupId::ROOT);
        self.group_mut(parent)?.members += 1;
        let group = Group { spec, born: self.birth(), alive: true, members: 0 };
        let unused = self.removed.iter().copied().find(|&id| !taken(id));
        let id = unused.unwrap_or(GroupId(self.groups.len() as u32));
        self.removed.remove(&id);
        match self.groups.get_mut(id.index()) {
            Some(slot) => *slot = group,
            None => self.groups.push(group),
        }
        Ok(id)
    }

    pub fn group_spec(&self, group: GroupId) -> &GroupSpec {
        &self.groups[group.index()].spec
    }

    pub fn set_weight(&mut self, group: GroupId, weight: u32) -> Result<(), IdentityError> {
        check_weight(weight)?;
        if group == GroupId::ROOT {
            return Err(IdentityError::RootGroup);
        }
        self.group_mut(group)?.spec.weight = weight;
        Ok(())
    }

    pub fn remove_group(&mut self, group: GroupId) -> Result<(), IdentityError> {
        if group == GroupId::ROOT {
            return Err(IdentityError::RootGroup);
        }
        let entry = self.group_mut(group)?;
        if entry.members > 0 {
            return Err(IdentityError::GroupNotEmpty(group));
        }
        entry.alive = false;
        let parent = entry.spec.parent.unwrap_or(GroupId::ROOT);
        self.removed.insert(group);
        self.groups[parent.index()].members -= 1;
        Ok(())
    }

    pub fn add_process(&mut self, spec: ProcessSpec) -> Result<ProcessId, IdentityError> {
        check_level(spec.ioprio)?;
        self.group_mut(spec.group)?.members += 1;
        let process = ProcessEntry {
            spec,
            born: self.birth(),
            alive: true,
            bios: 0,
            plugged: false,
            plug_first: None,
            plug_last: None,
            plug_requests: 0,
        };
        let index = self.take_unused().unwrap_or(self.processes.len());
        match self.processes.get_mut(index) {
            Some(slot) => *slot = process,
            None => self.processes.push(process),
        }
        Ok(ProcessId(index as u32))
    }

    /// The lowest number of a process that is gone and has no bios any more.
    fn take_unused(&mut self) -> Option<usize> {
        while let Some(Reverse(index)) = self.unused.pop() {
            if self.processes[index as usize].is_unused() {
                return Some(index as usize);
            }
        }
        None
    }

    fn live(&mut self, process: ProcessId) -> Result<&mut ProcessEntry, IdentityError> {
        self.process_mut(Some(process)).ok_or(IdentityError::UnknownProcess(process))
    }

    pub fn process_spec(&self, process: ProcessId) -> &ProcessSpec {
        &self.processes[process.index()].spec
    }

    pub fn set_ioprio(
        &mut self,
        process: ProcessId,
        ioprio: IoprioValue,
    ) -> Result<(), IdentityError> {
        check_level(ioprio)?;
        self.live(process)?.spec.ioprio = ioprio;
        Ok(())
    }

    /// Returns whether the group is another one than before.
    pub fn move_process(
        &mut self,
        process: ProcessId,
        group: GroupId,
    ) -> Result<bool, IdentityError> {
        let old = self.live(process)?.spec.group;
        self.group_mut(group)?.members += 1;
        self.groups[old.index()].members -= 1;
        self.processes[process.index()].spec.group = group;
        Ok(old != group)
    }

    /// The process is gone; its plug must be empty.
    pub fn exit_process(&mut self, process: ProcessId) -> Result<(), IdentityError> {
        let entry = self.live(process)?;
        entry.alive = false;
        let group = entry.spec.group;
        if entry.is_unused() {
            self.keep_unused(process);
        }
        self.groups[group.index()].members -= 1;
        Ok(())
    }
}

fn check_weight(weight: u32) -> Result<(), IdentityError> {
    if (MIN_GROUP_WEIGHT..=MAX_GROUP_WEIGHT).contains(&weight) {
        Ok(())
    } else {
        Err(IdentityError::Weight(weight))
    }
}

fn check_level(ioprio: IoprioValue) -> Result<(), IdentityError> {
    if ioprio.level <= IoprioValue::MAX_LEVEL {
        Ok(())
    } else {
        Err(IdentityError::Level(ioprio.level))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn the_lowest_number_of_a_removed_group_is_given_again_and_no_others_are_looked_at() {
        let mut identities = Identities::new();
        let spec = GroupSpec { parent: None, weight: 100, path: String::new() };
        let asked = RefCell::new(Vec::new());
        let add = |identities: &mut Identities, taken: &[u32]| {
            let is_taken = |group: GroupId| {
                asked.borrow_mut().push(group.0);
                taken.contains(&group.0)
            };
            let group = identities.add_group(spec.clone(), is_taken).expect("a good group");
            (group.0, asked.take())
        };
        for number in 1..=1000 {
            assert_eq!(add(&mut identities, &[]), (number, vec![]));
        }
        for number in [700, 300, 900] {
            identities.remove_group(GroupId(number)).expect("an empty group");
        }
        assert_eq!(identities.removed.len(), 3);
        assert_eq!(add(&mut identities, &[300]), (700, vec![300, 700]));
        assert_eq!(add(&mut identities, &[300, 900]), (1001, vec![300, 900]));
        assert_eq!(add(&mut identities, &[]), (300, vec![300]));
        assert_eq!(identities.removed, BTreeSet::from([GroupId(900)]));
    }
}
