// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq doctor`: where the weights of this machine's disks get lost, and what mends it.

mod fixing;

use crate::failure::Failure;
use crate::output::{FormOption, Format, printed};
use crate::restore;
use crate::streams::print;
use ::doctor::{DoctorError, Machine, Report};
use host::Host;
use host::restore::Purpose;
use std::path::PathBuf;

/// What help says of JSON.
const JSON_HELP: &str = "JSON is as docs/schema/diagnosis.schema.json says.";

/// The command line of `bfq doctor`.
#[derive(Debug, clap::Args)]
#[command(mut_arg("output_format", |form| printed(form, JSON_HELP)))]
#[command(after_long_help = "\
Reads /sys, /proc and unit files, and changes nothing unless --fix is given. For each disk it says \
who decides on shares, and which share each group gets that has a weight, while all that have used \
the disk want it; then what is wrong: what was seen, what follows, and the commands or lines of \
unit files that mend it. What costs a group most of its share comes first. docs/generated/doctor.md \
explains each finding.\n\
Without root it says what it could not read.\n\
\n\
Examples:\n  \
  bfq doctor\n  \
  bfq doctor sda /home --output-format json\n  \
  sudo bfq doctor --fix\n  \
  sudo bfq doctor --restore\n\
\n\
Exit codes: 0 nothing is wrong; 1 failed while running; 2 command line wrong; 3 something is wrong, \
also after --fix.")]
pub struct Arguments {
    /// Look at these disks only: sda, or a folder, file or device on it
    #[arg(value_name = "DISK", conflicts_with = "restore")]
    disks: Vec<PathBuf>,
    #[command(flatten)]
    form: FormOption<Format>,
    /// Mend what can be mended safely
    ///
    /// Elevators and settings of disks, and weights in files of groups; not what is in unit files,
    /// nor what needs a judgement. It says what it does, and what it leaves. Needs root. It lasts
    /// until the machine boots, or --restore.
    #[arg(long, conflicts_with = "restore")]
    fix: bool,
    /// Undo what --fix has mended
    #[arg(long, conflicts_with_all = ["output_format", "json"])]
    restore: bool,
    /// Where it is written down what --restore undoes [default: /var/lib/bfq/doctor]
    #[arg(long, hide_short_help = true, value_name = "DIR")]
    journals: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// With exit code 2 if there is no such disk, with 1 if it fails while running, with 3 if something
/// is wrong.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.restore {
        return restore::run(Purpose::Doctor, arguments.journals.as_deref(), false);
    }
    let host = Host::here();
    let look = || arguments.look(&host);
    let report = look().map_err(Failure::usage)?;
    print(&if arguments.form.is_json() { report.to_json() } else { report.to_string() })?;
    let remaining = match arguments.fix {
        true => {
            let journals = arguments.journals.as_deref();
            let (remaining, refused) = fixing::fix(&host, journals, report, &look)?;
            fixing::tell_remaining(&remaining);
            if refused > 0 {
                return Err(fixing::refusal(refused));
            }
            remaining
        }
        false => report,
    };
    if remaining.findings.is_empty() { Ok(()) } else { Err(Failure::Unhealthy) }
}

impl Arguments {
    /// Looks at the machine.
    fn look(&self, host: &Host) -> Result<Report, DoctorError> {
        Ok(Report::of(&Machine::read(host, &self.disks)?))
    }
}
