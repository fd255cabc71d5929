// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq top` on a loop device of this machine: what it tells is what `dd` did, and nothing stays.
//! Skipped where no loop device can be made or no tracefs is mounted.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A loop device over a file of its own.
struct LoopDevice {
    node: PathBuf,
    _file: TempDir,
}

impl LoopDevice {
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("disk");
        fs::File::create(&file).unwrap().set_len(32 << 20).unwrap();
        let losetup = Command::new("losetup").args(["--find", "--show"]).arg(&file).output();
        let output = losetup.ok().filter(|output| output.status.success())?;
        let node = PathBuf::from(String::from_utf8(output.stdout).unwrap().trim());
        Some(LoopDevice { node, _file: folder })
    }

    fn name(&self) -> &str {
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
fn tracefs() -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    let tracefs = mounts.lines().find(|line| line.split(' ').nth(2) == Some("tracefs"))?;
    Some(PathBuf::from(tracefs.split(' ').nth(1)?))
}

/// A disk and tracing; none, with a line that says so, where either is missing.
fn machine() -> Option<(LoopDevice, PathBuf)> {
    let found = tracefs().and_then(|tracefs| Some((LoopDevice::new()?, tracefs)));
    if found.is_none() {
        eprintln!("skipped: no tracefs is mounted, or no loop device can be made here");
    }
    found
}

fn top(arguments: &[&str], journals: &Path) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bfq"));
    command.arg("top").args(arguments).arg("--journals").arg(journals);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Our instances of tracing; those of another `bfq top` have another token.
fn instances(tracefs: &Path, pid: u32) -> usize {
    let ours = format!("bfq-top-{pid}-");
    let all = fs::read_dir(tracefs.join("instances")).unwrap().flatten();
    all.filter(|entry| entry.file_name().to_string_lossy().starts_with(&ours)).count()
}

/// Waits until it traces.
fn wait_for(tracefs: &Path, pid: u32) {
    let start = Instant::now();
    while instances(tracefs, pid) == 0 {
        assert!(start.elapsed() < Duration::from_secs(60), "it does not trace");
        std::thread::sleep(Duration::from_millis(20));
    }
    // Events are enabled right after the instance is made.
    std::thread::sleep(Duration::from_millis(500));
}

fn dd(arguments: &[String]) {
    assert!(Command::new("dd").args(arguments).stderr(Stdio::null()).status().unwrap().success());
}

fn figures(output: &Output) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn bytes_are_those_that_were_moved_and_a_recording_is_replayed() {
    let Some((device, tracefs)) = machine() else { return };
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("x.trace");
    let trace = trace.to_str().unwrap();
    let options = [device.name(), "--json", "--interval", "60s", "--record", trace];
    let child = top(&options, folder.path());
    wait_for(&tracefs, child.id());
    let node = device.node.display();
    let read =
        [format!("if={node}"), "of=/dev/null".into(), "bs=64k".into(), "iflag=direct".into()];
    dd(&read);
    let write = [format!("of={node}"), "if=/dev/zero".into(), "bs=128k".into(), "count=32".into()];
    dd(&[&write[..], &["oflag=direct".into()]].concat());
    let pid = child.id();
    assert!(Command::new("kill").arg(pid.to_string()).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(instances(&tracefs, pid), 0, "nothing stays");
    let said = figures(&output);
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!(said[0]["lost_events"], 0);
    let disk = &said[0]["disks"][0];
    let moved = |name: &str, key: &str| -> u64 {
        let all = disk["processes"].as_array().unwrap().iter();
        all.filter(|one| one["name"] == name).map(|one| one[key].as_u64().unwrap()).sum()
    };
    assert_eq!((moved("dd", "read_bytes"), moved("dd", "written_bytes")), (32 << 20, 4 << 20));
    let what_if = ["what-if", trace, "--device", "ssd-sata", "--scheduler", "none,bfq"];
    let command = &mut Command::new(env!("CARGO_BIN_EXE_bfq"));
    let report = command.args(what_if).args(["--quiet"]).output().unwrap();
    let text = String::from_utf8(report.stdout.clone()).unwrap();
    assert!(report.status.success() && text.contains("dd-"), "{report:?}");
}

#[test]
fn what_a_killed_one_leaves_is_removed() {
    let Some((device, tracefs)) = machine() else { return };
    let journals = tempfile::tempdir().unwrap();
    let mut child = top(&[device.name(), "--json"], journals.path());
    wait_for(&tracefs, child.id());
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(instances(&tracefs, child.id()), 1);
    let output = top(&["--restore"], journals.path()).wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && said.contains("remove the instance"), "{said}");
    assert_eq!(instances(&tracefs, child.id()), 0);
}

#[test]
fn a_disk_that_is_not_there_is_a_mistake() {
    let journals = tempfile::tempdir().unwrap();
    let output = top(&["no-such-disk"], journals.path()).wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}
