// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq doctor` on a disk of this machine: a loop device, with a setting that is wrong.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A loop device over a file of its own.
struct LoopDevice {
    node: PathBuf,
    /// What `rq_affinity` was: the kernel keeps it for the next device of that name.
    found: String,
    _file: TempDir,
}

impl LoopDevice {
    /// Makes one; none, with a line that says why, if that cannot be done here.
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("disk");
        fs::File::create(&file).unwrap().set_len(16 << 20).unwrap();
        let losetup = Command::new("losetup").args(["--find", "--show"]).arg(&file).output();
        let Some(output) = losetup.ok().filter(|output| output.status.success()) else {
            eprintln!("skipped: no loop device can be made here");
            return None;
        };
        let node = PathBuf::from(String::from_utf8(output.stdout).unwrap().trim());
        let mut device = LoopDevice { node, found: String::new(), _file: folder };
        device.found = device.affinity();
        Some(device)
    }

    fn name(&self) -> &str {
        self.node.file_name().unwrap().to_str().unwrap()
    }

    fn setting(&self) -> PathBuf {
        Path::new("/sys/block").join(self.name()).join("queue/rq_affinity")
    }

    fn affinity(&self) -> String {
        fs::read_to_string(self.setting()).unwrap().trim().to_owned()
    }

    fn set_affinity(&self, value: &str) {
        fs::write(self.setting(), value).unwrap();
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        self.set_affinity(&self.found);
        let detached = Command::new("losetup").arg("--detach").arg(&self.node).status();
        assert!(detached.is_ok_and(|status| status.success()));
    }
}

fn doctor(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bfq")).arg("doctor").args(arguments).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8([&output.stdout[..], &output.stderr[..]].concat()).unwrap()
}

#[test]
fn what_is_wrong_is_found_mended_and_undone() {
    let Some(device) = LoopDevice::new() else { return };
    let journals = tempfile::tempdir().unwrap();
    let journals = journals.path().to_str().unwrap();
    device.set_affinity("1");
    let healthy = doctor(&[device.name()]);
    assert_eq!(healthy.status.code(), Some(0), "{}", said(&healthy));
    assert!(said(&healthy).contains("Nothing is wrong."), "{}", said(&healthy));

    device.set_affinity("0");
    let found = doctor(&[device.node.to_str().unwrap()]);
    assert_eq!(found.status.code(), Some(3), "{}", said(&found));
    assert!(said(&found).contains("[rq-affinity-off]"), "{}", said(&found));
    assert_eq!(device.affinity(), "0", "looking changes nothing");

    let mended = doctor(&[device.name(), "--fix", "--journals", journals]);
    assert_eq!(mended.status.code(), Some(0), "{}", said(&mended));
    assert!(said(&mended).contains("rq_affinity is 1, was 0"), "{}", said(&mended));
    assert_eq!(device.affinity(), "1");

    let undone = doctor(&["--restore", "--journals", journals]);
    assert_eq!(undone.status.code(), Some(0), "{}", said(&undone));
    assert_eq!(device.affinity(), "0");
    assert_eq!(fs::read_dir(journals).unwrap().count(), 0);
}

#[test]
fn a_disk_that_is_not_there_is_told_with_those_that_are() {
    let output = doctor(&["no-such-disk"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).starts_with("bfq: no-such-disk: no such disk; there are:"), "{output:?}");
}
