// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the time of a job's I/O went (docs/explain.md).

use crate::arguments::{Arguments, tellers};
use crate::errors::{of_lab, of_recording, usage};
use crate::signals::Signals;
use ::explain::{Explanation, Look, RecordedRun};
use lab::{ExplainOptions, ExplainPlan, PolicyName};
use pyo3::prelude::*;
use std::path::{Path, PathBuf};

/// An explanation as JSON, for people, and what its words mean.
type Told = (String, String, String);

/// The version that recordings are explained by.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Simulates and explains a job: the one that is named, or the only one.
#[pyfunction]
#[pyo3(signature = (arguments, job, slowest))]
pub(crate) fn explain(
    python: Python<'_>,
    arguments: Arguments,
    job: Option<String>,
    slowest: usize,
) -> PyResult<Told> {
    python.detach(|| {
        let Arguments { scheduler, device, vm, .. } = &arguments;
        let unknown = || usage(format!("scheduler {scheduler}: expected {}", tellers()));
        let options = ExplainOptions {
            scheduler: PolicyName::from_name(scheduler).ok_or_else(unknown)?,
            job,
            device: device.clone(),
            vm: vm.clone(),
            slowest,
        };
        let plan = ExplainPlan::plan(&arguments.work()?, &options, &arguments.files());
        let mut signals = Signals::new();
        let explained = plan.and_then(|plan| plan.simulated(&mut |_, _| signals.look()));
        let (explanation, _) = explained.map_err(of_lab)?;
        signals.raised()?;
        Ok(told(&explanation))
    })
}

/// Explains what a program waited for in a recording of the kernel module.
#[pyfunction]
pub(crate) fn explain_recording(
    python: Python<'_>,
    path: PathBuf,
    program: String,
    slowest: usize,
) -> PyResult<Told> {
    python.detach(|| {
        let explanation = recorded(&path)?.explanation(&program, slowest, VERSION);
        explanation.map(|explanation| told(&explanation)).map_err(usage)
    })
}

/// Who did I/O in a recording of the kernel module, as JSON and for people.
#[pyfunction]
pub(crate) fn recording_overview(python: Python<'_>, path: PathBuf) -> PyResult<(String, String)> {
    python.detach(|| {
        let overview = recorded(&path)?.overview(VERSION);
        Ok((overview.to_json(), overview.text(Look::PLAIN)))
    })
}

fn told(explanation: &Explanation) -> Told {
    (explanation.to_json(), explanation.text(Look::PLAIN), explanation.glossary(Look::PLAIN))
}

fn recorded(path: &Path) -> PyResult<RecordedRun> {
    let bytes = std::fs::read(path).map_err(|error| of_recording(path, error))?;
    RecordedRun::read(bytes).map_err(|error| of_recording(path, error))
}
