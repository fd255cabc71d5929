// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq bench --check`: the disk behind a target, what it can do, and what is missing for
//! a full run.

use crate::failure::Failure;
use crate::streams::print;
use bench::run::{BenchOptions, survey};
use host::restore::left_over;
use host::{Disk, Host};
use std::fmt::Write;

/// Looks at the machine, and changes nothing.
///
/// # Errors
/// With exit code 2 if the target is none, or nothing can be measured on it as it is.
pub fn run(options: &BenchOptions) -> Result<(), Failure> {
    let host = Host::here();
    let disk = Disk::behind(&options.target).map_err(Failure::usage)?;
    let survey = survey(&host, &disk, options).map_err(Failure::of_bench)?;
    let mut page = survey.to_string();
    let found = left_over(&host, options.journals()).map_err(Failure::run)?;
    for opening in &found.at_work {
        let _ = writeln!(page, "\nA run on {} is at work (process {}).", opening.disk, opening.pid);
    }
    for journal in &found.dead {
        let disk = &journal.opening().disk;
        let _ = writeln!(
            page,
            "\nA run on {disk} was killed, and the machine is not as it was before. \
             `bfq bench --restore`, or the next run, puts it back."
        );
    }
    for bad in &found.bad {
        let _ = writeln!(page, "\n{bad}");
    }
    print(&page)?;
    match survey.needs.obstacle() {
        None => Ok(()),
        Some(need) => Err(Failure::usage(format!("nothing can be measured: {}", need.missing))),
    }
}
