// SPDX-License-Identifier: MIT OR Apache-2.0
//! Makes the changes that are safe, under a journal that can undo them.

use crate::finding::{Finding, Fix};
use crate::machine::DoctorError;
use crate::report::Report;
use host::restore::{Journal, NotRestored, RestoreError};
use host::{Candidate, Claim, Disk, Host, HostError};
use std::path::Path;

/// How often a machine is looked at again: what one change brings to light another may mend.
const ROUNDS: usize = 4;

/// What became of a finding.
#[derive(Debug)]
pub struct Mended<'r> {
    /// The finding that it is about.
    pub finding: &'r Finding,
    /// What was done about it.
    pub outcome: MendOutcome,
}

/// What was done about a finding.
#[derive(Debug)]
pub enum MendOutcome {
    /// It was mended, by this.
    Done(String),
    /// The system refused the change that would mend it.
    Refused {
        /// Why it was refused.
        error: RestoreError,
        /// Whether there are changes in the journal, perhaps parts of this one.
        has_changes: bool,
    },
}

/// Why nothing, or nothing more, was mended.
#[derive(Debug, thiserror::Error)]
pub enum MendError {
    /// A disk cannot be claimed or looked at.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The journal cannot be written.
    #[error(transparent)]
    Journal(#[from] RestoreError),
    /// The machine cannot be looked at again.
    #[error(transparent)]
    Look(#[from] DoctorError),
    /// An empty journal stays.
    #[error(transparent)]
    Empty(#[from] NotRestored),
}

/// Mends all findings of a report that can be mended safely, looks at the machine again, and mends
/// what it finds then: under another elevator other files count. What was changed is in the
/// journals' folder, for [`host::restore::restore_left_over`].
///
/// # Parameters
/// * `look`: looks at the machine again.
/// * `tell`: is told of each finding at once what became of it; not of those that are left to
///   people.
///
/// The answer is what is wrong after that.
///
/// # Errors
/// [`MendError`]; only what was told is changed then. What single changes fail by is told.
pub fn mend(
    host: &Host,
    journals: &Path,
    report: &Report,
    look: &dyn Fn() -> Result<Report, DoctorError>,
    tell: &mut dyn FnMut(&Mended<'_>),
) -> Result<Report, MendError> {
    let mut report = report.clone();
    let mut tried = Tried::default();
    for _ in 0..ROUNDS {
        let mut fixable = report.clone();
        fixable.findings.retain(|finding| tried.leaves_some_of(finding));
        if fixable.findings.is_empty() {
            break;
        }
        let mut is_changed = false;
        mend_once(host, journals, &fixable, &mut tried, &mut |mended| {
            is_changed |= matches!(mended.outcome, MendOutcome::Done(_));
            tell(mended);
        })?;
        report = look()?;
        if !is_changed {
            break;
        }
    }
    Ok(report)
}

/// The changes that were tried, so that none is tried, told and counted again: a finding that was
/// mended in part is found again, and then perhaps is about another group.
#[derive(Default)]
struct Tried {
    done: Vec<Fix>,
    /// With the disks of their findings.
    refused: Vec<(Option<String>, Fix)>,
}

impl Tried {
    /// Whether a change that a finding asks for is not to be tried.
    fn has(&self, finding: &Finding, fix: &Fix) -> bool {
        // One file of a group is for all disks: what two findings ask of it is done once, and of
        // two values that they ask for the first.
        self.done.iter().any(|other| other.is_of_same_file(fix))
            || self.refused.iter().any(|(disk, other)| match (other, fix) {
                (Fix::Elevator { candidate: one }, Fix::Elevator { candidate: another }) => {
                    one == another && *disk == finding.disk
                }
                // Whatever the file says by now: who was faster has decided.
                (Fix::Setting { value: one, .. }, Fix::Setting { value: another, .. }) => {
                    one == another && other.is_of_same_file(fix)
                }
                _ => false,
            })
    }

    /// Whether a finding asks for a change that is to be tried.
    fn leaves_some_of(&self, finding: &Finding) -> bool {
        finding.fixes.iter().any(|fix| !self.has(finding, fix))
    }
}

/// Makes all changes of a report that were not `tried`: elevators first, as their settings come
/// and go with them.
fn mend_once(
    host: &Host,
    journals: &Path,
    report: &Report,
    tried: &mut Tried,
    tell: &mut dyn FnMut(&Mended<'_>),
) -> Result<(), MendError> {
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
    for finding in first.into_iter().chain(rest) {
        for fix in &finding.fixes {
            if tried.has(finding, fix) {
                continue;
            }
            let outcome = match apply(host, &mut journal, &disks, finding, fix) {
                Ok(text) => {
                    tried.done.push(fix.clone());
                    MendOutcome::Done(text)
                }
                Err(error) => {
                    tried.refused.push((finding.disk.clone(), fix.clone()));
                    let has_changes = journal.changes().next().is_some();
                    MendOutcome::Refused { error, has_changes }
                }
            };
            tell(&Mended { finding, outcome });
        }
    }
    if journal.changes().next().is_none() {
        journal.restore()?;
    }
    Ok(())
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
