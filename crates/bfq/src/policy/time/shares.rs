// SPDX-License-Identifier: MIT OR Apache-2.0
//! Virtual time over a hierarchy: who has got least of the device's time for its weight.
//!
//! Each node (a queue, or a group) has a virtual time: what it was charged over its weight. The
//! nodes of a level that want the device, or are expected to want it at once, are *active*. They
//! stand in the order of class (`classes`) and virtual time, and any number of them may be served
//! at the same moment. The virtual time of the level is the least of its active nodes' and never
//! falls; a node that becomes active does not lie further behind it than the lag it may keep.
//!
//! Nodes *on loan* come before the others of their class, those first that have got least since
//! their loan began. A group is on loan while a member is. What is served on loan is charged
//! like everything else. Who is far before the others afterwards *owes* a part of that (`debts`).

mod classes;
mod debts;
mod falls;
mod idle_share;
mod leads;
mod lending;
mod level_clock;
mod node;
mod order;
mod virtual_time;

pub(crate) use self::node::{LevelId, NodeId};
use self::{
    idle_share::TURN,
    node::{Level, Node, ON_LOAN},
    order::order_of,
    virtual_time::VirtualSpan,
};
use super::device_time::DeviceTime;
use crate::{
    store::arena::{Arena, OutOfMemory},
    units::{Class, Span, Weight},
};

/// All nodes and levels of a device.
#[derive(Debug)]
pub(crate) struct Shares {
    nodes: Arena<NodeId, Node>,
    levels: Arena<LevelId, Level>,
    root: LevelId,
    /// The queues that want the device.
    active_queues: u64,
    /// How long a turn of the idle class is.
    idle_turn: DeviceTime,
}

impl Shares {
    /// A hierarchy of the root level.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn new() -> Result<Self, OutOfMemory> {
        let mut levels = Arena::new();
        let root = levels.insert(Level::below(None))?;
        Ok(Shares {
            nodes: Arena::new(),
            levels,
            root,
            active_queues: 0,
            idle_turn: DeviceTime::of(TURN),
        })
    }

    /// The level of the root group, which always exists.
    pub fn root(&self) -> LevelId {
        self.root
    }

    /// Adds a queue to a level.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn add_queue(
        &mut self,
        level: LevelId,
        class: Class,
        weight: Weight,
    ) -> Result<NodeId, OutOfMemory> {
        let clock = self.levels[level].clocks[class.index()];
        self.nodes.insert(Node::new(level, class, weight, clock))
    }

    /// Adds a group to a level; returns its members' level, too.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn add_group(
        &mut self,
        level: LevelId,
        weight: Weight,
    ) -> Result<(NodeId, LevelId), OutOfMemory> {
        let node = self.add_queue(level, Class::BestEffort, weight)?;
        match self.levels.insert(Level::below(Some(node))) {
            Ok(below) => {
                self.nodes[node].below = Some(below);
                Ok((node, below))
            }
            Err(error) => {
                self.nodes.remove(node);
                Err(error)
            }
        }
    }

    /// Removes a node, and its level if it is a group's; nothing in it is active.
    pub fn remove(&mut self, node: NodeId) {
        self.deactivate(node);
        if let Some(below) = self.nodes[node].below {
            debug_assert!(!self.levels[below].is_active(), "a member of {node:?} wants the device");
            self.levels.remove(below);
        }
        self.nodes.remove(node);
    }

    /// A node's owner: the number of a queue.
    pub fn set_owner(&mut self, node: NodeId, owner: u32) {
        self.nodes[node].owner = owner;
    }

    /// The owner of a node.
    pub fn owner(&self, node: NodeId) -> u32 {
        debug_assert!(self.nodes[node].below.is_none(), "a group has no queue");
        self.nodes[node].owner
    }

    /// Whether a node wants the device.
    pub fn is_active(&self, node: NodeId) -> bool {
        self.nodes[node].active
    }

    /// The number of queues that want the device.
    pub fn active_queues(&self) -> u64 {
        self.active_queues
    }

    /// The weight of a node.
    pub fn weight(&self, node: NodeId) -> Weight {
        self.nodes[node].weight
    }

    /// Changes the weight of a node: what it is charged from now on counts by it.
    pub fn set_weight(&mut self, node: NodeId, weight: Weight) {
        let state = &mut self.nodes[node];
        let before = core::mem::replace(&mut state.weight, weight);
        if state.active {
            let sum = &mut self.levels[state.level].weights[state.class.index()];
            debug_assert!(*sum >= u64::from(before), "{node:?} is not in the sum of its class");
            *sum = *sum + u64::from(weight) - u64::from(before);
        }
    }

    /// The class of a queue; groups are best-effort.
    pub fn class(&self, node: NodeId) -> Class {
        self.nodes[node].class
    }

    /// Changes the class of a queue.
    pub fn set_class(&mut self, node: NodeId, class: Class) {
        debug_assert!(self.nodes[node].below.is_none(), "groups are best-effort");
        if self.nodes[node].class == class {
            return;
        }
        let active = self.nodes[node].active;
        if active {
            self.deactivate(node);
        }
        let level = self.nodes[node].level;
        self.nodes[node].class = class;
        self.nodes[node].loan = None;
        self.nodes[node].begin_anew(self.levels[level].clocks[class.index()]);
        if active {
            self.activate(node, Span::ZERO);
        }
    }

    /// Moves a queue to another level, where it begins like a new one.
    pub fn move_queue(&mut self, node: NodeId, level: LevelId) {
        debug_assert!(self.nodes[node].below.is_none(), "a group stays where it is");
        let active = self.nodes[node].active;
        self.deactivate(node);
        let class = self.nodes[node].class.index();
        self.nodes[node].level = level;
        self.nodes[node].begin_anew(self.levels[level].clocks[class]);
        if active {
            self.activate(node, Span::ZERO);
        }
    }

    /// A node wants the device, or is about to: it and the groups above it take their places
    /// in the order. None of them lies further behind the others than by `lag` of service
    /// at a usual weight.
    pub fn activate(&mut self, node: NodeId, lag: Span) {
        let mut next = Some(node);
        while let Some(node) = next.filter(|&node| !self.nodes[node].active) {
            let state = &mut self.nodes[node];
            state.active = true;
            self.active_queues += u64::from(state.below.is_none());
            let (class, level) = (state.class.index(), &self.levels[state.level]);
            let clock = level.clocks[class];
            if clock.has_left_behind(state.seen_quarters) {
                state.begin_anew(clock);
            }
            state.pay_by_absence(clock.now());
            let least = clock.now() - VirtualSpan::of(lag, state.usual_weight());
            state.vtime = state.vtime.later(least);
            let weight = u64::from(state.weight);
            let level = state.level;
            next = self.levels[level].node;
            self.levels[level].weights[class] += weight;
            self.levels[level].insert(&mut self.nodes, node);
            if let Some(group) = next.filter(|_| self.nodes[node].loan.is_some()) {
                self.begin_loan(group);
            }
        }
    }

    /// A node does not want the device any more; nor do the groups that have no other.
    pub fn deactivate(&mut self, node: NodeId) {
        let mut next = Some(node);
        while let Some(node) = next.filter(|&node| self.nodes[node].active) {
            let Node { level, class, weight, below, .. } = self.nodes[node];
            let members = &mut self.levels[level];
            members.take_out(&mut self.nodes, node);
            self.active_queues -= u64::from(below.is_none());
            members.weights[class.index()] -= u64::from(weight);
            members.advance(&self.nodes, class);
            let state = &mut self.nodes[node];
            state.active = false;
            state.seen_quarters = members.clocks[class.index()].quarters();
            self.review_group(level);
            debug_assert!(
                self.levels[level].is_active() || self.levels[level].weights == [0; 3],
                "{level:?} is idle and has weights"
            );
            next = self.levels[level].node.filter(|_| !self.levels[level].is_active());
        }
    }

    /// Charges a queue, and all groups above it, for service; or gives some back.
    pub fn charge(&mut self, queue: NodeId, charged: DeviceTime) {
        debug_assert!(self.nodes[queue].below.is_none(), "groups get what their queues get");
        let mut next = Some(queue);
        while let Some(node) = next {
            next = self.charge_member(node, charged);
        }
    }

    /// Charges a node, and returns the group above it.
    // Out of line: in the loop it would keep more in registers, for groups that most queues lack.
    #[inline(never)]
    fn charge_member(&mut self, node: NodeId, charged: DeviceTime) -> Option<NodeId> {
        let state = &mut self.nodes[node];
        let members = &mut self.levels[state.level];
        let change = VirtualSpan::of(charged.amount(), state.weight);
        let is_refund = charged.is_refund();
        if is_refund {
            state.vtime -= change;
        } else {
            if state.class == Class::BestEffort {
                state.vtime = members.leads.counted(state.vtime);
            }
            state.vtime += change;
        }
        if let Some(got) = &mut state.loan {
            if state.below.is_some() {
                *got = if is_refund { *got - change } else { *got + change };
            }
        } else if !is_refund {
            state.pay_debt(change);
        }
        let (class, active) = (state.class, state.active);
        members.charge_classes(class, charged, self.idle_turn);
        if active {
            members.put_in_order(&mut self.nodes, node);
            members.advance(&self.nodes, class);
        }
        members.node
    }

    /// The active queue whose turn it is.
    pub fn first(&self) -> Option<NodeId> {
        self.first_queue_below(self.root)
    }

    /// The same, with its owner and whether it is on loan.
    #[inline]
    pub fn first_with_owner(&self) -> Option<(NodeId, u32, bool)> {
        let (first, state) = self.first_of(self.root)?;
        Some((first, state.owner, state.loan.is_some()))
    }

    /// The first of the active queues of a level and of all levels below it.
    pub fn first_queue_below(&self, level: LevelId) -> Option<NodeId> {
        self.first_of(level).map(|(first, _)| first)
    }

    /// The same, with its node.
    #[inline]
    fn first_of(&self, level: LevelId) -> Option<(NodeId, &Node)> {
        let mut level = level;
        loop {
            let first = self.levels[level].first()?;
            let state = &self.nodes[first];
            match state.below {
                Some(below) => level = below,
                None => return Some((first, state)),
            }
        }
    }

    /// The active queue whose turn it would be without `queue` and those before it.
    pub fn after(&self, queue: NodeId) -> Option<NodeId> {
        debug_assert!(self.nodes[queue].active, "{queue:?} has no place in the order");
        let beside = self.nodes[queue].hook.next();
        match beside.filter(|&beside| self.nodes[beside].below.is_none()) {
            Some(queue) => Some(queue),
            None => self.after_elsewhere(queue),
        }
    }

    /// The same, where perhaps no queue stands beside it: within a group, at another rank or level.
    // Out of line: a walk over queues that stand side by side is on the way of each request.
    #[inline(never)]
    fn after_elsewhere(&self, queue: NodeId) -> Option<NodeId> {
        let mut state = &self.nodes[queue];
        let next = loop {
            if let Some(beside) = state.hook.next() {
                break beside;
            }
            let level = &self.levels[state.level];
            if let Some(behind) = level.first_behind(state.rank()) {
                break behind;
            }
            state = &self.nodes[level.node?];
        };
        match self.nodes[next].below {
            Some(below) => self.first_queue_below(below),
            None => Some(next),
        }
    }

    /// Whether a queue and all groups above it lie at most this service of theirs before the
    /// virtual time of their level.
    pub fn is_within(&self, queue: NodeId, service: Span) -> bool {
        let mut next = Some(queue);
        while let Some(node) = next {
            if !self.is_member_within(node, service) {
                return false;
            }
            next = self.levels[self.nodes[node].level].node;
        }
        true
    }

    /// Whether a node lies at most this service of its own before the virtual time of its level.
    fn is_member_within(&self, node: NodeId, service: Span) -> bool {
        let Node { level, class, vtime, weight, .. } = self.nodes[node];
        let of_level = self.levels[level].clocks[class.index()].now();
        vtime.is_within(VirtualSpan::of(service, weight), of_level)
    }

    /// The part of an amount that is an active queue's by the weights of all that are active.
    pub fn part_of(&self, queue: NodeId, amount: Span) -> Span {
        let mut part = amount;
        let mut next = Some(queue);
        while let Some(node) = next {
            let Node { level, class, weight, .. } = self.nodes[node];
            let level = &self.levels[level];
            part = part * u64::from(weight) / level.weights[class.index()].max(1);
            next = level.node;
        }
        debug_assert!(part <= amount || !self.nodes[queue].active, "more than all of it");
        part
    }

    /// The virtual time of a node, in nanoseconds of service at the weight 1.
    #[cfg(test)]
    pub fn at_weight_1(&self, node: NodeId) -> Span {
        self.nodes[node].vtime.at_weight_1()
    }

    /// The sizes of the directories that are next allocated in one piece.
    pub fn next_pieces_bytes(&self) -> [[usize; 2]; 2] {
        [self.nodes.next_pieces_bytes(), self.levels.next_pieces_bytes()]
    }

    /// Asserts that order, virtual times and the activity of groups agree.
    ///
    /// # Panics
    /// If they do not.
    pub fn check(&self) {
        for (_, level) in self.levels.iter() {
            level.check_floor();
            for (rank, set) in level.active.iter().enumerate() {
                let order = order_of(rank);
                set.check(&self.nodes, |a, b| order(b, a));
            }
            let on_loan = level.node.is_some_and(|group| self.nodes[group].loan.is_some());
            let lent = level.node.is_some() && !level.active[ON_LOAN].is_empty();
            assert_eq!(on_loan, lent, "a group is on loan while a member is");
            let group = level.node.map(|node| self.nodes[node].active);
            assert!(group.is_none_or(|active| active == level.is_active()), "an idle group");
        }
        let is_active_queue = |node: &Node| node.active && node.below.is_none();
        let active = self.nodes.iter().filter(|(_, node)| is_active_queue(node)).count();
        assert_eq!(self.active_queues, active as u64, "queues that want the device");
    }
}

#[cfg(test)]
#[path = "shares/invariants_tests.rs"]
mod invariants_tests;
#[cfg(test)]
#[path = "shares_tests.rs"]
mod tests;
