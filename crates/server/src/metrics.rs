// SPDX-License-Identifier: MIT OR Apache-2.0
//! What there is to see of a server as OpenMetrics, for Prometheus and its kin.
//!
//! Names and units follow Prometheus' conventions: base units, counters that only rise. Written by
//! the client library of the Prometheus project.

use crate::status::{DiskStatus, ExportStatus, Status, TenantStatus};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::{Registry, Unit};
use std::fmt;

/// The content type of [`text`].
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The metrics of a server.
///
/// # Errors
/// They cannot be written, which does not happen to text.
pub fn text(status: Status) -> Result<String, fmt::Error> {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(Snapshot(status)));
    let mut text = String::new();
    encode(&mut text, &registry)?;
    Ok(text)
}

/// A server at one instant.
#[derive(Debug)]
struct Snapshot(Status);

impl Collector for Snapshot {
    fn encode(&self, encoder: DescriptorEncoder) -> Result<(), fmt::Error> {
        let mut writer = Writer(encoder);
        writer.server(&self.0)?;
        writer.disks(&self.0)?;
        writer.exports(&self.0)?;
        writer.tenants(&self.0)?;
        writer.latencies(&self.0)
    }
}

/// What is measured: its name without the unit, the unit, and a sentence.
type About = (&'static str, Option<Unit>, &'static str);

/// A value, which rises or goes up and down.
#[derive(Clone, Copy)]
enum Value {
    Rises(f64),
    Is(f64),
}

/// The unit of what is counted in requests.
fn requests() -> Option<Unit> {
    Some(Unit::Other("requests".to_owned()))
}

/// The unit of a part of a whole.
fn ratio() -> Option<Unit> {
    Some(Unit::Other("ratio".to_owned()))
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

/// Labels of a sample: names and values.
type Labels<'a> = Vec<(&'static str, &'a str)>;

struct Writer<'a>(DescriptorEncoder<'a>);

impl Writer<'_> {
    /// A family of samples of one kind.
    fn family<'s>(
        &mut self,
        (name, unit, help): About,
        samples: impl Iterator<Item = (Labels<'s>, Value)>,
    ) -> Result<(), fmt::Error> {
        let mut samples = samples.peekable();
        let kind = match samples.peek() {
            None => return Ok(()),
            Some((_, Value::Rises(_))) => MetricType::Counter,
            Some((_, Value::Is(_))) => MetricType::Gauge,
        };
        let mut family = self.0.encode_descriptor(name, help, unit.as_ref(), kind)?;
        for (labels, value) in samples {
            let sample = family.encode_family(&labels)?;
            match value {
                Value::Rises(value) => ConstCounter::new(value).encode(sample)?,
                Value::Is(value) => ConstGauge::new(value).encode(sample)?,
            }
        }
        Ok(())
    }

    fn server(&mut self, status: &Status) -> Result<(), fmt::Error> {
        let one = |value| std::iter::once((Vec::new(), value));
        self.family(
            ("bfq_uptime", Some(Unit::Seconds), "How long the server has run"),
            one(Value::Is(seconds(status.uptime_ns))),
        )?;
        self.family(
            ("bfq_handshakes", None, "Connections in their handshake"),
            one(Value::Is(status.handshakes.into())),
        )?;
        self.family(
            (
                "bfq_refused_connections",
                None,
                "Connections that were refused or closed by a limit or an error",
            ),
            one(Value::Rises(status.refused as f64)),
        )
    }

    fn disks(&mut self, status: &Status) -> Result<(), fmt::Error> {
        let mut each = |about, value: fn(&DiskStatus) -> Value| {
            let disks = status.disks.iter();
            self.family(about, disks.map(|disk| (vec![("disk", disk.name.as_str())], value(disk))))
        };
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
        each(("bfq_disk_waiting", requests(), "Requests that wait in the scheduler"), |disk| {
            Value::Is(disk.waiting.into())
        })
    }

    fn exports(&mut self, status: &Status) -> Result<(), fmt::Error> {
        let mut each = |about, value: fn(&ExportStatus) -> Value| {
            let samples = status.disks.iter().flat_map(|disk| {
                disk.exports.iter().map(move |export| {
                    let labels = vec![
                        ("disk", disk.name.as_str()),
                        ("export", export.name.as_str()),
                        ("tenant", export.tenant.as_str()),
                    ];
                    (labels, value(export))
                })
            });
            self.family(about, samples)
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

    fn tenants(&mut self, status: &Status) -> Result<(), fmt::Error> {
        let mut each = |about, value: fn(&TenantStatus) -> Value| {
            self.family(about, tenants(status).map(|(labels, tenant)| (labels, value(tenant))))
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
        each(("bfq_tenant_errors", None, "Requests that failed"), |tenant| {
            Value::Rises(tenant.errors as f64)
        })?;
        self.by_operation(status)
    }

    fn by_operation(&mut self, status: &Status) -> Result<(), fmt::Error> {
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
        self.family(
            ("bfq_tenant_requests", None, "Finished requests"),
            counts.map(|(labels, count)| (labels, Value::Rises(count as f64))),
        )?;
        let bytes = tenants(status).flat_map(|(labels, tenant)| {
            let bytes = [("read", tenant.done.read_bytes), ("write", tenant.done.written_bytes)];
            bytes.map(|(operation, bytes)| (with_operation(&labels, operation), bytes))
        });
        self.family(
            ("bfq_tenant_transferred", Some(Unit::Bytes), "Bytes of finished reads and writes"),
            bytes.map(|(labels, bytes)| (labels, Value::Rises(bytes as f64))),
        )
    }

    fn latencies(&mut self, status: &Status) -> Result<(), fmt::Error> {
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
        self.family(
            (
                "bfq_tenant_latency",
                Some(Unit::Seconds),
                "From a request's arrival to its answer, of the last ten seconds",
            ),
            samples,
        )
    }
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
