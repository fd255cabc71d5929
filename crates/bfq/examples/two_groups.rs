// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two groups of weights 100 and 300, whose processes always want more than the disk can: each gets
//! the share that its weight says.
//!
//! `cargo run -p bfq --example two_groups`

use bfq::{Config, NewRequest, ProcessAttributes, RequestId, Scheduler, Span, Time};
use std::error::Error;
use std::io::{self, Write};

const WEIGHTS: [u32; 2] = [100, 300];
/// The reads that each process has waiting or on their way, and their sectors (of 512 bytes).
const READS: usize = 8;
const SECTORS: u32 = 256;
/// What a read takes: an SSD of 131 MB/s with a queue of one.
const SERVICE: Span = Span::from_ms(1);
const SECONDS: u64 = 10;

/// Reads of the two processes, by the number of the request: the first half of the pool is
/// the first process's.
fn owner(request: RequestId) -> usize {
    request.index() / READS
}

fn run(out: &mut impl Write) -> Result<[u64; 2], Box<dyn Error>> {
    let mut now = Time::ZERO;
    let mut bfq = Scheduler::new(now, Config::new(false, 2 * READS as u32))?;
    let mut processes = Vec::new();
    for weight in WEIGHTS {
        let group = bfq.add_group(now, bfq.root_group())?;
        bfq.set_group_weight(now, group, weight)?;
        processes.push(bfq.add_process(now, group, ProcessAttributes::default())?);
    }

    // Where each process reads next: files of their own, far from each other.
    let mut next_sector = [0, 1 << 30];
    let mut ask = |bfq: &mut Scheduler, request: RequestId, now| {
        let who = owner(request);
        let read = NewRequest::read(processes[who], next_sector[who], SECTORS, now);
        next_sector[who] += u64::from(SECTORS);
        bfq.insert(now, request, &read, false)
    };
    for tag in 0..2 * READS {
        ask(&mut bfq, RequestId::from_index(tag), now)?;
    }

    let mut bytes = [0; 2];
    while now < Time::from_ns(SECONDS * 1_000_000_000) {
        // Everybody has reads waiting, so there is always one to serve.
        let request = bfq.dispatch(now).ok_or("nothing is held back while all wait")?;
        now = now + SERVICE;
        bfq.complete(now, request)?;
        bytes[owner(request)] += u64::from(SECTORS) * 512;
        ask(&mut bfq, request, now)?;
    }

    let all: u64 = bytes.iter().sum();
    for (weight, bytes) in WEIGHTS.into_iter().zip(bytes) {
        let share = 100.0 * bytes as f64 / all as f64;
        writeln!(out, "weight {weight}: {:4} MB, {share:.1} %", bytes / 1_000_000)?;
    }
    Ok(bytes)
}

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut io::stdout()).map(drop)
}

#[test]
fn shares_are_as_the_weights_say() {
    let mut out = Vec::new();
    let [light, heavy] = run(&mut out).unwrap();
    let told = String::from_utf8(out).unwrap();
    let share = light as f64 / (light + heavy) as f64;
    assert!((0.24..0.26).contains(&share), "{told}");
    assert_eq!(told.lines().count(), 2, "{told}");
}
