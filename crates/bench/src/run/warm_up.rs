// SPDX-License-Identifier: MIT OR Apache-2.0
//! The warm-up: every scenario runs once before anything is measured.

use super::error::RunError;
use super::listener::Listener;
use super::stage::BenchStage;
use crate::plan::TimedScenario;
use std::time::Instant;

/// A stage on which every scenario has run once.
pub struct WarmUp {
    pub(super) stage: BenchStage,
    pub(super) timed: Vec<TimedScenario>,
}

impl BenchStage {
    /// Runs every scenario once, candidate after candidate, and forgets the figures: caches and
    /// drives get warm, and it is known how long each takes.
    ///
    /// # Errors
    /// A scenario cannot be run, or the run is interrupted.
    pub fn warm_up(mut self, listener: &dyn Listener) -> Result<WarmUp, RunError> {
        let (scenarios, candidates) = (self.scenarios.clone(), self.candidates.clone());
        let interrupted = || listener.interrupted();
        let count = scenarios.len();
        let mut timed = Vec::new();
        for (number, scenario) in scenarios.into_iter().enumerate() {
            listener.warms_up(number, count);
            let candidate = &candidates[number % candidates.len()];
            let began = Instant::now();
            self.session(&interrupted).run_cell(candidate, scenario, u32::MAX)?;
            timed.push(TimedScenario { scenario, took: began.elapsed() });
        }
        listener.is_over();
        Ok(WarmUp { stage: self, timed })
    }
}
