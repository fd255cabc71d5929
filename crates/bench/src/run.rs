// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run of the bench from beginning to end, one way:
//!
//! ```text
//! BenchOptions ──▶ BenchStage ──▶ WarmUp ──▶ Planned ──▶ Measured ──▶ verdict
//!                  set up         how long   what is     cell after cell;
//!                                 each takes measured    then the machine is put back
//! ```
//!
//! Each step takes what the one before gives, and nothing goes back. What is to be said, and
//! whether the user wants to end, goes through a [`Listener`].

mod error;
mod listener;
mod measuring;
mod options;
mod planned;
mod remarks;
mod resumed;
mod stage;
mod tried;
mod warm_up;

pub use error::RunError;
pub use listener::Listener;
pub use measuring::{Ended, Measured};
pub use options::{BenchOptions, Candidates, OptionsError, scenario_names, scenarios_of};
pub use planned::Planned;
pub use remarks::summed_up;
pub use resumed::Resumed;
pub use stage::{BenchStage, survey};

use crate::model::ResultsFile;
use std::path::Path;
use std::time::Duration;

/// A new run, whose results are kept in a new file, if one is given.
///
/// # Errors
/// If nothing can be measured. Once measuring has begun, how it ended is in the result.
pub fn begin(
    options: &BenchOptions,
    time: Option<Duration>,
    results: Option<&Path>,
    listener: &dyn Listener,
) -> Result<Measured, RunError> {
    if let Some(path) = results.filter(|path| path.exists()) {
        return Err(RunError::Exists(path.to_owned()));
    }
    let stage = BenchStage::set(options, listener)?;
    let planned = stage.warm_up(listener)?.plan(time)?;
    planned.sentences().iter().for_each(|text| listener.says(text));
    let file = match results {
        Some(path) => Some(ResultsFile::create(path, &planned.opening).map_err(RunError::Results)?),
        None => None,
    };
    Ok(planned.measure(Vec::new(), file, listener))
}

/// A run that was interrupted goes on, from its file of results. `program` is as in
/// [`BenchOptions`], and so is `journals`; `allow_write` says once more that the data of the target
/// may be destroyed, which is asked for where it cannot be known again.
///
/// # Errors
/// If the file cannot be read, or the machine is not as it was.
pub fn resume(
    results: &Path,
    program: &Path,
    journals: Option<&Path>,
    allow_write: bool,
    listener: &dyn Listener,
) -> Result<Measured, RunError> {
    let (opening, _) = ResultsFile::read(results).map_err(RunError::Resume)?;
    // Setting up may take minutes, and destroys what is on the target.
    ResultsFile::check_writable(results).map_err(RunError::Resume)?;
    if allow_write && !opening.conditions.writes {
        listener.notes("--allow-write has no effect: the run that goes on only reads");
    }
    let options = BenchOptions {
        journals: journals.map(Path::to_owned),
        ..BenchOptions::of_resumed(Resumed { opening, allow_write }, program)
    };
    let stage = BenchStage::set(&options, listener)?;
    // Only now that the disk is claimed does no other run add to the file: what it wrote meanwhile
    // counts, and a line that looks cut off is.
    let (file, opening, measured) = ResultsFile::resume(results).map_err(RunError::Resume)?;
    let planned = stage.as_planned(opening)?;
    let (done, all) = (measured.len(), planned.cells());
    listener.says(&format!("{done} of {all} measurements are there; going on"));
    Ok(planned.measure(measured, Some(file), listener))
}
