// SPDX-License-Identifier: MIT OR Apache-2.0
//! What there is to see of a server as metrics.

use crate::status::{DiskStatus, ExportStatus, Status, TenantStatus};
use std::fmt;
use web::metrics::{Families, Labels, Measured, Unit, Value, ratio, seconds};

/// The metrics of a server, as OpenMetrics text.
///
/// # Errors
/// They cannot be written, which does not happen to text.
pub fn text(status: Status) -> Result<String, fmt::Error> {
    web::metrics::text(Snapshot(status))
}

/// A server at one instant.
#[derive(Debug)]
struct Snapshot(Status);

impl Measured for Snapshot {
    fn families(&self, families: &mut Families<'_>) -> fmt::Result {
        let mut writer = Writer(families);
        writer.server(&self.0)?;
        writer.disks(&self.0)?;
        writer.exports(&self.0)?;
        writer.tenants(&self.0)?;
        writer.latencies(&self.0)
    }
}

/// The unit of what is counted in requests.
fn requests() -> Option<Unit> {
    Some(Unit::Other("requests".to_owned()))
}

struct Writer<'a, 'e>(&'a mut Families<'e>);

impl Writer<'_, '_> {
    fn server(&mut self, status: &Status) -> fmt::Result {
        self.0.one(
            ("bfq_uptime", Some(Unit::Seconds), "How long the server has run"),
            Value::Is(seconds(status.uptime_ns)),
        )?;
        self.0.one(
            ("bfq_handshakes", None, "Connections in their handshake"),
            Value::Is(status.handshakes.into()),
        )?;
        self.0.one(
            (
                "bfq_refused_connections",
                None,
                "Connections that were refused or closed by a limit or an error",
            ),
            Value::Rises(status.refused as f64),
        )
    }

    fn disks(&mut self, status: &Status) -> fmt::Result {
        let mut each = |about, value: fn(&DiskStatus) -> Value| {
            let disks = status.disks.iter();
            self.0
                .family(about, disks.map(|disk| (vec![("disk", disk.name.as_str())], value(disk))))
        };
        each(
            ("bfq_disk_up", None, "Whether it is served; 0 after an error of the server's"),
            |disk| Value::Is(u8::from(!disk.ended).into()),
        )?;
        each(
            ("bfq_disk_busy", Some(Unit::Seconds), "Time with at least one command in flight"),
            |disk| Value::Rises(seconds(disk.busy_ns)),
        )?;
        each(
            ("bfq_disk_depth", requests(), "The most commands that the disk is given at a time"),
            |disk| Value::Is(disk.depth.into()),
        )?;
        each(("bfq_disk_in_flight", requests(), "Commands that the disk has"), |disk| {
            Value::Is(disk.in_flight.into())
        })?;
        each(
            (
                "bfq_disk_hanging",
                requests(),
                "Commands that others do not wait for, since they hang or follow ones that do",
            ),
            |disk| Value::Is(disk.hanging.into()),
        )?;
        each(("bfq_disk_waiting", requests(), "Requests that wait in the scheduler"), |disk| {
            Value::Is(disk.waiting.into())
        })
    }

    fn exports(&mut self, status: &Status) -> fmt::Result {
        let disks: Vec<_> = status.disks.iter().map(|disk| (disk, by_name(disk))).collect();
        let mut each = |about, value: fn(&ExportStatus) -> Value| {
            let samples = disks.iter().flat_map(|(disk, exports)| {
                exports.iter().map(move |export| {
                    let labels = vec![
                        ("disk", disk.name.as_str()),
                        ("export", export.name.as_str()),
                        ("tenant", export.tenant.as_str()),
                    ];
                    (labels, value(export))
                })
            });
            self.0.family(about, samples)
        };
        each(("bfq_export_size", Some(Unit::Bytes), "The size of an export"), |export| {
            Value::Is(export.size_bytes as f64)
        })?;
        each(("bfq_export_connections", None, "Connections that use an export"), |export| {
            Value::Is(export.connections.into())
        })?;
        each(("bfq_export_draining", None, "1 if an export takes no new connections"), |export| {
            Value::Is(f64::from(u8::from(export.draining)))
        })
    }

    fn tenants(&mut self, status: &Status) -> fmt::Result {
        let mut each = |about, value: fn(&TenantStatus) -> Value| {
            self.0.family(about, tenants(status).map(|(labels, tenant)| (labels, value(tenant))))
        };
        each(("bfq_tenant_weight", None, "The weight among the siblings"), |tenant| {
            Value::Is(tenant.weight.into())
        })?;
        each(
            ("bfq_tenant_share", ratio(), "The part of the bytes of the last second, 0 to 1"),
            |tenant| Value::Is(tenant.share),
        )?;
        each(
            (
                "bfq_tenant_entitled",
                ratio(),
                "The part that it is entitled to among those who want the disk now, 0 to 1",
            ),
            |tenant| Value::Is(tenant.entitled),
        )?;
        each(("bfq_tenant_connections", None, "Connections of a tenant"), |tenant| {
            Value::Is(tenant.connections.into())
        })?;
        each(
            (
                "bfq_tenant_waiting",
                requests(),
                "Requests that wait in the scheduler, or for a place in it",
            ),
            |tenant| Value::Is(tenant.waiting.into()),
        )?;
        each(("bfq_tenant_in_flight", requests(), "Requests that the disk has"), |tenant| {
            Value::Is(tenant.in_flight.into())
        })?;
        each(("bfq_tenant_memory", Some(Unit::Bytes), "Data that is held for it"), |tenant| {
            Value::Is(tenant.memory_bytes as f64)
        })?;
        each(("bfq_tenant_errors", None, "Requests that failed or were refused"), |tenant| {
            Value::Rises(tenant.errors as f64)
        })?;
        self.by_operation(status)
    }

    fn by_operation(&mut self, status: &Status) -> fmt::Result {
        let counts = tenants(status).flat_map(|(labels, tenant)| {
            let done = tenant.done;
            let counts = [
                ("read", done.reads),
                ("write", done.writes),
                ("discard", done.discards),
                ("flush", done.flushes),
            ];
            counts.map(|(operation, count)| (with_operation(&labels, operation), count))
        });
        self.0.family(
            (
                "bfq_tenant_requests",
                None,
                "Requests that went well; NBD_CMD_CACHE and NBD_CMD_BLOCK_STATUS do not count",
            ),
            counts.map(|(labels, count)| (labels, Value::Rises(count as f64))),
        )?;
        let bytes = tenants(status).flat_map(|(labels, tenant)| {
            let bytes = [("read", tenant.done.read_bytes), ("write", tenant.done.written_bytes)];
            bytes.map(|(operation, bytes)| (with_operation(&labels, operation), bytes))
        });
        self.0.family(
            ("bfq_tenant_transferred", Some(Unit::Bytes), "Bytes of finished reads and writes"),
            bytes.map(|(labels, bytes)| (labels, Value::Rises(bytes as f64))),
        )
    }

    fn latencies(&mut self, status: &Status) -> fmt::Result {
        let samples = tenants(status).flat_map(|(labels, tenant)| {
            let latency = tenant.latency;
            let quantiles =
                [("0.5", latency.median_ns), ("0.99", latency.p99_ns), ("1", latency.worst_ns)];
            quantiles.map(|(quantile, ns)| {
                let mut labels = labels.clone();
                labels.push(("quantile", quantile));
                (labels, Value::Is(seconds(ns)))
            })
        });
        self.0.family(
            (
                "bfq_tenant_latency",
                Some(Unit::Seconds),
                "From a request's arrival to its answer, of the last ten seconds",
            ),
            samples,
        )
    }
}

/// The exports of a disk, each name of a tenant's once: what was served under it before may have
/// connections still, which count for it.
fn by_name(disk: &DiskStatus) -> Vec<ExportStatus> {
    let mut all: Vec<ExportStatus> = Vec::new();
    for export in &disk.exports {
        let is_it = |there: &&mut ExportStatus| {
            (&there.name, &there.tenant) == (&export.name, &export.tenant)
        };
        match all.iter_mut().find(is_it) {
            None => all.push(export.clone()),
            Some(there) => {
                let connections = there.connections + export.connections;
                if there.draining {
                    there.clone_from(export);
                }
                there.connections = connections;
            }
        }
    }
    all
}

/// Each tenant on each disk, with its labels.
fn tenants(status: &Status) -> impl Iterator<Item = (Labels<'_>, &TenantStatus)> {
    status.disks.iter().flat_map(|disk| {
        disk.tenants.iter().map(move |tenant| {
            (vec![("disk", disk.name.as_str()), ("tenant", tenant.name.as_str())], tenant)
        })
    })
}

fn with_operation<'a>(labels: &Labels<'a>, operation: &'static str) -> Labels<'a> {
    let mut labels = labels.clone();
    labels.push(("operation", operation));
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    /// OpenMetrics has no two samples of the same labels.
    #[test]
    fn an_export_that_was_changed_while_it_had_connections_is_there_once() {
        let export = |draining, connections| ExportStatus {
            name: "a".to_owned(),
            tenant: "a".to_owned(),
            draining,
            connections,
            ..ExportStatus::default()
        };
        for exports in [[export(true, 2), export(false, 1)], [export(false, 1), export(true, 2)]] {
            let disk = DiskStatus { exports: exports.to_vec(), ..DiskStatus::default() };
            let status = Status { disks: vec![disk], ..Status::default() };
            let text = text(status).expect("text");
            let samples: Vec<&str> =
                text.lines().filter(|line| line.starts_with("bfq_export_")).collect();
            assert_eq!(samples.len(), 3, "{samples:?}");
            assert!(samples[1].ends_with(" 3") || samples[1].ends_with(" 3.0"), "{samples:?}");
            assert!(samples[2].ends_with(" 0") || samples[2].ends_with(" 0.0"), "{samples:?}");
        }
    }
}
