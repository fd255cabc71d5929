// SPDX-License-Identifier: MIT OR Apache-2.0
//! What disks and control groups have done since the beginning, added up over the intervals.

use crate::snapshot::{Figures, Snapshot};
use std::collections::BTreeMap;

/// A group that has used a disk no more for so long is forgotten: groups come and go, too. One that
/// comes back begins with zero, as a counter of a program that was started again does.
const FORGOTTEN_AFTER_S: f64 = 3600.0;

/// Totals, and the last interval.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    last: Snapshot,
    lost_events: u64,
    /// By the name of the disk.
    disks: BTreeMap<String, DiskTotals>,
}

#[derive(Clone, Debug, Default)]
struct DiskTotals {
    all: Total,
    /// By the path of the group.
    groups: BTreeMap<String, Total>,
}

/// What was done in all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Total {
    pub(crate) read_bytes: u64,
    pub(crate) written_bytes: u64,
    pub(crate) discarded_bytes: u64,
    pub(crate) ios: u64,
    /// Time of the disk, seconds.
    pub(crate) time_s: f64,
    /// When it was last added to, as [`Snapshot::at_s`].
    at_s: f64,
}

impl Total {
    fn add(&mut self, at_s: f64, busy_s: f64, figures: &Figures) {
        self.read_bytes += figures.read_bytes;
        self.written_bytes += figures.written_bytes;
        self.discarded_bytes += figures.discarded_bytes;
        self.ios += figures.ios;
        self.time_s += busy_s * figures.time_percent / 100.0;
        self.at_s = at_s;
    }
}

impl Totals {
    /// Adds the figures of an interval to those of the disks, groups and processes.
    pub fn add(&mut self, snapshot: &Snapshot) {
        self.lost_events += snapshot.lost_events;
        for disk in &snapshot.disks {
            let busy_s = snapshot.interval_s * disk.busy_percent / 100.0;
            let totals = self.disks.entry(disk.name.clone()).or_default();
            totals.all.add(snapshot.at_s, busy_s, &disk.all);
            for group in &disk.groups {
                let total = totals.groups.entry(group.group.clone()).or_default();
                total.add(snapshot.at_s, busy_s, &group.figures);
            }
            totals.groups.retain(|_, total| snapshot.at_s - total.at_s < FORGOTTEN_AFTER_S);
        }
        self.last = snapshot.clone();
    }

    /// How much is kept.
    #[cfg(test)]
    pub(crate) fn entries(&self) -> usize {
        self.disks.values().map(|totals| 1 + totals.groups.len()).sum()
    }

    /// The interval that was added last.
    pub(crate) fn last(&self) -> &Snapshot {
        &self.last
    }

    pub(crate) fn lost_events(&self) -> u64 {
        self.lost_events
    }

    pub(crate) fn disks(&self) -> impl Iterator<Item = (&str, &Total)> {
        self.disks.iter().map(|(name, totals)| (name.as_str(), &totals.all))
    }

    /// Disk, group and total of each.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (&str, &str, &Total)> {
        self.disks.iter().flat_map(|(name, totals)| {
            let groups = totals.groups.iter();
            groups.map(|(group, total)| (name.as_str(), group.as_str(), total))
        })
    }
}
