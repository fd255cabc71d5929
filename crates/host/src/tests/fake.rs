// SPDX-License-Identifier: MIT OR Apache-2.0
//! A machine that is made up: files below a folder.

use crate::{DeviceNumber, Host, Target, TargetKind};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

pub struct Fake(TempDir);

impl Fake {
    /// A machine with nothing in it but an empty table of mounts.
    pub fn new() -> Self {
        let fake = Fake(tempfile::tempdir().unwrap());
        fake.file("proc/self/mountinfo", "");
        fake
    }

    pub fn host(&self) -> Host {
        Host::at(self.0.path())
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub fn file(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A link that goes nowhere outside of the machine: a relative one.
    fn link(&self, path: &str, to: &str) {
        let up = "../".repeat(path.matches('/').count());
        let link = self.path(path);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(format!("{up}{to}"), link).unwrap();
    }

    /// A device; `schedulers` is what its `queue/scheduler` says, nothing if it has no such file.
    pub fn device(&self, number: &str, name: &str, schedulers: &str) {
        let folder = format!("sys/devices/{name}");
        self.file(&format!("{folder}/dev"), &format!("{number}\n"));
        self.file(&format!("{folder}/size"), "2000\n");
        self.file(&format!("{folder}/stat"), " 1 0 8 1 1 0 8 1 0 2 2\n");
        self.file(&format!("{folder}/queue/rotational"), "1\n");
        if !schedulers.is_empty() {
            self.file(&format!("{folder}/queue/scheduler"), &format!("{schedulers}\n"));
        }
        self.link(&format!("sys/block/{name}"), &folder);
        self.link(&format!("sys/class/block/{name}"), &folder);
        self.link(&format!("sys/dev/block/{number}"), &folder);
        self.file(&format!("dev/{name}"), "");
    }

    /// A device that programs cannot open, which has no number.
    pub fn hidden(&self, name: &str, schedulers: &str) {
        self.device("0:0", name, schedulers);
        let files = [format!("sys/devices/{name}/dev"), format!("dev/{name}")];
        for file in files.iter().map(String::as_str).chain(["sys/dev/block/0:0"]) {
            fs::remove_file(self.path(file)).unwrap();
        }
    }

    /// A partition of a device.
    pub fn partition(&self, number: &str, name: &str, disk: &str) {
        let folder = format!("sys/devices/{disk}/{name}");
        self.file(&format!("{folder}/dev"), &format!("{number}\n"));
        self.file(&format!("{folder}/partition"), "1\n");
        self.link(&format!("sys/class/block/{name}"), &folder);
        self.link(&format!("sys/dev/block/{number}"), &folder);
        self.file(&format!("dev/{name}"), "");
    }

    /// Makes a device a part of one above.
    pub fn below(&self, above: &str, device: &str) {
        let folder = fs::canonicalize(self.path(&format!("sys/class/block/{device}"))).unwrap();
        let folder = folder.strip_prefix(fs::canonicalize(self.0.path()).unwrap()).unwrap();
        let folder = folder.to_str().unwrap().to_owned();
        self.file(&format!("{folder}/holders/{above}"), "");
        self.link(&format!("sys/devices/{above}/slaves/{device}"), &folder);
    }
}

/// A target of the made-up machine.
pub fn target(path: &str, kind: TargetKind, device: &str) -> Target {
    let device: DeviceNumber = device.parse().unwrap();
    Target { path: Path::new(path).to_owned(), kind, device }
}
