// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ten thousand connections that are no good: another tenant gets right answers all the time, the
//! log stays short, and the server gives back what they took.

use crate::log_lines;
use crate::process::Served;
use crate::set_up::{MIB, Place, until};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use server::Control;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

const SERVES: &str = "BFQ_TEST_IS_FLOODED";

/// The number of connections.
const FLOOD: usize = 10_000;

/// What the server's memory may have grown by in the end. Each connection that was let in took
/// 32 KiB for its input alone: all that were not given back would be 312 MiB.
const GROWTH_BYTES_MAX: u64 = 64 * MIB;

/// Lines of one kind in ten seconds, and the one that counts the others. The limit of the log is
/// ten for each kind and origin; there are three kinds here, and floods last less than a minute.
const LINES_MAX: usize = 6 * 3 * 11;

/// What the child does: it serves the folder until it is told to stop.
#[test]
fn child() {
    let Ok(folder) = std::env::var(SERVES) else { return };
    log_lines::to_stderr();
    let server = Place::serve_folder(&folder, &["a", "b"]);
    // It ends with the test that started it.
    let _ = std::io::stdin().read_line(&mut String::new());
    server.stop(std::time::Duration::ZERO);
}

/// Does something to the server, while another tenant writes and reads.
fn while_another_works<T>(server: &Served, flood: impl FnOnce() -> T) -> T {
    let is_over = AtomicBool::new(false);
    // It is there before: clients of its own user are let in as often as it is.
    let mut client = server.place.client("b");
    std::thread::scope(|scope| {
        let another = scope.spawn(|| {
            let mut rounds = 0_u64;
            while !is_over.load(Ordering::Relaxed) || rounds < 10 {
                let data = vec![rounds as u8; 4096];
                let at = rounds % 1024 * 4096;
                client.write(at, &data).expect("written");
                assert_eq!(client.read(at, 4096).expect("read"), data);
                rounds += 1;
            }
        });
        let said = flood();
        is_over.store(true, Ordering::Relaxed);
        another.join().expect("the other tenant gets right answers");
        said
    })
}

/// The descriptors and the memory of a server that has met a client: who only connects may have
/// come before all is there.
fn at_rest(server: &Served) -> (usize, u64) {
    server.place.client("b").read(0, 4096).expect("read");
    (server.descriptors(), server.resident_bytes())
}

/// The sum of all counts of lines that were left out.
fn left_out(log: &[String]) -> usize {
    let counts = log.iter().filter_map(|line| line.split("left_out=").nth(1));
    counts.filter_map(|count| count.split_whitespace().next()?.parse::<usize>().ok()).sum()
}

#[test]
fn ten_thousand_clients_that_send_garbage() {
    let server = Served::start("floods::child", SERVES);
    let before = at_rest(&server);
    while_another_works(&server, || {
        for number in 0..FLOOD {
            let mut stream = server.connect().expect("the server listens");
            // It may be cut off before all is sent.
            let _ = stream.write_all(&[number as u8 | 0x80; 64]);
        }
    });
    // Clients are accepted in the order of their coming: all of the flood have been.
    until("a client gets in", || server.place.try_client("b").is_ok());
    until("its descriptors are back", || server.descriptors() <= before.0);
    let grown = server.resident_bytes().saturating_sub(before.1);
    assert!(grown < GROWTH_BYTES_MAX, "{grown} bytes more");
    let log = server.stop();
    assert!(log.len() <= LINES_MAX, "{} lines", log.len());
    // Each is a line or counted in one, also those after which none came.
    let lines = log.iter().filter(|line| line.contains("connection closed in its")).count()
        + log.iter().filter(|line| line.contains("there are too many")).count();
    let told = lines + left_out(&log);
    // The first connection only asked whether it listens, and the last ones whether they get in.
    assert!((FLOOD..FLOOD + 100).contains(&told), "{told} of {FLOOD}:\n{}", log.join("\n"));
}

#[test]
fn ten_thousand_connections_at_once() {
    let limit = getrlimit(Resource::Nofile);
    let current = limit.maximum;
    setrlimit(Resource::Nofile, Rlimit { current, ..limit }).expect("more descriptors");
    // The rest is for what other tests do at the same time.
    let flood = FLOOD.min(current.map_or(FLOOD, |most| most.saturating_sub(500) as usize));
    println!("{flood} connections");
    let server = Served::start("floods::child", SERVES);
    let before = at_rest(&server);
    let idle = while_another_works(&server, || {
        (0..flood).map(|_| server.connect().expect("the server listens")).collect::<Vec<_>>()
    });
    // The limit of the whole server is 64 connections; one more is accepted to be closed.
    assert!(server.descriptors() <= before.0 + 65, "{} descriptors", server.descriptors());
    drop(idle);
    until("its descriptors are back", || server.descriptors() <= before.0);
    let grown = server.resident_bytes().saturating_sub(before.1);
    assert!(grown < GROWTH_BYTES_MAX, "{grown} bytes more");
    while_another_works(&server, || ());
    let log = server.stop();
    assert!(log.iter().any(|line| line.contains("connections refused: there are too many")));
    assert!(log.len() <= LINES_MAX, "{} lines", log.len());
}
