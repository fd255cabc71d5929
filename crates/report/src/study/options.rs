// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options of jobs, as their files have them.

use crate::results::Run;

/// An option of a job: its own, or that of all jobs.
pub(super) fn written<'a>(run: &'a Run, job: usize, name: &str) -> Option<&'a str> {
    let own = run.summary.jobs[job].options.get(name);
    own.or_else(|| run.fio.global_options.get(name)).map(String::as_str)
}

/// The same, of options that are switched off by 0.
pub(super) fn set<'a>(run: &'a Run, job: usize, name: &str) -> Option<&'a str> {
    written(run, job, name).filter(|value| *value != "0")
}
