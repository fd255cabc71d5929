// SPDX-License-Identifier: MIT OR Apache-2.0
//! One of the runs of a plan, bit by bit: for whoever draws it while it goes on.

use super::{Cell, FinishedSimulation, Simulations, recorder};
use crate::error::LabError;
use crate::fair::Judge;
use bfq::Time;
use bfq::why::{Decision, Observer};
use blk::{IoError, Tag};
use device::CommandTiming;
use explain::TimelineRecorder;
use report::Scenario;
use runner::{Runner, SimultaneousOrder};
use sim::{RunObserver, Setup, Simulation, limits};
use std::ops::ControlFlow;

/// A run under way. `L` looks at it from inside, besides who records the schedule for the result;
/// its clones look at the same.
pub struct Running<L> {
    simulation: Simulation,
    observers: Observers<L>,
    infix: String,
    variant: Option<String>,
    scenario: Scenario,
}

impl Simulations {
    /// Begins one of the runs.
    ///
    /// # Errors
    /// If it does not fit the device.
    pub fn start<L: Observer + RunObserver + Clone + 'static>(
        &self,
        cell: &Cell<'_>,
        observer: Option<L>,
    ) -> Result<Running<L>, LabError> {
        let observers = Observers { recorder: recorder(&self.jobs, self.timeline), observer };
        let watched =
            (observers.recorder.is_some() || observers.observer.is_some()).then_some(&observers);
        let simulation = Simulation::new(Setup {
            jobs: &self.jobs,
            group_weights: &self.group_weights,
            settings: self.settings,
            page_cache: self.page_cache,
            profile: cell.profile,
            elevator: cell.choice.build_before(&limits(cell.profile), watched)?,
            seed: self.seed,
            order: SimultaneousOrder::AsCreated,
        })?;
        Ok(Running {
            simulation,
            observers,
            infix: cell.infix.clone(),
            variant: cell.choice.variant().map(str::to_owned),
            scenario: self.scenario.clone(),
        })
    }
}

impl<L: Observer + RunObserver> Running<L> {
    /// Goes on up to `until_ns`, that instant included, or to the end. `observe` is told the
    /// virtual time and the planned end (both ns) now and then, and may stop it.
    ///
    /// # Errors
    /// If the simulation fails.
    pub fn go_on(
        &mut self,
        until_ns: u64,
        observe: &mut dyn FnMut(u64, Option<u64>) -> ControlFlow<()>,
    ) -> Result<(), LabError> {
        Ok(self.simulation.go_on(until_ns, observe, &mut self.observers)?)
    }

    /// The simulation, to be looked at.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// Who looks at it.
    pub fn observer(&self) -> Option<&L> {
        self.observers.observer.as_ref()
    }

    /// Changes the weight of a control group at the present time.
    ///
    /// # Errors
    /// If there is no such group, or the weight is out of range.
    pub fn set_group_weight(&mut self, path: &str, weight: u32) -> Result<(), LabError> {
        Ok(self.simulation.set_group_weight(path, weight)?)
    }

    /// The result, with the measure of fairness if there is who judges.
    pub fn finish(self, judge: Option<&Judge>) -> FinishedSimulation {
        let simulated = self.simulation.into_simulated();
        let logs = simulated.outcome.log_files(&self.infix);
        let elapsed_ns = simulated.outcome.elapsed_ns;
        let fairness = judge.map(|judge| judge.judge(&simulated.outcome));
        let mut run = simulated.outcome.into_run(simulated.device, simulated.device_stats);
        run.variant = self.variant;
        run.scenario = Some(self.scenario);
        run.fairness = fairness;
        let recorder = self.observers.recorder;
        run.set_timeline(recorder.and_then(|recorder| recorder.timeline(elapsed_ns)));
        FinishedSimulation { run, logs, stopped: simulated.stopped }
    }
}

/// All who look at a run from inside.
#[derive(Clone, Debug)]
struct Observers<L> {
    recorder: Option<TimelineRecorder>,
    observer: Option<L>,
}

impl<L: Observer> Observer for Observers<L> {
    #[inline(always)]
    fn is_watching(&self) -> bool {
        self.recorder.is_watching() || self.observer.is_watching()
    }

    fn decided(&mut self, now: Time, decision: &Decision) {
        self.recorder.decided(now, decision);
        self.observer.decided(now, decision);
    }
}

impl<L: RunObserver> RunObserver for Observers<L> {
    #[inline]
    fn watches_device(&self) -> bool {
        self.observer.watches_device()
    }

    fn timed(&mut self, tag: Tag, timing: CommandTiming) {
        self.observer.timed(tag, timing);
    }

    #[inline]
    fn ends(&mut self, now_ns: u64, tag: Tag, result: Result<(), IoError>, runner: &Runner) {
        self.recorder.ends(now_ns, tag, result, runner);
        self.observer.ends(now_ns, tag, result, runner);
    }
}
