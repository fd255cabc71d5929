// SPDX-License-Identifier: MIT OR Apache-2.0
//! Do the competitors differ in what they are entitled to (spec 1.16)? Who counts in that test, and
//! under which weight.

use crate::{
    fair::Hierarchy,
    model::{group::Groups, queue::Queue},
    policy::budget::{
        queue::BudgetQueue,
        state::{Budget, Competition},
    },
    quirks::Quirk,
};
use core::mem;

impl Budget {
    /// A queue with requests waiting or in flight counts in the symmetry test.
    #[inline]
    pub(crate) fn start_counting(
        &mut self,
        groups: &mut Groups<Budget>,
        state: &mut Queue<Budget>,
    ) {
        self.competition.mark_pending(groups, state);
        self.competition.count_weight(&mut state.policy, &self.fair);
    }

    /// A queue with requests neither waiting nor in flight stops counting in the symmetry test.
    #[inline(always)]
    pub(crate) fn stop_counting(&mut self, groups: &mut Groups<Budget>, state: &mut Queue<Budget>) {
        debug_assert_eq!(state.in_flight, 0, "it competes");
        self.competition.uncount_weight(&mut state.policy);
        if self.quirks.has(Quirk::ActiveGroupsDiffer) {
            self.fair.uncount_idle_ancestors(state.policy.entity);
        }
        self.competition.unmark_pending(groups, state);
    }

    /// Whether the competitors differ in what they are entitled to (spec 1.16).
    #[inline]
    pub(crate) fn is_asymmetric(&self, state: &Queue<Budget>) -> bool {
        let is_smallest = || {
            let weight = state.policy.counted.weight;
            weight.is_some() && weight == self.competition.weights.smallest()
        };
        let weights_differ = self.competition.weights.distinct() > 1 && !is_smallest();
        let groups_differ = if self.quirks.has(Quirk::ActiveGroupsDiffer) {
            self.fair.active_groups() > 0
        } else {
            self.competition.pending_groups > 1
        };
        weights_differ || self.competition.busy.classes() > 1 || groups_differ
    }
}

impl Competition {
    /// Counts a queue under the weight of its leaf, unless it is raised.
    #[inline]
    pub(super) fn count_weight(&mut self, state: &mut BudgetQueue, fair: &Hierarchy) {
        if state.counted.weight.is_none() && !state.is_raised() {
            let weight = fair.entity(state.entity).weight();
            self.weights.add(weight);
            state.counted.weight = Some(weight);
        }
    }

    /// The opposite, of a queue that is counted.
    #[inline]
    pub(super) fn uncount_weight(&mut self, state: &mut BudgetQueue) {
        if let Some(weight) = state.counted.weight.take() {
            self.weights.remove(weight);
        }
    }

    /// Marks a queue as one with requests waiting or in flight.
    #[inline]
    pub(super) fn mark_pending(&mut self, groups: &mut Groups<Budget>, state: &mut Queue<Budget>) {
        if mem::replace(&mut state.policy.counted.pending, true) {
            return;
        }
        let group = &mut groups[state.group].policy;
        group.pending_queues += 1;
        self.pending_groups += u32::from(group.pending_queues == 1);
    }

    /// The opposite, of a queue that is marked.
    #[inline]
    pub(super) fn unmark_pending(
        &mut self,
        groups: &mut Groups<Budget>,
        state: &mut Queue<Budget>,
    ) {
        if !mem::replace(&mut state.policy.counted.pending, false) {
            return;
        }
        let group = &mut groups[state.group].policy;
        debug_assert!(group.pending_queues > 0, "it was marked in another group");
        group.pending_queues -= 1;
        self.pending_groups -= u32::from(group.pending_queues == 0);
    }
}

#[cfg(test)]
#[path = "symmetry_tests.rs"]
mod tests;
