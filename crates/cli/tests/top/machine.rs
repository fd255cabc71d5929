// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the tests need of this machine: a loop device and tracefs.

use live::Decoder;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A loop device over a file of its own.
pub struct LoopDevice {
    pub node: PathBuf,
    _file: TempDir,
}

impl LoopDevice {
    pub fn new() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("disk");
        fs::File::create(&file).unwrap().set_len(32 << 20).unwrap();
        let losetup = Command::new("losetup").args(["--find", "--show"]).arg(&file).output();
        let output = losetup.ok().filter(|output| output.status.success())?;
        let node = PathBuf::from(String::from_utf8(output.stdout).unwrap().trim());
        Some(LoopDevice { node, _file: folder })
    }

    /// What it is called, without a folder.
    pub fn name(&self) -> &str {
        self.node.file_name().unwrap().to_str().unwrap()
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let detached = Command::new("losetup").arg("--detach").arg(&self.node).status();
        assert!(detached.is_ok_and(|status| status.success()));
    }
}

/// Where tracefs is mounted, if it is.
pub fn tracefs() -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    let tracefs = mounts.lines().find(|line| line.split(' ').nth(2) == Some("tracefs"))?;
    Some(PathBuf::from(tracefs.split(' ').nth(1)?))
}

/// A disk and tracing; none, with a line that says so, where either is missing, unless
/// BFQ_TRACEFS=required. With BFQ_TRACEFS=none there is none.
pub fn machine() -> Option<(LoopDevice, PathBuf)> {
    let wanted = std::env::var_os("BFQ_TRACEFS").unwrap_or_default();
    let tracefs = if wanted == "none" { None } else { tracefs() };
    let found = tracefs.and_then(|tracefs| Some((LoopDevice::new()?, tracefs)));
    if found.is_none() {
        let why = "no tracefs is mounted, or no loop device can be made here";
        assert!(wanted != "required", "{why}, and BFQ_TRACEFS=required");
        eprintln!("skipped: {why}");
    }
    found
}

/// Starts `bfq top`.
pub fn top(arguments: &[&str], journals: &Path) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bfq"));
    command.arg("top").args(arguments).arg("--journals").arg(journals);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Our instances of tracing; those of another `bfq top` have another token.
fn folders(tracefs: &Path, pid: u32) -> impl Iterator<Item = PathBuf> {
    let ours = format!("bfq-top-{pid}-");
    let all = fs::read_dir(tracefs.join("instances")).unwrap().flatten();
    all.filter(move |entry| entry.file_name().to_string_lossy().starts_with(&ours))
        .map(|entry| entry.path())
}

/// How many there are.
pub fn instances(tracefs: &Path, pid: u32) -> usize {
    folders(tracefs, pid).count()
}

/// Waits until it traces: it has an instance, in which all events are enabled.
pub fn wait_for(tracefs: &Path, pid: u32) {
    let start = Instant::now();
    let is_enabled = |folder: &Path, event: &str| {
        let file = folder.join("events/block").join(event).join("enable");
        fs::read_to_string(file).is_ok_and(|text| text.trim() == "1")
    };
    let traces =
        |folder: PathBuf| Decoder::EVENTS.iter().all(|(event, _)| is_enabled(&folder, event));
    while !folders(tracefs, pid).any(traces) {
        assert!(start.elapsed() < Duration::from_secs(60), "it does not trace");
        std::thread::sleep(Duration::from_millis(20));
    }
}
