// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shares: what tenants get of a disk that all of them want, an emulated one or files that are held
//! to a rate.

use crate::error::BenchError;
use crate::load::{Load, Running, Window};
use crate::servers::{Place, Server, Tenant};
use serde_json::{Value, json};
use std::time::Duration;

/// Until the scheduler knows who is there.
const BEFORE: Duration = Duration::from_secs(2);

/// Everyone reads so; the disks are the bottleneck.
const LOAD: Load = Load {
    writes: false,
    sequential: false,
    block_bytes: 64 << 10,
    depth: 16,
    pause: Duration::ZERO,
};

/// Two tenants on a disk: how heavy, with how many connections.
struct Case {
    name: &'static str,
    first: (u32, usize),
    second: (u32, usize),
}

const CASES: [Case; 4] = [
    Case { name: "100 beside 300", first: (100, 1), second: (300, 1) },
    Case { name: "a victim beside 1 aggressor", first: (100, 1), second: (100, 1) },
    Case { name: "a victim beside 4 aggressors", first: (100, 1), second: (100, 4) },
    Case { name: "a victim beside 16 aggressors", first: (100, 1), second: (100, 16) },
];

/// What the tenants share.
#[derive(Clone, Copy)]
enum Disk {
    /// A disk of a model.
    Emulated(&'static str),
    /// Files on a real file system that is held to this rate.
    Files(&'static str),
}

const DISKS: [Disk; 3] =
    [Disk::Emulated("hdd-desktop"), Disk::Emulated("ssd-sata"), Disk::Files("40MB/s")];

impl Disk {
    fn name(self) -> String {
        match self {
            Disk::Emulated(profile) => profile.to_owned(),
            Disk::Files(rate) => format!("files, {rate}"),
        }
    }

    fn serve(
        self,
        place: &Place,
        scheduler: &str,
        tenants: &[Tenant<'_>],
    ) -> Result<Server, BenchError> {
        match self {
            Disk::Emulated(profile) => place.bfq_of_model("shares", profile, scheduler, tenants),
            Disk::Files(rate) => place.bfq_of_files("shares", rate, scheduler, tenants),
        }
    }
}

/// Measures each case on each disk, with the scheduler and without.
pub fn measure(place: &Place, length: Duration) -> Result<Value, BenchError> {
    let mut rows = Vec::new();
    println!("{:<14} {:<32} {:<10} {:>8} {:>8}", "disk", "case", "scheduler", "share", "due");
    for disk in DISKS {
        for case in &CASES {
            for scheduler in ["bfq", "none"] {
                rows.push(once(place, disk, case, scheduler, length)?);
            }
        }
        rows.push(alone(place, disk, length)?);
    }
    Ok(Value::Array(rows))
}

/// The part of the bytes that the first tenant gets.
fn once(
    place: &Place,
    disk: Disk,
    case: &Case,
    scheduler: &str,
    length: Duration,
) -> Result<Value, BenchError> {
    let tenants: [Tenant<'_>; 2] = [("first", case.first.0), ("second", case.second.0)];
    let server = disk.serve(place, scheduler, &tenants)?;
    let window = Window::after(BEFORE, length);
    let connections = [("first", case.first.1), ("second", case.second.1)];
    let mut running = Vec::new();
    for (index, (export, count)) in connections.into_iter().enumerate() {
        for seed in 0..count {
            let seed = (index * 100 + seed) as u64;
            let client = Running::start(server.socket(), export, LOAD, seed, window)?;
            running.push((index, client));
        }
    }
    let mut bytes = [0, 0];
    for (index, client) in running {
        bytes[index] += client.finish()?.bytes;
    }
    let share = bytes[0] as f64 / (bytes[0] + bytes[1]).max(1) as f64;
    let due = f64::from(case.first.0) / f64::from(case.first.0 + case.second.0);
    let disk = disk.name();
    println!("{disk:<14} {:<32} {scheduler:<10} {share:>8.4} {due:>8.4}", case.name);
    Ok(json!({
        "disk": disk,
        "case": case.name,
        "scheduler": scheduler,
        "share_of_first": share,
        "due": due,
    }))
}

/// What one tenant alone gets with the scheduler, of what it gets without.
fn alone(place: &Place, disk: Disk, length: Duration) -> Result<Value, BenchError> {
    let mut rates = [0.0, 0.0];
    for (rate, scheduler) in rates.iter_mut().zip(["bfq", "none"]) {
        let server = disk.serve(place, scheduler, &[("first", 100)])?;
        let window = Window::after(BEFORE, length);
        let got = Running::start(server.socket(), "first", LOAD, 1, window)?.finish()?;
        *rate = got.bytes as f64 / length.as_secs_f64();
    }
    let part = rates[0] / rates[1].max(1.0);
    let disk = disk.name();
    println!("{disk:<14} {:<32} {:<10} {part:>8.4}", "alone, of an unscheduled server", "bfq");
    Ok(json!({ "disk": disk, "case": "alone", "bytes_per_s": rates, "part": part }))
}
