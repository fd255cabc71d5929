// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spec 1 once more, as naively as its text can be put into code: no trees, no sums, no lists
//! kept, but a search through all entities for each question, and wide integers. It was written
//! from the specification alone, in the specification's letters; `differential_random_tests` sets
//! the core against it.

use super::{InService, Rules, Service};
use crate::units::Class;
use std::vec::Vec;

/// Position of an entity in [`Model::entities`]; positions are never reused.
pub(super) type E = usize;
/// Position of a level in [`Model::levels`]; the root's is 0.
pub(super) type L = usize;

/// Which tree holds an entity, and the number of its insertion: equals are
/// first come, first served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tree {
    None,
    Active(u64),
    Idle(u64),
}

/// An entity (spec 0.1).
#[derive(Debug)]
pub(super) struct Entity {
    pub level: L,
    /// The level of a group's children; `None` for a queue.
    pub children: Option<L>,
    /// Without what it is promised.
    pub s: u64,
    /// Δ of what a group was promised when it was last sorted in.
    pub lead: u64,
    pub f: u64,
    pub b: i64,
    pub sigma: i64,
    pub w0: u64,
    pub rho: u64,
    pub w: u64,
    pub class: Class,
    pub asked_w0: u64,
    pub asked_class: Class,
    pub pending: bool,
    pub scheduled: bool,
    pub tree: Tree,
    pub actuator: usize,
    /// Counted as an active group (spec 11, version 6.1).
    pub counted: bool,
    pub removed: bool,
}

impl Entity {
    /// S, by which it is eligible or not.
    pub fn start(&self) -> u64 {
        self.s.wrapping_add(self.lead)
    }
}

/// The scheduler of one group (spec 1.1).
#[derive(Debug)]
pub(super) struct Level {
    pub group: Option<E>,
    pub v: [u64; 3],
    /// The cached last entity of the idle tree, for row 19 of spec 10.2.
    last_idle: [Option<E>; 3],
    pub candidate: Option<E>,
    /// When the idle class was last considered; `None`: before all time.
    idle_class_stamp_ns: Option<u64>,
    pub removed: bool,
}

/// Everything on one device.
#[derive(Debug)]
pub(super) struct Model<S: InService> {
    rules: Rules<S>,
    idle_class_period_ns: u64,
    pub now_ns: u64,
    pub entities: Vec<Entity>,
    pub levels: Vec<Level>,
    insertions: u64,
    /// The queues in service, each with what it was promised and has not got yet.
    pub serving: Vec<(E, i64)>,
    /// One of them, whose slot is about to end.
    pub ending: Option<E>,
    /// Queues that lost their scheduling reference.
    pub forgotten: Vec<E>,
}

/// Amounts of service stop there.
const MOST: i64 = Service::MAX.units();

/// Δ(n, x) (spec 1.2).
fn delta(n: i64, x: u64) -> u64 {
    ((u128::try_from(n).unwrap() << 22) / u128::from(x)) as u64
}

/// "a later than b" (spec 1.2).
fn later(a: u64, b: u64) -> bool {
    let ahead = a.wrapping_sub(b);
    ahead != 0 && ahead < 1 << 63
}

impl<S: InService> Model<S> {
    /// A device with its root level, attached now.
    pub fn new(rules: Rules<S>, idle_class_period_ns: u64, now_ns: u64) -> Self {
        let mut model = Model {
            rules,
            idle_class_period_ns,
            now_ns,
            entities: Vec::new(),
            levels: Vec::new(),
            insertions: 0,
            serving: Vec::new(),
            ending: None,
            forgotten: Vec::new(),
        };
        model.add_level(None, Some(now_ns));
        model
    }

    fn add_level(&mut self, group: Option<E>, idle_class_stamp_ns: Option<u64>) -> L {
        self.levels.push(Level {
            group,
            v: [0; 3],
            last_idle: [None; 3],
            candidate: None,
            idle_class_stamp_ns,
            removed: false,
        });
        self.levels.len() - 1
    }

    /// Adds a queue of base weight `w0` to a level and returns its place among the entities.
    pub fn add_queue(&mut self, level: L, class: Class, w0: u64, actuator: usize) -> E {
        self.entities.push(Entity {
            level,
            children: None,
            s: 0,
            lead: 0,
            f: 0,
            b: 0,
            sigma: 0,
            w0,
            rho: 1,
            w: w0,
            class,
            asked_w0: w0,
            asked_class: class,
            pending: false,
            scheduled: false,
            tree: Tree::None,
            actuator,
            counted: false,
            removed: false,
        });
        self.entities.len() - 1
    }

    /// Adds a group of base weight `w0`, best effort; returns its entity and its own level.
    pub fn add_group(&mut self, level: L, w0: u64) -> (E, L) {
        let group = self.add_queue(level, Class::BestEffort, w0, 0);
        let children = self.add_level(Some(group), None);
        self.entities[group].children = Some(children);
        (group, children)
    }

    /// Removes a queue or an empty group.
    pub fn remove(&mut self, e: E) {
        self.entities[e].removed = true;
        if let Some(children) = self.entities[e].children {
            self.levels[children].removed = true;
        }
    }

    fn v(&mut self, e: E) -> &mut u64 {
        let Entity { level, class, .. } = self.entities[e];
        &mut self.levels[level].v[class.index()]
    }

    fn parent(&self, e: E) -> Option<E> {
        self.levels[self.entities[e].level].group
    }

    /// W: the sum over all that belong to the class tree, active, idle or in service.
    pub fn w(&self, level: L, class: Class) -> u64 {
        let belongs = |e: &&Entity| e.level == level && e.class == class && e.scheduled;
        self.entities.iter().filter(belongs).map(|e| e.w).sum()
    }

    fn active(&self, level: L, class: Class) -> impl Iterator<Item = E> + '_ {
        self.below(level).filter(move |&e| {
            self.entities[e].class == class && matches!(self.entities[e].tree, Tree::Active(_))
        })
    }

    fn idle(&self, level: L, class: Class) -> impl Iterator<Item = E> + '_ {
        self.below(level).filter(move |&e| {
            self.entities[e].class == class && matches!(self.entities[e].tree, Tree::Idle(_))
        })
    }

    fn below(&self, level: L) -> impl Iterator<Item = E> + '_ {
        (0..self.entities.len()).filter(move |&e| self.entities[e].level == level)
    }

    /// Whether `q` is `e`, or below it.
    fn is_below(&self, q: E, e: E) -> bool {
        q == e || self.parent(q).is_some_and(|parent| self.is_below(parent, e))
    }

    /// The queues in service that are an entity or below it.
    fn serving_below(&self, e: E) -> impl Iterator<Item = (E, i64)> + '_ {
        self.serving.iter().copied().filter(move |&(q, _)| self.is_below(q, e))
    }

    pub fn is_in_service(&self, e: E) -> bool {
        self.serving_below(e).next().is_some()
    }

    /// Whether an entity will be in service when the slot that is about to end has ended.
    pub fn stays_in_service(&self, e: E) -> bool {
        self.serving_below(e).any(|(q, _)| Some(q) != self.ending)
    }

    /// Whether anything of a level will.
    pub fn serves_others(&self, level: L) -> bool {
        self.below(level).any(|e| self.stays_in_service(e))
    }

    /// Entities of a group that are on its active trees.
    fn active_children(&self, level: L) -> usize {
        Class::ALL.into_iter().map(|class| self.active(level, class).count()).sum()
    }

    /// The order of both trees (spec 1.3).
    fn comes_before(&self, a: E, b: E) -> bool {
        let number = |e: E| match self.entities[e].tree {
            Tree::Active(number) | Tree::Idle(number) => number,
            Tree::None => panic!("{e} is in no tree"),
        };
        let (fa, fb) = (self.entities[a].f, self.entities[b].f);
        later(fb, fa) || (fa == fb && number(a) < number(b))
    }

    fn first(&self, mut entities: impl Iterator<Item = E>) -> Option<E> {
        let first = entities.next()?;
        Some(entities.fold(first, |best, e| if self.comes_before(e, best) { e } else { best }))
    }

    fn last(&self, mut entities: impl Iterator<Item = E>) -> Option<E> {
        let first = entities.next()?;
        Some(entities.fold(first, |best, e| if self.comes_before(best, e) { e } else { best }))
    }

    fn insert_active(&mut self, e: E) {
        self.insertions += 1;
        self.entities[e].tree = Tree::Active(self.insertions);
    }

    fn insert_idle(&mut self, e: E) {
        self.insertions += 1;
        self.entities[e].tree = Tree::Idle(self.insertions);
        let Entity { level, class, f, .. } = self.entities[e];
        let last = self.levels[level].last_idle[class.index()];
        if last.is_none_or(|last| later(f, self.entities[last].f)) {
            self.levels[level].last_idle[class.index()] = Some(e);
        }
    }

    fn remove_from_tree(&mut self, e: E) {
        let Entity { level, class, tree, .. } = self.entities[e];
        if matches!(tree, Tree::Idle(_)) && self.levels[level].last_idle[class.index()] == Some(e) {
            let others = self.idle(level, class).filter(|&other| {
                let quirk = self.rules.forgets_last_idle_among_equals;
                other != e && (!quirk || self.comes_before(other, e))
            });
            self.levels[level].last_idle[class.index()] = self.last(others);
        }
        self.entities[e].tree = Tree::None;
    }

    fn forget(&mut self, e: E) {
        self.entities[e].scheduled = false;
        if self.entities[e].children.is_none() {
            self.forgotten.push(e);
        }
    }

    /// The forget step (spec 1.8).
    fn forget_step(&mut self, level: L, class: Class) {
        let v = self.levels[level].v[class.index()];
        let last = self.levels[level].last_idle[class.index()];
        let serves = |e: E| self.entities[e].class == class && self.serves(e);
        if self.active(level, class).next().is_none()
            && !self.below(level).any(serves)
            && let Some(last) = last
            && !later(self.entities[last].f, v)
        {
            self.levels[level].v[class.index()] = self.entities[last].f;
        }
        let v = self.levels[level].v[class.index()];
        if let Some(first) = self.first(self.idle(level, class))
            && !later(self.entities[first].f, v)
        {
            self.remove_from_tree(first);
            self.forget(first);
        }
    }

    /// Charges a queue (spec 1.7).
    pub fn serve(&mut self, q: E, n: i64) {
        for (_, promised) in self.serving.iter_mut().filter(|(served, _)| *served == q) {
            *promised = (*promised - n).max(0);
        }
        let mut next = Some(q);
        while let Some(e) = next {
            self.entities[e].sigma = (self.entities[e].sigma + n).min(MOST);
            let Entity { level, class, .. } = self.entities[e];
            let step = delta(n, self.w(level, class));
            *self.v(e) = self.v(e).wrapping_add(step);
            self.forget_step(level, class);
            next = self.parent(e);
        }
    }

    /// Spec 1.15: what was asked for takes effect.
    pub fn apply_pending(&mut self, e: E, and_class: bool) {
        let entity = &mut self.entities[e];
        if !entity.pending {
            return;
        }
        entity.w0 = entity.asked_w0.clamp(1, 1000);
        entity.w = entity.w0 * entity.rho;
        let changes_class = entity.class != entity.asked_class;
        entity.pending = changes_class && !and_class;
        if changes_class && and_class {
            entity.class = entity.asked_class;
            self.entities[e].s = *self.v(e);
        }
    }

    /// Activates one entity (spec 1.5); with `wni` it starts at its old finish time if V is past
    /// that.
    fn activate_one(&mut self, e: E, wni: bool) {
        let v = *self.v(e);
        let f_old = self.entities[e].f;
        let backshifted = wni && later(v, f_old);
        let m = if backshifted { f_old } else { v };
        if matches!(self.entities[e].tree, Tree::Idle(_)) {
            self.remove_from_tree(e);
            self.entities[e].s = if later(m, f_old) { m } else { f_old };
        } else {
            self.entities[e].s = m;
            self.entities[e].scheduled = true;
        }
        self.entities[e].counted |= self.entities[e].children.is_some();
        self.apply_pending(e, true);
        let v = *self.v(e);
        let entity = &mut self.entities[e];
        entity.f = entity.s.wrapping_add(delta(entity.b, entity.w));
        if backshifted && later(v, entity.f) {
            let mut push = v.wrapping_sub(entity.f);
            if entity.children.is_none() {
                push /= entity.rho;
            }
            entity.s = entity.s.wrapping_add(push);
            entity.f = entity.f.wrapping_add(push);
        }
        self.insert_active(e);
    }

    /// Several in service: a group starts behind what it is promised.
    fn lead(&self, e: E) -> u64 {
        let is_group = self.entities[e].children.is_some();
        if !S::SEVERAL || !is_group {
            return 0;
        }
        let promises = self.serving_below(e).filter(|&(q, _)| Some(q) != self.ending);
        let promised: i64 = promises.map(|(_, promised)| promised).sum();
        delta(promised.min(MOST), self.entities[e].w)
    }

    /// Spec 1.5, requeue and reposition.
    pub fn requeue_one(&mut self, e: E) {
        let in_service = self.is_in_service(e);
        self.remove_from_tree(e);
        let is_group = self.entities[e].children.is_some();
        let entity = &mut self.entities[e];
        if in_service {
            entity.s = entity.s.wrapping_add(delta(entity.sigma, entity.w));
            if is_group && self.rules.in_service.clears_group_service() {
                entity.sigma = 0;
            }
        }
        self.apply_pending(e, true);
        let lead = self.lead(e);
        let entity = &mut self.entities[e];
        entity.lead = lead;
        entity.f = entity.start().wrapping_add(delta(entity.b, entity.w));
        let empty = self.entities[e].children.is_some_and(|level| self.active_children(level) == 0);
        if !S::SEVERAL || !empty {
            self.insert_active(e);
        }
    }

    /// Spec 1.5, deactivation; `false` if there was nothing to do.
    fn deactivate_one(&mut self, e: E, idle_tree: bool) -> bool {
        if !self.entities[e].scheduled {
            return false;
        }
        self.remove_from_tree(e);
        let in_service = self.is_in_service(e);
        let entity = &mut self.entities[e];
        entity.f = entity.s.wrapping_add(delta(entity.sigma, entity.w));
        entity.lead = 0;
        if !in_service {
            entity.sigma = 0;
        }
        let f = entity.f;
        if idle_tree && later(f, *self.v(e)) {
            self.insert_idle(e);
        } else {
            self.forget(e);
        }
        true
    }
}

#[path = "test_model_walks.rs"]
mod walks;
