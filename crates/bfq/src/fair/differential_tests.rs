// SPDX-License-Identifier: MIT OR Apache-2.0
//! The core and the naive model side by side: each operation is done to both, then all that spec 1
//! speaks of is compared.

use super::{
    EntityId, Hierarchy, InService, LevelId, Limits, Rules, Service,
    standing::Place,
    test_model::{E, L, Model, Tree},
};
use crate::units::{Class, Span, Time, Weight};
use std::{eprintln, vec, vec::Vec};

/// The number of lists of active leaves over which queues are spread.
pub(super) const ACTUATORS: usize = 2;

/// One call of the hierarchy. Entities and levels go by their positions in the model.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    AddQueue { level: L, class: Class, weight: u32, actuator: usize },
    AddGroup { level: L, weight: u32 },
    RemoveQueue { queue: E },
    RemoveGroup { group: E },
    Advance { ns: u64 },
    Budget { queue: E, units: u64 },
    Service { queue: E, units: u64 },
    Activate { queue: E, wni: bool },
    Reposition { queue: E },
    Deactivate { entity: E, idle_tree: bool },
    ChooseNext,
    Serve { queue: E, units: u64 },
    RequeueExpired { queue: E },
    DeactivateExpired { queue: E },
    ClearServiceOfAncestors { queue: E },
    Weight { entity: E, base: u32 },
    Class { queue: E, class: Class },
    Raise { queue: E, coefficient: u32 },
    ApplyWeight { queue: E },
    ForgetIdle { queue: E },
    FlushIdle { level: L },
    Rehang { queue: E, level: L },
    UncountIdleAncestors { queue: E },
}

/// Both sides. When a test fails, it prints what was done last.
pub(super) struct Pair<S: InService> {
    pub core: Hierarchy<S>,
    pub model: Model<S>,
    pub log: Vec<Op>,
    /// How many queues were forgotten.
    pub forgotten: usize,
    entities: Vec<EntityId>,
    levels: Vec<LevelId>,
}

impl<S: InService> Drop for Pair<S> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            for (number, op) in self.log.iter().enumerate().skip(self.log.len().max(30) - 30) {
                eprintln!("{number:4} {op:?}");
            }
        }
    }
}

impl<S: InService> Pair<S> {
    /// Two empty hierarchies. Time begins late enough for all to be overdue.
    pub fn new(rules: Rules<S>, idle_class_period_ns: u64) -> Self {
        let now_ns = 10 * idle_class_period_ns;
        let limits = Limits { idle_class_period: Span::from_ns(idle_class_period_ns) };
        let core = Hierarchy::new(rules, limits, Time::from_ns(now_ns)).unwrap();
        Pair {
            levels: vec![core.root()],
            core,
            model: Model::new(rules, idle_class_period_ns, now_ns),
            log: Vec::new(),
            forgotten: 0,
            entities: Vec::new(),
        }
    }

    /// Sets the virtual time of a class tree.
    pub fn set_virtual_time(&mut self, level: L, class: Class, v: u64) {
        self.core.levels[self.levels[level]].tree(class).virtual_time = v;
        self.model.levels[level].v[class.index()] = v;
    }

    /// Does `op` to both sides and compares them.
    pub fn perform(&mut self, op: Op) {
        self.log.push(op);
        match op {
            Op::AddQueue { .. }
            | Op::AddGroup { .. }
            | Op::RemoveQueue { .. }
            | Op::RemoveGroup { .. } => self.come_or_go(op),
            Op::Advance { .. } | Op::Budget { .. } | Op::Service { .. } => self.set(op),
            Op::Weight { .. } | Op::Class { .. } | Op::Raise { .. } => self.request(op),
            Op::Rehang { queue, level } => {
                self.core.rehang_leaf(self.entities[queue], self.levels[level]);
                self.model.entities[queue].level = level;
            }
            _ => self.walk(op),
        }
        self.compare();
    }

    fn come_or_go(&mut self, op: Op) {
        match op {
            Op::AddQueue { level, class, weight, actuator } => {
                let name = self.entities.len();
                let queue = self.core.add_leaf(
                    self.levels[level],
                    class,
                    Weight::of(weight),
                    actuator as u8,
                    name as u32,
                );
                self.entities.push(queue.unwrap());
                assert_eq!(self.model.add_queue(level, class, weight.into(), actuator), name);
            }
            Op::AddGroup { level, weight } => {
                let name = self.entities.len();
                let added =
                    self.core.add_group(self.levels[level], Weight::of(weight), name as u32);
                let (group, members) = added.unwrap();
                self.entities.push(group);
                self.levels.push(members);
                let expected = (name, self.levels.len() - 1);
                assert_eq!(self.model.add_group(level, weight.into()), expected);
            }
            Op::RemoveQueue { queue } => {
                self.core.remove_leaf(self.entities[queue]);
                self.model.remove(queue);
            }
            Op::RemoveGroup { group } => {
                self.core.remove_group(self.entities[group]);
                self.model.remove(group);
            }
            _ => unreachable!(),
        }
    }

    fn set(&mut self, op: Op) {
        match op {
            Op::Advance { ns } => self.model.now_ns += ns,
            Op::Budget { queue, units } => {
                self.core.set_budget(self.entities[queue], Service::of(units));
                self.model.entities[queue].b = units as i64;
            }
            Op::Service { queue, units } => {
                self.core.set_service(self.entities[queue], Service::of(units));
                self.model.entities[queue].sigma = units as i64;
            }
            _ => unreachable!(),
        }
    }

    fn request(&mut self, op: Op) {
        let (Op::Weight { entity, .. }
        | Op::Class { queue: entity, .. }
        | Op::Raise { queue: entity, .. }) = op
        else {
            unreachable!()
        };
        let (id, asked) = (self.entities[entity], &mut self.model.entities[entity]);
        asked.pending = true;
        match op {
            Op::Weight { base, .. } => {
                self.core.request_weight(id, Weight::of(base));
                asked.asked_w0 = base.into();
            }
            Op::Class { class, .. } => {
                self.core.request_class(id, class);
                asked.asked_class = class;
            }
            Op::Raise { coefficient, .. } => {
                self.core.set_coefficient(id, coefficient);
                asked.rho = coefficient.into();
            }
            _ => unreachable!(),
        }
    }

    fn walk(&mut self, op: Op) {
        let now = Time::from_ns(self.model.now_ns);
        let (core, model, id) = (&mut self.core, &mut self.model, &self.entities);
        match op {
            Op::Activate { queue, wni } => {
                let _ = core.activate(id[queue], wni, now);
                model.enter(queue, wni, false);
            }
            Op::Reposition { queue } => {
                let _ = core.reposition(id[queue], now);
                model.enter(queue, false, false);
            }
            Op::Deactivate { entity, idle_tree } => {
                let _ = core.deactivate(id[entity], idle_tree, now);
                model.leave(entity, idle_tree, false);
            }
            Op::ChooseNext => {
                let (chosen, expected) = (core.choose_next(now), model.choose_next());
                let chosen = chosen.map(|(leaf, _)| leaf);
                assert_eq!(chosen, expected.map(|queue| id[queue]));
            }
            Op::Serve { queue, units } => {
                let _ = core.serve(id[queue], Service::of(units));
                model.serve(queue, units as i64);
            }
            Op::RequeueExpired { queue } => {
                let _ = core.requeue_expired(id[queue], now);
                model.enter(queue, false, true);
            }
            Op::DeactivateExpired { queue } => {
                let _ = core.deactivate_expired(id[queue], now);
                model.leave(queue, true, true);
            }
            Op::ClearServiceOfAncestors { queue } => {
                core.clear_service_of_ancestors(id[queue]);
                model.clear_service_of_ancestors(queue);
            }
            Op::ApplyWeight { queue } => {
                let _ = core.apply_weight(id[queue]);
                model.apply_pending(queue, false);
            }
            Op::ForgetIdle { queue } => {
                let _ = core.forget_idle(id[queue]);
                model.forget_idle(queue);
            }
            Op::FlushIdle { level } => {
                for class in Class::ALL {
                    while core.forget_first_idle(self.levels[level], class).is_some() {}
                }
                model.flush_idle(level);
            }
            Op::UncountIdleAncestors { queue } => {
                core.uncount_idle_ancestors(id[queue]);
                model.uncount_idle_ancestors(queue);
            }
            _ => unreachable!(),
        }
    }

    fn compare(&mut self) {
        self.core.check();
        self.core.take_finishes();
        self.compare_forgotten();
        for e in 0..self.entities.len() {
            self.compare_entity(e);
        }
        for level in 0..self.levels.len() {
            self.compare_level(level);
        }
        for actuator in 0..ACTUATORS {
            let queues = self.model.active_queues(actuator);
            let expected = queues.into_iter().map(|queue| self.entities[queue]);
            assert!(self.core.active_leaves(actuator).eq(expected), "list {actuator}");
        }
        let counted = self.model.entities.iter().filter(|e| e.counted && !e.removed).count();
        assert_eq!(self.core.active_groups() as usize, counted, "active groups");
    }

    fn compare_forgotten(&mut self) {
        let mut forgotten = Vec::new();
        while let Some(leaf) = self.core.take_forgotten() {
            forgotten.push(self.core.entity(leaf).owner() as usize);
        }
        forgotten.sort_unstable();
        self.model.forgotten.sort_unstable();
        assert_eq!(forgotten, self.model.forgotten, "forgotten queues");
        self.forgotten += forgotten.len();
        self.model.forgotten.clear();
    }

    fn compare_entity(&self, e: E) {
        let expected = &self.model.entities[e];
        if expected.removed {
            return;
        }
        let entity = self.core.entity(self.entities[e]);
        let place = match expected.tree {
            Tree::None if self.model.serves(e) => Place::Serving,
            Tree::None => Place::Neither,
            Tree::Active(_) => Place::Active,
            Tree::Idle(_) => Place::Idle,
        };
        assert_eq!(
            (
                entity.start(),
                entity.finish(),
                entity.class(),
                entity.place(),
                entity.is_scheduled()
            ),
            (expected.start(), expected.f, expected.class, place, expected.scheduled),
            "S, F, class and tree of entity {e}"
        );
        assert_eq!(
            (entity.budget().units(), entity.service().units(), u64::from(entity.weight())),
            (expected.b, expected.sigma, expected.w),
            "B, σ and w of entity {e}"
        );
        let in_service = self.model.is_in_service(e);
        assert_eq!(entity.is_in_service(), in_service, "whether entity {e} is in service");
    }

    fn compare_level(&self, level: L) {
        let expected = &self.model.levels[level];
        if expected.removed {
            return;
        }
        let id = self.levels[level];
        let name = |e: E| self.entities[e];
        assert_eq!(
            self.core.candidate(id),
            expected.candidate.map(name),
            "candidate of level {level}"
        );
        for class in Class::ALL {
            assert_eq!(
                (self.core.virtual_time(id, class), self.core.weight_sum(id, class)),
                (expected.v[class.index()], self.model.w(level, class)),
                "V and W of {class:?} at level {level}"
            );
        }
    }
}
