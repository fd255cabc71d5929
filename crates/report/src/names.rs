// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names of jobs, groups and percentiles in tables.

use crate::summary::{GroupSummary, JobSummary};
use base::text::printable;

/// Widest name that is shown whole.
const NAME_WIDTH: usize = 28;

pub(crate) fn job_name(job: &JobSummary) -> String {
    let name = shortened(&job.jobname);
    if job.processes > 1 { format!("{name} ×{}", job.processes) } else { name }
}

/// A name that is not too wide, without characters that a terminal would obey.
pub(crate) fn shortened(name: &str) -> String {
    let name = printable(name);
    if name.chars().count() <= NAME_WIDTH {
        return name;
    }
    name.chars().take(NAME_WIDTH - 1).chain(['…']).collect()
}

/// What tells a group from the same one in another phase, where there are several: `, phase 2`,
/// counted from 1.
pub(crate) fn phase<'a>(
    group: &GroupSummary,
    groups: impl IntoIterator<Item = &'a GroupSummary>,
) -> String {
    let several = groups.into_iter().any(|other| other.phase != group.phase);
    if several { format!(", phase {}", group.phase + 1) } else { String::new() }
}

/// What I/Os of a kind are called.
pub(crate) fn ios(kind: &str) -> &'static str {
    match kind {
        "read" => "reads",
        "write" => "writes",
        "trim" => "discards",
        _ => "syncs",
    }
}

/// The head of a column of percentiles.
pub(crate) fn percentage(percentage: f64) -> String {
    match percentage {
        50.0 => "median".to_owned(),
        other => format!("{other} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_obeys_no_name() {
        assert_eq!(shortened("a\u{1b}[31mred"), "a?[31mred");
    }
}
