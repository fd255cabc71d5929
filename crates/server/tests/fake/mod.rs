// SPDX-License-Identifier: MIT OR Apache-2.0
//! A server that serves nothing: it notes what is asked of it, and has a status that tests choose.

// Each test uses a part of it.
#![allow(dead_code)]

use server::config::{Config, Export};
use server::control::{Control, ControlError};
use server::status::{
    Counts, DiskStatus, ExportStatus, LatencyStatus, SlowRequest, Status, TenantStatus,
};
use std::sync::Mutex;
use std::time::Duration;

/// What was asked, and what there is to see.
#[derive(Default)]
pub struct Fake {
    /// The calls, as text.
    pub calls: Mutex<Vec<String>>,
    /// What [`Control::status`] answers.
    pub status: Mutex<Status>,
}

impl Fake {
    fn note(&self, call: String) -> Result<(), ControlError> {
        self.calls.lock().unwrap().push(call);
        Ok(())
    }

    /// The calls since the last time.
    pub fn take_calls(&self) -> Vec<String> {
        std::mem::take(&mut *self.calls.lock().unwrap())
    }
}

impl Control for Fake {
    fn status(&self) -> Status {
        self.status.lock().unwrap().clone()
    }

    fn set_weight(&self, tenant: &str, weight: u32) -> Result<(), ControlError> {
        if tenant != "alice" {
            return Err(ControlError::Unknown {
                kind: "tenant",
                name: tenant.to_owned(),
                hint: "; did you mean `alice`?".to_owned(),
            });
        }
        self.note(format!("weight {tenant} {weight}"))
    }

    fn set_tunable(&self, disk: &str, name: &str, value: &str) -> Result<(), ControlError> {
        self.note(format!("tunable {disk} {name} {value}"))
    }

    fn set_scheduler(&self, disk: &str, scheduler: &str) -> Result<(), ControlError> {
        self.note(format!("scheduler {disk} {scheduler}"))
    }

    fn add_export(&self, export: Export) -> Result<(), ControlError> {
        self.note(format!("add {export:?}"))
    }

    fn drain_export(&self, name: &str, limit: Duration, remove: bool) -> Result<(), ControlError> {
        self.note(format!("drain {name} {limit:?} {remove}"))
    }

    fn resume_export(&self, name: &str) -> Result<(), ControlError> {
        self.note(format!("resume {name}"))
    }

    fn explain(&self, tenant: &str, count: usize) -> Result<Vec<SlowRequest>, ControlError> {
        self.note(format!("explain {tenant} {count}"))?;
        Ok(vec![slow_request()])
    }

    fn apply(&self, config: Config) -> Result<Vec<String>, ControlError> {
        if config.tenants.iter().any(|tenant| tenant.name == "impossible") {
            return Err(ControlError::Refused("no room for `impossible`".to_owned()));
        }
        self.note(format!("apply {} exports", config.exports.len()))?;
        Ok(vec!["The weight of `alice` is 200.".to_owned()])
    }

    fn stop(&self, limit: Duration) {
        self.calls.lock().unwrap().push(format!("stop {limit:?}"));
    }
}

/// A read that waited.
pub fn slow_request() -> SlowRequest {
    SlowRequest {
        export: "images".to_owned(),
        operation: "read".to_owned(),
        offset_bytes: 1 << 20,
        length_bytes: 4096,
        ended_ago_ns: 2_000_000_000,
        latency_ns: 120_000_000,
        before_scheduler_ns: 1_000_000,
        in_scheduler_ns: 110_000_000,
        in_disk_ns: 9_000_000,
        reasons: vec!["110 ms: `bob` was served.".to_owned()],
    }
}

/// Two tenants that share a disk, after that number of seconds.
pub fn sample(seconds: u64) -> Status {
    let tenant = |name: &str, weight: u32, share: f64| TenantStatus {
        name: name.to_owned(),
        weight,
        connections: 2,
        done: Counts {
            reads: seconds * u64::from(weight),
            read_bytes: seconds * u64::from(weight) * 500_000,
            writes: seconds,
            written_bytes: seconds * 4096,
            ..Counts::default()
        },
        waiting: 14,
        in_flight: 2,
        memory_bytes: 3 << 20,
        share,
        entitled: f64::from(weight) / 400.0,
        latency: LatencyStatus { median_ns: 900_000, p99_ns: 4_000_000, worst_ns: 7_500_000 },
        ..TenantStatus::default()
    };
    let alice =
        TenantStatus { waits_for: Some("bob".to_owned()), errors: 1, ..tenant("alice", 100, 0.26) };
    let export = |name: &str, tenant: &str| ExportStatus {
        name: name.to_owned(),
        tenant: tenant.to_owned(),
        size_bytes: 1 << 30,
        connections: 2,
        ..ExportStatus::default()
    };
    let draining = ExportStatus { draining: true, read_only: true, ..export("", "bob") };
    let disk = DiskStatus {
        name: "data".to_owned(),
        ended: false,
        description: "emulated ssd-sata".to_owned(),
        scheduler: "bfq".to_owned(),
        tunables: vec![("low_latency".to_owned(), "1".to_owned())],
        depth: 32,
        in_flight: 4,
        hanging: 1,
        waiting: 28,
        busy_ns: seconds * 900_000_000,
        exports: vec![export("images", "alice"), export("vm", "bob"), draining],
        tenants: vec![alice, tenant("bob", 300, 0.74)],
    };
    Status { uptime_ns: seconds * 1_000_000_000, handshakes: 1, refused: 3, disks: vec![disk] }
}
