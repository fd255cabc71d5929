// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq doctor --fix`: mends what can be mended safely, and says what it does and what it leaves.

use crate::failure::Failure;
use crate::note::note;
use ::doctor::{MendOutcome, Mended, Report, mend};
use host::Host;
use host::restore::Purpose;
use rustix::process::geteuid;
use std::path::Path;

/// Mends what it can.
///
/// # Errors
/// With exit code 2 without the right to do so, with 1 if nothing could be written down or the
/// system refused a change.
pub fn fix(host: &Host, journals: Option<&Path>, report: &Report) -> Result<(), Failure> {
    let journals = journals.unwrap_or(Path::new(Purpose::Doctor.journals_folder()));
    if report.findings.iter().all(|finding| !finding.is_fixable) {
        note("nothing is left that --fix could mend");
        return Ok(());
    }
    if !geteuid().is_root() {
        return Err(Failure::usage("only root can mend: sudo bfq doctor --fix"));
    }
    let mended = mend(host, journals, report).map_err(Failure::run)?;
    let mut refused = None;
    let mut is_changed = false;
    for Mended { finding, outcome } in mended {
        match outcome {
            MendOutcome::Done(what) => {
                is_changed = true;
                note(&format!("mended: {what} ({})", finding.rule));
            }
            MendOutcome::LeftToYou => {}
            MendOutcome::Refused(error) => refused = refused.or(Some(error)),
        }
    }
    if is_changed {
        note("it lasts until the machine boots; undo it: bfq doctor --restore");
    }
    refused.map_or(Ok(()), |error| Err(Failure::run(error)))
}

/// Says what is wrong after that.
pub fn tell_remaining(report: &Report) {
    for finding in &report.findings {
        let about = finding.disk.as_deref().or(finding.group.as_deref()).unwrap_or("the machine");
        note(&format!("left to you: {} of {about}", finding.rule));
    }
}
