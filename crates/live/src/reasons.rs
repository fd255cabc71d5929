// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scheduler's reasons, as lines for people.

use crate::snapshot::DiskFigures;

/// The elevators of which one may expect reasons.
const OURS: [&str; 2] = ["bfq", "tfq"];

/// What the scheduler of a disk decided, or why that is not known; nothing under other elevators.
pub(crate) fn of_disk(disk: &DiskFigures) -> Vec<String> {
    match (&disk.activity, &disk.no_reasons) {
        (Some(activity), _) => activity.lines(),
        (None, Some(why)) if OURS.contains(&disk.elevator.as_str()) => {
            vec![format!("no reasons: {why}")]
        }
        _ => Vec::new(),
    }
}

/// Why the I/O of a process waited, if the scheduler tells; processes of a program are together.
pub(crate) fn of_process(disk: &DiskFigures, pid: u32) -> Vec<String> {
    let process = disk.processes.iter().find(|process| process.pid == Some(pid));
    let (Some(activity), Some(process)) = (&disk.activity, process) else { return Vec::new() };
    match activity.why(&process.name) {
        Some(why) => why.lines(),
        None => vec![format!(
            "{}: why it waits is not told; that is told of the programs whose I/O took longest",
            process.name
        )],
    }
}

#[cfg(test)]
mod tests {
    use crate::{DiskFigures, Snapshot, table};
    use explain::Activity;

    #[test]
    fn tables_tell_what_was_decided_or_why_that_is_not_known() {
        let nobody = Activity {
            scheduler: "tfq".to_owned(),
            elapsed_ns: 10,
            nobody_ns: 10,
            lost: 3,
            ..Activity::default()
        };
        for (elevator, activity, no_reasons, expected) in [
            (
                "tfq",
                Some(nobody),
                None,
                "\ntfq had the disk serve no process 100 %\n3 records were lost",
            ),
            ("bfq", None, Some("the kernel's own"), "\nno reasons: the kernel's own\n"),
            ("none", None, Some("its scheduler is none"), "process\n"),
        ] {
            let (name, elevator) = ("sda".to_owned(), elevator.to_owned());
            let no_reasons = no_reasons.map(str::to_owned);
            let disk =
                DiskFigures { name, elevator, activity, no_reasons, ..DiskFigures::default() };
            let text = table(&Snapshot { disks: vec![disk], ..Snapshot::default() }, None);
            assert!(text.contains(expected), "{text}");
        }
    }
}
