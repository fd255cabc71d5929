// SPDX-License-Identifier: MIT OR Apache-2.0
//! The binary as users meet it: exit codes, messages, files.

mod results;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder of its own for a test, in which the binary runs.
struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Self {
        let desk = Self(tempfile::tempdir().unwrap());
        desk.write("good.fio", GOOD);
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bfq"));
        command.args(arguments).current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    fn bfq(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs, expects success and gives stdout.
    fn done(&self, arguments: &[&str]) -> String {
        let output = self.bfq(arguments);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs, expects exit code 2 and nothing but one line on stderr, and gives that line.
    fn refused(&self, arguments: &[&str]) -> String {
        let before = self.files();
        let output = self.bfq(arguments);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        assert_eq!(message.trim_end().lines().count(), 1, "{arguments:?}: {message}");
        assert_eq!(self.files(), before, "{arguments:?} leaves nothing behind");
        message
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const GOOD: &str = "\
; Two readers in two groups.
[global]
direct=1
rw=randread
bs=4k
size=1g
runtime=100ms
time_based

[a]
cgroup=x/a
cgroup_weight=300

[b]
cgroup=x/b
ioengine=libaio
iodepth=8
";

const SIM: [&str; 4] = ["sim", "good.fio", "--device", "reference-ssd"];

fn sim<'a>(more: &[&'a str]) -> Vec<&'a str> {
    SIM.iter().chain(more).copied().collect()
}

#[test]
fn what_is_wrong_with_the_input_is_said_in_one_line() {
    let desk = Desk::new();
    desk.write("unknown.fio", "[a]\nrw=read\nsize=1m\niodept=4\n");
    desk.write("number.fio", "[a]\nrw=read\nsize=much\n");
    let profile = include_str!("../../../device/profiles/reference-hdd.toml");
    let without_bus = profile.lines().filter(|line| !line.starts_with("bus"));
    desk.write("no-bus.toml", &without_bus.map(|line| format!("{line}\n")).collect::<String>());

    //  arguments, what the message must contain
    let cases: [(&[&str], &[&str]); 18] = [
        (&["sim", "unknown.fio"], &["unknown.fio:4:", "iodept", "iodepth"]),
        (&["sim", "number.fio"], &["number.fio:3:", "much"]),
        (&["sim", "missing.fio"], &["missing.fio"]),
        (&["sim", "good.fio", "--device", "no-bus.toml"], &["no-bus.toml", "bus"]),
        (&["sim", "good.fio", "--device", "reference-hd"], &["reference-hd"]),
        (&["sim", "good.fio", "--device", "reference-hdd:depht=3"], &["depht", "depth"]),
        (&["sim", "good.fio", "--device", "reference-hdd:capacity=1MiB"], &["good.fio:"]),
        (&sim(&["--device", "reference-hdd:capacity=1GiB"]), &["good.fio:"]),
        (&sim(&["--scheduler", "mq-deadlin"]), &["mq-deadlin", "mq-deadline"]),
        (&sim(&["--scheduler", ","]), &["names no scheduler"]),
        (&sim(&["--scheduler", "mq-deadline:fifo_bach=1"]), &["fifo_bach", "fifo_batch"]),
        (&sim(&["--scheduler", "mq-deadline", "--set", "fifo_batch=x"]), &["fifo_batch", "x"]),
        (&sim(&["--scheduler", "none", "--set", "fifo_batch=1"]), &["fifo_batch", "none"]),
        (&sim(&["--queue", "nr_request=1"]), &["nr_request", "nr_requests"]),
        (&sim(&["--queue", "nomerges=7"]), &["nomerges=7", "0 to 2"]),
        (&sim(&["--group", "x/c=100"]), &["/x/c", "/x/a"]),
        (&sim(&["--group", "x/a=10001"]), &["x/a=10001", "1 to 10000"]),
        (&sim(&["--output", "no/such/folder"]), &["no/such/folder"]),
    ];
    for (arguments, parts) in cases {
        let message = desk.refused(arguments);
        assert!(message.starts_with("bfq: "), "{message}");
        for part in parts {
            assert!(message.contains(part), "{part:?} is missing in: {message}");
        }
    }
}

#[test]
fn a_target_of_a_byte_is_too_small_and_not_empty() {
    let desk = Desk::new();
    for (size, bytes) in [("1", 1), ("4095", 4095), ("0", 0), ("3k", 3072)] {
        let message = desk.refused(&["run", "good.fio", "--target", "scratch", "--size", size]);
        let expected = format!("a target of {bytes} bytes is too small; expected 4096 or more");
        assert!(message.contains(&expected), "{message}");
    }
}

#[test]
fn lists_of_devices_are_written_like_lists_of_schedulers() {
    let desk = Desk::new();
    let devices = "reference-ssd:depth=3,rotational=1,reference-hdd";
    let run = |more: &[&str]| {
        let words = ["sim", "good.fio", "--scheduler", "none", "--output-format", "json"];
        desk.done(&[&words[..], more].concat())
    };
    let results: Value = serde_json::from_str(&run(&["--device", devices])).unwrap();
    let depth = |run: usize| results["runs"][run]["device"]["depth"].clone();
    assert_eq!((depth(0), results["runs"].as_array().unwrap().len()), (3.into(), 2));
    let message = desk.refused(&["explain", "good.fio", "--job", "a", "--device", devices]);
    assert!(message.contains("expected one device"), "{message}");
}

#[test]
fn the_command_line_itself_is_checked() {
    let desk = Desk::new();
    for arguments in [
        &["sim"][..],
        &["simulate"],
        &sim(&["--frobnicate"]),
        &sim(&["--seed", "x"]),
        &sim(&["--runtime", "soon"]),
        &sim(&["--output-format", "xml"]),
        &["list", "nothing"],
    ] {
        let output = desk.bfq(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains("--help"), "{}", stderr(&output));
    }
    assert!(desk.done(&["--version"]).starts_with("bfq "));
    assert!(desk.done(&["sim", "--help"]).contains("belongs to the entry before it"));
}

#[test]
fn the_same_command_gives_the_same_bytes() {
    let desk = Desk::new();
    let arguments = [
        "sim",
        "good.fio",
        "--device",
        "ssd-sata",
        "--device",
        "hdd-desktop",
        "--scheduler",
        "all",
        "--seed",
        "7",
        "--output-format",
        "json",
    ];
    let first = desk.done(&arguments);
    assert_eq!(first, desk.done(&arguments));
    let other_seed = arguments.map(|argument| if argument == "7" { "8" } else { argument });
    assert_ne!(first, desk.done(&other_seed));
}

#[test]
fn json_holds_a_run_for_each_scheduler_and_device() {
    let desk = Desk::new();
    let text = desk.done(&[
        "sim",
        "good.fio",
        "--device",
        "reference-ssd:depth=4",
        "--device",
        "reference-hdd",
        "--scheduler",
        "none,mq-deadline:fifo_batch=3,writes_starved=4",
        "--queue",
        "max_sectors_kb=512",
        "--group",
        "x=50",
        "--runtime",
        "50ms",
        "--output-format",
        "json",
    ]);
    let results: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&results["mode"], &results["seed"]), (&"sim".into(), &1.into()));
    assert!(results["bfq version"].is_string());
    let runs = results["runs"].as_array().unwrap();
    let names: Vec<_> = runs
        .iter()
        .map(|run| (run["device"]["profile"].as_str().unwrap(), run["scheduler"].as_str().unwrap()))
        .collect();
    let expected = [
        ("reference-ssd", "none"),
        ("reference-ssd", "mq-deadline"),
        ("reference-hdd", "none"),
        ("reference-hdd", "mq-deadline"),
    ];
    assert_eq!(names, expected);
    let run = &runs[1];
    assert_eq!(run["tunables"]["fifo_batch"], 3);
    assert_eq!(run["tunables"]["writes_starved"], 4);
    assert_eq!(run["device"]["depth"], 4);
    assert_eq!(run["queue"]["max_sectors_kb"], 512);
    for statistics in ["device_stats", "scheduler_stats", "queue_stats"] {
        assert!(run[statistics].is_object(), "{statistics}");
    }
    let groups = run["summary"]["groups"].as_array().unwrap();
    let weights: Vec<_> =
        groups.iter().map(|group| (group["path"].as_str().unwrap(), &group["weight"])).collect();
    let expected =
        [("/", &Value::Null), ("/x", &50.into()), ("/x/a", &300.into()), ("/x/b", &100.into())];
    assert_eq!(weights, expected);
    let read = &run["fio"]["jobs"][0]["read"];
    assert!(read["iops"].as_f64().unwrap() > 0.0);
    assert_eq!(read["runtime"], 50);
}

#[test]
fn tunables_of_all_sizes_are_numbers_in_the_results() {
    let desk = Desk::new();
    let greatest = u64::MAX;
    let scheduler = format!("kyber:read_lat_nsec={greatest}");
    let text = desk.done(&sim(&["--scheduler", &scheduler, "--output-format", "json"]));
    let results: Value = serde_json::from_str(&text).unwrap();
    let tunables = &results["runs"][0]["tunables"];
    assert_eq!(tunables["read_lat_nsec"], greatest);
    assert_eq!(tunables["write_lat_nsec"], 10_000_000);
}

/// All paths to values that are neither object nor array, objects' keys joined by `/`.
fn key_paths(value: &Value, path: &str, paths: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            map.iter().for_each(|(key, inner)| key_paths(inner, &format!("{path}/{key}"), paths));
        }
        Value::Array(items) => items.iter().for_each(|inner| key_paths(inner, path, paths)),
        _ => paths.push(path.to_owned()),
    }
}

#[test]
fn the_fio_part_has_the_keys_of_fio() {
    let desk = Desk::new();
    desk.write("sync.fio", "[global]\nsize=4m\n[a]\nrw=readwrite\nfsync=4\n");
    let text = desk.done(&[
        "sim",
        "sync.fio",
        "--device",
        "reference-ssd",
        "--scheduler",
        "none",
        "--output-format",
        "json",
    ]);
    let results: Value = serde_json::from_str(&text).unwrap();
    let mut paths = Vec::new();
    key_paths(&results["runs"][0]["fio"], "", &mut paths);
    for path in include_str!("../../../report/src/fio_keys.txt").lines() {
        assert!(paths.iter().any(|have| have == path), "{path} is missing");
    }
}

#[test]
fn an_output_that_cannot_be_written_is_refused_before_the_work() {
    let desk = Desk::new();
    let message = desk.refused(&sim(&["--output", "nowhere/result.json"]));
    assert!(
        message.contains("cannot write nowhere/result.json: there is no folder nowhere"),
        "{message}"
    );
}

#[test]
fn output_goes_to_a_file_whole_and_silently() {
    let desk = Desk::new();
    desk.write("result", "old");
    let output = desk.bfq(&sim(&["--scheduler", "none", "--output", "result"]));
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout.is_empty() && output.stderr.is_empty(), "{}", stderr(&output));
    let text = fs::read_to_string(desk.path("result")).unwrap();
    assert!(text.contains("MB/s  share, %") && text.ends_with('\n'));
    assert_eq!(desk.files(), ["good.fio", "result"]);
}

#[test]
fn options_without_effect_are_told_once_unless_quiet() {
    let desk = Desk::new();
    desk.write("cached.fio", "[a]\nrw=read\nsize=64k\n");
    let arguments = ["sim", "cached.fio", "--device", "reference-ssd", "--scheduler", "none"];
    let output = desk.bfq(&arguments);
    let notes = stderr(&output);
    assert!(notes.starts_with("bfq: cached.fio:1: ") && notes.contains("direct=1"), "{notes}");
    assert_eq!(notes.lines().count(), 1);
    let quiet = desk.bfq(&[&arguments[..], &["--quiet"]].concat());
    assert_eq!(stderr(&quiet), "");
}

#[test]
fn tables_show_schedulers_side_by_side_without_colour_in_a_pipe() {
    let desk = Desk::new();
    let text = desk.done(&sim(&["--scheduler", "none,mq-deadline"]));
    let head = text.lines().find(|line| line.starts_with("share of groups")).unwrap();
    assert!(head.find("none").unwrap() < head.find("mq-deadline").unwrap(), "{head}");
    assert!(text.contains("/x/a (weight 300)"));
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let wide = desk.done(&sim(&["--scheduler", "none,mq-deadline", "--wide"]));
    assert!(wide.contains("I/Os") && wide.contains("95 %"), "{wide}");
    assert!(!text.contains('\x1b'));
}

#[test]
fn logs_are_written_in_fios_format() {
    let desk = Desk::new();
    desk.write("log.fio", "[a]\nrw=read\nsize=64k\nbs=16k\nwrite_lat_log=l\nwrite_bw_log=b\n");
    desk.done(&["sim", "log.fio", "--device", "reference-flat", "--scheduler", "none"]);
    let logs = ["b_bw.1.log", "l_clat.1.log", "l_lat.1.log", "l_slat.1.log"];
    assert!(logs.iter().all(|log| desk.files().contains(&(*log).to_owned())), "{:?}", desk.files());
    let latencies = fs::read_to_string(desk.path("l_clat.1.log")).unwrap();
    // 16 KiB at 100 MB/s.
    assert_eq!(latencies.lines().next(), Some("0, 163840, 0, 16384, 0"));
    assert_eq!(latencies.lines().count(), 4);
}

#[test]
fn job_files_run_one_after_another() {
    let desk = Desk::new();
    let text = desk.done(&[
        "sim",
        "good.fio",
        "good.fio",
        "--device",
        "reference-ssd",
        "--scheduler",
        "none",
        "--output-format",
        "json",
    ]);
    let results: Value = serde_json::from_str(&text).unwrap();
    let jobs = results["runs"][0]["summary"]["jobs"].as_array().unwrap();
    let phases: Vec<_> = jobs.iter().map(|job| job["phase"].as_u64().unwrap()).collect();
    assert_eq!(phases, [0, 0, 1, 1]);
}

/// Whether the process has a handler for SIGINT.
fn catches_interrupts(pid: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    caught.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() & 0b10 != 0)
}

#[test]
fn an_interrupted_simulation_writes_what_it_has() {
    let desk = Desk::new();
    let arguments = sim(&[
        "--scheduler",
        "none",
        "--runtime",
        "100d",
        "--output-format",
        "json",
        "--output",
        "r",
    ]);
    let mut child = desk.command(&arguments).spawn().unwrap();
    while !catches_interrupts(child.id()) {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it could be interrupted");
        std::thread::yield_now();
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let results: Value =
        serde_json::from_str(&fs::read_to_string(desk.path("r")).unwrap()).unwrap();
    assert!(results["note"].as_str().unwrap().contains("interrupted"));
    assert!(results["runs"][0]["fio"]["jobs"][0]["read"]["total_ios"].as_u64().unwrap() > 0);
}
