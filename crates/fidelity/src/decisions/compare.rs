// SPDX-License-Identifier: MIT OR Apache-2.0
//! Replays whatever a file is: a recording, a log or a trace.

use super::error::ReplayError;
use super::log::{self, LogError};
use super::outcome::ReplayOutcome;
use super::recorded::replay_recording;
use super::rounding::replay;
use super::setup::Setup;
use super::{stock, tracer};
use std::path::Path;

/// Replays the recording at `path` (known by its first bytes), or the log (`NAME.csv`) or trace
/// (`NAME.trace`, likewise known) with the settings in `NAME.toml` beside it. If the name ends in
/// `.gz`, it is decompressed.
///
/// # Errors
/// If one of the files is missing or malformed.
pub fn compare(path: &Path) -> Result<ReplayOutcome, ReplayError> {
    let bytes = log::read_file(path)?;
    let file = path.display().to_string();
    if bytes.is_empty() {
        return Err(LogError::Empty { path: path.to_owned() }.into());
    }
    if recording::is_recording(&bytes) {
        return replay_recording(&file, &bytes);
    }
    if tracer::is_trace(&bytes) {
        let mut setup = Setup::beside(path)?;
        let lines = stock::read(path, &bytes, &mut setup)?;
        return replay(&file, &setup, &lines);
    }
    let lines = log::lines(path, &bytes)?;
    let setup = Setup::beside(path)?;
    replay(&file, &setup, &lines)
}
