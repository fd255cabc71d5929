// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a server says of itself, as tables for people. Names in it are chosen by others: a terminal
//! shall obey none.

use crate::layout::{LINE_LETTERS, aligned};
use base::text::{percent, printable, size, time, wrapped};
use server::Status;
use server::status::{DiskStatus, ExportStatus, SlowRequest, TenantStatus};
use std::collections::BTreeSet;
use std::fmt::Write;

/// What stands for the default export.
const UNNAMED: &str = "(default)";

/// What stands for a figure of requests where there were none.
const DASH: &str = "-";

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
            let name = printable(&disk.name);
            let _ = writeln!(text, "\n{name}: serves nothing any more; the log says why");
            continue;
        }
        let _ = writeln!(text, "\n{}: {}", printable(&disk.name), printable(&disk.description));
        let _ = writeln!(
            text,
            "scheduler {}, {} of {} commands in flight, {} waiting",
            printable(&disk.scheduler),
            disk.in_flight,
            disk.depth,
            disk.waiting
        );
        let tunables: Vec<_> =
            disk.tunables.iter().map(|(name, value)| format!("{name}={value}")).collect();
        for line in wrapped(&printable(&tunables.join(" ")), LINE_LETTERS - 2) {
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
            export_name(&export.name),
            printable(&export.tenant),
            size(export.size_bytes),
            export.connections.to_string(),
            state(export),
        ]);
    }
    aligned(&rows)
}

fn export_name(name: &str) -> String {
    if name.is_empty() { UNNAMED.to_owned() } else { printable(name) }
}

fn state(export: &ExportStatus) -> String {
    let words = [(export.read_only, "read-only"), (export.draining, "draining")];
    let words: Vec<_> = words.iter().filter(|(so, _)| *so).map(|(_, word)| *word).collect();
    words.join(", ")
}

/// What each tenant gets, is entitled to and waits for, disk by disk.
pub(super) fn tenants(status: &Status) -> String {
    let table = |disk: &DiskStatus| format!("{}:\n{}", printable(&disk.name), tenants_of(disk));
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
    for (depth, tenant) in below_their_parents(&disk.tenants) {
        // What only groups others has no requests of its own: 0 would say that nothing waits in it.
        let only_groups = is_parent(disk, tenant)
            && disk.exports.iter().all(|export| export.tenant != tenant.name);
        let own = |figure: String| if only_groups { DASH.to_owned() } else { figure };
        let took = |ns: u64| if ns == 0 { DASH.to_owned() } else { time(ns) };
        rows.push(vec![
            format!("{}{}", "  ".repeat(depth), printable(&tenant.name)),
            tenant.weight.to_string(),
            format!("{} %", percent(tenant.share)),
            format!("{} %", percent(tenant.entitled)),
            took(tenant.latency.median_ns),
            took(tenant.latency.p99_ns),
            own(tenant.waiting.to_string()),
            own(tenant.in_flight.to_string()),
            own(size(tenant.memory_bytes)),
            own(tenant.errors.to_string()),
            tenant.waits_for.as_deref().map(printable).unwrap_or_default(),
        ]);
    }
    aligned(&rows)
}

/// The tenants, each directly below the one that it is part of, with the number of those that it is
/// in; else in the order in which they are given.
fn below_their_parents(tenants: &[TenantStatus]) -> Vec<(usize, &TenantStatus)> {
    let parent = |tenant: &TenantStatus| {
        let name = tenant.parent.as_ref()?;
        tenants.iter().position(|other| other.name == *name)
    };
    let mut left: Vec<(usize, usize)> = (0..tenants.len())
        .rev()
        .filter(|&place| parent(&tenants[place]).is_none())
        .map(|place| (0, place))
        .collect();
    let mut ordered = Vec::new();
    let mut shown = vec![false; tenants.len()];
    while let Some((depth, place)) = left.pop() {
        shown[place] = true;
        ordered.push((depth, &tenants[place]));
        let children = (0..tenants.len()).rev();
        let children = children.filter(|&child| parent(&tenants[child]) == Some(place));
        left.extend(children.map(|child| (depth + 1, child)));
    }
    // A server of another version may say anything, even that two are part of each other.
    let rest = tenants.iter().zip(&shown).filter(|(_, shown)| !**shown);
    ordered.extend(rest.map(|(tenant, _)| (0, tenant)));
    ordered
}

fn is_parent(disk: &DiskStatus, tenant: &TenantStatus) -> bool {
    disk.tenants.iter().any(|other| other.parent.as_ref() == Some(&tenant.name))
}

/// Why requests were slow; without any, where those of the tenant's children are told.
pub(super) fn slow(tenant: &str, requests: &[SlowRequest], status: &Status) -> String {
    let shown = printable(tenant);
    if requests.is_empty() {
        let tenants = status.disks.iter().flat_map(|disk| &disk.tenants);
        let children: BTreeSet<&str> = tenants
            .filter(|other| other.parent.as_deref() == Some(tenant))
            .map(|child| child.name.as_str())
            .collect();
        if children.is_empty() {
            return format!("No request of {shown} was slow of late.\n");
        }
        let children: Vec<String> = children.into_iter().map(printable).collect();
        return format!(
            "No request of {shown} itself was slow of late. It consists of others that can be \
             asked for: {}.\n",
            children.join(", ")
        );
    }
    let mut text = String::new();
    for request in requests {
        let export = export_name(&request.export);
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
            for line in wrapped(&printable(reason), LINE_LETTERS - 2) {
                let _ = writeln!(text, "  {line}");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use server::status::LatencyStatus;

    fn tenant(name: &str, parent: Option<&str>, median_ns: u64) -> TenantStatus {
        TenantStatus {
            name: name.to_owned(),
            parent: parent.map(str::to_owned),
            latency: LatencyStatus { median_ns, p99_ns: median_ns, worst_ns: median_ns },
            ..TenantStatus::default()
        }
    }

    fn disk(tenants: Vec<TenantStatus>) -> DiskStatus {
        let of = |tenant: &TenantStatus| ExportStatus {
            tenant: tenant.name.clone(),
            ..ExportStatus::default()
        };
        let exports = tenants.iter().filter(|one| one.name != "org").map(of).collect();
        DiskStatus { exports, tenants, ..DiskStatus::default() }
    }

    fn family() -> DiskStatus {
        disk(vec![
            tenant("idle", None, 0),
            tenant("org", None, 0),
            tenant("other", None, 5_000),
            tenant("a", Some("org"), 5_000),
            tenant("b", Some("org"), 5_000),
        ])
    }

    #[test]
    fn a_child_stands_below_its_parent() {
        let text = tenants_of(&family());
        let names: Vec<&str> = text.lines().skip(1).map(|line| &line[..7]).collect();
        assert_eq!(names, ["idle   ", "org    ", "  a    ", "  b    ", "other  "], "{text}");
    }

    #[test]
    fn tenants_that_are_part_of_each_other_are_shown_too() {
        let circle = [tenant("a", Some("b"), 0), tenant("b", Some("a"), 0), tenant("c", None, 0)];
        let shown = below_their_parents(&circle);
        let names: Vec<_> = shown.iter().map(|(depth, one)| (*depth, one.name.as_str())).collect();
        assert_eq!(names, [(0, "c"), (0, "a"), (0, "b")]);
    }

    #[test]
    fn where_nothing_ended_there_are_dashes() {
        let text = tenants_of(&family());
        let cells = |line: usize| -> Vec<&str> {
            text.lines()
                .nth(line)
                .unwrap()
                .split("  ")
                .map(str::trim)
                .filter(|cell| !cell.is_empty())
                .collect()
        };
        assert_eq!(cells(1)[4..8], ["-", "-", "0", "0"], "{text}");
        assert_eq!(cells(2)[4..10], ["-"; 6], "{text}");
        assert_eq!(cells(3)[4], "5.00 µs", "{text}");
    }

    /// Whoever may add an export chooses its name.
    #[test]
    fn a_terminal_obeys_no_name() {
        let evil = "e\x1b[2J\nvil";
        let mut disk = disk(vec![tenant(evil, None, 0)]);
        evil.clone_into(&mut disk.name);
        evil.clone_into(&mut disk.exports[0].name);
        disk.tenants[0].waits_for = Some(evil.to_owned());
        let (export, reasons) = (evil.to_owned(), vec![evil.to_owned()]);
        let request = SlowRequest { export, reasons, ..SlowRequest::default() };
        let text = status(&Status { disks: vec![disk], ..Status::default() });
        let text = text + &slow(evil, &[], &Status::default());
        let text = text + &slow(evil, &[request], &Status::default());
        assert!(text.matches("e?[2J?vil").count() >= 7, "{text}");
        assert!(!text.replace('\n', "").contains(char::is_control), "{text:?}");
        assert!(!text.contains("\nvil"), "{text:?}");
    }

    #[test]
    fn who_only_groups_others_points_to_them() {
        let status = Status { disks: vec![family(), family()], ..Status::default() };
        let text = slow("org", &[], &status);
        assert!(text.ends_with("of others that can be asked for: a, b.\n"), "{text}");
        assert_eq!(slow("a", &[], &status), "No request of a was slow of late.\n");
    }
}
