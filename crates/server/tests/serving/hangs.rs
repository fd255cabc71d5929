// SPDX-License-Identifier: MIT OR Apache-2.0
//! A file system that hangs for five seconds: who writes to it waits, and nobody else.
//!
//! It is ext4 in a file, frozen: writes wait in the kernel until it is thawed. Only root may do
//! that.

use crate::log_lines::is_logged;
use crate::set_up::{MIB, Place};
use nbd::Command;
use nbd::client::Request;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{self, Child, Stdio};
use std::time::{Duration, Instant};

const HANG: Duration = Duration::from_secs(5);

fn succeeds(program: &str, arguments: &[&str], path: &[&Path]) -> bool {
    let output = process::Command::new(program).args(arguments).args(path).output();
    output.is_ok_and(|output| output.status.success())
}

/// A file system until it is dropped.
struct FileSystem(PathBuf);

impl FileSystem {
    fn mount(image: &Path, at: PathBuf) -> Option<FileSystem> {
        std::fs::create_dir(&at).expect("a folder");
        File::create(image).and_then(|file| file.set_len(64 * MIB)).expect("an image");
        let is_there = succeeds("mkfs.ext4", &["-q"], &[image])
            && succeeds("mount", &["-o", "loop"], &[image, &at]);
        is_there.then(|| FileSystem(at))
    }

    /// It hangs until the standard input of the process ends, also if that is because the test has
    /// failed.
    fn hang(&self) -> Option<Child> {
        let script =
            "fsfreeze --freeze \"$0\" && echo frozen && read _; fsfreeze --unfreeze \"$0\"";
        let mut child = process::Command::new("sh")
            .args(["-c", script])
            .arg(&self.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let mut said = String::new();
        BufReader::new(child.stdout.take()?).read_line(&mut said).ok()?;
        if said == "frozen\n" {
            return Some(child);
        }
        child.wait().expect("an end");
        None
    }
}

impl Drop for FileSystem {
    fn drop(&mut self) {
        // Best effort: the folder stays if it fails.
        let _ = process::Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_file_system_that_hangs_holds_up_who_writes_to_it() {
    let place = Place::new();
    let Some(frozen) = FileSystem::mount(&place.path("image"), place.path("frozen")) else {
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
    let Some(mut freezer) = frozen.hang() else {
        return println!("left out: this file system cannot be frozen");
    };
    let begin = Instant::now();
    let write = |number: u64| Request {
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
    drop(freezer.stdin.take());
    assert!(freezer.wait().expect("an end").success(), "it is thawed");
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
