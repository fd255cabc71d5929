// SPDX-License-Identifier: MIT OR Apache-2.0
//! What it does without a disk, without tracefs and without the right to it, and beside others.

use crate::machine::{LoopDevice, instances, machine, top, wait_for};
use std::fs;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

/// What takes so long does not end any more, on the busiest machine.
const HANGS_AFTER: Duration = Duration::from_secs(60);
/// Nobody, on all machines.
const NOBODY: u32 = 65534;

/// It refuses with exit code 2, and these words.
fn assert_refused(output: &Output, words: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains(words) && output.stdout.is_empty(), "{said}");
}

#[test]
fn a_disk_that_is_not_there_is_a_mistake() {
    let journals = tempfile::tempdir().unwrap();
    let output = top(&["no-such-disk"], journals.path()).wait_with_output().unwrap();
    assert_refused(&output, "no-such-disk");
}

#[test]
fn without_tracefs_it_says_how_to_mount_it() {
    let Some(device) = LoopDevice::new() else { return };
    let journals = tempfile::tempdir().unwrap();
    // In a view of the file systems of its own no other test loses its own.
    let script = "umount --all --types tracefs,debugfs && exec \"$0\" \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", script, env!("CARGO_BIN_EXE_bfq"), "top", device.name()]);
    let output = command.arg("--journals").arg(journals.path()).output().unwrap();
    assert_refused(&output, "tracefs is not mounted: mount -t tracefs none /sys/kernel/tracing");
    assert_eq!(fs::read_dir(journals.path()).unwrap().count(), 0, "nothing was begun");
}

#[test]
fn without_the_right_to_trace_it_says_what_is_needed() {
    let Some((device, _)) = machine() else { return };
    // Others than root may not come to where it was built.
    let folder = tempfile::Builder::new().permissions(all_may_enter()).tempdir().unwrap();
    let program = folder.path().join("bfq");
    // Another process copies it: if this one did, a program that another test starts at the same
    // time would hold the copy open for writing, and it could not be run ("text file busy").
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_bfq")).arg(&program).status().unwrap();
    assert!(copied.success());
    let mut command = Command::new(&program);
    command.args(["top", device.name(), "--journals"]).arg(folder.path()).uid(NOBODY).gid(NOBODY);
    let output = command.output().unwrap();
    assert_refused(&output, "permission denied; tracing needs root");
}

fn all_may_enter() -> fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(0o755)
}

/// Removes an instance of the tracer. A program that another test starts at this moment has the
/// files of this one open until it begins, and an instance stays while one is open.
fn remove_instance(instance: &Path) {
    let start = Instant::now();
    while let Err(error) = fs::remove_dir(instance) {
        let may_end = error.kind() == ErrorKind::ResourceBusy && start.elapsed() < HANGS_AFTER;
        assert!(may_end, "{}: {error}", instance.display());
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn two_at_once_and_another_tracer_do_not_disturb_each_other() {
    let Some((device, tracefs)) = machine() else { return };
    let journals = tempfile::tempdir().unwrap();
    let other = tracefs.join("instances").join(format!("bfq-test-{}", std::process::id()));
    fs::create_dir(&other).unwrap();
    let enabled = other.join("events/block/block_bio_queue/enable");
    fs::write(&enabled, "1").unwrap();
    let options = [device.name(), "--json", "--interval", "60s"];
    let both = [(); 2].map(|()| top(&options, journals.path()));
    both.iter().for_each(|child| wait_for(&tracefs, child.id()));
    let read = ["of=/dev/null", "bs=64k", "iflag=direct", "status=none"];
    let mut dd = Command::new("dd");
    assert!(dd.arg(format!("if={}", device.node.display())).args(read).status().unwrap().success());
    for child in both {
        let pid = child.id();
        assert!(Command::new("kill").arg(pid.to_string()).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(said["disks"][0]["read_bytes"], 32 << 20, "{said}");
        assert_eq!(instances(&tracefs, pid), 0);
    }
    let is_enabled = fs::read_to_string(&enabled).unwrap();
    let traced = fs::read_to_string(other.join("trace")).unwrap();
    fs::write(&enabled, "0").unwrap();
    remove_instance(&other);
    assert_eq!(is_enabled.trim(), "1", "the other tracer goes on");
    assert!(traced.contains("block_bio_queue"), "{traced}");
}
