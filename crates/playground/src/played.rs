// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run in which weights change on the way.

use crate::setup::Change;
use bfq::why::Observer;
use lab::{LabError, Running};
use sim::RunObserver;
use std::ops::ControlFlow;

/// A run in which weights change on the way, before the eyes of `L`.
pub(crate) struct Played<L> {
    pub(crate) running: Running<L>,
    /// How many of the changes were made.
    changed: usize,
}

impl<L: Observer + RunObserver> Played<L> {
    pub(crate) fn new(running: Running<L>) -> Played<L> {
        Played { running, changed: 0 }
    }

    /// Goes on up to `until_ns`, and changes what is to be changed up to then.
    pub(crate) fn go_on(&mut self, changes: &[Change], until_ns: u64) -> Result<(), LabError> {
        let unobserved = &mut |_, _| ControlFlow::Continue(());
        while let Some(change) = changes.get(self.changed)
            && change.at_ns <= until_ns
        {
            self.running.go_on(change.at_ns, unobserved)?;
            if !self.has_ended() {
                self.running.set_group_weight(&change.group, change.weight)?;
            }
            self.changed += 1;
        }
        self.running.go_on(until_ns, unobserved)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.running.simulation().has_ended()
    }
}
