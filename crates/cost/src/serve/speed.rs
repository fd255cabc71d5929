// SPDX-License-Identifier: MIT OR Apache-2.0
//! Speed: a file in memory, over a unix socket, ours beside others, in turn.

use crate::error::BenchError;
use crate::load::{Client, Load, Window};
use crate::servers::{Place, Server};
use base::Interval;
use bench::statistics::median_interval;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// The file's size, bytes.
const FILE_BYTES: u64 = 256 << 20;
/// How long the same load runs before each window without being counted.
const BEFORE: Duration = Duration::from_millis(200);

const fn reads(block_bytes: u32, sequential: bool, depth: usize) -> Load {
    Load { writes: false, sequential, block_bytes, depth, pause: Duration::ZERO }
}

/// What is done, and its name.
const LOADS: [(&str, Load); 4] = [
    ("4 KiB random reads, depth 1", reads(4096, false, 1)),
    ("4 KiB random reads, depth 32", reads(4096, false, 32)),
    ("4 KiB random reads, depth 128", reads(4096, false, 128)),
    ("128 KiB sequential reads, depth 8", reads(128 << 10, true, 8)),
];

/// Requests a second and processor time a request, of each round.
#[derive(Default)]
struct Series {
    rates: Vec<f64>,
    processor_ns: Vec<f64>,
}

/// Measures all loads on all servers, `rounds` times `length`, in random order within a round.
pub fn measure(place: &Place, rounds: usize, length: Duration) -> Result<Value, BenchError> {
    let file = place.folder.join("disk.img");
    write_file(&file).map_err(|source| BenchError::File { path: file.clone(), source })?;
    let path = file.display().to_string();
    let servers = [
        ("bfq serve", "disk", place.bfq_of_file("bfq", &file, "bfq")?),
        ("bfq serve, none", "disk", place.bfq_of_file("none", &file, "none")?),
        ("nbdkit", "", place.nbdkit("nbdkit", &[], &["file", &path])?),
        ("qemu-nbd", "disk", place.qemu_nbd("qemu-nbd", &path)?),
    ];
    let mut random = fastrand::Rng::with_seed(1);
    let mut all = Vec::new();
    println!("{:<36} {:<16} {:>10} {:>12}", "load", "server", "IOPS", "CPU µs/IO");
    for (load_name, load) in LOADS {
        let mut series: [Series; 4] = Default::default();
        for round in 0..rounds {
            let mut order = [0, 1, 2, 3];
            random.shuffle(&mut order);
            for index in order {
                let (_, export, server) = &servers[index];
                let (rate, processor_ns) = once(server, export, load, round as u64, length)?;
                series[index].rates.push(rate);
                series[index].processor_ns.push(processor_ns);
            }
        }
        for (index, (name, ..)) in servers.iter().enumerate() {
            all.push(row(load_name, name, &series[index], &series[0]));
        }
    }
    Ok(Value::Array(all))
}

/// One window: requests a second, processor nanoseconds a request.
fn once(
    server: &Server,
    export: &str,
    load: Load,
    seed: u64,
    length: Duration,
) -> Result<(f64, f64), BenchError> {
    let mut client = Client::connect(server.socket(), export)?;
    client.run(load, seed, Window::after(Duration::ZERO, BEFORE))?;
    let before = server.processor_time();
    let got = client.run(load, seed, Window::after(Duration::ZERO, length))?;
    let used = server.processor_time().saturating_sub(before);
    let requests = got.requests.max(1) as f64;
    Ok((got.requests as f64 / length.as_secs_f64(), used.as_nanos() as f64 / requests))
}

/// What a server did; how many times as fast as it ours was, round by round.
fn row(load: &str, server: &str, own: &Series, ours: &Series) -> Value {
    let ratios = |of: &[f64], to: &[f64]| -> Vec<f64> {
        of.iter().zip(to).map(|(one, other)| one / other.max(1.0)).collect()
    };
    let interval = |values: &[f64]| {
        median_interval(values).unwrap_or(Interval { median: 0.0, low: 0.0, high: 0.0 })
    };
    let (rate, processor) = (interval(&own.rates), interval(&own.processor_ns));
    let ratio = interval(&ratios(&ours.rates, &own.rates));
    let processor_ratio = interval(&ratios(&ours.processor_ns, &own.processor_ns));
    println!("{load:<36} {server:<16} {:>10.0} {:>12.2}", rate.median, processor.median / 1e3);
    json!({
        "load": load,
        "server": server,
        "requests_per_s": shown(rate),
        "processor_ns_per_request": shown(processor),
        "ours_to_this": shown(ratio),
        "processor_ours_to_this": shown(processor_ratio),
    })
}

fn shown(interval: Interval) -> Value {
    json!({ "median": interval.median, "low": interval.low, "high": interval.high })
}

/// A file whose blocks are all there.
fn write_file(path: &Path) -> std::io::Result<()> {
    use std::io::Write;
    let mut file = std::fs::File::create(path)?;
    let piece = vec![0x5a; 1 << 20];
    for _ in 0..FILE_BYTES >> 20 {
        file.write_all(&piece)?;
    }
    Ok(())
}
