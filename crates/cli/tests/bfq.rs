// SPDX-License-Identifier: MIT OR Apache-2.0
//! The binary as users meet it: exit codes, messages, files.

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
    let profile = include_str!("../../device/profiles/reference-hdd.toml");
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
    for path in include_str!("../../report/src/fio_keys.txt").lines() {
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
    assert!(
        text.contains("none and mq-deadline: exactly the same") || {
            head.find("none").unwrap() < head.find("mq-deadline").unwrap()
        }
    );
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

#[test]
fn lists() {
    let desk = Desk::new();
    for (arguments, parts) in [
        (&["list", "schedulers"][..], &["none", "mq-deadline", "kyber"][..]),
        (&["list", "tunables"], &["fifo_batch", "16"]),
        (&["list", "tunables", "mq-deadline"], &["writes_starved"]),
        (&["list", "tunables", "kyber"], &["read_lat_nsec", "10000000"]),
        (&["list", "tunables", "none"], &["no tunables"]),
        (&["list", "devices"], &["reference-hdd", "ssd-nvme", "rotational"]),
        (&["list", "devices", "reference-hdd:depth=5"], &["5", "seek", "8 ms", "by definition"]),
        (&["list", "job-options"], &["thinktime_spin", "time (us)", "log_hist_msec"]),
        (&["list", "scenarios", "."], &["./good.fio", "Two readers in two groups."]),
    ] {
        let text = desk.done(arguments);
        assert!(parts.iter().all(|part| text.contains(part)), "{arguments:?}: {text}");
    }
    assert!(desk.refused(&["list", "scenarios", "nowhere"]).contains("nowhere"));
    assert!(desk.refused(&["list", "tunables", "nobody"]).contains("nobody"));
}

#[test]
fn recordings_are_compared_with_simulations() {
    let desk = Desk::new();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fidelity/data/results");
    let text = desk.done(&[
        "fidelity",
        "--results",
        data.join("kernel-results.csv").to_str().unwrap(),
        "--scenarios",
        data.join("scenarios").to_str().unwrap(),
        "--scenario",
        "seq1",
        "--scheduler",
        "none",
    ]);
    assert!(text.contains("## seq1") && text.contains("| hdd | 32 | none | seq |"), "{text}");
    desk.write("broken.csv", "scenario,disk\na,b\n");
    let arguments = ["fidelity", "--results", "broken.csv", "--scenarios", "."];
    assert!(desk.refused(&arguments).contains("depth"));
}

#[test]
fn results_say_what_was_run_and_what_drawings_need() {
    let desk = Desk::new();
    desk.write("told.fio", "; A tale. More.\n;\n; Shows: nothing.\n[a]\nrw=read\nsize=1m\n");
    let run = |timeline: &str| {
        let text = desk.done(&[
            "sim",
            "told.fio",
            "--device=reference-hdd",
            "--scheduler=bfq:slice_idle=0",
            "--output-format=json",
            "--timeline",
            timeline,
        ]);
        let results: Value = serde_json::from_str(&text).unwrap();
        results["runs"][0].clone()
    };
    let told = run("400");
    assert_eq!(told["variant"], "bfq:slice_idle=0");
    assert_eq!(told["scenario"]["title"], "A tale.");
    assert_eq!(told["scenario"]["notes"]["Shows"], "nothing.");
    let command = "bfq sim told.fio --device=reference-hdd --scheduler=bfq:slice_idle=0";
    assert_eq!(told["scenario"]["command"], command);
    let sum = |values: &Value| -> u64 {
        values.as_array().unwrap().iter().map(|value| value.as_u64().unwrap()).sum()
    };
    assert_eq!(sum(&told["plots"]["throughput"]["job_bytes"][0]), 1 << 20);
    let turns = told["plots"]["timeline"]["turns"].as_array().unwrap();
    assert!(!turns.is_empty());
    assert!(run("0")["plots"]["timeline"].is_null());
    desk.write("odd.fio", "; A tale.\n; Measure: share of b\n[a]\nrw=read\nsize=1m\n");
    let message = desk.refused(&["sim", "odd.fio"]);
    assert_eq!(message, "bfq: odd.fio: Measure: `share of b`: no such job; there are: a\n");
    assert!(run("0")["plots"]["latencies"][0]["bins"].is_array());
}

#[test]
fn reports_take_the_form_that_their_name_says() {
    let desk = Desk::new();
    desk.done(&sim(&["--scheduler", "none", "--output-format", "json", "--output", "r.json"]));
    for (name, beginning) in [
        ("report.html", "<!DOCTYPE html>"),
        ("report.md", "# I/O schedulers compared"),
        ("report.csv", "scenario,device,"),
        ("report.json", "{\n  \"bfq version\""),
        ("report.txt", "  "),
        ("report.HTML", "<!DOCTYPE html>"),
    ] {
        desk.done(&["report", "r.json", "-o", name]);
        let text = fs::read_to_string(desk.path(name)).unwrap();
        assert!(text.starts_with(beginning), "{name}: {}", &text[..60]);
    }
    for name in ["report.pdf", "report"] {
        let message = desk.refused(&["report", "r.json", "-o", name]);
        assert!(message.contains("expected .txt, .html, .md, .csv or .json, or --format"));
        desk.done(&["report", "r.json", "-o", name, "--format", "text"]);
        fs::remove_file(desk.path(name)).unwrap();
    }
    assert!(desk.done(&["report", "r.json", "-o", "/dev/stdout"]).contains("MB/s"));
    assert!(desk.done(&["report", "r.json", "--format", "csv"]).starts_with("scenario,"));
    assert!(desk.done(&["report", "r.json"]).contains("\n  none"));
    let twice = || desk.done(&["report", "r.json", "report.json", "--format", "html"]);
    assert_eq!(twice(), twice());
}

#[test]
fn reports_of_something_else_are_refused() {
    let desk = Desk::new();
    desk.write("fio.json", r#"{"fio version": "fio-3.33", "jobs": []}"#);
    desk.write("text.json", "not JSON");
    for (name, problem) in [
        ("fio.json", "fio.json: missing field `bfq version`"),
        ("text.json", "text.json: expected ident at line 1"),
        ("none.json", "none.json: No such file"),
    ] {
        let message = desk.refused(&["report", name, "-o", "report.html"]);
        assert!(message.contains(problem), "{message}");
    }
    let message = desk.refused(&["report", "fio.json"]);
    assert!(message.contains("expected a result that bfq sim or bfq run wrote"), "{message}");
}

#[test]
fn every_form_of_a_result_has_the_same_throughput() {
    let desk = Desk::new();
    // One job ends long before the other, and has a ramp: rates of jobs do not add up.
    desk.write(
        "uneven.fio",
        "# Uneven jobs.\n[global]\ndirect=1\nrw=randread\nbs=4k\nsize=1g\ntime_based\n\
         [long]\nruntime=300ms\nramp_time=50ms\niodepth=8\nioengine=libaio\n\
         [short]\nruntime=100ms\niodepth=4\nioengine=libaio\n",
    );
    let run = ["sim", "uneven.fio", "--device", "reference-ssd", "--scheduler", "none"];
    let with = |more: &[&'static str]| desk.done(&[&run[..], more].concat());
    let json: Value =
        serde_json::from_str(&with(&["--output-format", "json", "-o", "/dev/stdout"])).unwrap();
    with(&["--output-format", "json", "-o", "r.json"]);
    let summary = &json["runs"][0]["summary"];
    let number = |value: &Value| value.as_u64().unwrap();
    let total = number(&summary["total"]["bw_bytes"]);
    let moved: u64 =
        summary["jobs"].as_array().unwrap().iter().map(|job| number(&job["io_bytes"])).sum();
    assert_eq!(moved, number(&summary["total"]["io_bytes"]));
    let rates: u64 =
        summary["jobs"].as_array().unwrap().iter().map(|job| number(&job["bw_bytes"])).sum();
    assert!(total < rates, "{total}, {rates}");

    let shown = format!("{:.1}", total as f64 / 1e6);
    assert!((10.0..1000.0).contains(&shown.parse::<f64>().unwrap()), "{shown} has four digits");
    let table = with(&[]);
    let all = table.lines().find(|line| line.trim_start().starts_with("all ")).unwrap();
    assert!(all.contains(&format!(" {shown} ")), "{shown}: {all}");
    let glance = desk.done(&["report", "r.json"]);
    let row = glance.lines().find(|line| line.contains("none")).unwrap();
    assert!(row.contains(&format!(" {shown}")), "{shown}: {row}");
    let page = desk.done(&["report", "r.json", "--format", "html"]);
    assert!(page.contains(&format!(">{shown}<")), "{shown} is not on the page");
    let markdown = desk.done(&["report", "r.json", "--format", "md"]);
    assert!(markdown.contains(&format!("{shown} MB/s")), "{shown}: {markdown}");
}
