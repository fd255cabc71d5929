// SPDX-License-Identifier: MIT OR Apache-2.0
//! Clients that misbehave and files that fail: who does it is cut off or told, the others go on,
//! and nothing is left behind.

use crate::file_systems::FileSystem;
use crate::log_lines::is_logged;
use crate::set_up::{MIB, Place, until};
use nbd::Command;
use nbd::client::{ClientRequest, Connection};
use server::{Control, Server};
use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// Another client is served as if nothing had happened.
fn others_go_on(place: &Place) {
    let mut client = place.client("b");
    client.write(0, &[7; 4096]).expect("written");
    assert_eq!(client.read(0, 4096).expect("read"), vec![7; 4096]);
}

fn nothing_is_left(server: &Server) {
    until("all clients are gone", || {
        let status = server.status();
        let idle = |tenant: &server::status::TenantStatus| {
            (tenant.connections, tenant.memory_bytes, tenant.waiting, tenant.in_flight)
                == (0, 0, 0, 0)
        };
        status.handshakes == 0 && status.disks[0].tenants.iter().all(idle)
    });
}

fn read(offset_bytes: u64, length_bytes: u64) -> ClientRequest {
    let command = Command::Read { whole: true };
    ClientRequest { command, fua: false, offset_bytes, length_bytes }
}

#[test]
fn a_client_that_vanishes_in_the_middle_of_a_write() {
    let place = Place::new();
    let server = place.start();
    for _ in 0..20 {
        let mut client = place.client("a");
        let write = ClientRequest { command: Command::Write, ..read(0, 2 * MIB) };
        // The header, and a part of the data.
        let _ = client.begin(
            ClientRequest { command: Command::Write, ..read(4 * MIB, MIB) },
            &vec![1; MIB as usize],
        );
        let stream = client.stream().try_clone().expect("a handle");
        stream.set_nonblocking(true).expect("no waiting");
        let _ = client.begin(write, &vec![1; 2 * MIB as usize]);
        drop(client);
        drop(stream);
    }
    others_go_on(&place);
    nothing_is_left(&server);
    assert!(server.status().refused > 0);
    is_logged(&["WARN connection closed: the client has gone in the middle of a write", "peer="]);
}

#[test]
fn a_client_that_sends_garbage() {
    let place = Place::new();
    let server = place.start();
    // In its handshake.
    for garbage in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0xff; 64], &[0; 64]] {
        let mut stream = place.connect();
        stream.write_all(garbage).expect("sent");
        let mut rest = Vec::new();
        // The server may cut it off before all is read.
        let _ = stream.read_to_end(&mut rest);
        others_go_on(&place);
    }
    // And when it uses an export.
    let mut client = place.client("a");
    client.stream().write_all(&[0x55; 4096]).expect("sent");
    assert!(client.read(0, 4096).is_err(), "it is cut off");
    others_go_on(&place);
    drop(client);
    nothing_is_left(&server);
    assert!(server.status().refused >= 4, "{}", server.status().refused);
    is_logged(&["WARN connection closed in its handshake", "peer="]);
    is_logged(&["WARN connection closed: the client sends garbage", "peer="]);
}

#[test]
fn a_client_that_ends_its_handshake_by_saying_so_was_not_refused() {
    let place = Place::new();
    let server = place.start();
    let mut stream = place.connect();
    let mut greeting = [0; 18];
    stream.read_exact(&mut greeting).expect("a greeting");
    // Flags of a client (fixed newstyle, no zeroes), then the option NBD_OPT_ABORT without data.
    stream.write_all(&[0, 0, 0, 3]).expect("sent");
    stream.write_all(b"IHAVEOPT\x00\x00\x00\x02\x00\x00\x00\x00").expect("sent");
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).expect("an answer, then the end");
    nothing_is_left(&server);
    assert_eq!(server.status().refused, 0);
}

/// A client that asks for far more than its tenant may hold, and reads no answer.
fn never_reads(place: &Place) -> Connection<UnixStream> {
    let mut client = place.client("a");
    client.stream().set_nonblocking(true).expect("no waiting");
    let mut sent = 0;
    while sent < 4096 && client.begin(read(0, 4 * MIB), &[]).is_ok() {
        sent += 1;
    }
    client
}

#[test]
fn a_client_that_never_reads_its_answers_is_let_go() {
    let place = Place::new();
    let mut config = place.config();
    config.limits.stuck = Duration::from_millis(200);
    let server = server::start(config, Vec::new()).expect("a server");
    let client = never_reads(&place);
    is_logged(&["WARN connection closed: the client has taken nothing of its answers", "peer="]);
    nothing_is_left(&server);
    others_go_on(&place);
    drop(client);
}

#[test]
fn a_client_that_stalls_in_the_middle_of_a_write_is_let_go() {
    let place = Place::new();
    let mut config = place.config();
    config.limits.stuck = Duration::from_secs(1);
    config.tenants[0].limits.memory_bytes = MIB;
    let server = server::start(config, Vec::new()).expect("a server");
    let (mut stalled, mut waits) = (place.client("a"), place.client("a"));
    stalled.stream().write_all(&header_of_a_write(MIB)).expect("sent");
    until("it holds all memory", || server.status().disks[0].tenants[0].memory_bytes == MIB);
    assert_eq!(waits.read(0, 4096).expect("an answer, when there is memory"), [0; 4096]);
    let why = "WARN connection closed: the client has sent nothing more of a write's data for";
    is_logged(&[why, "peer="]);
    drop((stalled, waits));
    nothing_is_left(&server);
}

/// The header of a write at the beginning of an export, with extended headers.
fn header_of_a_write(length_bytes: u64) -> Vec<u8> {
    // A magic number, flags (there is a payload), the type, a cookie, offset and length.
    let magic = 0x21e4_1c71_u32.to_be_bytes();
    [&magic[..], &[0, 1 << 5, 0, 1], &[0; 16], &length_bytes.to_be_bytes()].concat()
}

#[test]
fn a_client_that_reads_slowly_is_kept() {
    let place = Place::new();
    let mut config = place.config();
    config.limits.stuck = Duration::from_secs(10);
    let server = server::start(config, Vec::new()).expect("a server");
    let mut client = place.client("a");
    for _ in 0..8 {
        client.begin(read(0, MIB), &[]).expect("sent");
    }
    // Twelve seconds in all, but each piece that it takes lets it have ten more.
    for _ in 0..8 {
        std::thread::sleep(Duration::from_millis(1500));
        let (_, outcome) = client.finish_any().expect("an answer");
        assert_eq!(outcome.error, None);
    }
    assert_eq!(server.status().refused, 0);
}

#[test]
fn a_client_that_never_reads_its_answers_stops_itself() {
    let place = Place::new();
    let server = place.start();
    let client = never_reads(&place);
    let most = place.config().tenants[0].limits.memory_bytes;
    let held = || server.status().disks[0].tenants[0].memory_bytes;
    until("it holds what it may", || held() == most);
    for _ in 0..10 {
        others_go_on(&place);
        assert!(held() <= most);
    }
    drop(client);
    nothing_is_left(&server);
}

/// How many connections are opened at once, 100 if the environment does not say another number.
fn flood() -> u64 {
    let said = std::env::var("BFQ_TEST_CONNECTIONS").ok();
    said.and_then(|count| count.parse().ok()).unwrap_or(100)
}

#[test]
fn many_connections_in_their_handshake_hold_nobody_up() {
    let place = Place::new();
    let mut config = place.config();
    config.limits.connections = 20_000;
    let server = server::start(config, Vec::new()).expect("a server");
    let idle: Vec<UnixStream> =
        (0..flood()).filter_map(|_| UnixStream::connect(place.path("socket")).ok()).collect();
    let there = idle.len() as u32;
    until("all shake hands", || server.status().handshakes == there);
    others_go_on(&place);
    drop(idle);
    nothing_is_left(&server);
}

#[test]
fn more_connections_than_there_may_be() {
    let place = Place::new();
    let mut config = place.config();
    config.limits.connections = 20;
    config.tenants[0].limits.connections = 3;
    let server = server::start(config, Vec::new()).expect("a server");
    let clients: Vec<_> = (0..3).map(|_| place.client("a")).collect();
    assert!(place.try_client("a").is_err(), "its tenant has as many as it may have");
    others_go_on(&place);
    // A client opens as many as the system lets it, and says nothing.
    let flood = flood();
    let idle: Vec<UnixStream> =
        (0..flood).filter_map(|_| UnixStream::connect(place.path("socket")).ok()).collect();
    until("they are refused", || server.status().refused >= flood - 20);
    is_logged(&["WARN connections refused: there are too many"]);
    drop(idle);
    until("there are places again", || server.status().handshakes == 0);
    others_go_on(&place);
    drop(clients);
    nothing_is_left(&server);
}

#[test]
fn whoever_only_opens_connections_keeps_nobody_out() {
    let place = Place::new();
    let mut config = place.config();
    config.limits.connections = 20;
    config.limits.handshake = Duration::from_secs(24 * 3600);
    let server = server::start(config, Vec::new()).expect("a server");
    let idle: Vec<UnixStream> = (0..20).map(|_| place.connect()).collect();
    until("they have all places", || server.status().handshakes == 20);
    // They are of the same user as this client, which gets in when they have had their time.
    let mut client = None;
    until("a client gets in", || {
        client = place.try_client("b").ok();
        client.is_some()
    });
    is_logged(&["WARN connection closed in its handshake: all places are taken", "peer="]);
    drop((client, idle));
    nothing_is_left(&server);
}

#[test]
fn a_tenant_leaves_the_others_the_places_that_are_kept_for_them() {
    let place = Place::new();
    let mut config = place.config();
    config.limits.connections = 8;
    let server = server::start(config, Vec::new()).expect("a server");
    let mut clients: Vec<_> = std::iter::from_fn(|| place.try_client("a").ok()).take(20).collect();
    assert_eq!(clients.len(), 6, "two are kept for the other one");
    is_logged(&["WARN refused: the places that are left are kept for other tenants", "peer="]);
    clients.extend((0..2).map(|_| place.client("b")));
    assert!(place.try_client("b").is_err(), "all are taken");
    drop(clients);
    nothing_is_left(&server);
}

#[test]
fn a_handshake_that_takes_too_long() {
    let place = Place::new();
    let mut config = place.config();
    config.limits.handshake = Duration::from_millis(50);
    let server = server::start(config, Vec::new()).expect("a server");
    let mut stream = place.connect();
    let mut all = Vec::new();
    stream.read_to_end(&mut all).expect("the server closes it");
    assert_eq!(all.len(), 18, "only its greeting");
    is_logged(&["WARN connection closed in its handshake: its handshake takes too long"]);
    nothing_is_left(&server);
}

#[test]
fn a_file_that_is_truncated_behind_the_servers_back() {
    let place = Place::new();
    let server = place.start();
    let mut client = place.client("a");
    client.write(8 * MIB, &[1; 4096]).expect("written");
    let file = OpenOptions::new().write(true).open(place.path("a")).expect("the file");
    file.set_len(MIB).expect("truncated");
    let error = client.read(8 * MIB, 4096).expect_err("an error").to_string();
    assert!(error.contains("input/output"), "{error}");
    assert_eq!(client.read(0, 4096).expect("the rest is there"), vec![0; 4096]);
    others_go_on(&place);
    assert_eq!(server.status().disks[0].tenants[0].errors, 1);
    is_logged(&["WARN the disk fails", "export=\"a\"", "offset_bytes=8388608"]);
}

#[test]
fn a_file_system_that_is_full() {
    let place = Place::new();
    let Some(full) = FileSystem::small(place.path("full")) else {
        return println!("left out: only root may mount a file system");
    };
    let mut config = place.config();
    config.exports[0] = place.export("full/a", "a", 16 * MIB);
    let server = server::start(config, Vec::new()).expect("a server");
    let mut client = place.client("full/a");
    client.write(0, &[1; 4096]).expect("there is room for that");
    let error = client.write(MIB, &[1; 2 << 20]).expect_err("an error").to_string();
    assert!(error.contains("space"), "{error}");
    assert_eq!(client.read(0, 4096).expect("read"), vec![1; 4096]);
    is_logged(&["WARN the disk fails: no space", "export=\"full/a\""]);
    others_go_on(&place);
    drop((client, server, full));
}
