// SPDX-License-Identifier: MIT OR Apache-2.0
//! A snapshot as plain text.

use crate::reasons;
use crate::snapshot::{DiskFigures, Figures, Snapshot};
use std::fmt::Write;

/// Lines of processes and groups of a disk, at most.
const MOST_ROWS: usize = 40;

/// A table for each disk: its own figures, its processes, and its groups.
pub fn table(snapshot: &Snapshot) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ =
        writeln!(text, "after {:.1} s, an interval of {:.1} s", snapshot.at_s, snapshot.interval_s);
    if snapshot.lost_events > 0 {
        let _ = writeln!(text, "{} events were lost: figures are too low", snapshot.lost_events);
    }
    for disk in &snapshot.disks {
        of_disk(&mut text, disk, snapshot.interval_s);
    }
    text
}

fn of_disk(text: &mut String, disk: &DiskFigures, interval_s: f64) {
    let _ = writeln!(text, "\n{}", headline(disk, interval_s));
    if disk.is_gone {
        return;
    }
    let _ = writeln!(text, "{:>8}  {HEAD}  process", "pid");
    for process in disk.processes.iter().take(MOST_ROWS) {
        let pid = process.pid.map_or_else(|| "-".to_owned(), |pid| pid.to_string());
        let kernel = if process.is_kernel { " (the kernel; whose data is not known)" } else { "" };
        let row = row(&process.figures, None, interval_s);
        let _ = writeln!(text, "{pid:>8}  {row}  {}{kernel}", process.name);
    }
    for group in disk.groups.iter().filter(|group| group.group != "/").take(MOST_ROWS) {
        let row = row(&group.figures, group.entitled_percent, interval_s);
        let _ = writeln!(text, "{:>8}  {row}  {}", "group", group.group);
    }
    let reasons = reasons::of_disk(disk);
    let programs = disk.activity.iter().flat_map(|activity| &activity.programs);
    for line in reasons.into_iter().chain(programs.flat_map(|program| program.lines())) {
        let _ = writeln!(text, "{line}");
    }
}

/// A disk in a line.
pub(crate) fn headline(disk: &DiskFigures, interval_s: f64) -> String {
    if disk.is_gone {
        return format!("{}: it is there no more", disk.name);
    }
    let elevator = if disk.elevator.is_empty() { "?" } else { &disk.elevator };
    let per_s = |bytes: u64| rate(bytes, interval_s);
    format!(
        "{} ({elevator}): {:.0} % used, {:.0} % busy, depth {:.1} (most {}), {} waiting, \
         read {}/s, written {}/s, discarded {}/s",
        disk.name,
        disk.utilisation_percent,
        disk.busy_percent,
        disk.depth,
        disk.deepest,
        disk.waiting_ios,
        per_s(disk.all.read_bytes),
        per_s(disk.all.written_bytes),
        per_s(disk.all.discarded_bytes),
    )
}

const HEAD: &str = "time %   due % bytes %   read/s  write/s    IO/s depth \
wait 50 % wait 99 % wait max  dev 50 %  dev 99 %   dev max";

fn row(figures: &Figures, due_percent: Option<f64>, interval_s: f64) -> String {
    let due = due_percent.map_or_else(|| "-".to_owned(), |due| format!("{due:.1}"));
    format!(
        "{:>6.1} {due:>7} {:>7.1} {:>8} {:>8} {:>7.0} {:>5.1} {:>9} {:>9} {:>8} {:>9} {:>9} {:>9}",
        figures.time_percent,
        figures.bytes_percent,
        rate(figures.read_bytes, interval_s),
        rate(figures.written_bytes, interval_s),
        figures.ios as f64 / interval_s.max(1e-9),
        figures.queue_depth,
        short_time(figures.waiting.median_ns),
        short_time(figures.waiting.p99_ns),
        short_time(figures.waiting.worst_ns),
        short_time(figures.in_device.median_ns),
        short_time(figures.in_device.p99_ns),
        short_time(figures.in_device.worst_ns),
    )
}

/// Bytes for each second, in at most seven letters; powers of 1000.
pub fn rate(bytes: u64, interval_s: f64) -> String {
    let mut value = bytes as f64 / interval_s.max(1e-9);
    let mut unit = 0;
    const UNITS: [&str; 6] = ["B", "kB", "MB", "GB", "TB", "PB"];
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    match value {
        _ if unit == 0 => format!("{value:.0} {}", UNITS[unit]),
        value if value < 9.95 => format!("{value:.1} {}", UNITS[unit]),
        value => format!("{value:.0} {}", UNITS[unit]),
    }
}

/// A time, in at most seven letters.
pub fn short_time(ns: u64) -> String {
    let value = ns as f64;
    let (value, unit) = match value {
        value if value < 999_500.0 => (value / 1e3, "µs"),
        value if value < 999_500_000.0 => (value / 1e6, "ms"),
        value => (value / 1e9, "s"),
    };
    if value < 9.95 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}
