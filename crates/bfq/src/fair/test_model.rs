//! Spec 1 once more, as naively as its text can be put into code: no trees, no sums, no lists kept,
//! but a search through all entities for each question, and wide integers. It was written from the
//! specification alone, in the specification's letters; `model_tests` sets the core against it.

use super::Rules;
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
    pub s: u64,
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

/// The scheduler of one group (spec 1.1).
#[derive(Debug)]
pub(super) struct Level {
    pub group: Option<E>,
    pub v: [u64; 3],
    /// The cached last entity of the idle tree, for row 19 of spec 10.2.
    last_idle: [Option<E>; 3],
    pub candidate: Option<E>,
    pub in_service: Option<E>,
    /// When the idle class was last considered; `None`: before all time.
    idle_class_stamp_ns: Option<u64>,
    pub removed: bool,
}

/// Everything on one device.
#[derive(Debug)]
pub(super) struct Model {
    rules: Rules,
    idle_class_period_ns: u64,
    pub now_ns: u64,
    pub entities: Vec<Entity>,
    pub levels: Vec<Level>,
    insertions: u64,
    /// Queues that lost their scheduling reference.
    pub forgotten: Vec<E>,
}

/// Δ(n, x) (spec 1.2).
fn delta(n: i64, x: u64) -> u64 {
    ((u128::try_from(n).unwrap() << 22) / u128::from(x)) as u64
}

/// "a later than b" (spec 1.2).
fn later(a: u64, b: u64) -> bool {
    let ahead = a.wrapping_sub(b);
    ahead != 0 && ahead < 1 << 63
}

impl Model {
    /// A device with its root level, attached now.
    pub fn new(rules: Rules, idle_class_period_ns: u64, now_ns: u64) -> Model {
        let mut model = Model {
            rules,
            idle_class_period_ns,
            now_ns,
            entities: Vec::new(),
            levels: Vec::new(),
            insertions: 0,
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
            in_service: None,
            idle_class_stamp_ns,
            removed: false,
        });
        self.levels.len() - 1
    }

    /// Adds a queue.
    pub fn add_queue(&mut self, level: L, class: Class, w0: u64, actuator: usize) -> E {
        self.entities.push(Entity {
            level,
            children: None,
            s: 0,
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

    /// Adds a group.
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

    /// Spec 1.8.
    fn forget_step(&mut self, level: L, class: Class) {
        let v = self.levels[level].v[class.index()];
        let last = self.levels[level].last_idle[class.index()];
        if self.active(level, class).next().is_none()
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

    /// Spec 1.7.
    pub fn serve(&mut self, q: E, n: i64) {
        let mut next = Some(q);
        while let Some(e) = next {
            self.entities[e].sigma += n;
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

    fn is_in_service(&self, e: E) -> bool {
        self.levels[self.entities[e].level].in_service == Some(e)
    }

    /// Spec 1.5, activation.
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

    /// Spec 1.5, requeue and reposition.
    fn requeue_one(&mut self, e: E) {
        let in_service = self.is_in_service(e);
        self.remove_from_tree(e);
        let is_group = self.entities[e].children.is_some();
        let entity = &mut self.entities[e];
        if in_service {
            entity.s = entity.s.wrapping_add(delta(entity.sigma, entity.w));
            if is_group && !self.rules.recounts_group_service {
                entity.sigma = 0;
            }
        }
        self.apply_pending(e, true);
        let entity = &mut self.entities[e];
        entity.f = entity.s.wrapping_add(delta(entity.b, entity.w));
        self.insert_active(e);
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
        if in_service {
            self.levels[entity.level].in_service = None;
        } else {
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

    /// Spec 1.9 and 1.10: who is next at this level.
    fn examine(&mut self, level: L, expiration: bool) -> Option<E> {
        let mut classes: &[Class] = &Class::ALL;
        let stamp_ns = self.levels[level].idle_class_stamp_ns;
        if stamp_ns.is_none_or(|stamp_ns| self.now_ns - stamp_ns > self.idle_class_period_ns) {
            if self.active(level, Class::Idle).next().is_some() {
                classes = &[Class::Idle];
            }
            self.levels[level].idle_class_stamp_ns = Some(self.now_ns);
        }
        let has_active = |class: &&Class| self.active(level, **class).next().is_some();
        let class = *classes.iter().find(has_active)?;
        let v = self.levels[level].v[class.index()];
        let starts = self.active(level, class).map(|e| self.entities[e].s);
        let least = starts.reduce(|a, b| if later(a, b) { b } else { a })?;
        let jumps = if self.rules.jump_ignores_wrap { least > v } else { later(least, v) };
        let v_then = if jumps { least } else { v };
        if jumps && (self.levels[level].in_service.is_none() || expiration) {
            self.levels[level].v[class.index()] = v_then;
            self.forget_step(level, class);
        }
        let eligible = self.active(level, class).filter(|&e| !later(self.entities[e].s, v_then));
        self.first(eligible)
    }

    /// Spec 1.11; returns "parent may change".
    fn update_candidate(&mut self, level: L, changed: Option<E>, expiration: bool) -> bool {
        let old = self.levels[level].candidate;
        let quick = match (changed, old) {
            (Some(n), None) => Some(n),
            (Some(n), Some(c)) if n != c => {
                let v = *self.v(n);
                let (n_is, c_is) = (&self.entities[n], &self.entities[c]);
                let ahead = n_is.class == c_is.class && !later(n_is.s, v) && later(c_is.f, n_is.f);
                ahead.then_some(n)
            }
            _ => None,
        };
        let candidate = quick.or_else(|| self.examine(level, expiration));
        self.levels[level].candidate = candidate;
        let Some(candidate) = candidate else { return false };
        let mut smaller = false;
        if let Some(group) = self.levels[level].group {
            smaller = self.entities[candidate].b < self.entities[group].b;
            self.entities[group].b = self.entities[candidate].b;
        }
        old.is_none() || smaller
    }

    /// Spec 1.13, activation or requeue of a queue; `expiration`: it is the one in service, whose
    /// slot ends.
    pub fn enter(&mut self, q: E, wni: bool, expiration: bool) {
        let mut next = Some(q);
        while let Some(e) = next {
            if self.is_in_service(e) || matches!(self.entities[e].tree, Tree::Active(_)) {
                self.requeue_one(e);
            } else {
                self.activate_one(e, wni);
            }
            let changes = self.update_candidate(self.entities[e].level, Some(e), expiration);
            next = if changes || expiration { self.parent(e) } else { None };
        }
    }

    /// Spec 1.13, deactivation of a queue (or of a group that goes).
    pub fn leave(&mut self, q: E, idle_tree: bool, expiration: bool) {
        let mut e = q;
        let mut next = loop {
            if !self.deactivate_one(e, idle_tree || e != q) {
                return;
            }
            let level = self.entities[e].level;
            if self.levels[level].candidate == Some(e) {
                self.update_candidate(level, None, expiration);
            }
            let parent = self.parent(e);
            let Level { candidate, in_service, .. } = self.levels[level];
            match parent {
                Some(parent) if candidate.is_none() && in_service.is_none() => e = parent,
                _ => break parent,
            }
        };
        while let Some(e) = next {
            self.requeue_one(e);
            let changes = self.update_candidate(self.entities[e].level, Some(e), expiration);
            next = if changes || expiration { self.parent(e) } else { None };
        }
    }

    /// Spec 1.13, end of a slot.
    pub fn end_slot(&mut self, q: E) {
        let mut next = Some(q);
        while let Some(e) = next {
            self.levels[self.entities[e].level].in_service = None;
            next = self.parent(e);
        }
    }

    /// Spec 1.12.
    pub fn choose_next(&mut self) -> Option<E> {
        let mut e = self.levels[0].candidate?;
        loop {
            self.levels[self.entities[e].level].in_service = Some(e);
            let children = self.entities[e].children;
            if children.is_none_or(|children| self.active_children(children) == 1) {
                self.remove_from_tree(e);
            }
            let Some(children) = children else { break };
            e = self.levels[children].candidate.expect("an active group has a candidate");
        }
        let mut next = Some(e);
        while let Some(e) = next {
            let changes = self.update_candidate(self.entities[e].level, None, false);
            next = if changes { self.parent(e) } else { None };
        }
        Some(e)
    }

    /// Takes an entity off the idle tree (spec 6.5).
    pub fn forget_idle(&mut self, e: E) {
        if matches!(self.entities[e].tree, Tree::Idle(_)) {
            self.remove_from_tree(e);
            self.forget(e);
        }
    }

    /// Forgets all on a level's idle trees (spec 6.6).
    pub fn flush_idle(&mut self, level: L) {
        for e in self.below(level).collect::<Vec<_>>() {
            self.forget_idle(e);
        }
    }

    /// Clears σ of all ancestors (spec 3.7, step 10).
    pub fn clear_service_of_ancestors(&mut self, q: E) {
        let mut next = self.parent(q);
        while let Some(e) = next {
            self.entities[e].sigma = 0;
            next = self.parent(e);
        }
    }

    /// Spec 11, version 6.1: a queue became idle altogether.
    pub fn uncount_idle_ancestors(&mut self, q: E) {
        let mut level = self.entities[q].level;
        while let Level { candidate: None, in_service: None, group: Some(group), .. } =
            self.levels[level]
        {
            self.entities[group].counted = false;
            level = self.entities[group].level;
        }
    }

    /// Queues on active trees, newest insertion first (spec 1.3).
    pub fn active_queues(&self, actuator: usize) -> Vec<E> {
        let mut queues: Vec<(u64, E)> = (0..self.entities.len())
            .filter(|&e| self.entities[e].children.is_none())
            .filter(|&e| self.entities[e].actuator == actuator)
            .filter_map(|e| match self.entities[e].tree {
                Tree::Active(number) => Some((number, e)),
                _ => None,
            })
            .collect();
        queues.sort_unstable();
        queues.into_iter().rev().map(|(_, e)| e).collect()
    }
}
