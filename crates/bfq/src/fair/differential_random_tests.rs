// SPDX-License-Identifier: MIT OR Apache-2.0
//! The core against the naive model in thousands of random scenarios,
//! compared after each operation.
//!
//! A scenario is a function of its seed; a failing one prints how to run it again.
//! `BFQ_FAIR_SCENARIOS=200000 cargo test --release -p bfq differential` looks further than usual.

use super::{
    Choice, InService, Rules,
    differential_draw::{Palette, Random},
    differential_tests::{ACTUATORS, Op, Pair},
    test_model::{E, Entity, L, Tree},
};
use crate::units::Class;
use std::{env, eprintln, vec::Vec};

/// Where the tests are, as cargo's filter has it.
const MODULE: &str = "fair::differential_random_tests";
const SCENARIOS: u64 = 2000;
/// Fewer with several in service, where the model searches more.
const SCENARIOS_OF_SEVERAL: u64 = 500;
const OPERATIONS: usize = 400;
const MOST_IN_SERVICE: usize = 8;
const IDLE_CLASS_PERIOD_NS: u64 = 200_000_000;

#[test]
fn the_core_agrees_with_the_model() {
    explore("the_core_agrees_with_the_model", Rules::EXACT);
}

/// Rows 2, 4 and 19 of spec 10.2. Row 1 needs the shape of the tree, which the model has not.
#[test]
fn the_core_agrees_with_the_model_in_the_quirks() {
    let rules = Rules { choice: Choice::Exact, ..Rules::REFERENCE };
    explore("the_core_agrees_with_the_model_in_the_quirks", rules);
}

#[test]
fn the_core_agrees_with_the_model_with_several_in_service() {
    explore("the_core_agrees_with_the_model_with_several_in_service", Rules::SEVERAL);
}

fn explore<S: InService>(test: &'static str, rules: Rules<S>) {
    let number = |name| env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    if let Some(seed) = number("BFQ_FAIR_SEED") {
        Scenario::new(test, rules, seed).run();
        return;
    }
    let mut tally = Tally::default();
    let scenarios = if S::SEVERAL { SCENARIOS_OF_SEVERAL } else { SCENARIOS };
    for seed in 0..number("BFQ_FAIR_SCENARIOS").unwrap_or(scenarios) {
        let mut scenario = Scenario::new(test, rules, seed);
        scenario.run();
        tally.add(&scenario);
    }
    eprintln!("{tally:?}");
    tally.check(rules);
}

/// What the scenarios went through: agreement says nothing about what never happened.
#[derive(Debug, Default)]
struct Tally {
    scenarios: usize,
    operations: usize,
    slots: usize,
    slots_in_groups: usize,
    /// Slots that began while another one of the same group, or of the root, went on.
    beside_others: usize,
    /// How many were in service at once, at most.
    most_in_service: usize,
    injections: usize,
    continued: usize,
    forgotten: usize,
    weight_changes: usize,
    class_changes: usize,
    idle_class_first: usize,
    groups_removed: usize,
    wrapped: usize,
}

impl Tally {
    fn add(&mut self, scenario: &Scenario<impl InService>) {
        let log = &scenario.pair.log;
        let count = |wanted: fn(&&Op) -> bool| log.iter().filter(wanted).count();
        self.scenarios += 1;
        self.operations += log.len();
        self.slots += count(|op| matches!(op, Op::ChooseNext));
        self.slots_in_groups += scenario.slots_in_groups;
        self.beside_others += scenario.beside_others;
        self.most_in_service = self.most_in_service.max(scenario.most_in_service);
        self.injections += scenario.injections;
        self.continued += count(|op| matches!(op, Op::Activate { wni: true, .. }));
        self.forgotten += scenario.pair.forgotten;
        self.weight_changes += count(|op| matches!(op, Op::Weight { .. } | Op::Raise { .. }));
        self.class_changes += count(|op| matches!(op, Op::Class { .. }));
        self.idle_class_first += scenario.idle_class_first;
        self.groups_removed += count(|op| matches!(op, Op::RemoveGroup { .. }));
        let v = scenario.pair.model.levels[0].v[Class::BestEffort.index()];
        self.wrapped += usize::from(scenario.starts_before_the_wrap && v < 1 << 63);
    }

    fn check<S: InService>(&self, rules: Rules<S>) {
        let n = self.scenarios;
        assert!(self.operations >= n * OPERATIONS);
        assert!(self.slots > 10 * n && self.slots_in_groups > 5 * n && self.injections > n);
        assert!(self.continued > n && self.forgotten > n && self.weight_changes > n);
        assert!(self.class_changes > n / 2 && self.idle_class_first > n / 10);
        assert!(self.groups_removed > n / 10);
        let (beside_others, most) = if S::SEVERAL { (5 * n, MOST_IN_SERVICE) } else { (0, 1) };
        assert!(self.beside_others >= beside_others && self.most_in_service == most);
        assert!(self.wrapped > n / 20 || rules.jump_ignores_wrap);
    }
}

/// A life of queues and groups, with calls that a policy above `fair` could make.
struct Scenario<S: InService> {
    test: &'static str,
    seed: u64,
    random: Random,
    palette: Palette,
    pair: Pair<S>,
    serving: Vec<E>,
    /// The most that are in service.
    most: usize,
    starts_before_the_wrap: bool,
    slots_in_groups: usize,
    beside_others: usize,
    most_in_service: usize,
    injections: usize,
    idle_class_first: usize,
}

impl<S: InService> Drop for Scenario<S> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let Scenario { test, seed, .. } = self;
            eprintln!(
                "run again: BFQ_FAIR_SEED={seed} cargo test -p bfq {MODULE}::{test} -- --exact"
            );
        }
    }
}

impl<S: InService> Scenario<S> {
    fn new(test: &'static str, rules: Rules<S>, seed: u64) -> Self {
        let mut random = Random(seed);
        let palette = Palette::draw(&mut random);
        // With row 4 the jump goes astray at the wrap, and then no entity is eligible.
        let starts_before_the_wrap = random.one_in(6) && !rules.jump_ignores_wrap;
        let most = if S::SEVERAL { random.pick(&[1, 2, 3, MOST_IN_SERVICE]) } else { 1 };
        let mut scenario = Scenario {
            test,
            seed,
            random,
            palette,
            pair: Pair::new(rules, IDLE_CLASS_PERIOD_NS),
            serving: Vec::new(),
            most,
            starts_before_the_wrap,
            slots_in_groups: 0,
            beside_others: 0,
            most_in_service: 0,
            injections: 0,
            idle_class_first: 0,
        };
        scenario.populate();
        scenario
    }

    fn populate(&mut self) {
        for _ in 0..self.random.pick(&[0, 0, 1, 2, 3, 5]) {
            self.add_group();
        }
        for _ in 0..self.random.pick(&[2, 3, 4, 6, 9, 16]) {
            self.add_queue();
        }
        if self.starts_before_the_wrap {
            for level in self.levels() {
                for class in Class::ALL {
                    let v = u64::MAX - (self.random.next() >> 38);
                    self.pair.set_virtual_time(level, class, v);
                }
            }
        }
    }

    fn run(&mut self) {
        while self.pair.log.len() < OPERATIONS {
            self.step();
        }
    }

    fn step(&mut self) {
        match self.random.below(100) {
            0..=21 => self.arrive(),
            22..=54 => self.dispatch(),
            55..=59 => self.inject(),
            60..=72 => self.expire(),
            73..=77 => self.change_budget(),
            78..=81 => self.empty_a_waiting_queue(),
            82..=85 => self.change_weight(),
            86 => self.change_class(),
            87..=90 => self.change_raise(),
            91..=94 => self.let_time_pass(),
            95 => self.retire_a_queue(),
            96 => self.move_a_queue(),
            97 => self.forget_something(),
            98 => self.come_or_go(),
            _ => self.uncount_ancestors(),
        }
    }

    fn perform(&mut self, op: Op) {
        self.pair.perform(op);
    }

    fn entity(&self, e: E) -> &Entity {
        &self.pair.model.entities[e]
    }

    fn any(&mut self, wanted: impl Fn(&Entity) -> bool) -> Option<E> {
        let entities = self.pair.model.entities.iter().enumerate();
        let found: Vec<E> =
            entities.filter(|(_, e)| !e.removed && wanted(e)).map(|(e, _)| e).collect();
        if found.is_empty() { None } else { Some(self.random.pick(&found)) }
    }

    fn levels(&self) -> Vec<L> {
        let levels = self.pair.model.levels.iter().enumerate();
        levels.filter(|(_, level)| !level.removed).map(|(level, _)| level).collect()
    }

    fn is_active(&self, e: E) -> bool {
        matches!(self.entity(e).tree, Tree::Active(_))
    }

    fn waiting_queue(&mut self) -> Option<E> {
        self.any(|e| e.children.is_none() && matches!(e.tree, Tree::Active(_)))
    }

    fn add_group(&mut self) {
        let levels = self.levels();
        let op = Op::AddGroup {
            level: self.random.pick(&levels),
            weight: self.random.pick(self.palette.weights),
        };
        self.perform(op);
    }

    fn add_queue(&mut self) {
        let levels = self.levels();
        let op = Op::AddQueue {
            level: self.random.pick(&levels),
            class: self.random.pick(self.palette.classes),
            weight: self.random.pick(self.palette.weights),
            actuator: self.random.below(ACTUATORS),
        };
        self.perform(op);
    }

    /// A queue that is neither waiting nor in service becomes busy.
    fn arrive(&mut self) {
        let serving = self.serving.clone();
        let away = |e: &Entity| e.children.is_none() && !matches!(e.tree, Tree::Active(_));
        let Some(queue) = self.any(away).filter(|queue| !serving.contains(queue)) else {
            return self.dispatch();
        };
        let left = self.entity(queue).b - self.entity(queue).sigma;
        let wni = self.random.one_in(2);
        let units = if wni && left > 0 && self.random.one_in(2) {
            left as u64
        } else {
            self.random.pick(self.palette.budgets)
        };
        if !self.random.one_in(8) {
            self.perform(Op::Service { queue, units: 0 });
        }
        self.perform(Op::Budget { queue, units });
        self.perform(Op::Activate { queue, wni });
    }

    /// Serves one of the queues in service, or chooses one if there may be more.
    fn dispatch(&mut self) {
        let full = self.serving.len() == self.most;
        if self.serving.is_empty() || (!full && self.random.one_in(2)) {
            return self.choose();
        }
        let queue = self.one_serving();
        let units = self.random.pick(self.palette.charges);
        self.perform(Op::Serve { queue, units });
    }

    fn one_serving(&mut self) -> E {
        let serving = self.serving.clone();
        self.random.pick(&serving)
    }

    fn choose(&mut self) {
        if self.pair.model.levels[0].candidate.is_none() {
            return self.let_time_pass();
        }
        self.perform(Op::ChooseNext);
        let chosen = self.pair.model.serving.last().map(|&(queue, _)| queue);
        let Some(queue) = chosen.filter(|queue| !self.serving.contains(queue)) else { return };
        self.serving.push(queue);
        self.beside_others += usize::from(self.serving.len() > 1);
        self.most_in_service = self.most_in_service.max(self.serving.len());
        let Entity { level, class, .. } = *self.entity(queue);
        self.slots_in_groups += usize::from(level != 0);
        let outranks = |e: &Entity| e.level == level && e.class < class;
        let outranked = self.any(|e| outranks(e) && matches!(e.tree, Tree::Active(_))).is_some();
        self.idle_class_first += usize::from(outranked);
    }

    fn inject(&mut self) {
        if let Some(queue) = self.waiting_queue().filter(|_| !self.serving.is_empty()) {
            self.injections += 1;
            let units = self.random.pick(self.palette.charges);
            self.perform(Op::Serve { queue, units });
        }
    }

    /// Ends the slot (spec 3.7, steps 6 to 10).
    fn expire(&mut self) {
        if self.serving.is_empty() {
            return self.arrive();
        }
        let queue = self.one_serving();
        self.expire_one(queue);
    }

    fn expire_one(&mut self, queue: E) {
        self.serving.retain(|&serving| serving != queue);
        if self.random.one_in(2) {
            let units = self.random.pick(self.palette.budgets);
            self.perform(Op::Budget { queue, units });
        }
        let stays = self.random.one_in(2);
        self.perform(if stays {
            Op::RequeueExpired { queue }
        } else {
            Op::DeactivateExpired { queue }
        });
        if stays || self.random.one_in(2) {
            self.perform(Op::Service { queue, units: 0 });
        }
        if self.most == 1 {
            self.perform(Op::ClearServiceOfAncestors { queue });
        }
    }

    fn change_budget(&mut self) {
        if let Some(queue) = self.waiting_queue() {
            let units = self.random.pick(self.palette.budgets);
            self.perform(Op::Budget { queue, units });
            self.perform(Op::Reposition { queue });
        }
    }

    fn empty_a_waiting_queue(&mut self) {
        if let Some(queue) = self.waiting_queue() {
            let idle_tree = !self.random.one_in(4);
            self.perform(Op::Deactivate { entity: queue, idle_tree });
        }
    }

    fn change_weight(&mut self) {
        if let Some(entity) = self.any(|_| true) {
            let base = self.random.pick(self.palette.weights);
            self.perform(Op::Weight { entity, base });
        }
    }

    fn change_class(&mut self) {
        if let Some(queue) = self.any(|e| e.children.is_none()) {
            let class = self.random.pick(self.palette.classes);
            self.perform(Op::Class { queue, class });
        }
    }

    fn change_raise(&mut self) {
        if let Some(queue) = self.any(|e| e.children.is_none()) {
            let coefficient = self.random.pick(&[1, 1, 30, 3000]);
            self.perform(Op::Raise { queue, coefficient });
        }
        if !self.serving.is_empty() {
            let queue = self.one_serving();
            self.perform(Op::ApplyWeight { queue });
        }
    }

    fn let_time_pass(&mut self) {
        let ns = self.random.pick(&[1, 1_000_000, 50_000_000, IDLE_CLASS_PERIOD_NS]);
        self.perform(Op::Advance { ns });
    }

    /// Takes a queue out of all trees (spec 6.5); returns whether it was backlogged.
    fn take_out(&mut self, queue: E) -> bool {
        if self.serving.contains(&queue) {
            self.expire_one(queue);
        }
        let was_active = self.is_active(queue);
        self.perform(if was_active {
            Op::Deactivate { entity: queue, idle_tree: false }
        } else {
            Op::ForgetIdle { queue }
        });
        was_active
    }

    fn retire_a_queue(&mut self) {
        if let Some(queue) = self.any(|e| e.children.is_none()) {
            self.take_out(queue);
            self.perform(Op::RemoveQueue { queue });
            self.add_queue();
        }
    }

    fn move_a_queue(&mut self) {
        if let Some(queue) = self.any(|e| e.children.is_none()) {
            let levels = self.levels();
            let level = self.random.pick(&levels);
            self.move_queue(queue, level);
        }
    }

    fn move_queue(&mut self, queue: E, level: L) {
        let was_active = self.take_out(queue);
        self.perform(Op::Rehang { queue, level });
        if was_active {
            self.perform(Op::Activate { queue, wni: false });
        }
    }

    fn forget_something(&mut self) {
        let levels = self.levels();
        let level = self.random.pick(&levels);
        if self.random.one_in(3) {
            self.perform(Op::FlushIdle { level });
        } else if let Some(queue) = self.any(|e| e.children.is_none()) {
            self.perform(Op::ForgetIdle { queue });
        }
    }

    /// A group comes, or one without groups below it goes (spec 6.6).
    fn come_or_go(&mut self) {
        let groups: Vec<(E, L)> = (0..self.pair.model.entities.len())
            .filter(|&e| !self.entity(e).removed)
            .filter_map(|e| Some((e, self.entity(e).children?)))
            .collect();
        let childless = |&&(_, children): &&(E, L)| {
            groups.iter().all(|&(group, _)| self.entity(group).level != children)
        };
        let leaves: Vec<(E, L)> = groups.iter().filter(childless).copied().collect();
        if leaves.is_empty() || self.random.one_in(2) {
            return self.add_group();
        }
        let (group, children) = self.random.pick(&leaves);
        for queue in 0..self.pair.model.entities.len() {
            if self.entity(queue).level == children && !self.entity(queue).removed {
                self.move_queue(queue, 0);
            }
        }
        self.perform(Op::FlushIdle { level: children });
        self.perform(Op::Deactivate { entity: group, idle_tree: false });
        self.perform(Op::RemoveGroup { group });
    }

    fn uncount_ancestors(&mut self) {
        if let Some(queue) = self.any(|e| e.children.is_none() && !e.scheduled) {
            self.perform(Op::UncountIdleAncestors { queue });
        }
    }
}
