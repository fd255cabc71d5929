// SPDX-License-Identifier: MIT OR Apache-2.0
//! Latency: a tenant that reads a little beside one that writes with depth 128, on one disk.
//!
//! The disk is emulated, by `bfq serve` without a scheduler; the others are set before it as
//! servers of its two exports, and ours has the same disk with its scheduler.

use crate::error::BenchError;
use crate::load::{Load, Running, Window};
use crate::servers::{Place, Server, Tenant};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

const BEFORE: Duration = Duration::from_secs(2);
const PROFILE: &str = "ssd-sata";
const TENANTS: [Tenant<'static>; 2] = [("reader", 100), ("writer", 100)];

/// What `bfq serve` has on flash unless it is told otherwise, what the kernel has, and `tfq`.
const OURS: [(&str, &str); 3] = [
    ("bfq serve, default on flash", "bfq:slice_idle_us=1000"),
    ("bfq serve, scheduler = \"bfq\"", "bfq"),
    ("bfq serve, scheduler = \"tfq\"", "tfq"),
];

const READER: Load = Load {
    writes: false,
    sequential: false,
    block_bytes: 4096,
    depth: 1,
    pause: Duration::from_millis(5),
};
const WRITER: Load = Load {
    writes: true,
    sequential: false,
    block_bytes: 64 << 10,
    depth: 128,
    pause: Duration::ZERO,
};

/// Servers before the disk, and where each export is.
struct Front {
    /// The last ones stop first: they need those before them.
    servers: Vec<Server>,
    exports: [(PathBuf, &'static str); 2],
}

impl Front {
    /// One server that has both exports under their own names.
    fn of_both(servers: Vec<Server>) -> Front {
        let socket = servers.last().map(|server| server.socket().to_owned()).unwrap_or_default();
        Front { servers, exports: TENANTS.map(|(name, _)| (socket.clone(), name)) }
    }

    /// A server for each export, the last two, which call it by `name`.
    fn of_each(servers: Vec<Server>, name: &'static str) -> Front {
        let [.., reader, writer] = &servers[..] else { unreachable!("two servers were started") };
        let exports = [reader, writer].map(|server| (server.socket().to_owned(), name));
        Front { servers, exports }
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        while self.servers.pop().is_some() {}
    }
}

/// Measures the reader's latency before each server.
pub fn measure(place: &Place, length: Duration) -> Result<Value, BenchError> {
    println!(
        "{:<40} {:>10} {:>10} {:>10} {:>12}",
        "server", "median µs", "99 % µs", "worst µs", "writer MB/s"
    );
    let mut rows = Vec::new();
    // What the writer gets where nothing holds it up; a cap is half of it, as one gives it who
    // wants both to have the same.
    let raw = Front::of_both(vec![disk(place)?]);
    let (row, writer_rate) = once("no scheduler, no other server", &raw, length)?;
    rows.push(row);
    drop(raw);
    let cap = (writer_rate / 2.0) as u64;
    for (number, (name, scheduler)) in OURS.into_iter().enumerate() {
        let ours = place.bfq_of_model(&format!("ours-{number}"), PROFILE, scheduler, &TENANTS)?;
        rows.push(once(name, &Front::of_both(vec![ours]), length)?.0);
    }
    rows.push(once("nbdkit", &nbdkit(place, None)?, length)?.0);
    rows.push(once("nbdkit, rate of half", &nbdkit(place, Some(cap))?, length)?.0);
    rows.push(once("qemu-nbd", &qemu_nbd(place)?, length)?.0);
    for (name, rate) in [("qemu-storage-daemon, halves", cap), ("the same, uncapped", 0)] {
        let backing = disk(place)?;
        let names = TENANTS.map(|(name, _)| name);
        let daemon = place.storage_daemon("daemon", backing.socket(), &names, rate)?;
        rows.push(once(name, &Front::of_both(vec![backing, daemon]), length)?.0);
    }
    Ok(Value::Array(rows))
}

fn disk(place: &Place) -> Result<Server, BenchError> {
    place.bfq_of_model("none", PROFILE, "none", &TENANTS)
}

fn nbdkit(place: &Place, cap_bytes_per_s: Option<u64>) -> Result<Front, BenchError> {
    let mut servers = vec![disk(place)?];
    for (export, _) in TENANTS {
        let socket = format!("socket={}", servers[0].socket().display());
        let of_part = format!("export={export}");
        // The filter counts bits.
        let rate = cap_bytes_per_s.map(|cap| format!("rate={}", cap * 8));
        let mut plugin = vec!["nbd", &socket, &of_part];
        plugin.extend(rate.as_deref());
        let filters: &[&str] = if rate.is_some() { &["rate"] } else { &[] };
        servers.push(place.nbdkit(&format!("nbdkit-{export}"), filters, &plugin)?);
    }
    Ok(Front::of_each(servers, ""))
}

fn qemu_nbd(place: &Place) -> Result<Front, BenchError> {
    let mut servers = vec![disk(place)?];
    for (export, _) in TENANTS {
        let image = uri(servers[0].socket(), export);
        servers.push(place.qemu_nbd(&format!("qemu-{export}"), &image)?);
    }
    Ok(Front::of_each(servers, "disk"))
}

fn uri(socket: &Path, export: &str) -> String {
    format!("nbd+unix:///{export}?socket={}", socket.display())
}

/// The reader's latencies, and what the writer gets, bytes a second.
fn once(name: &str, front: &Front, length: Duration) -> Result<(Value, f64), BenchError> {
    let window = Window::after(BEFORE, length);
    let [reader, writer] = &front.exports;
    let writing = Running::start(&writer.0, writer.1, WRITER, 1, window)?;
    let reading = Running::start(&reader.0, reader.1, READER, 2, window)?;
    let (read, written) = (reading.finish()?, writing.finish()?);
    let rate = written.bytes as f64 / length.as_secs_f64();
    let us = |part| read.quantile_ns(part) as f64 / 1e3;
    println!(
        "{name:<40} {:>10.0} {:>10.0} {:>10.0} {:>12.1}",
        us(0.5),
        us(0.99),
        us(1.0),
        rate / 1e6
    );
    let row = json!({
        "server": name,
        "reads": read.requests,
        "median_us": us(0.5),
        "p99_us": us(0.99),
        "worst_us": us(1.0),
        "writer_bytes_per_s": rate,
    });
    Ok((row, rate))
}
