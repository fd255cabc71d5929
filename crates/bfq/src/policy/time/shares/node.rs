// SPDX-License-Identifier: MIT OR Apache-2.0
//! The nodes of the hierarchy of shares, the levels that they are members of, and their ranks.

use super::{
    idle_share::IdleShare,
    leads::Leads,
    level_clock::LevelClock,
    virtual_time::{VirtualSpan, VirtualTime},
};
use crate::{
    store::{
        arena::key,
        indexed::{IndexedList, ORDER},
        list::{Hook, Hooked},
        tree::{Links, Node as TreeNode},
    },
    units::{Class, Weight},
};

key!(
    /// A queue or group in the hierarchy.
    NodeId
);
key!(
    /// The members of a group.
    LevelId
);

/// Real-time, on loan, best-effort, idle.
pub(super) const RANKS: usize = 4;
pub(super) const REAL_TIME: usize = 0;
/// The rank of those on loan, all of them best-effort.
pub(super) const ON_LOAN: usize = 1;
pub(super) const IDLE: usize = 3;

/// A place in the hierarchy.
#[derive(Debug)]
pub(crate) struct Node {
    /// Its place in the order of its rank.
    pub(super) hook: Hook<NodeId>,
    /// Its place in the index of that order, if it is there.
    links: Links<NodeId>,
    /// The level it is a member of.
    pub(super) level: LevelId,
    /// The members of a group; none for a queue.
    pub(super) below: Option<LevelId>,
    pub(super) class: Class,
    pub(super) weight: Weight,
    pub(super) vtime: VirtualTime,
    /// How many quarters the clock of its level had come through when it was last active.
    pub(super) seen_quarters: u32,
    pub(super) active: bool,
    /// What it has got since its loan began, over its weight, if it is on loan.
    pub(super) loan: Option<VirtualSpan>,
    /// What it owes from earlier loans, over its weight: it is not in its virtual time yet.
    pub(super) debt: VirtualSpan,
    /// The number of the queue; means nothing for groups.
    pub(super) owner: u32,
}

/// The members of a group.
#[derive(Debug)]
pub(super) struct Level {
    /// The group; none for the root.
    pub(super) node: Option<NodeId>,
    /// The active members of each rank.
    pub(super) active: [IndexedList<NodeId>; RANKS],
    /// The virtual time of each class.
    pub(super) clocks: [LevelClock; 3],
    /// The weights of the active members of each class.
    pub(super) weights: [u64; 3],
    /// What is due to the idle class.
    pub(super) idle: IdleShare,
    /// How far its best-effort members may be before one another.
    pub(super) leads: Leads,
}

impl Hooked<NodeId, ORDER> for Node {
    fn hook(&self) -> &Hook<NodeId> {
        &self.hook
    }

    fn hook_mut(&mut self) -> &mut Hook<NodeId> {
        &mut self.hook
    }
}

impl TreeNode<NodeId> for Node {
    fn links(&self) -> &Links<NodeId> {
        &self.links
    }

    fn links_mut(&mut self) -> &mut Links<NodeId> {
        &mut self.links
    }
}

/// The rank of those of a class that are not on loan.
pub(super) const fn rank_of(class: Class) -> usize {
    match class {
        Class::RealTime => REAL_TIME,
        Class::BestEffort => 2,
        Class::Idle => IDLE,
    }
}

impl Node {
    pub(super) const fn new(
        level: LevelId,
        class: Class,
        weight: Weight,
        clock: LevelClock,
    ) -> Self {
        Node {
            hook: Hook::new(),
            links: Links::new(),
            level,
            below: None,
            class,
            weight,
            vtime: clock.now(),
            seen_quarters: clock.quarters(),
            active: false,
            loan: None,
            debt: VirtualSpan::ZERO,
            owner: 0,
        }
    }

    /// It begins like a new one in a level with this clock, and owes nothing.
    pub(super) const fn begin_anew(&mut self, clock: LevelClock) {
        self.vtime = clock.now();
        self.seen_quarters = clock.quarters();
        self.debt = VirtualSpan::ZERO;
    }

    pub(super) const fn rank(&self) -> usize {
        if self.loan.is_some() { ON_LOAN } else { rank_of(self.class) }
    }
}

impl Level {
    pub(super) const fn below(node: Option<NodeId>) -> Self {
        let active = [const { IndexedList::new() }; RANKS];
        Level {
            node,
            active,
            clocks: [LevelClock::START; 3],
            weights: [0; 3],
            idle: IdleShare::NONE,
            leads: Leads::NONE,
        }
    }

    /// Whether a member wants the device.
    pub(super) fn is_active(&self) -> bool {
        self.active.iter().any(|set| !set.is_empty())
    }
}
