// SPDX-License-Identifier: MIT OR Apache-2.0
//! The disks of the soak that fail: a file that is cut short, a file system that is full, and one
//! that hangs. Each failure is told to who met it, and what can go on does.

use super::clients::request;
use super::{BLOCK, EXPORT_BYTES};
use crate::file_systems::FileSystem;
use crate::set_up::{MIB, Place};
use base::random::Random;
use nbd::Command;
use nbd::client::Connection;
use std::fs::OpenOptions;
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// The longest time for which the file system hangs.
const HANG_MAX_MS: u64 = 6000;

/// What fails. File systems are there only if this user may mount them.
pub struct FailingDisks {
    full: Option<FileSystem>,
    hanging: Option<FileSystem>,
}

/// How often each way to fail was seen.
#[derive(Default)]
pub struct Failures {
    pub cut_short: u64,
    pub full: u64,
    pub hung: u64,
}

impl FailingDisks {
    /// Makes what the server is to serve, in its folder.
    pub fn make(place: &Place) -> FailingDisks {
        place.file("short", EXPORT_BYTES);
        let full = FileSystem::small(place.path("full"));
        if full.is_some() {
            place.file("full/file", EXPORT_BYTES);
        }
        let hanging = FileSystem::ext4(&place.path("image"), place.path("hanging"));
        if hanging.is_some() {
            place.file("hanging/file", EXPORT_BYTES);
        }
        FailingDisks { full, hanging }
    }

    pub fn can_be_full(&self) -> bool {
        self.full.is_some()
    }

    pub fn can_hang(&self) -> bool {
        self.hanging.is_some()
    }

    /// One disk fails, and works again.
    pub fn fail_once(&self, place: &Place, random: &mut Random, seen: &mut Failures) {
        match (random.below(8), &self.full, &self.hanging) {
            (0, _, Some(file_system)) => hang(file_system, place, random, seen),
            (1..5, Some(_), _) => fill(place, seen),
            _ => cut_short(place, seen),
        }
    }
}

/// A client of an export of the tenant that has others, too; none if these have all its places.
fn client(place: &Place, export: &str) -> Option<Connection<UnixStream>> {
    place.try_client(export).ok()
}

fn cut_short(place: &Place, seen: &mut Failures) {
    let Some(mut client) = client(place, "short") else { return };
    let file = OpenOptions::new().write(true).open(place.path("short")).expect("the file");
    file.set_len(MIB).expect("cut");
    let error = client.read(8 * MIB, BLOCK).expect_err("an error").to_string();
    assert!(error.contains("input/output"), "{error}");
    assert_eq!(client.read(0, BLOCK).expect("the rest is there"), vec![0; BLOCK]);
    file.set_len(EXPORT_BYTES).expect("grown");
    assert_eq!(client.read(8 * MIB, BLOCK).expect("it is there again"), vec![0; BLOCK]);
    seen.cut_short += 1;
}

fn fill(place: &Place, seen: &mut Failures) {
    let Some(mut client) = client(place, "full/file") else { return };
    client.write(0, &vec![1; BLOCK]).expect("there is room for that");
    let error = client.write(MIB, &[2; 2 << 20]).expect_err("an error").to_string();
    assert!(error.contains("space"), "{error}");
    assert_eq!(client.read(0, BLOCK).expect("read"), vec![1; BLOCK]);
    let trim = request(Command::Trim, 0, EXPORT_BYTES);
    assert_eq!(client.request(trim, &[]).expect("an answer").error, None);
    seen.full += 1;
}

fn hang(file_system: &FileSystem, place: &Place, random: &mut Random, seen: &mut Failures) {
    let Some(mut client) = client(place, "hanging/file") else { return };
    let Some(frozen) = file_system.hang() else { return };
    let stamps: Vec<u8> = (0..4).map(|_| random.below(256) as u8).collect();
    for (at, &stamp) in stamps.iter().enumerate() {
        let write = request(Command::Write, (at * BLOCK) as u64, BLOCK as u64);
        client.begin(write, &vec![stamp; BLOCK]).expect("sent");
    }
    std::thread::sleep(Duration::from_millis(random.below(HANG_MAX_MS)));
    frozen.thaw();
    for _ in &stamps {
        let (_, outcome) = client.finish_any().expect("an answer");
        assert_eq!(outcome.error, None, "it was slow, not wrong");
    }
    for (at, &stamp) in stamps.iter().enumerate() {
        let read = client.read((at * BLOCK) as u64, BLOCK).expect("read");
        assert_eq!(read, vec![stamp; BLOCK]);
    }
    seen.hung += 1;
}
