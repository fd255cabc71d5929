// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ten requests of two processes, and the order in which they are served.
//!
//! `cargo run -p bfq --example ten_requests`

use bfq::{Config, NewRequest, ProcessAttributes, RequestId, Scheduler, Time};
use std::error::Error;
use std::io::{self, Write};

/// What the device of this example takes for any request.
const SERVICE_MS: u64 = 4;

fn ms(ms: u64) -> Time {
    Time::from_ns(ms * 1_000_000)
}

fn run(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    // A hard disk, and a pool of 64 requests.
    let mut bfq = Scheduler::new(ms(0), Config::new(true, 64))?;
    let mut processes = Vec::new();
    for _ in 0..2 {
        let root = bfq.root_group();
        processes.push(bfq.add_process(ms(0), root, ProcessAttributes::default())?);
    }

    // They ask in turn, each for the next 64 sectors of a file of its own. The number of a request
    // is its place in the pool of the host.
    let who_asked = |tag: usize| tag % 2;
    for tag in 0..10 {
        let (who, part) = (who_asked(tag), tag as u64 / 2);
        let sector = 1_000_000 * who as u64 + 64 * part;
        let read = NewRequest::read(processes[who], sector, 64, ms(1));
        bfq.insert(ms(1), RequestId::from_index(tag), &read, false)?;
    }

    // The device takes one request after the other. A process has all its reads in a row: a disk
    // that goes back and forth reads a fraction of what it could.
    let mut now_ms = 1;
    for _ in 0..10 {
        let request = bfq.dispatch(ms(now_ms)).ok_or("nothing is held back while all wait")?;
        let who = who_asked(request.index());
        writeln!(out, "{now_ms:>3} ms: request {} of process {who}", request.index())?;
        now_ms += SERVICE_MS;
        bfq.complete(ms(now_ms), request)?;
    }
    writeln!(out, "{now_ms:>3} ms: done")?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut io::stdout())
}

#[test]
fn each_process_has_its_reads_in_a_row() {
    let mut out = Vec::new();
    run(&mut out).unwrap();
    let told = String::from_utf8(out).unwrap();
    let order: Vec<_> = told.lines().filter_map(|line| line.split("process ").nth(1)).collect();
    assert_eq!(order, ["0", "0", "0", "0", "0", "1", "1", "1", "1", "1"], "{told}");
    assert_eq!(told.lines().last(), Some(" 41 ms: done"), "{told}");
}
