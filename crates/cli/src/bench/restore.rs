// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq bench --restore`: puts back what runs that were killed have changed.

use crate::failure::Failure;
use crate::streams::note;
use host::Host;
use host::restore::{JOURNALS_FOLDER, NotRestored, left_over};
use std::path::{Path, PathBuf};

/// Puts everything back, and says what that was.
///
/// # Errors
/// What could not be put back; the rest has been.
pub fn run(wanted: &Option<PathBuf>, quiet: bool) -> Result<(), Failure> {
    let say = |text: &str| {
        if !quiet {
            note(text);
        }
    };
    if left_over_runs(&Host::here(), &journals(wanted), &say)? == 0 {
        say("nothing was left to be put back");
    }
    Ok(())
}

/// The folder of the journals: the one that is wanted, or the usual one.
pub fn journals(wanted: &Option<PathBuf>) -> PathBuf {
    wanted.clone().unwrap_or_else(|| PathBuf::from(JOURNALS_FOLDER))
}

/// Puts back what runs that were killed have changed; the answer is how many these were.
///
/// # Errors
/// What could not be put back, of all runs; the rest has been.
pub fn left_over_runs(host: &Host, folder: &Path, say: &dyn Fn(&str)) -> Result<usize, Failure> {
    let found = left_over(host, folder).map_err(Failure::run)?;
    for opening in found.at_work {
        let (disk, pid) = (opening.disk, opening.pid);
        say(&format!(
            "a run on {disk} is at work (process {pid}); it puts back itself what it changes"
        ));
    }
    let runs = found.dead.len();
    let mut failed = Vec::new();
    for mut journal in found.dead {
        say(&format!("a run on {} was killed; undoing what it did:", journal.opening().disk));
        let changes: Vec<String> = journal.changes().map(ToString::to_string).collect();
        changes.iter().rev().for_each(|change| say(&format!("  {change}")));
        failed.extend(journal.restore().err());
    }
    if failed.is_empty() { Ok(runs) } else { Err(Failure::run(StillChanged(failed))) }
}

/// Runs of which something could not be put back.
#[derive(Debug)]
struct StillChanged(Vec<NotRestored>);

impl std::fmt::Display for StillChanged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let texts: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&texts.join("\n"))
    }
}

impl std::error::Error for StillChanged {}
