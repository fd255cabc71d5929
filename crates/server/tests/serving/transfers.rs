// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is written is read again, whatever the sizes, the depth and the number of connections.

use crate::set_up::{MIB, Place, until};
use nbd::Command;
use nbd::client::{ClientRequest, Connection};
use server::Control;
use server::config::{Backing, DiskConfig, ExportSource};
use std::io::Read;
use std::os::unix::net::UnixStream;

fn request(command: Command, offset_bytes: u64, length_bytes: u64) -> ClientRequest {
    ClientRequest { command, fua: false, offset_bytes, length_bytes }
}

/// Bytes that say where they belong.
fn bytes(at: u64, length: usize) -> Vec<u8> {
    (at..at + length as u64).map(|place| (place / 512 * 7 + place) as u8).collect()
}

/// Writes pieces of many sizes, all on their way at once, and reads them again.
fn write_and_read(client: &mut Connection<UnixStream>) {
    let mut pieces = Vec::new();
    let mut at = 0;
    for length in [512, 4096, 65_536, 1536, 3 << 20, 512, 131_072, 2 << 20, 1024] {
        pieces.push((at, length));
        at += length as u64;
    }
    for &(at, length) in &pieces {
        client.begin(request(Command::Write, at, length as u64), &bytes(at, length)).expect("sent");
    }
    for _ in &pieces {
        let (_, outcome) = client.finish_any().expect("an answer");
        assert_eq!(outcome.error, None);
    }
    for &(at, length) in pieces.iter().rev() {
        assert_eq!(client.read(at, length).expect("read"), bytes(at, length), "at {at}");
    }
    let all = at as usize;
    assert_eq!(client.read(0, all).expect("read"), bytes(0, all));
}

#[test]
fn a_file_keeps_what_was_written() {
    let place = Place::new();
    let server = place.start();
    let mut client = place.client("a");
    write_and_read(&mut client);
    client.flush().expect("flushed");
    let file = std::fs::read(place.path("a")).expect("the file");
    assert_eq!(file[..7 << 19], bytes(0, 7 << 19)[..]);
    let status = server.status();
    let tenant = &status.disks[0].tenants[0];
    assert_eq!((tenant.name.as_str(), tenant.done.writes, tenant.done.flushes), ("a", 9, 1));
    assert_eq!((tenant.errors, tenant.connections), (0, 1));
    assert!(tenant.latency.worst_ns > 0);
}

#[test]
fn an_emulated_disk_does_too() {
    let place = Place::new();
    let mut config = place.config();
    config.disks = vec![DiskConfig {
        name: "slow".into(),
        backing: Backing::Emulated { profile: "reference-ssd".into(), size_bytes: 16 * MIB },
        scheduler: Some("bfq".into()),
        rate_bytes_per_s: None,
        depth: None,
    }];
    for export in &mut config.exports {
        export.source = ExportSource::Emulated { disk: "slow".into(), size_bytes: 16 * MIB };
    }
    let _server = server::start(config, Vec::new()).expect("a server");
    write_and_read(&mut place.client("a"));
    write_and_read(&mut place.client("b"));
}

#[test]
fn a_disk_held_to_a_rate_does_too() {
    let place = Place::new();
    let mut config = place.config();
    config.disks = vec![DiskConfig {
        name: "held".into(),
        backing: Backing::Below(place.path("a")),
        scheduler: Some("bfq".into()),
        rate_bytes_per_s: Some(64 * MIB),
        depth: Some(4),
    }];
    let server = server::start(config, Vec::new()).expect("a server");
    write_and_read(&mut place.client("a"));
    assert_eq!(server.status().disks.len(), 1, "both files lie on one disk");
}

#[test]
fn zeros_holes_and_trims() {
    let place = Place::new();
    let _server = place.start();
    let mut client = place.client("a");
    client.write(0, &bytes(0, 4 << 20)).expect("written");
    let zero = |may_be_hole| Command::WriteZeroes { may_be_hole, only_if_fast: false };
    for (command, at) in [(zero(true), 1 << 20), (zero(false), 2 << 20), (Command::Trim, 3 << 20)] {
        client.request(request(command, at, 1 << 20), &[]).expect("done");
    }
    assert_eq!(client.read(0, 1 << 20).expect("read"), bytes(0, 1 << 20));
    let zeros = client.read(1 << 20, 2 << 20).expect("read");
    assert!(zeros.iter().all(|&byte| byte == 0));
    let fast = Command::WriteZeroes { may_be_hole: false, only_if_fast: true };
    let refused = client.request(request(fast, 0, 4096), &[]).expect_err("not fast").to_string();
    assert!(refused.contains("not supported"), "{refused}");
    client.request(request(Command::Cache, 0, 1 << 20), &[]).expect("done");
}

#[test]
fn what_was_acknowledged_on_one_connection_is_there_after_a_flush_on_another() {
    let place = Place::new();
    let _server = place.start();
    let (mut one, mut other) = (place.client("a"), place.client("a"));
    for round in 0..20 {
        let data = vec![round as u8 + 1; 4096];
        one.write(round * 4096, &data).expect("written");
        other.flush().expect("flushed");
        assert_eq!(other.read(round * 4096, 4096).expect("read"), data);
    }
}

#[test]
fn a_read_only_export_cannot_be_written() {
    let place = Place::new();
    let mut config = place.config();
    config.exports[0].read_only = true;
    let _server = server::start(config, Vec::new()).expect("a server");
    let mut client = place.client("a");
    assert_eq!(client.read(0, 4096).expect("read"), vec![0; 4096]);
    let refused = client.write(0, &[1; 4096]).expect_err("refused").to_string();
    assert!(refused.contains("not permitted"), "{refused}");
    assert_eq!(client.read(0, 4096).expect("read"), vec![0; 4096]);
}

#[test]
fn a_client_that_leaves_in_good_order_gets_its_answers() {
    let place = Place::new();
    let server = place.start();
    let mut client = place.client("a");
    client.begin(request(Command::Read { whole: true }, 0, MIB), &[]).expect("sent");
    let mut rest = Vec::new();
    client.disconnect().and_then(|mut stream| stream.read_to_end(&mut rest)).expect("closed");
    assert!(rest.len() as u64 > MIB, "the answer has come");
    until("the client is gone", || server.status().disks[0].tenants[0].connections == 0);
    assert_eq!(server.status().refused, 0);
}
