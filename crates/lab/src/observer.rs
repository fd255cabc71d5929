// SPDX-License-Identifier: MIT OR Apache-2.0
//! Observers of a series of runs, which may stop it.

use crate::schedulers::Choice;
use report::LogFiles;
use std::ops::ControlFlow;

/// What is run, for observers.
#[derive(Clone, Copy, Debug)]
pub enum SeriesStep<'a> {
    /// Each job alone on a device, so that the runs on it can be judged.
    Alone {
        /// Name of the simulated device, or path of the real one.
        device: &'a str,
    },
    /// One of the runs.
    Run {
        /// The scheduler under which it runs.
        choice: &'a Choice,
        /// Name of the simulated device, or path of the real one.
        device: &'a str,
    },
}

/// Is told of each step of a series of runs, and may stop it.
pub trait SeriesObserver {
    /// A step begins; its name and device are told.
    fn begins(&mut self, step: SeriesStep<'_>);

    /// The time of the step, virtual in simulations, and its planned end (both ns). `Break` ends
    /// all of it.
    fn at(&mut self, now_ns: u64, planned_ns: Option<u64>) -> ControlFlow<()>;

    /// The step is over, or has failed.
    fn ended(&mut self);

    /// The logs that the jobs of a run asked for, which results do not have. After `Break` no
    /// further run is made.
    fn logs(&mut self, logs: LogFiles) -> ControlFlow<()>;
}

/// Observes nothing: all runs are made to their end, their logs are forgotten.
impl SeriesObserver for () {
    fn begins(&mut self, _: SeriesStep<'_>) {}

    fn at(&mut self, _: u64, _: Option<u64>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn ended(&mut self) {}

    fn logs(&mut self, _: LogFiles) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
