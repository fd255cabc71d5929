// SPDX-License-Identifier: MIT OR Apache-2.0
//! Loop devices, and what a machine looks like: for tests that change a real one. They are skipped,
//! in words, where that cannot be done.
#![allow(dead_code, reason = "not every test uses all of it")]

use host::restore::QueueState;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A loop device over a file of its own; gone when it is dropped, with the settings it had: the
/// kernel keeps them for the next one of that name.
pub struct LoopDevice {
    /// Its node, as `/dev/loop0`.
    pub node: PathBuf,
    found: Option<QueueState>,
    _file: TempDir,
}

impl LoopDevice {
    /// Makes one; none, with a line that says why, if that cannot be done here.
    pub fn new() -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            eprintln!("skipped: loop devices are made by root only");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("disk");
        fs::File::create(&file).unwrap().set_len(64 << 20).unwrap();
        let losetup = Command::new("losetup").args(["--find", "--show"]).arg(&file).output();
        match losetup {
            Ok(output) if output.status.success() => {
                let node = String::from_utf8(output.stdout).unwrap().trim().into();
                let mut device = LoopDevice { node, found: None, _file: folder };
                device.found = Some(QueueState::read(&device.queue()).unwrap());
                Some(device)
            }
            Ok(output) => {
                eprintln!("skipped: losetup: {}", String::from_utf8_lossy(&output.stderr).trim());
                None
            }
            Err(error) => {
                eprintln!("skipped: losetup: {error}");
                None
            }
        }
    }

    /// The same on a kernel that has bfq.
    pub fn with_bfq() -> Option<Self> {
        let device = LoopDevice::new()?;
        let offered = fs::read_to_string(device.queue().join("scheduler")).unwrap();
        if !offered.contains("bfq") {
            eprintln!("skipped: this kernel offers no bfq: {}", offered.trim());
            return None;
        }
        Some(device)
    }

    pub fn queue(&self) -> PathBuf {
        Path::new("/sys/block").join(self.node.file_name().unwrap()).join("queue")
    }

    /// Writes a setting of its queue.
    pub fn set(&self, name: &str, value: &str) {
        fs::write(self.queue().join(name), value).unwrap();
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        self.found.take().unwrap().put_back().unwrap();
        let detached = Command::new("losetup").arg("--detach").arg(&self.node).status();
        assert!(detached.is_ok_and(|status| status.success()), "{}", self.node.display());
    }
}

/// What a bench changes, by path: settings, and what there is in folders.
pub type Snapshot = BTreeMap<PathBuf, String>;

/// The settings of a queue, with its tunables.
pub fn settings(queue: &Path) -> Snapshot {
    let files = [queue.to_owned(), queue.join("iosched")].into_iter().flat_map(entries);
    let value = |path: PathBuf| fs::read_to_string(&path).ok().map(|value| (path, value));
    files.filter_map(value).collect()
}

/// What is in a folder; nothing if there is none.
pub fn entries(folder: PathBuf) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// The processes that a run of this process number started, directly or not.
pub fn processes_of_run(pid: u32) -> Vec<PathBuf> {
    let mark = format!("BFQ_BENCH_RUN={pid}-");
    let is_of_run = |folder: &PathBuf| {
        let environment = fs::read(folder.join("environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable.starts_with(mark.as_bytes()))
    };
    entries("/proc".into()).into_iter().filter(is_of_run).collect()
}
