// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq doctor --fix`: mends what can be mended safely, and says what it does and what it leaves.

use crate::failure::Failure;
use crate::note::note;
use ::doctor::{DoctorError, MendOutcome, Mended, Report, mend};
use base::text::with_causes;
use host::Host;
use host::restore::Purpose;
use rustix::process::geteuid;
use std::path::Path;

/// Mends what it can, and says what the system refuses. The answer is what is wrong after that, and
/// how many changes were refused.
///
/// # Parameters
/// * `look`: looks at the machine again.
///
/// # Errors
/// With exit code 2 without the right to do so, with 1 if nothing could be written down.
pub fn fix(
    host: &Host,
    journals: Option<&Path>,
    report: Report,
    look: &dyn Fn() -> Result<Report, DoctorError>,
) -> Result<(Report, usize), Failure> {
    let journals = journals.unwrap_or(Path::new(Purpose::Doctor.journals_folder()));
    if report.findings.iter().all(|finding| !finding.is_fixable) {
        note("nothing is left that --fix could mend");
        return Ok((report, 0));
    }
    if !geteuid().is_root() {
        return Err(Failure::usage("only root can mend: sudo bfq doctor --fix"));
    }
    let (mut refused, mut is_changed) = (0, false);
    let remaining = mend(host, journals, &report, look, &mut |mended| {
        note(&line_of(mended));
        is_changed |= match mended.outcome {
            MendOutcome::Done(_) => true,
            MendOutcome::Refused { has_changes, .. } => {
                refused += 1;
                has_changes
            }
        };
    });
    if is_changed {
        note("it lasts until the machine boots; undo it: bfq doctor --restore");
    }
    Ok((remaining.map_err(Failure::run)?, refused))
}

/// What is said of a finding after an attempt to mend it.
fn line_of(Mended { finding, outcome }: &Mended<'_>) -> String {
    match outcome {
        MendOutcome::Done(what) => format!("mended: {what} ({})", finding.rule),
        MendOutcome::Refused { error, .. } => {
            format!("not mended: {} ({})", with_causes(error), finding.rule)
        }
    }
}

/// Why the command fails after the system has refused changes.
pub fn refusal(refused: usize) -> Failure {
    Failure::run(match refused {
        1 => "a change was refused, see above".to_owned(),
        _ => format!("{refused} changes were refused, see above"),
    })
}

/// Says what is wrong after that.
pub fn tell_remaining(report: &Report) {
    for finding in &report.findings {
        let about = finding.disk.as_deref().or(finding.group.as_deref()).unwrap_or("the machine");
        note(&format!("left to you: {} of {about}", finding.rule));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::doctor::RULES;
    use host::restore::RestoreError;

    #[test]
    fn what_was_refused_is_told_with_its_rule() {
        let finding = RULES[0].found();
        let refused = RestoreError::Refused {
            value: "0".to_owned(),
            path: "/sys/x".into(),
            source: std::io::Error::other("no such value"),
        };
        for (outcome, expected) in [
            (MendOutcome::Done("x is 1".to_owned()), "mended: x is 1 (elevator-ignores-weights)"),
            (
                MendOutcome::Refused { error: refused, has_changes: false },
                "not mended: cannot write `0` to /sys/x: no such value (elevator-ignores-weights)",
            ),
        ] {
            assert_eq!(line_of(&Mended { finding: &finding, outcome }), expected);
        }
    }
}
