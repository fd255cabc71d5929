// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whose turn it was, and why nothing was done for others meanwhile: followed from the decisions of
//! the scheduler. Schedulers that do not tell theirs leave it empty.

use bfq::why::{Decision, Observer};
use bfq::{GroupId, QueueId, Time};
use explain::Rule;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// How many changes are remembered: some seconds of a hard disk, less of one that is faster, whose
/// requests do not wait so long.
const KEPT: usize = 16_384;

/// Who has the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Turn {
    /// The tenant, if it is one's.
    pub tenant: Option<usize>,
    /// Why the disk is kept for it although nothing of it can be handed out.
    pub kept: Option<Rule>,
}

/// Turns of the last time.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// Tenants of groups and queues, by the scheduler's names.
    groups: Vec<Option<usize>>,
    /// Whose groups are to come first, in that order: those of tenants that were there before.
    expected: VecDeque<usize>,
    /// The tenant of the next group after these. Groups come in the order of tenants.
    next_tenant: usize,
    queues: Vec<Option<usize>>,
    /// From when on which turn was; none: no tenant's.
    changes: VecDeque<(u64, Option<Turn>)>,
}

/// Follows a scheduler from its attachment on.
#[derive(Debug, Clone, Default)]
pub(super) struct TurnKeeper(Rc<RefCell<Turns>>);

impl TurnKeeper {
    /// Follows a scheduler that is attached when there were `all` tenants, of which it is told
    /// those that are `there` still.
    pub fn among(there: impl Iterator<Item = usize>, all: usize) -> TurnKeeper {
        let turns = Turns { expected: there.collect(), next_tenant: all, ..Turns::default() };
        TurnKeeper(Rc::new(RefCell::new(turns)))
    }

    /// Whose turn it was between two times, how long, and why the disk was kept; the longest first.
    /// Nothing if it is not known for all of that time.
    pub fn between(&self, from_ns: u64, until_ns: u64) -> Vec<(u64, Option<Turn>)> {
        self.0.borrow().between(from_ns, until_ns)
    }
}

impl Observer for TurnKeeper {
    fn decided(&mut self, now: Time, decision: &Decision) {
        self.0.borrow_mut().follow(now.as_ns(), decision);
    }
}

impl Turns {
    fn follow(&mut self, now_ns: u64, decision: &Decision) {
        match *decision {
            Decision::GroupAdded { group, .. } => self.group_added(group),
            Decision::QueueCreated { queue, group, .. } => {
                let tenant = self.groups.get(group.index()).copied().flatten();
                set(&mut self.queues, queue.index(), tenant);
            }
            Decision::InService { queue, .. }
            | Decision::SlotBegan { queue }
            | Decision::Served { queue, .. } => self.set(now_ns, queue, None),
            Decision::Idling { queue, rule, .. } | Decision::Plugged { queue, rule } => {
                self.set(now_ns, queue, Some(rule.into()));
            }
            Decision::Withheld { queue, rule, .. } => {
                self.set(now_ns, queue, Some(rule.into()));
            }
            Decision::Expired { .. } | Decision::SlotEnded { .. } => self.change(now_ns, None),
            _ => {}
        }
    }

    fn group_added(&mut self, group: GroupId) {
        let tenant = self.expected.pop_front().unwrap_or_else(|| {
            self.next_tenant += 1;
            self.next_tenant - 1
        });
        set(&mut self.groups, group.index(), Some(tenant));
    }

    fn set(&mut self, now_ns: u64, queue: QueueId, kept: Option<Rule>) {
        let tenant = self.queues.get(queue.index()).copied().flatten();
        self.change(now_ns, Some(Turn { tenant, kept }));
    }

    fn change(&mut self, now_ns: u64, turn: Option<Turn>) {
        match self.changes.back_mut() {
            Some((_, last)) if *last == turn => {}
            Some((at_ns, last)) if *at_ns == now_ns => *last = turn,
            _ => {
                if self.changes.len() == KEPT {
                    self.changes.pop_front();
                }
                self.changes.push_back((now_ns, turn));
            }
        }
    }

    fn between(&self, from_ns: u64, until_ns: u64) -> Vec<(u64, Option<Turn>)> {
        let first = self.changes.partition_point(|&(at_ns, _)| at_ns <= from_ns);
        let Some(first) = first.checked_sub(1) else { return Vec::new() };
        let mut sums: Vec<(u64, Option<Turn>)> = Vec::new();
        for place in first..self.changes.len() {
            let (at_ns, turn) = self.changes[place];
            let next_ns = self.changes.get(place + 1).map_or(until_ns, |&(next_ns, _)| next_ns);
            let lasted_ns = next_ns.min(until_ns).saturating_sub(at_ns.max(from_ns));
            if at_ns >= until_ns {
                break;
            }
            match sums.iter_mut().find(|(_, other)| *other == turn) {
                Some((ns, _)) => *ns += lasted_ns,
                None => sums.push((lasted_ns, turn)),
            }
        }
        sums.retain(|&(ns, _)| ns > 0);
        sums.sort_by_key(|&(ns, _)| std::cmp::Reverse(ns));
        sums
    }
}

fn set(list: &mut Vec<Option<usize>>, index: usize, value: Option<usize>) {
    if list.len() <= index {
        list.resize(index + 1, None);
    }
    list[index] = value;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_summed_and_cut() {
        let mut turns = Turns::default();
        let of = |tenant, kept| Some(Turn { tenant: Some(tenant), kept });
        for (at_ns, turn) in [
            (10, of(0, None)),
            (20, of(0, Some(Rule::Asymmetric))),
            (30, None),
            (40, of(1, None)),
            (60, of(0, None)),
        ] {
            turns.change(at_ns, turn);
        }
        assert_eq!(turns.between(5, 50), [], "the beginning is not known");
        assert_eq!(
            turns.between(15, 90),
            [(35, of(0, None)), (20, of(1, None)), (10, of(0, Some(Rule::Asymmetric))), (10, None),]
        );
        assert_eq!(turns.between(45, 50), [(5, of(1, None))]);
    }
}
