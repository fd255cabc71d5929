// SPDX-License-Identifier: MIT OR Apache-2.0
//! A snapshot as OpenMetrics text.

use crate::snapshot::{DiskFigures, Figures, Snapshot};
use std::fmt::Write;

/// A gauge: its name, its unit (the end of the name), and what it means.
struct Gauge<T> {
    name: &'static str,
    help: &'static str,
    value: fn(&T) -> f64,
}

const OF_DISKS: [Gauge<DiskFigures>; 4] = [
    Gauge {
        name: "bfq_top_disk_utilisation_ratio",
        help: "Of what the disk has shown that it can do, how much was in use.",
        value: |disk| disk.utilisation_percent / 100.0,
    },
    Gauge {
        name: "bfq_top_disk_busy_ratio",
        help: "The part of the interval in which the disk had any request.",
        value: |disk| disk.busy_percent / 100.0,
    },
    Gauge {
        name: "bfq_top_disk_depth",
        help: "Requests that were in the disk, on average.",
        value: |disk| disk.depth,
    },
    Gauge {
        name: "bfq_top_disk_waiting",
        help: "I/Os that wait to be given to the disk.",
        value: |disk| disk.waiting_ios as f64,
    },
];

const OF_GROUPS: [Gauge<Figures>; 7] = [
    Gauge {
        name: "bfq_top_group_time_ratio",
        help: "Share of the time in which the disk had anything to do.",
        value: |figures| figures.time_percent / 100.0,
    },
    Gauge {
        name: "bfq_top_group_read_bytes",
        help: "Bytes that were read in the interval.",
        value: |figures| figures.read_bytes as f64,
    },
    Gauge {
        name: "bfq_top_group_written_bytes",
        help: "Bytes that were written in the interval.",
        value: |figures| figures.written_bytes as f64,
    },
    Gauge {
        name: "bfq_top_group_ios",
        help: "I/Os that ended in the interval.",
        value: |figures| figures.ios as f64,
    },
    Gauge {
        name: "bfq_top_group_waiting_p99_seconds",
        help: "Within which 99 of 100 I/Os were given to the disk.",
        value: |figures| figures.waiting.p99_ns as f64 / 1e9,
    },
    Gauge {
        name: "bfq_top_group_device_p99_seconds",
        help: "Within which the disk had done 99 of 100 I/Os.",
        value: |figures| figures.in_device.p99_ns as f64 / 1e9,
    },
    Gauge {
        name: "bfq_top_group_queue_depth",
        help: "I/Os under way, on average.",
        value: |figures| figures.queue_depth,
    },
];

/// The figures of the last interval, of disks and control groups. (Processes come and go: a metrics
/// server would keep each of them for ever.)
pub fn open_metrics(snapshot: &Snapshot) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    for gauge in OF_DISKS {
        begin(&mut text, gauge.name, gauge.help);
        for disk in &snapshot.disks {
            let (name, value) = (label(&disk.name), (gauge.value)(disk));
            let _ = writeln!(text, "{}{{disk=\"{name}\"}} {value}", gauge.name);
        }
    }
    for gauge in OF_GROUPS {
        begin(&mut text, gauge.name, gauge.help);
        for disk in &snapshot.disks {
            for group in &disk.groups {
                let (name, path) = (label(&disk.name), label(&group.group));
                let value = (gauge.value)(&group.figures);
                let _ =
                    writeln!(text, "{}{{disk=\"{name}\",group=\"{path}\"}} {value}", gauge.name);
            }
        }
    }
    begin(&mut text, "bfq_top_lost_events", "Events that the kernel had no room for.");
    let _ = writeln!(text, "bfq_top_lost_events {}\n# EOF", snapshot.lost_events);
    text
}

fn begin(text: &mut String, name: &str, help: &str) {
    let _ = writeln!(text, "# TYPE {name} gauge\n# HELP {name} {help}");
}

/// A text between quotes.
fn label(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
