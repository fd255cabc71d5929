// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options of jobs, as their files have them.

use crate::results::Run;

/// An option of a job: its own, or that of all jobs, by any of its names.
pub(super) fn written<'a>(run: &'a Run, job: usize, names: &[&str]) -> Option<&'a str> {
    let own = &run.summary.jobs[job].options;
    let all = [own, &run.fio.global_options].into_iter();
    let mut values = all.flat_map(|options| names.iter().filter_map(|name| options.get(name)));
    values.next().map(String::as_str)
}

/// The same, of options that are switched off by 0.
pub(super) fn set<'a>(run: &'a Run, job: usize, names: &[&str]) -> Option<&'a str> {
    written(run, job, names).filter(|value| *value != "0")
}
