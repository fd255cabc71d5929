// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq bench --fit`: a profile of this disk for the simulator.

use super::screen::Screen;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::note::note;
use crate::streams::print;
use bench::fitting::{FittingError, fit_disk};
use bench::run::{BenchOptions, RunError};
use std::path::Path;
use std::time::Duration;

/// Measures the disk, finds the profile, writes it and prints what it plays beside
/// what was measured.
///
/// # Errors
/// With exit code 2 if the target or the file cannot be used, with 1 if it fails while running or
/// is interrupted.
pub fn run(
    options: &BenchOptions,
    profile: &Path,
    time: Option<Duration>,
    interrupt: &Interrupt,
    quiet: bool,
) -> Result<(), Failure> {
    let fitted = fit_disk(options, profile, time, &Screen::new(quiet, interrupt));
    let fitted = fitted.map_err(failure)?;
    if let Some(doubt) = fitted.measured.doubt() {
        note(&format!("warning: {doubt}"));
    }
    print(&fitted.to_string())?;
    if fitted.fitted.ended_early {
        note("interrupted; the profile is the nearest one found until then");
        return Err(Failure::Interrupted);
    }
    Ok(())
}

fn failure(error: FittingError) -> Failure {
    if matches!(error, FittingError::Interrupted { .. }) {
        note(&error.to_string());
    }
    match error {
        FittingError::Interrupted { not_restored: Some(error) } => Failure::run(error),
        FittingError::Interrupted { not_restored: None }
        | FittingError::Run(RunError::Interrupted) => Failure::Interrupted,
        wrong if wrong.is_usage() => Failure::usage(wrong),
        failed => Failure::run(failed),
    }
}
