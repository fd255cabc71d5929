// SPDX-License-Identifier: MIT OR Apache-2.0
//! The warm-up: every scenario runs before anything is measured.

use super::error::RunError;
use super::listener::Listener;
use super::stage::BenchStage;
use crate::plan::TimedScenario;
use crate::scenarios::Scenario;
use std::time::Instant;

/// A stage on which every scenario has run.
pub struct WarmUp {
    pub(super) stage: BenchStage,
    pub(super) timed: Vec<TimedScenario>,
}

impl BenchStage {
    /// Runs every scenario, and forgets the figures: caches and drives get warm, and it is known
    /// how long each takes. That may be many times as long under one candidate as under another
    /// where a scenario ends by itself, so it runs under each; the others run once, candidate after
    /// candidate.
    ///
    /// # Errors
    /// A scenario cannot be run, or the run is interrupted.
    pub fn warm_up(mut self, listener: &dyn Listener) -> Result<WarmUp, RunError> {
        let (scenarios, candidates) = (self.scenarios.clone(), self.candidates.clone());
        let interrupted = || listener.interrupted();
        let under = |number: usize, scenario: &Scenario| match scenario.ends_by_time() {
            true => std::slice::from_ref(&candidates[number % candidates.len()]),
            false => &candidates[..],
        };
        let cells = scenarios.iter().enumerate();
        let count = cells.map(|(number, scenario)| under(number, scenario).len()).sum();
        let (mut timed, mut done) = (Vec::new(), 0);
        for (number, scenario) in scenarios.into_iter().enumerate() {
            let mut took = Vec::new();
            for candidate in under(number, scenario) {
                listener.warms_up(done, count);
                let began = Instant::now();
                self.session(&interrupted).run_cell(candidate, scenario, u32::MAX)?;
                took.push(began.elapsed());
                done += 1;
            }
            timed.push(TimedScenario { scenario, took });
        }
        listener.is_over();
        Ok(WarmUp { stage: self, timed })
    }
}
