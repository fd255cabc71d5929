// SPDX-License-Identifier: MIT OR Apache-2.0
//! Putting back what runs that were killed have changed.

use super::change::Change;
use super::error::{NotRestored, RestoreError};
use super::left_over;
use crate::root::Host;
use std::path::Path;

/// Runs of which something could not be put back.
#[derive(Debug, thiserror::Error)]
pub enum StillChanged {
    /// The journals cannot be read.
    #[error(transparent)]
    Journals(#[from] RestoreError),
    /// What remains of each run, and the journals that cannot be followed, a line each.
    #[error("{}", lines(runs, bad))]
    Runs {
        /// What could not be put back.
        runs: Vec<NotRestored>,
        /// Journals that cannot be followed.
        bad: Vec<RestoreError>,
    },
}

fn lines(runs: &[NotRestored], bad: &[RestoreError]) -> String {
    let bad = bad.iter().map(ToString::to_string);
    runs.iter().map(ToString::to_string).chain(bad).collect::<Vec<_>>().join("\n")
}

/// Puts back what runs that were killed have changed, and says what that is; the answer is how many
/// runs these were.
///
/// # Errors
/// What could not be put back, of all runs; the rest has been.
pub fn restore_left_over(
    host: &Host,
    folder: &Path,
    say: &dyn Fn(&str),
) -> Result<usize, StillChanged> {
    let found = left_over(host, folder)?;
    for opening in found.at_work {
        let (disk, pid) = (opening.disk, opening.pid);
        say(&format!(
            "a run on {disk} is at work (process {pid}); it puts back itself what it changes"
        ));
    }
    let runs = found.dead.len();
    let mut failed = Vec::new();
    for mut journal in found.dead {
        let opening = journal.opening();
        say(&opening.purpose.undone_of(&opening.disk));
        // If that cannot be told, restoring says so, and nothing is undone.
        let is_of_this_boot = journal.is_of_this_boot().unwrap_or(false);
        let is_undone = |change: &&Change| is_of_this_boot || change.outlives_boot();
        let changes: Vec<&Change> = journal.changes().collect();
        if !changes.iter().all(is_undone) {
            say("  the machine has booted since: settings are not touched");
        }
        let undone = changes.iter().rev().copied().filter(is_undone);
        undone.for_each(|change| say(&format!("  {change}")));
        failed.extend(journal.restore().err());
    }
    let (runs_left, bad) = (failed, found.bad);
    match runs_left.is_empty() && bad.is_empty() {
        true => Ok(runs),
        false => Err(StillChanged::Runs { runs: runs_left, bad }),
    }
}
