// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a server says of itself, as tables for people.

use crate::layout::{LINE_LETTERS, aligned};
use base::text::{percent, size, time, wrapped};
use server::Status;
use server::status::{DiskStatus, ExportStatus, SlowRequest, TenantStatus};
use std::fmt::Write;

/// What stands for the default export.
const UNNAMED: &str = "(default)";

fn row<const CELLS: usize>(cells: [&str; CELLS]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}

/// The disks, what is served from each, and who uses it.
pub(super) fn status(status: &Status) -> String {
    let mut text = format!("Running for {}", time(status.uptime_ns));
    let _ = writeln!(
        text,
        "; connections in their handshake: {}; refused or closed so far: {}.",
        status.handshakes, status.refused
    );
    for disk in &status.disks {
        if disk.ended {
            let _ = writeln!(text, "\n{}: serves nothing any more; the log says why", disk.name);
            continue;
        }
        let _ = writeln!(text, "\n{}: {}", disk.name, disk.description);
        let _ = writeln!(
            text,
            "scheduler {}, {} of {} commands in flight, {} waiting",
            disk.scheduler, disk.in_flight, disk.depth, disk.waiting
        );
        let tunables: Vec<_> =
            disk.tunables.iter().map(|(name, value)| format!("{name}={value}")).collect();
        for line in wrapped(&tunables.join(" "), LINE_LETTERS - 2) {
            let _ = writeln!(text, "  {line}");
        }
        let _ = write!(text, "\n{}", exports(disk));
        let _ = write!(text, "\n{}", tenants_of(disk));
    }
    text
}

fn exports(disk: &DiskStatus) -> String {
    let mut rows = vec![row(["export", "tenant", "size", "connections", ""])];
    for export in &disk.exports {
        rows.push(vec![
            if export.name.is_empty() { UNNAMED } else { &export.name }.to_owned(),
            export.tenant.clone(),
            size(export.size_bytes),
            export.connections.to_string(),
            state(export),
        ]);
    }
    aligned(&rows)
}

fn state(export: &ExportStatus) -> String {
    let words = [(export.read_only, "read-only"), (export.draining, "draining")];
    let words: Vec<_> = words.iter().filter(|(so, _)| *so).map(|(_, word)| *word).collect();
    words.join(", ")
}

/// What each tenant gets, is entitled to and waits for, disk by disk.
pub(super) fn tenants(status: &Status) -> String {
    let table = |disk: &DiskStatus| format!("{}:\n{}", disk.name, tenants_of(disk));
    status.disks.iter().map(table).collect::<Vec<_>>().join("\n")
}

fn tenants_of(disk: &DiskStatus) -> String {
    let head = [
        "tenant",
        "weight",
        "share",
        "entitled",
        "median",
        "99 %",
        "waiting",
        "in flight",
        "memory",
        "errors",
        "waits for",
    ];
    let mut rows = vec![row(head)];
    for tenant in &disk.tenants {
        rows.push(vec![
            format!("{}{}", "  ".repeat(depth(disk, tenant)), tenant.name),
            tenant.weight.to_string(),
            format!("{} %", percent(tenant.share)),
            format!("{} %", percent(tenant.entitled)),
            time(tenant.latency.median_ns),
            time(tenant.latency.p99_ns),
            tenant.waiting.to_string(),
            tenant.in_flight.to_string(),
            size(tenant.memory_bytes),
            tenant.errors.to_string(),
            tenant.waits_for.clone().unwrap_or_default(),
        ]);
    }
    aligned(&rows)
}

/// How many tenants a tenant is part of, one in the other.
fn depth(disk: &DiskStatus, tenant: &TenantStatus) -> usize {
    let parent = |tenant: &TenantStatus| {
        let name = tenant.parent.as_ref()?;
        disk.tenants.iter().find(|other| other.name == *name)
    };
    let up = std::iter::successors(parent(tenant), |above| parent(above));
    // A server of another version may say anything.
    up.take(disk.tenants.len()).count()
}

/// Why requests were slow.
pub(super) fn slow(tenant: &str, requests: &[SlowRequest]) -> String {
    if requests.is_empty() {
        return format!("No request of {tenant} was slow of late.\n");
    }
    let mut text = String::new();
    for request in requests {
        let export = if request.export.is_empty() { UNNAMED } else { &request.export };
        let _ = writeln!(
            text,
            "{} of {} at {} of {export}: {}, ended {} ago",
            request.operation,
            size(request.length_bytes),
            size(request.offset_bytes),
            time(request.latency_ns),
            time(request.ended_ago_ns),
        );
        let _ = writeln!(
            text,
            "  before the scheduler {}, in it {}, in the disk {}",
            time(request.before_scheduler_ns),
            time(request.in_scheduler_ns),
            time(request.in_disk_ns),
        );
        for reason in &request.reasons {
            for line in wrapped(reason, LINE_LETTERS - 2) {
                let _ = writeln!(text, "  {line}");
            }
        }
    }
    text
}
