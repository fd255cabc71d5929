// SPDX-License-Identifier: MIT OR Apache-2.0
//! A real disk in the simulator (docs/bench.md): measured, and a profile found that plays it.

use crate::errors::{failed, in_keywords, interrupted, usage};
use crate::signals::Signals;
use ::fit::Compared;
use base::text::with_causes;
use bench::fitting::{FittedDisk, FittingError, fit_disk};
use bench::run::{BenchOptions, Candidates, Listener, RunError};
use pyo3::prelude::*;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What was found: a text for people, a doubt about it, and the figures: name, measured, spread
/// in percent, simulated.
type Found = (String, Option<String>, Vec<(&'static str, f64, f64, f64)>);

/// Measures the disk of a folder, file or block device and writes its profile to a new file.
#[pyfunction]
pub(crate) fn fit(
    python: Python<'_>,
    target: PathBuf,
    profile: PathBuf,
    seconds: Option<f64>,
    size_bytes: Option<u64>,
    allow_write: bool,
) -> PyResult<Found> {
    python.detach(|| {
        let time = seconds.map(Duration::try_from_secs_f64).transpose().map_err(usage)?;
        let options = BenchOptions {
            target,
            level: bench::model::Level::default(),
            scenarios: None,
            candidates: Candidates::Usual,
            command: None,
            size_bytes,
            allow_write,
            seed: 1,
            // Fitting starts no workers.
            program: PathBuf::new(),
            journals: None,
            resumed: None,
        };
        let listener = Quiet(RefCell::new(Signals::new()));
        let fitted = fit_disk(&options, &profile, time, &listener);
        let raised = listener.0.into_inner().raised();
        match fitted {
            Ok(fitted) => raised.map(|()| found(&fitted)),
            Err(error) => Err(exception(error, raised.err())),
        }
    })
}

fn found(disk: &FittedDisk) -> Found {
    let figure = |row: &Compared| {
        let measured = &row.measured;
        (measured.trial.name, measured.value, measured.spread_percent(), row.simulated)
    };
    let figures = disk.fitted.compared.iter().map(figure).collect();
    (disk.to_string(), disk.measured.doubt().as_deref().map(in_keywords), figures)
}

/// The exception for an error, and for what a handler of a signal has `raised` meanwhile. That the
/// machine was left changed has to be told, whoever ended it: then what was raised is the cause.
fn exception(error: FittingError, raised: Option<PyErr>) -> PyErr {
    let told = match error {
        FittingError::Interrupted { not_restored: None }
        | FittingError::Run(RunError::Interrupted) => return raised.unwrap_or_else(interrupted),
        FittingError::Interrupted { not_restored: Some(error) } => failed(with_causes(&error)),
        wrong if wrong.is_usage() => usage(with_causes(&wrong)),
        error => failed(with_causes(&error)),
    };
    Python::attach(|python| told.set_cause(python, raised));
    told
}

/// Says nothing, and ends when Python wants it to.
struct Quiet(RefCell<Signals>);

impl Listener for Quiet {
    fn says(&self, _: &str) {}

    fn notes(&self, _: &str) {}

    fn fills(&self, _: &Path, _: u64, _: u64) {}

    fn warms_up(&self, _: usize, _: usize) {}

    fn measures(&self, _: usize, _: usize, _: String) {}

    fn characterises(&self, _: &str, _: usize, _: usize) {}

    fn is_over(&self) {}

    fn interrupted(&self) -> bool {
        self.0.borrow_mut().look().is_break()
    }
}
