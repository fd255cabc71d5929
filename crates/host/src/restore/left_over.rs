// SPDX-License-Identifier: MIT OR Apache-2.0
//! Putting back what runs that were killed have changed.

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
    /// What remains of each run, a line each.
    #[error("{}", lines(.0))]
    Runs(Vec<NotRestored>),
}

fn lines(runs: &[NotRestored]) -> String {
    runs.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
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
        let changes: Vec<String> = journal.changes().map(ToString::to_string).collect();
        changes.iter().rev().for_each(|change| say(&format!("  {change}")));
        failed.extend(journal.restore().err());
    }
    if failed.is_empty() { Ok(runs) } else { Err(StillChanged::Runs(failed)) }
}
