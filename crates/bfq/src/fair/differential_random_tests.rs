// SPDX-License-Identifier: MIT OR Apache-2.0
//! The core against the naive model in thousands of random scenarios,
//! compared after each operation.
//!
//! A scenario is a function of its seed; a failing one prints how to run it again.
//! `BFQ_FAIR_SCENARIOS=200000 cargo test --release -p bfq differential` looks further than usual.

use super::{
    Choice, Rules,
    differential_tests::{ACTUATORS, Op, Pair},
    test_model::{E, Entity, L, Tree},
};
use crate::units::Class;
use std::{env, eprintln, vec::Vec};

const SCENARIOS: u64 = 2000;
const OPERATIONS: usize = 400;
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

fn explore(test: &'static str, rules: Rules) {
    let number = |name| env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    if let Some(seed) = number("BFQ_FAIR_SEED") {
        Scenario::new(test, rules, seed).run();
        return;
    }
    let mut tally = Tally::default();
    for seed in 0..number("BFQ_FAIR_SCENARIOS").unwrap_or(SCENARIOS) {
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
    fn add(&mut self, scenario: &Scenario) {
        let log = &scenario.pair.log;
        let count = |wanted: fn(&&Op) -> bool| log.iter().filter(wanted).count();
        self.scenarios += 1;
        self.operations += log.len();
        self.slots += count(|op| matches!(op, Op::ChooseNext));
        self.slots_in_groups += scenario.slots_in_groups;
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

    fn check(&self, rules: Rules) {
        let n = self.scenarios;
        assert!(self.operations >= n * OPERATIONS);
        assert!(self.slots > 10 * n && self.slots_in_groups > 5 * n && self.injections > n);
        assert!(self.continued > n && self.forgotten > n && self.weight_changes > n);
        assert!(self.class_changes > n / 2 && self.idle_class_first > n / 10);
        assert!(self.groups_removed > n / 10);
        assert!(self.wrapped > n / 20 || rules.jump_ignores_wrap);
    }
}

/// A SplitMix64 generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// What a scenario draws from: few values make ties, wide ranges make odd shapes.
struct Palette {
    budgets: &'static [i32],
    charges: &'static [i32],
    weights: &'static [u32],
    classes: &'static [Class],
}

impl Palette {
    fn draw(random: &mut Random) -> Palette {
        const RT: Class = Class::RealTime;
        const BE: Class = Class::BestEffort;
        const IDLE: Class = Class::Idle;
        const BUDGETS: [&[i32]; 4] = [
            &[512],
            &[512, 1024, 4096],
            &[1, 100, 1000, 3000, 9000, 16384],
            &[0, 1, 512, 1 << 20, i32::MAX],
        ];
        const CHARGES: [&[i32]; 4] =
            [&[512], &[8, 64, 512, 1024], &[1, 7, 300, 16384], &[1, 512, 1 << 20]];
        const WEIGHTS: [&[u32]; 3] = [&[40], &[40, 80, 100], &[1, 10, 20, 30, 70, 200, 999, 1000]];
        const CLASSES: [&[Class]; 3] = [&[BE], &[BE, BE, BE, IDLE], &[BE, BE, RT, IDLE]];
        Palette {
            budgets: random.pick(&BUDGETS),
            charges: random.pick(&CHARGES),
            weights: random.pick(&WEIGHTS),
            classes: random.pick(&CLASSES),
        }
    }
}

/// A life of queues and groups, as the rooms above `fair` could lead it.
struct Scenario {
    test: &'static str,
    seed: u64,
    random: Random,
    palette: Palette,
    pair: Pair,
    serving: Option<E>,
    starts_before_the_wrap: bool,
    slots_in_groups: usize,
    injections: usize,
    idle_class_first: usize,
}

impl Drop for Scenario {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let Scenario { test, seed, .. } = self;
            eprintln!(
                "run again: BFQ_FAIR_SEED={seed} cargo test -p bfq fair::model_tests::{test} -- --exact"
            );
        }
    }
}

impl Scenario {
    fn new(test: &'static str, rules: Rules, seed: u64) -> Self {
        let mut random = Random(seed);
        let palette = Palette::draw(&mut random);
        // With row 4 the jump goes astray at the wrap, and then nobody is eligible.
        let starts_before_the_wrap = random.one_in(6) && !rules.jump_ignores_wrap;
        let mut scenario = Scenario {
            test,
            seed,
            random,
            palette,
            pair: Pair::new(rules, IDLE_CLASS_PERIOD_NS),
            serving: None,
            starts_before_the_wrap,
            slots_in_groups: 0,
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
        let serving = self.serving;
        let away = |e: &Entity| e.children.is_none() && !matches!(e.tree, Tree::Active(_));
        let Some(queue) = self.any(away).filter(|&queue| Some(queue) != serving) else {
            return self.dispatch();
        };
        let left = self.entity(queue).b - self.entity(queue).sigma;
        let wni = self.random.one_in(2);
        let sectors = if wni && left > 0 && self.random.one_in(2) {
            left as i32
        } else {
            self.random.pick(self.palette.budgets)
        };
        if !self.random.one_in(8) {
            self.perform(Op::Service { queue, sectors: 0 });
        }
        self.perform(Op::Budget { queue, sectors });
        self.perform(Op::Activate { queue, wni });
    }

    /// Serves the queue in service, after choosing one if there is none.
    fn dispatch(&mut self) {
        let Some(queue) = self.serving else { return self.choose() };
        let sectors = self.random.pick(self.palette.charges);
        self.perform(Op::Serve { queue, sectors });
    }

    fn choose(&mut self) {
        if self.pair.model.levels[0].candidate.is_none() {
            return self.let_time_pass();
        }
        self.perform(Op::ChooseNext);
        let model = &self.pair.model;
        self.serving = (0..model.entities.len()).find(|&e| {
            let Entity { level, children, .. } = model.entities[e];
            children.is_none() && model.levels[level].in_service == Some(e)
        });
        let Some(queue) = self.serving else { return };
        let Entity { level, class, .. } = *self.entity(queue);
        self.slots_in_groups += usize::from(level != 0);
        let outranks = |e: &Entity| e.level == level && e.class < class;
        let outranked = self.any(|e| outranks(e) && matches!(e.tree, Tree::Active(_))).is_some();
        self.idle_class_first += usize::from(outranked);
    }

    fn inject(&mut self) {
        if let Some(queue) = self.waiting_queue().filter(|_| self.serving.is_some()) {
            self.injections += 1;
            let sectors = self.random.pick(self.palette.charges);
            self.perform(Op::Serve { queue, sectors });
        }
    }

    /// Ends the slot (spec 3.7, steps 6 to 10).
    fn expire(&mut self) {
        let Some(queue) = self.serving.take() else { return self.arrive() };
        if self.random.one_in(2) {
            let sectors = self.random.pick(self.palette.budgets);
            self.perform(Op::Budget { queue, sectors });
        }
        let stays = self.random.one_in(2);
        self.perform(if stays {
            Op::RequeueExpired { queue }
        } else {
            Op::DeactivateExpired { queue }
        });
        self.perform(Op::EndSlot { queue });
        if stays || self.random.one_in(2) {
            self.perform(Op::Service { queue, sectors: 0 });
        }
        self.perform(Op::ClearServiceOfAncestors { queue });
    }

    fn change_budget(&mut self) {
        if let Some(queue) = self.waiting_queue() {
            let sectors = self.random.pick(self.palette.budgets);
            self.perform(Op::Budget { queue, sectors });
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
        if let Some(queue) = self.serving {
            self.perform(Op::ApplyWeight { queue });
        }
    }

    fn let_time_pass(&mut self) {
        let ns = self.random.pick(&[1, 1_000_000, 50_000_000, IDLE_CLASS_PERIOD_NS]);
        self.perform(Op::Advance { ns });
    }

    /// Takes a queue out of all trees (spec 6.5); returns whether it was backlogged.
    fn take_out(&mut self, queue: E) -> bool {
        if self.serving == Some(queue) {
            self.expire();
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
