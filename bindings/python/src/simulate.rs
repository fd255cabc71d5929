// SPDX-License-Identifier: MIT OR Apache-2.0
//! One run on a modelled device, while other threads of Python go on.

use crate::arguments::{Arguments, tellers};
use crate::decisions::DecisionRecorder;
use crate::errors::{of_lab, usage};
use crate::jobs::notes;
use crate::results::Results;
use crate::signals::Signals;
use crate::table::Table;
use bfq::PolicyName;
use explain::Cast;
use lab::{Cell, FinishedSimulation, SimulationOptions, Simulations};
use pyo3::prelude::*;

/// Makes one run. `timeline`: how many entries of the schedule the result has; `decisions`: whether
/// it has those of the scheduler.
#[pyfunction]
pub(crate) fn simulate(
    python: Python<'_>,
    arguments: Arguments,
    timeline: usize,
    decisions: bool,
) -> PyResult<Results> {
    let run = python.detach(|| run(&arguments, timeline, decisions))?;
    let Finished { results, decisions, logs, notes } = run;
    let decisions = decisions.map(|table| Py::new(python, table)).transpose()?;
    Ok(Results::new(results, decisions, logs, notes))
}

/// A run that is over.
struct Finished {
    results: report::Results,
    decisions: Option<Table>,
    logs: Vec<(String, String)>,
    notes: Vec<(String, u32, String)>,
}

fn run(arguments: &Arguments, timeline: usize, decisions: bool) -> PyResult<Finished> {
    let options = SimulationOptions {
        devices: vec![arguments.device.clone()],
        schedulers: arguments.scheduler.clone(),
        vm: arguments.vm.clone(),
        timeline,
        fair: false,
        command: arguments.command(),
    };
    let plan = Simulations::plan(&arguments.work()?, options, &arguments.files());
    let plan = plan.map_err(of_lab)?;
    let mut cells = plan.cells();
    let (Some(cell), None) = (cells.next(), cells.next()) else {
        return Err(usage(format!(
            "device {} and scheduler {} name {} runs; expected one: the devices=[…] and \
             schedulers=[…] of simulate_many are several",
            arguments.device.display(),
            arguments.scheduler,
            plan.len()
        )));
    };
    let recorder = recorder(&plan, &cell, decisions)?;
    let FinishedSimulation { run, logs, .. } = finish(&plan, &cell, recorder.clone())?;
    Ok(Finished {
        results: plan.results(vec![run]),
        decisions: recorder.map(|recorder| recorder.take()).transpose()?,
        logs: logs.0,
        notes: notes(plan.jobs()),
    })
}

/// Who writes decisions down, if they are wanted.
fn recorder(
    plan: &Simulations,
    cell: &Cell<'_>,
    wanted: bool,
) -> PyResult<Option<DecisionRecorder>> {
    if !wanted {
        return Ok(None);
    }
    let name = cell.choice.name();
    if PolicyName::from_name(name).is_none() {
        return Err(usage(format!(
            "decisions: {name} does not tell its decisions; expected {}",
            tellers()
        )));
    }
    Ok(Some(DecisionRecorder::new(Cast::everybody(plan.jobs()).process_names())))
}

/// Makes the run from beginning to end, unless Python wants it to end.
fn finish(
    plan: &Simulations,
    cell: &Cell<'_>,
    recorder: Option<DecisionRecorder>,
) -> PyResult<FinishedSimulation> {
    let mut running = plan.start(cell, recorder).map_err(of_lab)?;
    let mut signals = Signals::new();
    running.go_on(u64::MAX, &mut |_, _| signals.look()).map_err(of_lab)?;
    signals.raised()?;
    Ok(running.finish(None))
}
