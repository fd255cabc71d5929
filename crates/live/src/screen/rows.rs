// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rows of the table: processes, or groups with their processes below them.

use super::sorting::Sorting;
use crate::snapshot::{DiskFigures, Figures, ProcessFigures};

/// A line of the table.
#[derive(Clone, Debug)]
pub(super) struct Row<'a> {
    /// Of a process.
    pub pid: Option<u32>,
    pub name: String,
    group: Option<&'a str>,
    /// How far below the root.
    pub level: usize,
    pub due_percent: Option<f64>,
    pub figures: &'a Figures,
}

impl Row<'_> {
    /// Whether its group's path has a text in it.
    pub fn is_in(&self, text: &str) -> bool {
        self.group.is_some_and(|group| group.contains(text))
    }
}

/// The processes, sorted.
pub(super) fn flat(disk: &DiskFigures, sorting: Sorting) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = disk.processes.iter().map(|one| of_process(one, 0)).collect();
    rows.sort_by(|a, b| sorting.figure(b.figures).total_cmp(&sorting.figure(a.figures)));
    rows
}

/// The groups, each with its own processes right below; those without a group at the end.
pub(super) fn tree(disk: &DiskFigures) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for group in &disk.groups {
        let path = group.group.trim_matches('/');
        let level = if path.is_empty() { 0 } else { path.matches('/').count() + 1 };
        rows.push(Row {
            pid: None,
            name: format!("/{}", path.rsplit('/').next().unwrap_or_default()),
            group: Some(&group.group),
            level,
            due_percent: group.entitled_percent,
            figures: &group.figures,
        });
        let own = disk.processes.iter().filter(|one| one.group.as_ref() == Some(&group.group));
        rows.extend(own.map(|one| of_process(one, level + 1)));
    }
    rows.extend(
        disk.processes.iter().filter(|one| one.group.is_none()).map(|one| of_process(one, 0)),
    );
    rows
}

fn of_process(process: &ProcessFigures, level: usize) -> Row<'_> {
    // A process that the kernel writes for is not known.
    let mark = if process.is_kernel { " (kernel)" } else { "" };
    Row {
        pid: process.pid,
        name: format!("{}{mark}", process.name),
        group: process.group.as_deref(),
        level,
        due_percent: None,
        figures: &process.figures,
    }
}
