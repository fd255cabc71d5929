// SPDX-License-Identifier: MIT OR Apache-2.0
//! The three time lines of spec 13.1, bit for bit, with the numbers as they stand there.

use super::{
    EntityId, Hierarchy, InService, LevelId, Limits, One, Rules, Service, standing::Place,
};
use crate::units::{Class, Span, Time, Weight};
use std::collections::BTreeMap;

const BE: Class = Class::BestEffort;

/// A hierarchy on its way through time, checked after each step.
pub(super) struct TimeLine<S: InService = One> {
    pub fair: Hierarchy<S>,
    pub now: Time,
}

impl<S: InService> TimeLine<S> {
    pub fn new(rules: Rules<S>) -> Self {
        let now = Time::from_ns(1_000_000_000);
        let limits = Limits { idle_class_period: Span::from_ms(200) };
        TimeLine { fair: Hierarchy::new(rules, limits, now).unwrap(), now }
    }

    pub fn root(&self) -> LevelId {
        self.fair.root()
    }

    pub fn queue(&mut self, level: LevelId, class: Class, weight: u32) -> EntityId {
        self.fair.add_leaf(level, class, Weight::of(weight), 0, 0).unwrap()
    }

    pub fn group(&mut self, weight: u32) -> (EntityId, LevelId) {
        self.fair.add_group(self.root(), Weight::of(weight), 0).unwrap()
    }

    /// The queue gets its first request.
    pub fn activate(&mut self, queue: EntityId, budget: u64) {
        self.activate_if(queue, budget, false);
    }

    /// The queue gets a request in time and goes on where it stopped.
    pub fn activate_in_time(&mut self, queue: EntityId, budget: u64) {
        self.activate_if(queue, budget, true);
    }

    fn activate_if(&mut self, queue: EntityId, budget: u64, continues: bool) {
        self.fair.set_service(queue, Service::ZERO);
        self.fair.set_budget(queue, Service::of(budget));
        let _ = self.fair.activate(queue, continues, self.now);
        self.fair.check();
    }

    pub fn choose(&mut self) -> EntityId {
        let (queue, _) = self.fair.choose_next(self.now).expect("a queue is backlogged");
        self.fair.check();
        queue
    }

    pub fn serve(&mut self, queue: EntityId, sectors: u64) {
        let _ = self.fair.serve(queue, Service::of(sectors));
        self.fair.check();
    }

    /// The slot ends and the queue stays backlogged.
    pub fn requeue(&mut self, queue: EntityId, budget: u64) {
        self.fair.set_budget(queue, Service::of(budget));
        let _ = self.fair.requeue_expired(queue, self.now);
        self.end_slot(queue);
        self.fair.set_service(queue, Service::ZERO);
    }

    /// The slot ends and the queue is empty; its service is kept.
    pub fn expire_empty(&mut self, queue: EntityId) {
        let _ = self.fair.deactivate_expired(queue, self.now);
        self.end_slot(queue);
    }

    fn end_slot(&mut self, queue: EntityId) {
        self.fair.clear_service_of_ancestors(queue);
        self.fair.check();
    }

    /// A slot from the choice to the requeue, with all of the budget served in pieces of at most
    /// `step` sectors.
    pub fn slot(&mut self, step: u64) -> EntityId {
        let queue = self.choose();
        let budget = self.fair.entity(queue).budget().amount();
        while self.fair.entity(queue).budget_left() > Service::ZERO {
            self.serve(queue, self.fair.entity(queue).budget_left().amount().min(step));
        }
        self.requeue(queue, budget);
        queue
    }

    /// V and W of the best-effort class at a level.
    pub fn v(&self, level: LevelId) -> u64 {
        self.fair.virtual_time(level, BE)
    }

    pub fn w(&self, level: LevelId) -> u64 {
        self.fair.weight_sum(level, BE)
    }

    /// S and F of an entity.
    pub fn times(&self, entity: EntityId) -> (u64, u64) {
        (self.fair.entity(entity).start(), self.fair.entity(entity).finish())
    }

    /// What each queue gets of all sectors in `slots` slots, in hundredths of a percent.
    fn shares(&mut self, slots: usize) -> BTreeMap<EntityId, i64> {
        let mut sectors: BTreeMap<EntityId, i64> = BTreeMap::new();
        for _ in 0..slots {
            let queue = self.slot(u64::MAX);
            let budget = self.fair.entity(queue).budget();
            *sectors.entry(queue).or_default() += budget.units();
        }
        let all: i64 = sectors.values().sum();
        sectors.into_iter().map(|(queue, sectors)| (queue, sectors * 10_000 / all)).collect()
    }
}

fn assert_shares(shares: &BTreeMap<EntityId, i64>, expected: &[(EntityId, i64)]) {
    for (queue, share) in expected {
        assert!((shares[queue] - share).abs() <= 2, "{queue:?}: {shares:?}, not {expected:?}");
    }
}

/// The vectors hold with and without the quirks.
const RULES: [Rules; 2] = [Rules::EXACT, Rules::REFERENCE];

#[test]
fn flat() {
    for rules in RULES {
        check_flat(rules, 0);
    }
}

#[test]
fn flat_across_the_wrap() {
    for before_the_wrap in [1, 7, 20971520, 60000000, 120586240] {
        check_flat(Rules::EXACT, before_the_wrap);
    }
}

fn check_flat(rules: Rules, before_the_wrap: u64) {
    let origin = 0u64.wrapping_sub(before_the_wrap);
    let mut line = TimeLine::new(rules);
    let root = line.root();
    line.fair.levels[root].tree(BE).virtual_time = origin;
    let a = line.queue(root, BE, 100);
    let b = line.queue(root, BE, 200);
    let c = line.queue(root, BE, 100);
    line.activate(a, 1000);
    line.activate(b, 1000);
    line.activate(c, 500);
    let at = |virtual_time: u64| origin.wrapping_add(virtual_time);
    let finishes = [a, b, c].map(|queue| line.times(queue).1);
    assert_eq!(finishes, [at(41943040), at(20971520), at(20971520)]);
    assert_eq!((line.v(root), line.w(root)), (origin, 400));

    for (served, v_before, v_after, s, f) in [
        (b, 0, 10485760, 20971520, 41943040),
        (c, 10485760, 15728640, 20971520, 41943040),
        (a, 15728640, 26214400, 41943040, 83886080),
        (b, 26214400, 36700160, 41943040, 62914560),
        (c, 36700160, 41943040, 41943040, 62914560),
        (b, 41943040, 52428800, 62914560, 83886080),
        (c, 52428800, 57671680, 62914560, 83886080),
        (a, 57671680, 68157440, 83886080, 125829120),
        (b, 68157440, 78643200, 83886080, 104857600),
        (c, 78643200, 83886080, 83886080, 104857600),
        (b, 83886080, 94371840, 104857600, 125829120),
        (c, 94371840, 99614720, 104857600, 125829120),
        (a, 99614720, 110100480, 125829120, 167772160),
        (b, 110100480, 120586240, 125829120, 146800640),
    ] {
        assert_eq!(line.v(root), at(v_before));
        let queue = line.slot(100);
        assert_eq!((queue, line.v(root)), (served, at(v_after)));
        assert_eq!(line.times(queue), (at(s), at(f)));
    }
    assert_shares(&line.shares(7000), &[(a, 2500), (b, 5000), (c, 2500)]);
}

#[test]
fn hierarchy() {
    for rules in RULES {
        check_hierarchy(rules);
    }
}

fn check_hierarchy(rules: Rules) {
    let mut line = TimeLine::new(rules);
    let root = line.root();
    let (g1, in_g1) = line.group(200);
    let (g2, in_g2) = line.group(100);
    let a = line.queue(in_g1, BE, 40);
    let b = line.queue(in_g1, BE, 80);
    let c = line.queue(in_g2, BE, 40);
    let r = line.queue(root, BE, 40);
    for (queue, budget) in [(a, 1024), (b, 2048), (c, 512), (r, 512)] {
        line.activate(queue, budget);
    }
    assert_eq!(
        [a, b, c, r, g1, g2].map(|entity| line.times(entity).1),
        [107374182, 107374182, 53687091, 53687091, 21474836, 21474836]
    );

    for (served, v_root, v_g1, s, f, f_g1, f_g2) in [
        (a, 12632256, 35791394, 107374182, 214748364, 64424508, 21474836),
        (c, 18948384, 35791394, 53687091, 107374182, 64424508, 42949672),
        (r, 25264512, 35791394, 53687091, 107374182, 64424508, 42949672),
        (c, 31580640, 35791394, 107374182, 161061273, 64424508, 64424508),
        (b, 56845153, 107374182, 107374182, 214748364, 85899344, 64424508),
        (c, 63161281, 107374182, 161061273, 214748364, 85899344, 85899344),
        (r, 69477409, 107374182, 107374182, 161061273, 85899344, 85899344),
        (a, 82109665, 143165576, 214748364, 322122546, 128849016, 85899344),
        (c, 88425793, 143165576, 214748364, 268435455, 128849016, 107374180),
        (c, 94741921, 143165576, 268435455, 322122546, 128849016, 128849016),
        (b, 120006434, 214748364, 214748364, 322122546, 150323852, 128849016),
        (c, 126322562, 214748364, 322122546, 375809637, 150323852, 150323852),
        (r, 132638690, 214748364, 161061273, 214748364, 150323852, 150323852),
        (a, 145270946, 250539758, 322122546, 429496728, 193273524, 150323852),
    ] {
        let queue = line.slot(u64::MAX);
        assert_eq!((queue, line.v(root), line.v(in_g1)), (served, v_root, v_g1));
        assert_eq!((line.times(queue), line.times(g1).1, line.times(g2).1), ((s, f), f_g1, f_g2));
    }
    assert_shares(&line.shares(10_000), &[(a, 1961), (b, 3922), (c, 2941), (r, 1176)]);
}

#[test]
fn idling_forgetting_backshift() {
    for rules in RULES {
        check_idling_forgetting_backshift(rules);
    }
}

fn check_idling_forgetting_backshift(rules: Rules) {
    let mut line = TimeLine::new(rules);
    let root = line.root();
    let x = line.queue(root, BE, 40);
    let y = line.queue(root, BE, 40);
    let expect = |line: &TimeLine, v, sx, fx, sy, fy, w| {
        assert_eq!(
            (line.v(root), line.times(x), line.times(y), line.w(root)),
            (v, (sx, fx), (sy, fy), w)
        );
    };

    line.activate(x, 512);
    line.activate(y, 4096);
    expect(&line, 0, 0, 53687091, 0, 429496729, 80);

    assert_eq!(line.choose(), x);
    line.serve(x, 100);
    expect(&line, 5242880, 0, 53687091, 0, 429496729, 80);

    line.expire_empty(x);
    let waiting = line.fair.entity(x);
    assert_eq!((waiting.place(), waiting.budget_left().units()), (Place::Idle, 412));
    expect(&line, 5242880, 0, 10485760, 0, 429496729, 80);

    assert_eq!(line.choose(), y);
    line.serve(y, 100);
    assert!(!line.fair.entity(x).is_scheduled(), "V has reached F(x)");
    expect(&line, 10485760, 0, 10485760, 0, 429496729, 40);

    line.serve(y, 100);
    expect(&line, 20971520, 0, 10485760, 0, 429496729, 40);

    for _ in 0..8 {
        line.serve(y, 100);
    }
    expect(&line, 104857600, 0, 10485760, 0, 429496729, 40);

    line.activate_in_time(x, 412);
    expect(&line, 104857600, 61656269, 104857600, 0, 429496729, 80);

    line.requeue(y, 4096);
    expect(&line, 104857600, 61656269, 104857600, 104857600, 534354329, 80);

    assert_eq!(line.choose(), x);
    for _ in 0..4 {
        line.serve(x, 103);
    }
    expect(&line, 126458264, 61656269, 104857600, 104857600, 534354329, 80);

    line.expire_empty(x);
    assert!(!line.fair.entity(x).is_scheduled(), "F(x) ≤ V: forgotten at once");
    expect(&line, 126458264, 61656269, 104857600, 104857600, 534354329, 40);

    assert_eq!(line.choose(), y);
    line.serve(y, 96);
    expect(&line, 136524593, 61656269, 104857600, 104857600, 534354329, 40);

    line.activate(x, 512);
    expect(&line, 136524593, 136524593, 190211684, 104857600, 534354329, 80);
}
