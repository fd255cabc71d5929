// SPDX-License-Identifier: MIT OR Apache-2.0
//! Explaining a run on a real file or device.

use super::stage::{RealStage, TargetOptions};
use super::watched::Watched;
use crate::error::LabError;
use crate::explain_plan::{ExplainPlan, INTERRUPTED};
use disk_io::drive;
use explain::{About, Explanation};
use runner::{Config, Runner, SimultaneousOrder};
use std::num::NonZeroU64;
use std::ops::ControlFlow;

impl ExplainPlan {
    /// Opens or creates the target. `fill` is told how much of it (bytes, of how many) has been
    /// filled, and may stop that.
    ///
    /// # Errors
    /// If it cannot be had, or the jobs don't fit it.
    pub fn stage(
        &self,
        target: &TargetOptions,
        fill: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<RealStage, LabError> {
        RealStage::open(target, &self.jobs, &self.settings, fill)
    }

    /// Runs on the target, and gives what was found out and whether the run went wrong (the note
    /// says how) or was stopped. `watch` is told the time since the start and the planned end (both
    /// ns) now and then, and may end it.
    ///
    /// # Errors
    /// If the run cannot be made.
    pub fn on_target(
        &self,
        stage: &mut RealStage,
        limit_bytes_per_s: Option<NonZeroU64>,
        watch: &mut dyn FnMut(u64, Option<u64>) -> ControlFlow<()>,
    ) -> Result<(Explanation, bool), LabError> {
        let explainer = self.explainer();
        let elevator = self.elevator(&explainer, &stage.limits)?;
        let config = Config {
            jobs: &self.jobs,
            group_weights: &self.group_weights,
            settings: self.settings,
            page_cache: None,
            limits: stage.limits,
            seed: self.seed,
            order: SimultaneousOrder::AsCreated,
        };
        let runner = Runner::new(&config, elevator)?;
        let planned_ns = runner.planned_ns();
        let mut watched = Watched { runner, observer: explainer };
        let mut watch = |now_ns| watch(now_ns, planned_ns);
        let driven = drive(&mut watched, &mut stage.engine, limit_bytes_per_s, &mut watch)?;
        let mut notes = stage.target.notes().to_vec();
        if driven.interrupted {
            notes.push(INTERRUPTED.to_owned());
        }
        notes.extend(driven.failures.iter().map(ToString::to_string));
        let about = About {
            bfq_version: env!("CARGO_PKG_VERSION").into(),
            mode: "run".into(),
            scheduler: self.scheduler.name().into(),
            seed: Some(self.seed),
            device: stage.target.path().display().to_string(),
            elapsed_ns: driven.elapsed_ns,
            note: (!notes.is_empty()).then(|| notes.join("; ")),
        };
        let failed = driven.interrupted || !driven.failures.is_empty();
        Ok((watched.observer.explanation(about), failed))
    }
}
