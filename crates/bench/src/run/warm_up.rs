// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every scenario once, before anything is measured.

use super::error::RunError;
use super::listener::Listener;
use super::stage::Stage;
use crate::plan::Rehearsed;
use std::time::Instant;

/// A stage on which every scenario was played once.
pub struct Rehearsal {
    pub(super) stage: Stage,
    pub(super) rehearsed: Vec<Rehearsed>,
}

impl Stage {
    /// Plays every scenario once, candidate after candidate, and forgets the figures: caches and
    /// drives get warm, and it is known how long each takes.
    ///
    /// # Errors
    /// A scenario cannot be played, or somebody wants to end.
    pub fn rehearse(mut self, listener: &dyn Listener) -> Result<Rehearsal, RunError> {
        let (scenarios, candidates) = (self.scenarios.clone(), self.candidates.clone());
        let interrupted = || listener.interrupted();
        let count = scenarios.len();
        let mut rehearsed = Vec::new();
        for (number, scenario) in scenarios.into_iter().enumerate() {
            listener.rehearses(number, count);
            let candidate = &candidates[number % candidates.len()];
            let began = Instant::now();
            self.session(&interrupted).run_cell(candidate, scenario, u32::MAX)?;
            rehearsed.push(Rehearsed { scenario, took: began.elapsed() });
        }
        listener.is_over();
        Ok(Rehearsal { stage: self, rehearsed })
    }
}
