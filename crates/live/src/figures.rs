// SPDX-License-Identifier: MIT OR Apache-2.0
//! From what was used to the figures of an interval.

use crate::disk::{DiskSums, OTHERS, ProcessSums};
use crate::snapshot::{DiskFigures, Figures, GroupFigures, ProcessFigures, Quantiles};
use crate::usage::{Times, Usage};
use std::collections::BTreeMap;

/// What the parts of a disk are parts of.
struct Whole {
    interval_ns: u64,
    busy_ns: u64,
    bytes: u64,
}

/// The figures of a disk whose sums are settled; its utilisation is known since the last time.
pub(crate) fn of_disk(disk: &mut DiskSums, name: &str, interval_ns: u64) -> DiskFigures {
    let mut all = disk.unknown.clone();
    disk.processes.values().for_each(|process| all.add_all(&process.usage));
    let (busy_ns, depth_ns, deepest) = disk.time.take_sums();
    let whole = Whole { interval_ns, busy_ns, bytes: all.bytes() };
    let mut processes: Vec<_> =
        disk.processes.values().map(|process| of_process(process, &whole)).collect();
    processes.sort_by(|a, b| b.figures.time_percent.total_cmp(&a.figures.time_percent));
    if disk.unknown.ios > 0 || disk.unknown.device_ns > 0.0 {
        processes.push(ProcessFigures {
            name: "unknown".to_owned(),
            figures: figures(&disk.unknown, &whole),
            ..ProcessFigures::default()
        });
    }
    let per_interval = |sum: f64| sum / interval_ns.max(1) as f64;
    DiskFigures {
        name: name.to_owned(),
        utilisation_percent: percent(disk.speed.take_utilisation(interval_ns)),
        busy_percent: percent(per_interval(busy_ns as f64)),
        depth: per_interval(depth_ns),
        deepest,
        waiting_ios: disk.waiting() as u64,
        all: figures(&all, &whole),
        processes,
        groups: groups(disk, &whole),
        no_group: no_group(disk, &whole),
        folded_processes: disk.folded(),
        ..DiskFigures::default()
    }
}

fn of_process(process: &ProcessSums, whole: &Whole) -> ProcessFigures {
    let who = &process.who;
    ProcessFigures {
        pid: (who.process != OTHERS).then_some(who.process),
        name: who.name.clone(),
        group: who.group.clone(),
        is_kernel: who.is_kernel,
        figures: figures(&process.usage, whole),
    }
}

/// The groups of the processes, and all above these.
fn groups(disk: &DiskSums, whole: &Whole) -> Vec<GroupFigures> {
    let mut sums: BTreeMap<&str, Usage> = BTreeMap::new();
    for process in disk.processes.values() {
        let Some(group) = process.who.group.as_deref() else { continue };
        let mut path = group;
        loop {
            let path_or_root = if path.is_empty() { "/" } else { path };
            sums.entry(path_or_root).or_default().add_all(&process.usage);
            match path.trim_end_matches('/').rfind('/') {
                Some(end) if !path_or_root.trim_matches('/').is_empty() => path = &path[..end],
                _ => break,
            }
        }
    }
    let row = |(group, usage): (&str, Usage)| GroupFigures {
        group: group.to_owned(),
        entitled_percent: None,
        figures: figures(&usage, whole),
    };
    sums.into_iter().map(row).collect()
}

/// What processes did whose group is not known.
fn no_group(disk: &DiskSums, whole: &Whole) -> Figures {
    let mut sum = Usage::default();
    for process in disk.processes.values() {
        if process.who.group.is_none() && process.who.process != OTHERS {
            sum.add_all(&process.usage);
        }
    }
    figures(&sum, whole)
}

fn figures(usage: &Usage, whole: &Whole) -> Figures {
    let part = |part: f64, whole: u64| if whole == 0 { 0.0 } else { percent(part / whole as f64) };
    Figures {
        read_bytes: usage.read_bytes,
        written_bytes: usage.written_bytes,
        discarded_bytes: usage.discarded_bytes,
        ios: usage.ios,
        time_percent: part(usage.device_ns, whole.busy_ns),
        bytes_percent: part(usage.bytes() as f64, whole.bytes),
        queue_depth: usage.under_way_ns / whole.interval_ns.max(1) as f64,
        waiting: quantiles(&usage.waiting),
        in_device: quantiles(&usage.in_device),
        whole: quantiles(&usage.whole),
    }
}

fn quantiles(times: &Times) -> Quantiles {
    Quantiles {
        median_ns: times.quantile_ns(0.5),
        p99_ns: times.quantile_ns(0.99),
        worst_ns: times.worst_ns(),
    }
}

fn percent(part: f64) -> f64 {
    part * 100.0
}
