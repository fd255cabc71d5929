// SPDX-License-Identifier: MIT OR Apache-2.0
//! The walks of the naive model: activation, deactivation, candidates, the choice of the next queue
//! (spec 1.9–1.13).

use super::*;

impl Model {
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

    /// Sets the next queue in service (spec 1.12).
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
            if matches!(self.entities[e].tree, Tree::Idle(_)) {
                self.deactivate_one(e, false);
            }
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
