// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who is told decisions, and the telling (spec 12.2).

use crate::{
    scheduler::{Policy, Scheduler},
    why::{Decision, Observer},
};

impl<O: Observer, P: Policy> Scheduler<O, P> {
    /// The observer of its decisions.
    pub fn observer(&self) -> &O {
        &self.observer
    }

    /// The observer, to change what it holds. Whether it is watching does not change by that.
    pub fn observer_mut(&mut self) -> &mut O {
        &mut self.observer
    }

    /// Another observer is told what is decided from now on; returns the one of before. What is
    /// scheduled, and how, stays as it is.
    pub fn exchange_observer(&mut self, observer: O) -> O {
        let before = core::mem::replace(&mut self.observer, observer);
        self.policy.observed(self.observer.is_watching());
        before
    }

    /// Reports a decision, which is built only for an observer that is watching.
    #[inline(always)]
    pub fn tell(&mut self, decision: impl FnOnce(&Self) -> Decision) {
        if self.observer.is_watching() {
            self.tell_watcher(decision);
        }
    }

    // Apart, so that what a decision takes is not on the way of those without observer.
    #[cold]
    #[inline(never)]
    fn tell_watcher(&mut self, decision: impl FnOnce(&Self) -> Decision) {
        let decision = decision(self);
        self.observer.decided(self.clock.now, &decision);
    }
}
