// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rows of the table: processes, or groups with their processes below them.

use super::sorting::Sorting;
use crate::snapshot::{DiskFigures, Figures, GroupFigures, ProcessFigures};
use crate::table::NO_GROUP;

/// A line of the table.
#[derive(Clone, Debug)]
pub(super) struct Row<'a> {
    /// The process; none in the row of a group.
    pub pid: Option<u32>,
    pub name: String,
    group: Option<&'a str>,
    /// How far below the root.
    pub level: usize,
    pub due_percent: Option<f64>,
    pub figures: &'a Figures,
}

/// What a row is about, in each interval.
#[derive(Clone, Debug)]
pub(super) enum Key {
    /// A process, and what it was called when it was chosen.
    Process(u32, String),
    Group(String),
    /// What is told together.
    Others(String),
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        match (self, other) {
            // Another program in the same process has another name.
            (Key::Process(one, _), Key::Process(another, _)) => one == another,
            (Key::Group(one), Key::Group(another)) => one == another,
            (Key::Others(one), Key::Others(another)) => one == another,
            _ => false,
        }
    }
}

impl Key {
    /// That it did nothing, if it is a process of which that is so.
    pub fn idle(&self, disk: &DiskFigures) -> Option<String> {
        let Key::Process(pid, name) = self else { return None };
        let is_there = disk.processes.iter().any(|process| process.pid == Some(*pid));
        (!is_there).then(|| format!("{name} ({pid}) did nothing in this interval"))
    }
}

impl Row<'_> {
    /// Whether its group's path has a text in it.
    pub fn is_in(&self, text: &str) -> bool {
        self.group.is_some_and(|group| group.contains(text))
    }

    /// What it is about.
    pub fn key(&self) -> Key {
        match (self.pid, self.group) {
            (Some(pid), _) => Key::Process(pid, self.name.clone()),
            (None, Some(group)) => Key::Group(group.to_owned()),
            (None, None) => Key::Others(self.name.clone()),
        }
    }
}

/// One row for each process of the disk, in the chosen order.
pub(super) fn flat(disk: &DiskFigures, sorting: Sorting) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = disk.processes.iter().map(|one| of_process(one, 0)).collect();
    sort(&mut rows, sorting);
    rows
}

fn sort(rows: &mut [Row<'_>], sorting: Sorting) {
    rows.sort_by(|a, b| sorting.figure(b.figures).total_cmp(&sorting.figure(a.figures)));
}

/// The groups, each with its own processes right below and then the groups in it; on each level
/// they are sorted. What has no group comes at the end.
pub(super) fn tree(disk: &DiskFigures, sorting: Sorting) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    add_groups(&mut rows, disk, None, sorting);
    let has_none = |one: &&ProcessFigures| one.group.is_none();
    let (ended, together): (Vec<_>, Vec<_>) =
        disk.processes.iter().filter(has_none).partition(|one| one.pid.is_some());
    if !ended.is_empty() {
        rows.push(Row {
            pid: None,
            name: NO_GROUP.to_owned(),
            group: None,
            level: 0,
            due_percent: None,
            figures: &disk.no_group,
        });
    }
    let mut ended: Vec<Row<'_>> = ended.into_iter().map(|one| of_process(one, 1)).collect();
    sort(&mut ended, sorting);
    rows.extend(ended);
    rows.extend(together.into_iter().map(|one| of_process(one, 0)));
    rows
}

/// Adds the groups right below one, or the topmost, with all that is in them.
fn add_groups<'a>(
    rows: &mut Vec<Row<'a>>,
    disk: &'a DiskFigures,
    above: Option<&str>,
    sorting: Sorting,
) {
    let below = disk.groups.iter().filter(|group| parent(disk, &group.group) == above);
    let mut below: Vec<Row<'_>> = below.map(of_group).collect();
    sort(&mut below, sorting);
    for row in below {
        let (group, level) = (row.group.unwrap_or_default(), row.level);
        rows.push(row);
        let own = disk.processes.iter().filter(|one| one.group.as_deref() == Some(group));
        let mut own: Vec<Row<'_>> = own.map(|one| of_process(one, level + 1)).collect();
        sort(&mut own, sorting);
        rows.extend(own);
        add_groups(rows, disk, Some(group), sorting);
    }
}

/// The nearest group above one that is told of.
fn parent<'a>(disk: &'a DiskFigures, path: &str) -> Option<&'a str> {
    let is_above = |above: &str| match path.strip_prefix(above) {
        Some(rest) => !rest.is_empty() && (above == "/" || rest.starts_with('/')),
        None => false,
    };
    let groups = disk.groups.iter().map(|group| group.group.as_str());
    groups.filter(|group| is_above(group)).max_by_key(|group| group.len())
}

fn of_group(group: &GroupFigures) -> Row<'_> {
    let path = group.group.trim_matches('/');
    let level = if path.is_empty() { 0 } else { path.matches('/').count() + 1 };
    Row {
        pid: None,
        name: format!("/{}", path.rsplit('/').next().unwrap_or_default()),
        group: Some(&group.group),
        level,
        due_percent: group.entitled_percent,
        figures: &group.figures,
    }
}

fn of_process(process: &ProcessFigures, level: usize) -> Row<'_> {
    // A process that the kernel writes for is not known. The mark is first, where nothing cuts it.
    let mark = if process.is_kernel { "(kernel) " } else { "" };
    Row {
        pid: process.pid,
        name: format!("{mark}{}", process.name),
        group: process.group.as_deref(),
        level,
        due_percent: None,
        figures: &process.figures,
    }
}
