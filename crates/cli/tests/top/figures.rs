// SPDX-License-Identifier: MIT OR Apache-2.0
//! What it tells is what `dd` did, and nothing stays.

use crate::machine::{instances, machine, top, wait_for};
use serde_json::Value;
use std::process::{Command, Output, Stdio};

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
