// SPDX-License-Identifier: MIT OR Apache-2.0
//! The job that replays a trace, with results that tell its processes apart.

use std::cmp::Reverse;
use workload::{Job, Trace, TraceProcess};

/// Processes that have a result of their own, those with most I/O; the others have one together.
const MOST_PROCESSES: usize = 24;

/// Has results tell the processes of a job's trace apart, and all disks of it be one. Says what is
/// not as it was, in sentences about the trace, which has `all` processes.
pub(super) fn tell_apart(job: &mut Job, all: usize) -> Vec<String> {
    let Some(trace) = job.trace.clone() else { return Vec::new() };
    job.process_names = names(&trace);
    let told = job.process_names.iter().flatten().count();
    let mut notes = Vec::new();
    if let Some(untold) = all.checked_sub(told).filter(|untold| *untold > 0) {
        notes.push(match untold {
            1 => "1 process that only flushed or discarded is left out of results".to_owned(),
            _ => {
                format!("{untold} processes that only flushed or discarded are left out of results")
            }
        });
    }
    notes.extend(as_one_disk(job, &trace));
    notes.extend(trace.remarks.iter().cloned());
    notes
}

/// What results call the processes of a trace; those that neither read nor write are in none.
fn names(trace: &Trace) -> Vec<Option<String>> {
    let mut ranked: Vec<usize> = (0..trace.processes.len()).collect();
    ranked.retain(|&process| trace.processes[process].reads_and_writes > 0);
    ranked.sort_by_key(|&process| Reverse(trace.processes[process].reads_and_writes));
    let mut names = vec![None; trace.processes.len()];
    for (rank, process) in ranked.into_iter().enumerate() {
        names[process] = Some(match rank {
            0..MOST_PROCESSES => name(&trace.processes[process]),
            _ => "others".to_owned(),
        });
    }
    names
}

fn name(process: &TraceProcess) -> String {
    let pid = process.pid.map_or_else(String::new, |pid| format!("-{pid}"));
    format!("{}{pid}", process.name).replace(char::is_control, "_")
}

/// All disks of a trace become one, by the same sectors: end to end they would need a disk as large
/// as all of them.
fn as_one_disk(job: &mut Job, trace: &Trace) -> Option<String> {
    let is_disk = |name: &str| name.starts_with("/dev/");
    let disks = trace.files.iter().filter(|file| is_disk(&file.name) && file.length_bytes > 0);
    let disks: Vec<&str> = disks.map(|file| file.name.trim_start_matches("/dev/")).collect();
    let (first, true) = (disks.first()?, disks.len() > 1) else { return None };
    job.replay.redirect = Some(format!("/dev/{first}"));
    Some(format!(
        "it has I/O of {} disks ({}), and all of it is replayed on one, by the same sectors; bfq \
         top DISK --record FILE records a single one",
        disks.len(),
        disks.join(" ")
    ))
}
