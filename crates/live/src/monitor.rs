// SPDX-License-Identifier: MIT OR Apache-2.0
//! The state machine: events go in, a snapshot of each interval comes out.

use crate::disk::DiskSums;
use crate::event::{BlockEvent, BlockEventKind, DeviceId};
use crate::figures;
use crate::snapshot::Snapshot;
use crate::threads::{Owner, ThreadOwners, Threads};
use std::collections::BTreeMap;

/// A disk to be watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watched {
    /// Name of the disk.
    pub name: String,
    /// The number of the whole disk.
    pub device: DeviceId,
    /// Those of its partitions.
    pub partitions: Vec<DeviceId>,
}

/// Who has the disks.
#[derive(Clone, Debug)]
pub struct Monitor {
    names: Vec<String>,
    numbers: Vec<DeviceId>,
    disks: Vec<DiskSums>,
    /// The place of each device's disk.
    places: BTreeMap<DeviceId, usize>,
    threads: Threads,
    start_ns: u64,
    began_ns: u64,
    lost_events: u64,
    /// The end of the last gap in the events, until it has been passed.
    gap_ns: Option<u64>,
}

impl Monitor {
    /// Watches disks from a time on.
    pub fn new(disks: &[Watched], now_ns: u64) -> Self {
        let mut monitor = Monitor {
            names: disks.iter().map(|disk| disk.name.clone()).collect(),
            numbers: disks.iter().map(|disk| disk.device).collect(),
            disks: vec![DiskSums::default(); disks.len()],
            places: BTreeMap::new(),
            threads: Threads::default(),
            start_ns: now_ns,
            began_ns: now_ns,
            lost_events: 0,
            gap_ns: None,
        };
        for (place, disk) in disks.iter().enumerate() {
            monitor.places.insert(disk.device, place);
            monitor.places.extend(disk.partitions.iter().map(|&device| (device, place)));
            monitor.disks[place].begin(now_ns);
        }
        monitor
    }

    /// Takes an event; those of other devices are passed over. The answer is the disk's own number,
    /// and of I/O that is queued whose it is.
    pub fn take(
        &mut self,
        event: &BlockEvent,
        owners: &mut dyn ThreadOwners,
    ) -> Option<(DeviceId, Option<&Owner>)> {
        let &place = self.places.get(&event.device)?;
        self.pass_gap(event.time_ns);
        let who = match event.kind {
            BlockEventKind::Queued => Some(self.threads.owner(event.thread, event.name, owners)),
            _ => None,
        };
        self.disks[place].take(event, who);
        Some((self.numbers[place], who))
    }

    /// How much is kept.
    #[cfg(test)]
    pub(crate) fn entries(&self) -> usize {
        self.threads.entries() + self.disks.iter().map(DiskSums::entries).sum::<usize>()
    }

    /// How many requests are taken to be in the devices.
    #[cfg(test)]
    pub(crate) fn requests(&self) -> usize {
        self.disks.iter().map(DiskSums::requests).sum()
    }

    /// The kernel had no room for some events, which happened before a time. What was under way
    /// then is not known any more from then on.
    pub fn lost(&mut self, events: u64, before_ns: u64) {
        if events > 0 {
            self.lost_events = self.lost_events.saturating_add(events);
            self.gap_ns = self.gap_ns.max(Some(before_ns));
        }
    }

    /// Begins anew with what is under way, once all events before a gap are here.
    fn pass_gap(&mut self, now_ns: u64) {
        if let Some(gap_ns) = self.gap_ns.take_if(|gap_ns| *gap_ns <= now_ns) {
            self.disks.iter_mut().for_each(|disk| disk.forget_before(gap_ns));
        }
    }

    /// Ends an interval, and begins the next.
    pub fn snapshot(&mut self, now_ns: u64) -> Snapshot {
        let now_ns = now_ns.max(self.began_ns);
        let interval_ns = now_ns - self.began_ns;
        self.pass_gap(now_ns);
        let mut disks = Vec::new();
        for (disk, name) in self.disks.iter_mut().zip(&self.names) {
            disk.settle(now_ns);
            disks.push(figures::of_disk(disk, name, interval_ns));
            disk.begin(now_ns);
        }
        self.began_ns = now_ns;
        self.threads.forget();
        Snapshot {
            at_s: seconds(now_ns - self.start_ns),
            interval_s: seconds(interval_ns),
            lost_events: std::mem::take(&mut self.lost_events),
            disks,
        }
    }
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}
