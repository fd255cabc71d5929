// SPDX-License-Identifier: MIT OR Apache-2.0
//! The walks of the naive model: activation, deactivation, candidates, the choice of the next
//! queue (spec 1.9–1.13).

use super::*;

impl<S: InService> Model<S> {
    /// Spec 1.9 and 1.10: who is next at this level.
    fn examine(&mut self, level: L) -> Option<E> {
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
        let earliest = |a, b| if later(a, b) { b } else { a };
        let starts = self.active(level, class).map(|e| self.entities[e].start());
        let least = starts.reduce(earliest)?;
        let jumps = if self.rules.jump_ignores_wrap { least > v } else { later(least, v) };
        let v_then = if jumps { least } else { v };
        let eligible = |&e: &E| !later(self.entities[e].start(), v_then);
        let chosen = self.first(self.active(level, class).filter(eligible));
        let lasting = match S::SEVERAL {
            false if self.serves_others(level) => v,
            false => v_then,
            true => {
                let of_class = |&e: &E| self.entities[e].class == class;
                let serving = self.below(level).filter(of_class).filter(|&e| self.serves(e));
                let least = serving.map(|e| self.entities[e].start()).fold(least, earliest);
                if later(least, v) { least } else { v }
            }
        };
        if lasting != v {
            self.levels[level].v[class.index()] = lasting;
            self.forget_step(level, class);
        }
        chosen
    }

    /// Spec 1.11; returns "parent may change".
    fn update_candidate(&mut self, level: L, changed: Option<E>) -> bool {
        let old = self.levels[level].candidate;
        let quick = match (changed, old) {
            (Some(n), None) => Some(n),
            (Some(n), Some(c)) if n != c => {
                let v = *self.v(n);
                let (n_is, c_is) = (&self.entities[n], &self.entities[c]);
                let ahead =
                    n_is.class == c_is.class && !later(n_is.start(), v) && later(c_is.f, n_is.f);
                ahead.then_some(n)
            }
            _ => None,
        };
        let candidate = quick.or_else(|| self.examine(level));
        self.levels[level].candidate = candidate;
        let Some(candidate) = candidate else {
            return S::SEVERAL && old.is_some();
        };
        let mut smaller = false;
        if let Some(group) = self.levels[level].group {
            smaller = self.entities[candidate].b < self.entities[group].b;
            self.entities[group].b = self.entities[candidate].b;
        }
        old.is_none() || smaller
    }

    /// Spec 1.13, activation or requeue of a queue; `expiration`: it is the one in service,
    /// whose slot ends.
    pub fn enter(&mut self, q: E, wni: bool, expiration: bool) {
        self.ending = Some(q).filter(|_| expiration);
        self.enter_path(q, wni, expiration);
        self.end_slot();
    }

    fn enter_path(&mut self, q: E, wni: bool, expiration: bool) {
        let mut next = Some(q);
        while let Some(e) = next {
            if self.is_in_service(e) || matches!(self.entities[e].tree, Tree::Active(_)) {
                self.requeue_one(e);
            } else {
                self.activate_one(e, wni);
            }
            let changes = self.update_candidate(self.entities[e].level, Some(e));
            next = if changes || expiration { self.parent(e) } else { None };
        }
    }

    /// Spec 1.13, deactivation of a queue (or of a group that goes).
    pub fn leave(&mut self, q: E, idle_tree: bool, expiration: bool) {
        self.ending = Some(q).filter(|_| expiration);
        self.leave_path(q, idle_tree, expiration);
        self.end_slot();
    }

    fn leave_path(&mut self, q: E, idle_tree: bool, expiration: bool) {
        let mut e = q;
        let mut next = loop {
            if !self.deactivate_one(e, idle_tree || e != q) {
                return;
            }
            let level = self.entities[e].level;
            if self.levels[level].candidate == Some(e) {
                self.update_candidate(level, None);
            }
            let parent = self.parent(e);
            let Level { candidate, .. } = self.levels[level];
            match parent {
                Some(parent) if candidate.is_none() && !self.serves_others(level) => e = parent,
                _ => break parent,
            }
        };
        while let Some(e) = next {
            self.requeue_one(e);
            let changed = Some(e).filter(|&e| matches!(self.entities[e].tree, Tree::Active(_)));
            let changes = self.update_candidate(self.entities[e].level, changed);
            next = if changes || expiration { self.parent(e) } else { None };
        }
    }

    /// Spec 1.13, end of a slot.
    fn end_slot(&mut self) {
        let ending = self.ending.take();
        self.serving.retain(|&(q, _)| Some(q) != ending);
    }

    /// Sets the next queue in service (spec 1.12).
    pub fn choose_next(&mut self) -> Option<E> {
        if S::SEVERAL {
            return self.choose_beside_others();
        }
        let mut e = self.levels[0].candidate?;
        loop {
            let children = self.entities[e].children;
            if children.is_none_or(|children| self.active_children(children) == 1) {
                self.remove_from_tree(e);
            }
            let Some(children) = children else { break };
            e = self.levels[children].candidate.expect("an active group has a candidate");
        }
        self.serving.push((e, 0));
        let mut next = Some(e);
        while let Some(e) = next {
            let changes = self.update_candidate(self.entities[e].level, None);
            next = if changes { self.parent(e) } else { None };
        }
        Some(e)
    }

    /// The same where several are in service: all levels are brought up to date.
    fn choose_beside_others(&mut self) -> Option<E> {
        let mut q = self.levels[0].candidate?;
        while let Some(children) = self.entities[q].children {
            q = self.levels[children].candidate.expect("an active group has a candidate");
        }
        self.serving.push((q, (self.entities[q].b - self.entities[q].sigma).max(0)));
        self.remove_from_tree(q);
        self.update_candidate(self.entities[q].level, None);
        let mut next = self.parent(q);
        while let Some(e) = next {
            self.requeue_one(e);
            self.update_candidate(self.entities[e].level, None);
            next = self.parent(e);
        }
        Some(q)
    }

    /// Several in service: whether an entity is, and does not wait for more.
    pub fn serves(&self, e: E) -> bool {
        S::SEVERAL && self.stays_in_service(e) && self.entities[e].tree == Tree::None
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
        while let Level { candidate: None, group: Some(group), .. } = self.levels[level]
            && !self.serves_others(level)
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
