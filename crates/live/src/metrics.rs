// SPDX-License-Identifier: MIT OR Apache-2.0
//! Figures for a metrics server: totals since the beginning, and what is as in the last interval.
//!
//! Of disks and control groups only: processes come and go, and a metrics server would keep each of
//! them for ever.

use crate::snapshot::{DiskFigures, Figures, Quantiles, Snapshot};
use crate::totals::{Total, Totals};
use std::fmt;
use web::metrics::{Families, Labels, Measured, Unit, Value, ratio, seconds};

/// All that is told, as OpenMetrics text.
///
/// # Errors
/// It cannot be written, which does not happen to text.
pub fn open_metrics(totals: &Totals) -> Result<String, fmt::Error> {
    web::metrics::text(totals.clone())
}

/// A count of a total: the operation that is counted, if it is one of several, and how much.
type Count = (Option<&'static str>, fn(&Total) -> f64);

/// The bytes of each operation.
const BYTES: [Count; 3] = [
    (Some("read"), |total| total.read_bytes as f64),
    (Some("write"), |total| total.written_bytes as f64),
    (Some("discard"), |total| total.discarded_bytes as f64),
];
const IOS: [Count; 1] = [(None, |total| total.ios as f64)];
const TIME: [Count; 1] = [(None, |total| total.time_s)];

impl Measured for Totals {
    fn families(&self, families: &mut Families<'_>) -> fmt::Result {
        let mut writer = Writer { families, last: self.last(), totals: self };
        writer.disks()?;
        writer.disk_totals()?;
        writer.groups()?;
        writer.group_totals()?;
        writer.latencies()?;
        families.one(
            ("bfq_top_lost_events", None, "Events that the kernel had no room for"),
            Value::Rises(self.lost_events() as f64),
        )
    }
}

struct Writer<'a, 'f, 'e> {
    families: &'f mut Families<'e>,
    last: &'a Snapshot,
    totals: &'a Totals,
}

impl Writer<'_, '_, '_> {
    fn disks(&mut self) -> fmt::Result {
        let mut each = |name, unit, help, value: fn(&DiskFigures) -> f64| {
            let samples = self.last.disks.iter().map(|disk| (of_disk(&disk.name), value(disk)));
            self.families.family((name, unit, help), samples.map(is))
        };
        each(
            "bfq_top_disk_utilisation",
            ratio(),
            "Of what the disk has shown that it can do, how much was in use",
            |disk| disk.utilisation_percent / 100.0,
        )?;
        each(
            "bfq_top_disk_busy",
            ratio(),
            "The part of the interval in which the disk had any request",
            |disk| disk.busy_percent / 100.0,
        )?;
        let requests = || Some(Unit::Other("requests".to_owned()));
        each(
            "bfq_top_disk_depth",
            requests(),
            "Requests that were in the disk, on average of the interval",
            |disk| disk.depth,
        )?;
        each("bfq_top_disk_waiting", requests(), "I/Os that wait to be given to the disk", |disk| {
            disk.waiting_ios as f64
        })
    }

    fn disk_totals(&mut self) -> fmt::Result {
        let mut each = |name, unit, help, counts: &[Count]| {
            let samples = self.totals.disks().flat_map(|(disk, total)| {
                counts.iter().map(move |count| counted(of_disk(disk), count, total))
            });
            self.families.family((name, unit, help), samples)
        };
        let busy = "Time in which the disk had any request";
        each("bfq_top_disk_busy", Some(Unit::Seconds), busy, &TIME)?;
        let bytes = "Bytes of I/O that ended";
        each("bfq_top_disk_transferred", Some(Unit::Bytes), bytes, &BYTES)?;
        each("bfq_top_disk_ios", None, "I/Os that ended", &IOS)
    }

    fn groups(&mut self) -> fmt::Result {
        let mut each = |name, unit, help, value: fn(&Figures) -> f64| {
            let groups = groups_of(self.last);
            let samples = groups.map(|(labels, _, figures)| (labels, value(figures)));
            self.families.family((name, unit, help), samples.map(is))
        };
        each(
            "bfq_top_group_time",
            ratio(),
            "The group's part of the time in which the disk had anything to do in the interval",
            |figures| figures.time_percent / 100.0,
        )?;
        each(
            "bfq_top_group_depth",
            None,
            "I/Os under way, on average of the interval",
            |figures| figures.queue_depth,
        )?;
        let due = groups_of(self.last)
            .filter_map(|(labels, entitled, _)| Some((labels, entitled? / 100.0)));
        let about = "The group's part by weights, where these decide";
        self.families.family(("bfq_top_group_entitled", ratio(), about), due.map(is))
    }

    fn group_totals(&mut self) -> fmt::Result {
        let mut each = |name, unit, help, counts: &[Count]| {
            let samples = self.totals.groups().flat_map(|(disk, group, total)| {
                counts.iter().map(move |count| counted(of_group(disk, group), count, total))
            });
            self.families.family((name, unit, help), samples)
        };
        let time = "The group's part of the time in which the disk had any request";
        each("bfq_top_group_time", Some(Unit::Seconds), time, &TIME)?;
        let bytes = "Bytes of I/O that ended";
        each("bfq_top_group_transferred", Some(Unit::Bytes), bytes, &BYTES)?;
        each("bfq_top_group_ios", None, "I/Os that ended", &IOS)
    }

    fn latencies(&mut self) -> fmt::Result {
        let mut each = |name, help, part: fn(&Figures) -> Quantiles| {
            let samples = groups_of(self.last).flat_map(|(labels, _, figures)| {
                let took = part(figures);
                let told = [("0.5", took.median_ns), ("0.99", took.p99_ns), ("1", took.worst_ns)];
                told.map(|(quantile, ns)| (with(&labels, "quantile", quantile), seconds(ns)))
            });
            self.families.family((name, Some(Unit::Seconds), help), samples.map(is))
        };
        each(
            "bfq_top_group_waiting",
            "From handed over until the disk was given it, of I/O that ended in the interval",
            |figures| figures.waiting,
        )?;
        each(
            "bfq_top_group_in_device",
            "How long it was in the disk, of I/O that ended in the interval",
            |figures| figures.in_device,
        )
    }
}

fn is((labels, value): (Labels<'_>, f64)) -> (Labels<'_>, Value) {
    (labels, Value::Is(value))
}

fn of_disk(disk: &str) -> Labels<'_> {
    vec![("disk", disk)]
}

fn of_group<'a>(disk: &'a str, group: &'a str) -> Labels<'a> {
    vec![("disk", disk), ("group", group)]
}

fn with<'a>(labels: &Labels<'a>, name: &'static str, value: &'static str) -> Labels<'a> {
    let mut labels = labels.clone();
    labels.push((name, value));
    labels
}

fn counted<'a>(
    labels: Labels<'a>,
    (operation, count): &Count,
    total: &Total,
) -> (Labels<'a>, Value) {
    let labels = match operation {
        Some(operation) => with(&labels, "operation", operation),
        None => labels,
    };
    (labels, Value::Rises(count(total)))
}

/// Each group on each disk in an interval: its labels, what is its due, its figures.
fn groups_of(last: &Snapshot) -> impl Iterator<Item = (Labels<'_>, Option<f64>, &Figures)> {
    last.disks.iter().flat_map(|disk| {
        let all = disk.groups.iter();
        all.map(|group| {
            (of_group(&disk.name, &group.group), group.entitled_percent, &group.figures)
        })
    })
}
