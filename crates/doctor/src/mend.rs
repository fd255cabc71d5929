// SPDX-License-Identifier: MIT OR Apache-2.0
//! Makes the changes that are safe, under a journal that can undo them.

use crate::finding::{Finding, Fix};
use crate::report::Report;
use host::restore::{Journal, NotRestored, RestoreError};
use host::{Candidate, Claim, Disk, Host, HostError};
use std::path::Path;

/// What became of a finding.
#[derive(Debug)]
pub struct Mended<'r> {
    /// The finding that it is about.
    pub finding: &'r Finding,
    /// What was done about it: nothing where that is left to people.
    pub outcome: MendOutcome,
}

/// What was done about a finding.
#[derive(Debug)]
pub enum MendOutcome {
    /// It was mended, by this.
    Done(String),
    /// It is not safe without a person's judgement.
    LeftToYou,
    /// The system refused the change that would mend it.
    Refused(RestoreError),
}

/// Why nothing was mended.
#[derive(Debug, thiserror::Error)]
pub enum MendError {
    /// A disk cannot be claimed or looked at.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The journal cannot be written.
    #[error(transparent)]
    Journal(#[from] RestoreError),
    /// An empty journal stays.
    #[error(transparent)]
    Empty(#[from] NotRestored),
}

/// Mends all findings of a report that can be mended safely: elevators first, as their settings
/// come and go with them. What was changed is in the journals' folder, for
/// [`host::restore::restore_left_over`].
///
/// # Errors
/// [`MendError`]; nothing is changed then. What single changes fail by is in the answer.
pub fn mend<'r>(
    host: &Host,
    journals: &Path,
    report: &'r Report,
) -> Result<Vec<Mended<'r>>, MendError> {
    let disks = Disk::all(host)?;
    let disks: Vec<&Disk> = disks.iter().filter(|disk| concerns(report, disk)).collect();
    let names = disks.iter().map(|disk| disk.name.as_str()).collect::<Vec<_>>().join(", ");
    let mut claims = Vec::new();
    for disk in &disks {
        claims.push(Claim::of_settings(disk)?);
    }
    let mut journal = Journal::to_keep(host, journals, &names)?;
    let is_elevator =
        |finding: &&Finding| matches!(finding.fixes.first(), Some(Fix::Elevator { .. }));
    let (first, rest): (Vec<_>, Vec<_>) = report.findings.iter().partition(is_elevator);
    let mut mended = Vec::new();
    let mut done: Vec<&Fix> = Vec::new();
    for finding in first.into_iter().chain(rest) {
        if finding.fixes.is_empty() {
            mended.push(Mended { finding, outcome: MendOutcome::LeftToYou });
        }
        for fix in &finding.fixes {
            // One file of a group is for all disks: what two findings ask of it is done once, and
            // of two values that they ask for the first.
            if done.iter().any(|other| other.is_of_same_file(fix)) {
                continue;
            }
            let outcome = match apply(host, &mut journal, &disks, finding, fix) {
                Ok(text) => {
                    done.push(fix);
                    MendOutcome::Done(text)
                }
                Err(error) => MendOutcome::Refused(error),
            };
            mended.push(Mended { finding, outcome });
        }
    }
    if journal.changes().next().is_none() {
        journal.restore()?;
    }
    Ok(mended)
}

/// Whether something is to be mended on a disk.
fn concerns(report: &Report, disk: &Disk) -> bool {
    let mut fixable = report.findings.iter().filter(|finding| finding.is_fixable);
    fixable.any(|finding| finding.disk.as_deref() == Some(&disk.name))
}

fn apply(
    host: &Host,
    journal: &mut Journal,
    disks: &[&Disk],
    finding: &Finding,
    fix: &Fix,
) -> Result<String, RestoreError> {
    match fix {
        Fix::Elevator { candidate } => {
            let chosen: Candidate = candidate.parse().expect("a name, perhaps with tunables");
            let of = finding.disk.as_deref().unwrap_or_default();
            for disk in disks.iter().filter(|disk| disk.name == of) {
                journal.choose(disk, &chosen)?;
            }
            Ok(format!("{chosen} is the elevator of {of}"))
        }
        Fix::Setting { file, seen, value } => {
            journal.set(&host.path(file), seen, value)?;
            Ok(format!("{file} is {value}, was {seen}"))
        }
    }
}
