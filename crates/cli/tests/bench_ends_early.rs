// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq bench` that is ended in the middle: whatever ends it, the machine is as it was found.

#[path = "../../host/tests/machine/mod.rs"]
mod machine;

use machine::{LoopDevice, entries, processes_of_run, settings};
use rustix::process::{Pid, Signal, kill_process};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How a run is ended, how often it is told to, and its exit code; none if it cannot have any.
const ENDS: [(Signal, u32, Option<i32>); 4] = [
    (Signal::INT, 2, Some(1)),
    (Signal::TERM, 1, Some(1)),
    (Signal::HUP, 1, Some(1)),
    (Signal::KILL, 1, None),
];

#[test]
fn whatever_ends_a_run_the_machine_is_as_it_was_found() {
    let Some(device) = LoopDevice::with_bfq() else { return };
    let journals = tempfile::tempdir().unwrap();
    device.set("scheduler", "bfq");
    device.set("nr_requests", "100");
    device.set("iosched/low_latency", "0");
    let found = settings(&device.queue());
    for (signal, times, code) in ENDS {
        let mut run = bench(journals.path(), &device.node.display().to_string())
            .args(["--scenarios", "groups,random", "--schedulers", "none,mq-deadline"])
            .args(["--size", "64m", "--time", "60s", "--quiet"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let began = Instant::now();
        while settings(&device.queue()) == found {
            assert!(began.elapsed() < Duration::from_secs(60), "nothing is changed");
            sleep(Duration::from_millis(5));
        }
        for _ in 0..times {
            kill_process(Pid::from_child(&run), signal).unwrap();
            sleep(Duration::from_millis(5));
        }
        assert_eq!(run.wait().unwrap().code(), code, "{signal:?}");
        if code.is_none() {
            restore(journals.path(), &device);
        }
        assert_eq!(settings(&device.queue()), found, "{signal:?}");
        let nothing: [PathBuf; 0] = [];
        assert_eq!(entries(journals.path().to_owned()), nothing, "{signal:?}");
        assert_eq!(processes_of_run(run.id()), nothing, "{signal:?}");
    }
}

/// Asks what is wrong, has it put right, and has it put right once more.
fn restore(journals: &Path, device: &LoopDevice) {
    let done = |argument: &str| {
        let output = bench(journals, argument).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        said(&output)
    };
    let check = format!("--check {}", device.node.display());
    assert!(done(&check).contains("was killed, and the machine is not as it was"));
    let disk = device.node.file_name().unwrap().to_string_lossy();
    let told = done("--restore");
    assert!(told.contains(&format!("a run on {disk} was killed; undoing what it did:")), "{told}");
    assert!(told.contains("put bfq and the settings back in"), "{told}");
    assert!(done("--restore").contains("nothing was left to be put back"));
}

fn said(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8(text).unwrap()
}

/// `bfq bench` with journals in a folder of its own, and arguments separated by blanks. It heeds
/// SIGHUP, even if these tests run under nohup.
fn bench(journals: &Path, arguments: &str) -> Command {
    let mut command = Command::new("env");
    command.arg("--default-signal=HUP").arg(env!("CARGO_BIN_EXE_bfq"));
    command.arg("bench").arg("--journals").arg(journals).args(arguments.split(' '));
    command
}
