// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules read by the tools that they are for, where these are installed.

use super::*;
use std::path::Path;
use std::process::{Command, Output};

/// TuneD's own reader of profiles: it prints what each plugin would get.
const READ_BY_TUNED: &str = "
import sys
from tuned.profiles import factory, loader, locator, merger, variables
from tuned.utils.global_config import GlobalConfig
profiles = loader.Loader(locator.Locator([sys.argv[1]]), factory.Factory(), merger.Merger(),
                         GlobalConfig(), variables.Variables())
for name, unit in profiles.load(['io-scheduler-sda']).units.items():
    print(unit.type, unit.devices, dict(unit.options))
";

/// What a tool says; none, and a line that says so, if it is not here or cannot do that.
fn asked(tool: &str, arguments: &[&str], path: &Path) -> Option<Output> {
    let output = match Command::new(tool).args(arguments).arg(path).output() {
        Ok(output) => output,
        Err(error) => {
            eprintln!("skipped: {tool}: {error}");
            return None;
        }
    };
    let said = String::from_utf8_lossy(&output.stderr);
    let is_lacking = ["Unknown command verb", "No module named 'tuned'", "unrecognized option"]
        .into_iter()
        .find(|words| said.contains(words));
    match is_lacking {
        None => Some(output),
        Some(words) => {
            eprintln!("skipped: {tool} {}: {words}", arguments.first().unwrap_or(&""));
            None
        }
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn udev_reads_its_rule() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("60-io-scheduler-sda.rules");
    let names = [("device/wwid", "naa.5000c500a1b2c3d4"), ("wwid", "t10.ATA X\"*Y")];
    for serial in [Some(tests::NUMBER), Some(names[0]), Some(names[1]), None] {
        let rule = tests::text(serial, "bfq:low_latency=0,slice_idle=0", Form::Udev);
        std::fs::write(&path, rule).unwrap();
        // Systemd has it since version 254.
        let Some(output) = asked("udevadm", &["verify"], &path) else { return };
        assert!(output.status.success(), "{serial:?}: {}", stderr(&output));
    }
    std::fs::write(&path, "ATTR{queue/scheduler=\"bfq\"\n").unwrap();
    let output = asked("udevadm", &["verify"], &path).unwrap();
    assert!(!output.status.success(), "it finds what is wrong");
}

#[test]
fn systemd_reads_its_unit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("io-scheduler-sda.service");
    let verify = ["verify", "--man=no", "--recursive-errors=no"];
    std::fs::write(&path, tests::text(None, "bfq:low_latency=0", Form::Systemd)).unwrap();
    let Some(output) = asked("systemd-analyze", &verify, &path) else { return };
    assert!(!stderr(&output).contains("io-scheduler-sda.service"), "{}", stderr(&output));
    std::fs::write(&path, "[Service]\nType=onceshot\nExecStart=sh\n").unwrap();
    let output = asked("systemd-analyze", &verify, &path).unwrap();
    assert!(stderr(&output).contains("io-scheduler-sda.service"), "it finds what is wrong");
}

#[test]
fn tuned_reads_its_profile() {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("io-scheduler-sda");
    std::fs::create_dir(&profile).unwrap();
    let text = tests::text(None, "bfq:low_latency=0", Form::Tuned);
    std::fs::write(profile.join("tuned.conf"), text).unwrap();
    // Debian's and Fedora's package is for the system's own Python.
    let Some(output) = asked("/usr/bin/python3", &["-c", READ_BY_TUNED], folder.path()) else {
        return;
    };
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "disk sda {'elevator': 'bfq'}\n\
         sysfs * {'/sys/block/sda/queue/iosched/low_latency': '0'}\n"
    );
}

#[test]
fn systemd_tmpfiles_writes_what_its_lines_say() {
    let folder = tempfile::tempdir().unwrap();
    let queue = folder.path().join("queue");
    std::fs::create_dir_all(queue.join("iosched")).unwrap();
    let files = [queue.join("scheduler"), queue.join("iosched/low_latency")];
    files.iter().for_each(|file| std::fs::write(file, "").unwrap());
    let rule = tests::text(None, "bfq:low_latency=0", Form::SysctlLike);
    let rule = rule.replace("/sys/block/sda/queue", queue.to_str().unwrap());
    let path = folder.path().join("io-scheduler-sda.conf");
    std::fs::write(&path, rule).unwrap();
    let Some(output) = asked("systemd-tmpfiles", &["--create"], &path) else { return };
    assert!(output.status.success(), "{}", stderr(&output));
    let written = files.map(|file| std::fs::read_to_string(file).unwrap());
    assert_eq!(written, ["bfq", "0"]);
}

/// The kernel's Documentation/admin-guide/cgroup-v2.rst: `MAJ:MIN`, then keys with their values.
#[test]
fn the_lines_for_io_cost_are_of_the_kernels_grammar() {
    let keys = |file: &str| match file {
        "/sys/fs/cgroup/io.cost.model" => {
            "ctrl model rbps rseqiops rrandiops wbps wseqiops wrandiops"
        }
        "/sys/fs/cgroup/io.cost.qos" => "enable ctrl rpct rlat wpct wlat min max",
        other => panic!("{other}"),
    };
    let measured = Measured {
        rbps: Some(190_000_000),
        rseqiops: Some(30_000),
        rrandiops: Some(210),
        wbps: Some(180_000_000),
        wseqiops: Some(29_000),
        wrandiops: Some(400),
    };
    let rule = io_cost(&measured, &tests::disk(None)).unwrap();
    let lines: Vec<&str> = rule.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.len(), 2);
    for line in lines {
        let (written, file) = line.split_once(" >").unwrap();
        let written = written.strip_prefix("echo '").unwrap().strip_suffix('\'').unwrap();
        let mut words = written.split(' ');
        let (major, minor) = words.next().unwrap().split_once(':').unwrap();
        assert_eq!((major, minor), ("8", "0"));
        for word in words {
            let (key, value) = word.split_once('=').unwrap();
            assert!(keys(file).split(' ').any(|known| known == key), "{key} in {file}");
            match key {
                "ctrl" => assert!(["auto", "user"].contains(&value), "{word}"),
                "model" => assert_eq!(value, "linear"),
                _ => assert!(value.parse::<u64>().unwrap() > 0, "{word}"),
            }
        }
    }
}
