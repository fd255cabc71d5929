// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shares within the bound: processes that always want the disk, in a random tree of groups with
//! random weights, get service in proportion to their weights, at each level, at all times (spec
//! 1.17).

use crate::dice::Dice;
use bfq::{
    Behaviour, Class, Config, GroupId, Ioprio, NewRequest, ProcessAttributes, ProcessId, RequestId,
    Scheduler, Time, tunables::Tunable,
};

/// Budget of a new queue, before the user's limit is in force.
const FIRST_BUDGET_SECTORS: u64 = 16384;
/// How far service may be from the ideal, in budgets: lead and lag, each at most one by theory, and
/// as much again for the budget that changes while it is used.
const BOUND_BUDGETS: u64 = 2;
/// What was ahead or behind when a weight changed stays so.
const BOUND_AFTER_CHANGE_BUDGETS: u64 = 4;

/// Two slots have begun and ended.
const SETTLED_TURNS: u32 = 4;

/// A process or a group.
struct Node {
    parent: usize,
    weight: u64,
    /// Sectors served to it, since the weights at its level changed last.
    service: u64,
    kind: Kind,
}

enum Kind {
    Group(GroupId),
    Process { id: ProcessId, position: u64, sectors: u32 },
}

struct Contest {
    scheduler: Scheduler,
    nodes: Vec<Node>,
    now: u64,
    /// Who owns a request number.
    owners: Vec<Option<usize>>,
    /// Largest budget and largest request together.
    unit: u64,
    bound_budgets: u64,
    /// The node whose weight changed last, and how often since then it began or ended a slot. The
    /// next slot still counts at the old weight (spec 1.5), which may be worth a long wait; until
    /// the one after it is over, its level is not looked at.
    unsettled: Option<(usize, u32)>,
    /// One request of a process at a time, so that its share depends on idling.
    one_at_a_time: bool,
}

/// Plays one contest.
pub fn play(dice: &mut Dice) {
    let mut contest = Contest::new(dice);
    contest.furnish(dice);
    let backlog = if contest.one_at_a_time { 1 } else { dice.between(2, 6) };
    for at in 0..contest.nodes.len() {
        for _ in 0..backlog {
            contest.insert(at);
        }
    }
    let changes = dice.half();
    for _ in 0..dice.scale(1000, 20_000) {
        contest.now += dice.between(1000, 4000);
        contest.serve(dice);
        if changes && dice.per_mille(1) {
            contest.reweigh(dice);
        }
    }
    contest.scheduler.check();
}

impl Contest {
    fn new(dice: &mut Dice) -> Contest {
        let behaviour =
            dice.pick(&[Behaviour::Improved, Behaviour::Linux6_1, Behaviour::Linux6_12]);
        let config = Config { behaviour, ..Config::new(true, 1024) };
        let mut scheduler = Scheduler::new(Time::ZERO, config).expect("memory");
        scheduler.set_tunable(Time::ZERO, Tunable::LowLatency, 0);
        let one_at_a_time = dice.half();
        if one_at_a_time {
            scheduler.set_tunable(Time::ZERO, Tunable::StrictGuarantees, 1);
        }
        scheduler.set_tunable(Time::ZERO, Tunable::MaxBudget, dice.scale(512, 16384));
        let root = scheduler.root_group();
        let root = Node { parent: 0, weight: 1, service: 0, kind: Kind::Group(root) };
        Contest {
            scheduler,
            nodes: vec![root],
            now: 0,
            owners: vec![None; 1024],
            unit: FIRST_BUDGET_SECTORS,
            bound_budgets: BOUND_BUDGETS,
            unsettled: None,
            one_at_a_time,
        }
    }

    fn furnish(&mut self, dice: &mut Dice) {
        let now = Time::ZERO;
        let groups = dice.below(5) as usize;
        for _ in 0..groups {
            let parent = dice.below(self.nodes.len() as u64) as usize;
            let Kind::Group(above) = self.nodes[parent].kind else { continue };
            let group = self.scheduler.add_group(now, above).expect("memory");
            let weight = dice.scale(1, 1000);
            self.scheduler.set_group_weight(now, group, weight as u32).expect("in range");
            self.nodes.push(Node { parent, weight, service: 0, kind: Kind::Group(group) });
        }
        // Each group has at least one process, else its share is not used.
        for at in 0..self.nodes.len() + dice.below(8) as usize {
            let parent = if at <= groups { at } else { dice.below(groups as u64 + 1) as usize };
            let Kind::Group(group) = self.nodes[parent].kind else { continue };
            let (level, attributes) = priority(dice);
            let id = self.scheduler.add_process(now, group, attributes).expect("memory");
            let sectors = dice.scale(8, 1024) as u32;
            self.unit = self.unit.max(FIRST_BUDGET_SECTORS + u64::from(sectors));
            let position = (self.nodes.len() as u64) << 32;
            let kind = Kind::Process { id, position, sectors };
            self.nodes.push(Node { parent, weight: (8 - level) * 10, service: 0, kind });
        }
    }

    fn insert(&mut self, at: usize) {
        let Kind::Process { id, position, sectors } = &mut self.nodes[at].kind else { return };
        let slot = self.owners.iter().position(Option::is_none).expect("enough requests");
        let now = Time::from_ns(self.now);
        let request = NewRequest::read(*id, *position, *sectors, now);
        *position += u64::from(*sectors);
        self.owners[slot] = Some(at);
        self.scheduler.insert(now, RequestId::from_index(slot), &request, false).expect("free");
    }

    /// One request is served, and its process sends another one.
    fn serve(&mut self, dice: &mut Dice) {
        let now = Time::from_ns(self.now);
        let id = self.scheduler.dispatch(now).expect("a process always wants the disk");
        let at = self.owners[id.index()].expect("it waited");
        let Kind::Process { sectors, .. } = self.nodes[at].kind else { unreachable!() };
        self.account(at, u64::from(sectors));
        if !self.one_at_a_time {
            self.insert(at);
        }
        self.scheduler.complete(now, id).expect("dispatched");
        self.owners[id.index()] = None;
        if self.one_at_a_time {
            self.now += dice.below(20_000);
            self.insert(at);
        }
        self.check_level(self.nodes[at].parent);
    }

    fn account(&mut self, at: usize, sectors: u64) {
        let mut at = at;
        while at != 0 {
            self.nodes[at].service += sectors;
            self.settle(at);
            at = self.nodes[at].parent;
        }
    }

    /// `at` was served: if that ends the second slot after a change at its level, the count
    /// there starts anew.
    fn settle(&mut self, at: usize) {
        let Some((changed, turns)) = self.unsettled else { return };
        let level = self.nodes[changed].parent;
        if self.nodes[at].parent == level && (at == changed) == (turns % 2 == 0) {
            self.unsettled = Some((changed, turns + 1));
        }
        if turns == SETTLED_TURNS {
            self.unsettled = None;
            for node in self.nodes.iter_mut().filter(|node| node.parent == level) {
                node.service = 0;
            }
        }
    }

    fn children(&self, parent: usize) -> impl Iterator<Item = &Node> {
        self.nodes.iter().skip(1).filter(move |node| node.parent == parent)
    }

    /// No node of a level, nor of those above it, is farther from the ideal than the bound.
    fn check_level(&self, parent: usize) {
        let weights: u64 = self.children(parent).map(|node| node.weight).sum();
        let service: u64 = self.children(parent).map(|node| node.service).sum();
        let bound = self.bound_budgets * self.unit;
        let unsettled = self.unsettled.is_some_and(|(at, _)| self.nodes[at].parent == parent);
        for node in self.children(parent).filter(|_| !unsettled) {
            let ideal = service * node.weight / weights;
            assert!(
                node.service.abs_diff(ideal) <= bound,
                "weight {} of {weights}: {} of {service} sectors, more than {bound} off {ideal}",
                node.weight,
                node.service,
            );
        }
        if parent != 0 {
            self.check_level(self.nodes[parent].parent);
        }
    }

    fn reweigh(&mut self, dice: &mut Dice) {
        if self.unsettled.is_some() {
            return;
        }
        let at = dice.between(1, self.nodes.len() as u64 - 1) as usize;
        let now = Time::from_ns(self.now);
        match self.nodes[at].kind {
            Kind::Group(group) => {
                let weight = dice.scale(1, 1000);
                self.scheduler.set_group_weight(now, group, weight as u32).expect("in range");
                self.nodes[at].weight = weight;
            }
            Kind::Process { id, .. } => {
                let (level, attributes) = priority(dice);
                self.scheduler.set_attributes(id, attributes).expect("it lives");
                self.nodes[at].weight = (8 - level) * 10;
            }
        }
        self.unsettled = Some((at, 0));
        self.bound_budgets = BOUND_AFTER_CHANGE_BUDGETS;
    }
}

fn priority(dice: &mut Dice) -> (u64, ProcessAttributes) {
    let level = dice.below(8);
    let ioprio = Ioprio::new(Class::BestEffort, level as u8);
    (level, ProcessAttributes::with_ioprio(ioprio))
}
