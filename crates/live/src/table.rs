// SPDX-License-Identifier: MIT OR Apache-2.0
//! A snapshot as plain text.

use crate::reasons;
use crate::snapshot::{DiskFigures, Figures, Snapshot};
use base::text::{decimal_size, printable, wrapped};
use std::fmt::Write;

/// Lines of processes and groups of a disk, at most.
const MOST_ROWS: usize = 40;

/// What stands for the group of processes that had ended before theirs could be asked for.
pub(crate) const NO_GROUP: &str = "no group (ended)";

/// A table for each disk: its own figures, its processes, and its groups. On a terminal of fewer
/// columns than all figures need there are fewer of them.
pub fn table(snapshot: &Snapshot, columns: Option<u16>) -> String {
    let columns = columns.map_or(usize::MAX, usize::from);
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ =
        writeln!(text, "after {:.1} s, an interval of {:.1} s", snapshot.at_s, snapshot.interval_s);
    if snapshot.lost_events > 0 {
        let _ = writeln!(text, "{} events were lost: figures are too low", snapshot.lost_events);
    }
    for disk in &snapshot.disks {
        of_disk(&mut text, disk, snapshot.interval_s, columns);
    }
    text
}

fn of_disk(text: &mut String, disk: &DiskFigures, interval_s: f64, columns: usize) {
    let mut lines = vec![String::new()];
    lines.extend(wrapped(&headline(disk, interval_s), columns));
    if !disk.is_gone {
        let tunables = disk.tunables.iter().map(|(name, value)| format!("{name}={value}"));
        let tunables = tunables.collect::<Vec<_>>().join(" ");
        if !tunables.is_empty() {
            lines.extend(wrapped(&tunables, columns));
        }
        add_rows(&mut lines, disk, interval_s, columns);
        let reasons = reasons::of_disk(disk);
        let programs = disk.activity.iter().flat_map(|activity| &activity.programs);
        let told = reasons.into_iter().chain(programs.flat_map(|program| program.lines()));
        lines.extend(told.flat_map(|line| wrapped(&line, columns)));
    }
    for line in lines {
        let _ = writeln!(text, "{}", printable(&line));
    }
}

/// The rows of processes and groups, with a head.
fn add_rows(lines: &mut Vec<String>, disk: &DiskFigures, interval_s: f64, columns: usize) {
    let is_wide = columns > WIDTH;
    let head = if is_wide { HEAD } else { NARROW_HEAD };
    let mut rows: Vec<(String, &Figures, Option<f64>, String)> = Vec::new();
    for process in disk.processes.iter().take(MOST_ROWS) {
        let pid = process.pid.map_or_else(|| "-".to_owned(), |pid| pid.to_string());
        let name = match (process.is_kernel, is_wide) {
            (false, _) => process.name.clone(),
            (true, true) => format!("{} (the kernel; whose data is not known)", process.name),
            (true, false) => format!("(kernel) {}", process.name),
        };
        rows.push((pid, &process.figures, None, name));
    }
    for group in disk.groups.iter().filter(|group| group.group != "/").take(MOST_ROWS) {
        let due = group.entitled_percent;
        rows.push(("group".to_owned(), &group.figures, due, group.group.clone()));
    }
    if disk.processes.iter().any(|one| one.group.is_none() && one.pid.is_some()) {
        rows.push(("group".to_owned(), &disk.no_group, None, NO_GROUP.to_owned()));
    }
    lines.push(format!("{:>8}  {head}  process", "pid"));
    for (first, figures, due, name) in rows {
        let row = match is_wide {
            true => row(figures, due, interval_s),
            false => narrow_row(figures, due, interval_s),
        };
        lines.push(format!("{first:>8}  {row}  {name}"));
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

/// What a terminal needs to be wider than for all figures and some of a name.
const WIDTH: usize = 140;

const HEAD: &str = "time %   due % bytes %   read/s  write/s    IO/s depth \
wait 50 % wait 99 % wait max  dev 50 %  dev 99 %   dev max";

const NARROW_HEAD: &str = "time %  due %  read/s write/s   IO/s wait 99 %";

fn row(figures: &Figures, due_percent: Option<f64>, interval_s: f64) -> String {
    let due = due_percent.map_or_else(|| "-".to_owned(), |due| format!("{due:.1}"));
    let took = |ns| took(figures, ns);
    format!(
        "{:>6.1} {due:>7} {:>7.1} {:>8} {:>8} {:>7.0} {:>5.1} {:>9} {:>9} {:>8} {:>9} {:>9} {:>9}",
        figures.time_percent,
        figures.bytes_percent,
        rate(figures.read_bytes, interval_s),
        rate(figures.written_bytes, interval_s),
        figures.ios as f64 / interval_s.max(1e-9),
        figures.queue_depth,
        took(figures.waiting.median_ns),
        took(figures.waiting.p99_ns),
        took(figures.waiting.worst_ns),
        took(figures.in_device.median_ns),
        took(figures.in_device.p99_ns),
        took(figures.in_device.worst_ns),
    )
}

fn narrow_row(figures: &Figures, due_percent: Option<f64>, interval_s: f64) -> String {
    let due = due_percent.map_or_else(|| "-".to_owned(), |due| format!("{due:.1}"));
    format!(
        "{:>6.1} {due:>6} {:>7} {:>7} {:>6.0} {:>9}",
        figures.time_percent,
        rate(figures.read_bytes, interval_s),
        rate(figures.written_bytes, interval_s),
        figures.ios as f64 / interval_s.max(1e-9),
        took(figures, figures.waiting.p99_ns),
    )
}

/// A time of I/O; a dash where none has ended.
pub(crate) fn took(figures: &Figures, ns: u64) -> String {
    if figures.ios == 0 { "-".to_owned() } else { short_time(ns) }
}

/// Bytes for each second, in at most seven letters; powers of 1000.
pub(crate) fn rate(bytes: u64, interval_s: f64) -> String {
    decimal_size((bytes as f64 / interval_s.max(1e-9)).round() as u64)
}

/// A time to two digits, as many as the distributions of times have, in at most six letters, for
/// which a column of the screen has room; base's `time` has three digits, and seven letters.
fn short_time(ns: u64) -> String {
    let value = ns as f64;
    let (value, unit) = match value {
        value if value < 999_500.0 => (value / 1e3, "µs"),
        value if value < 999_500_000.0 => (value / 1e6, "ms"),
        value => (value / 1e9, "s"),
    };
    if value < 9.95 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_fits_a_column_of_six_letters() {
        for (ns, text) in [
            (0, "0.0 µs"),
            (999_499, "999 µs"),
            (999_500, "1.0 ms"),
            (12_345_678, "12 ms"),
            (999_499_999, "999 ms"),
            (1_000_000_000_000, "1000 s"),
        ] {
            assert_eq!(short_time(ns), text);
            assert!(text.chars().count() <= 6, "{text}");
        }
    }
}
