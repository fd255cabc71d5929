// SPDX-License-Identifier: MIT OR Apache-2.0
//! What only root may have: block devices, and file systems that fail, one that hangs and one that
//! is full.

use crate::set_up::MIB;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{self, Child, Stdio};

fn succeeds(program: &str, arguments: &[&str], paths: &[&Path]) -> bool {
    let output = process::Command::new(program).args(arguments).args(paths).output();
    output.is_ok_and(|output| output.status.success())
}

/// A block device made of a file, until it is dropped.
pub struct LoopDevice(pub PathBuf);

impl LoopDevice {
    /// If this user may have one.
    pub fn attach(image: &Path) -> Option<LoopDevice> {
        let losetup = &mut process::Command::new("losetup");
        let output = losetup.args(["--find", "--show"]).arg(image).output().ok()?;
        let path = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| LoopDevice(path.trim().into()))
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        // Best effort: the device stays if it fails.
        let _ = process::Command::new("losetup").arg("--detach").arg(&self.0).status();
    }
}

/// A file system until it is dropped.
pub struct FileSystem(PathBuf);

impl FileSystem {
    /// A folder in memory that takes one MiB, if this user may mount it.
    pub fn small(at: PathBuf) -> Option<FileSystem> {
        std::fs::create_dir(&at).expect("a folder");
        let is_there = succeeds("mount", &["-t", "tmpfs", "-o", "size=1M", "tmpfs"], &[&at]);
        is_there.then(|| FileSystem(at))
    }

    /// An ext4 in a file, which can hang, if this user may mount it.
    pub fn ext4(image: &Path, at: PathBuf) -> Option<FileSystem> {
        std::fs::create_dir(&at).expect("a folder");
        File::create(image).and_then(|file| file.set_len(64 * MIB)).expect("an image");
        let is_there = succeeds("mkfs.ext4", &["-q"], &[image])
            && succeeds("mount", &["-o", "loop"], &[image, &at]);
        is_there.then(|| FileSystem(at))
    }

    /// It is frozen: writes wait in the kernel. It is thawed when the answer is, also if that is
    /// because the test has failed.
    pub fn hang(&self) -> Option<Frozen> {
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
            return Some(Frozen(child));
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

/// A file system that hangs until the standard input of this process ends.
pub struct Frozen(Child);

impl Frozen {
    pub fn thaw(mut self) {
        drop(self.0.stdin.take());
        assert!(self.0.wait().expect("an end").success(), "it is thawed");
    }
}
