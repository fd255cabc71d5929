// SPDX-License-Identifier: MIT OR Apache-2.0
//! One run on a modelled device, while other threads of Python go on.

use crate::arguments::Arguments;
use crate::errors::{exception, usage};
use crate::results::Results;
use crate::signals::Signals;
use explain::TimelineRecorder;
use lab::{SimulationOptions, Simulations};
use pyo3::prelude::*;

/// Makes one run.
#[pyfunction]
pub(crate) fn simulate(
    python: Python<'_>,
    arguments: Arguments,
    timeline: usize,
) -> PyResult<Results> {
    python.detach(|| run(&arguments, timeline))
}

fn run(arguments: &Arguments, timeline: usize) -> PyResult<Results> {
    let options = SimulationOptions {
        devices: vec![arguments.device.clone()],
        schedulers: arguments.scheduler.clone(),
        vm: arguments.vm.clone(),
        timeline,
        fair: false,
        command: arguments.command(),
    };
    let plan = Simulations::plan(&arguments.work()?, options, &arguments.files());
    let plan = plan.map_err(exception)?;
    let mut cells = plan.cells();
    let (Some(cell), None) = (cells.next(), cells.next()) else {
        return Err(usage(format!(
            "device and scheduler name {} runs; expected one: simulate_many makes several",
            plan.len()
        )));
    };
    let mut running = plan.start(&cell, None::<TimelineRecorder>).map_err(exception)?;
    let mut signals = Signals::new();
    running.go_on(u64::MAX, &mut |_, _| signals.look()).map_err(exception)?;
    signals.raised()?;
    let finished = running.finish(None);
    Ok(Results { results: plan.results(vec![finished.run]) })
}
