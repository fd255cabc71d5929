// SPDX-License-Identifier: MIT OR Apache-2.0
//! A file system that hangs for five seconds: a client that writes to it waits, and no other.
//!
//! It is ext4 in a file, frozen: writes wait in the kernel until it is thawed. Only root may do
//! that.

use crate::file_systems::FileSystem;
use crate::log_lines::is_logged;
use crate::set_up::{MIB, Place};
use nbd::Command;
use nbd::client::ClientRequest;
use std::time::{Duration, Instant};

const HANG: Duration = Duration::from_secs(5);

#[test]
fn a_file_system_that_hangs_holds_up_who_writes_to_it() {
    let place = Place::new();
    let Some(frozen) = FileSystem::ext4(&place.path("image"), place.path("frozen")) else {
        return println!("left out: only root may mount a file system");
    };
    let mut config = place.config();
    // Both lie on the disk that hangs; `b` is on another one.
    config.exports.push(place.export("frozen/writes", "a", 16 * MIB));
    config.exports.push(place.export("frozen/reads", "b", 16 * MIB));
    let server = server::start(config, Vec::new()).expect("a server");
    let mut writes = place.client("frozen/writes");
    let mut neighbour = place.client("frozen/reads");
    let mut elsewhere = place.client("b");
    neighbour.write(0, &[5; 4096]).expect("written");
    writes.write(0, &[1; 4096]).expect("written");
    let Some(freezer) = frozen.hang() else {
        return println!("left out: this file system cannot be frozen");
    };
    let begin = Instant::now();
    let write = |number: u64| ClientRequest {
        command: Command::Write,
        fua: false,
        offset_bytes: number * 4096,
        length_bytes: 4096,
    };
    for number in 0..4 {
        writes.begin(write(number), &[number as u8 + 10; 4096]).expect("sent");
    }
    let mut others = 0;
    while begin.elapsed() < HANG || others < 2 {
        assert_eq!(neighbour.read(0, 4096).expect("read"), vec![5; 4096]);
        elsewhere.write(0, &[7; 4096]).expect("written");
        assert_eq!(elsewhere.read(0, 4096).expect("read"), vec![7; 4096]);
        others += 1;
    }
    // Nothing of it is answered; a neighbour may have waited once for a second, see docs/serve.md.
    freezer.thaw();
    for _ in 0..4 {
        let (_, outcome) = writes.finish_any().expect("an answer");
        assert_eq!(outcome.error, None, "it was slow, not wrong");
    }
    for number in 0..4 {
        let read = writes.read(number * 4096, 4096).expect("read");
        assert_eq!(read, vec![number as u8 + 10; 4096]);
    }
    is_logged(&["WARN", "export=\"frozen/writes\"", "write", "the disk took"]);
    drop((writes, neighbour, elsewhere, server, frozen));
}
