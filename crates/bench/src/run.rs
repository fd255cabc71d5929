// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run of the bench from beginning to end, one way:
//!
//! ```text
//! Wishes ──▶ Stage ──▶ rehearsal ──▶ Planned ──▶ Measured ──▶ verdict
//!            set       how long      what is     cell after cell;
//!            up        each takes    measured    then the machine is put back
//! ```
//!
//! Each step takes what the one before gives, and nothing goes back. What is to be said, and
//! whether somebody wants to end, goes through a [`Listener`].

mod error;
mod listener;
mod measuring;
mod planned;
mod rehearsal;
mod remarks;
mod stage;
mod wishes;

pub use error::RunError;
pub use listener::Listener;
pub use measuring::{Ended, Measured};
pub use planned::Planned;
pub use remarks::summed_up;
pub use stage::{Stage, survey};
pub use wishes::{Candidates, Wishes, WishesError, scenario_names, scenarios_of};

use crate::model::ResultsFile;
use std::path::Path;
use std::time::Duration;

/// A new run, whose results are kept in a new file, if one is given.
///
/// # Errors
/// If nothing can be measured. Once measuring has begun, how it ended is in the result.
pub fn begin(
    wishes: &Wishes,
    time: Option<Duration>,
    results: Option<&Path>,
    listener: &dyn Listener,
) -> Result<Measured, RunError> {
    if let Some(path) = results.filter(|path| path.exists()) {
        return Err(RunError::Exists(path.to_owned()));
    }
    let stage = Stage::set(wishes, listener)?;
    let planned = stage.rehearse(listener)?.plan(time)?;
    planned.sentences().iter().for_each(|text| listener.says(text));
    let file = match results {
        Some(path) => Some(ResultsFile::create(path, &planned.opening).map_err(RunError::Results)?),
        None => None,
    };
    Ok(planned.measure(Vec::new(), file, listener))
}

/// A run that was interrupted goes on, from its file of results. `program` is as in [`Wishes`], and
/// so is `journals`.
///
/// # Errors
/// If the file cannot be read, or the machine is not as it was.
pub fn resume(
    results: &Path,
    program: &Path,
    journals: Option<&Path>,
    listener: &dyn Listener,
) -> Result<Measured, RunError> {
    let (file, opening, measured) = ResultsFile::resume(results).map_err(RunError::Resume)?;
    let wishes =
        Wishes { journals: journals.map(Path::to_owned), ..Wishes::of_opening(&opening, program) };
    let planned = Stage::set(&wishes, listener)?.as_planned(opening)?;
    let (done, all) = (measured.len(), planned.cells());
    listener.says(&format!("{done} of {all} measurements are there; going on"));
    Ok(planned.measure(measured, Some(file), listener))
}
