// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq run` as users call it: what it does to targets, what it says, and what it leaves behind.

mod devices;
mod ending;
mod fair;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

const MIB: u64 = 1 << 20;

/// A folder of its own for a test, with job files.
struct Scratch(TempDir);

impl Scratch {
    fn new() -> Scratch {
        Scratch(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        fs::write(self.path(name), bytes).unwrap();
        self.path(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// `bfq run` with these arguments (separated by spaces) in this folder.
    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bfq"));
        command.arg("run").args(arguments.split_whitespace()).current_dir(self.0.path());
        command
    }

    fn run(&self, arguments: &str) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// A script with a file system of a kind that only it sees, mounted on `disk`; `None`, and a
    /// message, where mounting is not permitted.
    fn with_mount(&self, kind: &str, script: &str) -> Option<Output> {
        fs::create_dir(self.path("disk")).unwrap();
        let script = format!("mount -t {kind} none disk && touch mounted || exit 1; {script}");
        let output = Command::new("unshare")
            .args(["--user", "--map-root-user", "--mount", "sh", "-c", &script])
            .arg(env!("CARGO_BIN_EXE_bfq"))
            .current_dir(self.0.path())
            .output();
        match output {
            Ok(output) if self.path("mounted").exists() => return Some(output),
            Ok(output) => eprintln!("skipped: no mounts of one's own: {}", stderr(&output).trim()),
            Err(error) => eprintln!("skipped: no unshare: {error}"),
        }
        None
    }

    /// The JSON of a run that must end well.
    fn results(&self, arguments: &str) -> Value {
        let output = self.run(&format!("{arguments} --output-format json"));
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        json(&output)
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn json(output: &Output) -> Value {
    let text = std::str::from_utf8(&output.stdout).unwrap();
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text:?}"))
}

const READ: &str = "[reader]\nrw=randread\nbs=16k\nsize=4m\ndirect=1\niodepth=8\nioengine=libaio\n";
const WRITE: &str = "[writer]\nrw=write\nbs=64k\nsize=1m\ndirect=1\niodepth=4\nioengine=libaio\n";
/// Through the page cache, so that reads are counted in the process's own figures.
const BUFFERED: &str = "--buffered --engine threads";

#[test]
fn a_created_target_is_read_and_gone_afterwards() {
    for way in ["", "--engine threads", BUFFERED] {
        let place = Scratch::new();
        place.write("read.fio", READ);
        let results =
            place.results(&format!("read.fio --target t --size 4m --scheduler none {way}"));
        assert_eq!(results["mode"], "run");
        assert_eq!(results["seed"], 1);
        let run = &results["runs"][0];
        assert_eq!(run["scheduler"], "none");
        assert_eq!(run["device"]["path"], "t");
        assert_eq!(run["device"]["depth"], 32);
        assert_eq!(run["device"]["capacity_bytes"], 4 * MIB);
        let job = &run["fio"]["jobs"][0];
        assert_eq!(job["jobname"], "reader");
        assert_eq!(job["error"], 0);
        assert_eq!(job["read"]["io_bytes"], 4 * MIB, "{way}");
        assert_eq!(job["read"]["total_ios"], 256);
        assert_eq!(run["device_stats"]["read_bytes"], 4 * MIB);
        assert_eq!(run["device_stats"]["written_bytes"], 0);
        assert_eq!(run["device_stats"]["failures"], 0);
        if way == BUFFERED {
            assert_eq!(run["device_stats"]["direct"], 0);
        }
        assert_ne!(run["fio"]["timestamp"], 0);
        assert_eq!(place.names(), ["read.fio"], "{way}");
    }
}

#[test]
fn people_get_tables_and_notes_go_to_stderr() {
    let place = Scratch::new();
    place.write("read.fio", READ);
    let output = place.run("read.fio --target t --size 4m --scheduler none");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("reader") && text.contains("none"), "{text}");
    let quiet = place.run("read.fio --target t --size 4m --scheduler none --quiet");
    assert_eq!(stderr(&quiet), "");
}

#[test]
fn schedulers_run_one_after_the_other_on_the_same_target() {
    let place = Scratch::new();
    place.write("write.fio", WRITE);
    let results =
        place.results("write.fio --target t --size 1m --keep --scheduler none,mq-deadline,none");
    let runs = results["runs"].as_array().unwrap();
    let names: Vec<&Value> = runs.iter().map(|run| &run["scheduler"]).collect();
    assert_eq!(names, ["none", "mq-deadline", "none"]);
    for run in runs {
        assert_eq!(run["fio"]["jobs"][0]["write"]["io_bytes"], MIB);
        assert_eq!(run["device_stats"]["written_bytes"], MIB);
    }
    assert_eq!(place.names(), ["t", "write.fio"]);
    assert_eq!(fs::metadata(place.path("t")).unwrap().len(), MIB);
}

#[test]
fn an_existing_file_is_written_only_when_that_is_allowed() {
    for way in ["", "--engine threads", BUFFERED] {
        let place = Scratch::new();
        place.write("write.fio", WRITE);
        let before = vec![0xee; 2 * MIB as usize];
        let target = place.write("t", &before);

        let refused = place.run(&format!("write.fio --target t --scheduler none {way}"));
        assert_eq!(refused.status.code(), Some(2));
        assert!(stderr(&refused).contains("--allow-write"), "{}", stderr(&refused));
        assert!(refused.stdout.is_empty());
        assert!(fs::read(&target).unwrap() == before);

        place.results(&format!("write.fio --target t --scheduler none --allow-write {way}"));
        let after = fs::read(&target).unwrap();
        let written = MIB as usize;
        assert!(belongs(&after[..written]), "the job's region was written");
        assert!(after[written..] == before[written..], "and nothing else");
    }
}

/// Every byte is what is written at its place.
fn belongs(bytes: &[u8]) -> bool {
    bytes.iter().zip(0..).all(|(&byte, at)| byte == disk_io::pattern_at(at))
}

#[test]
fn every_scheduler_does_all_of_the_io_and_puts_it_where_it_belongs() {
    let place = Scratch::new();
    place.write(
        "mixed.fio",
        "[global]\nioengine=libaio\ndirect=1\niodepth=8\nsize=2m\n\
         [writer]\nrw=randwrite\nbs=16k\nnumjobs=2\nfsync=16\ncgroup=w\n\
         [log]\nrw=write\nbs=4k\nioengine=sync\nfdatasync=1\nsize=64k\n\
         [reader]\nrw=randread\nbs=4k\nnumjobs=2\ncgroup=r\n",
    );
    let written = (2 * 2 * MIB + (64 << 10)) as usize;
    let before = vec![0xee; 9 * MIB as usize];
    let strict = "bfq:low_latency=0,strict_guarantees=1";
    for scheduler in ["none", "mq-deadline", "kyber", "bfq", strict] {
        for way in ["--depth 32", "--depth 1", "--engine threads", BUFFERED] {
            let target = place.write("t", &before);
            let results = place.results(&format!(
                "mixed.fio --target t --scheduler {scheduler} --allow-write {way}"
            ));
            let run = &results["runs"][0];
            let jobs = run["fio"]["jobs"].as_array().unwrap();
            let ios: Vec<_> = jobs
                .iter()
                .map(|job| (&job["write"]["io_bytes"], &job["read"]["io_bytes"], &job["error"]))
                .map(|(written, read, error)| {
                    (written.as_u64().unwrap(), read.as_u64().unwrap(), error.as_i64().unwrap())
                })
                .collect();
            let (writer, reader) = ((2 * MIB, 0, 0), (0, 2 * MIB, 0));
            let log = (64 << 10, 0, 0);
            assert_eq!(ios, [writer, writer, log, reader, reader], "{scheduler} {way}");
            assert_ne!(run["device_stats"]["flushes"], 0);
            let after = fs::read(&target).unwrap();
            assert!(belongs(&after[..written]), "{scheduler} {way}");
            assert!(after[written..] == before[written..], "{scheduler} {way}");
        }
    }
}

#[test]
fn reading_needs_no_permission_and_changes_nothing() {
    let place = Scratch::new();
    place.write("read.fio", READ);
    let target = place.write("t", vec![0xee; 4 * MIB as usize]);
    place.results("read.fio --target t --scheduler mq-deadline");
    assert!(fs::read(&target).unwrap().iter().all(|&byte| byte == 0xee));
}

#[test]
fn mistakes_are_told_before_anything_is_done() {
    let place = Scratch::new();
    place.write("read.fio", READ);
    place.write("odd.fio", "[odd]\nrw=read\nbs=1000\nsize=100k\n");
    place.write("offset.fio", "[late]\nrw=read\nbs=4k\noffset=100\nsize=64k\n");
    place.write("small", vec![0; 64 << 10]);
    fs::create_dir(place.path("folder")).unwrap();
    let names = place.names();
    let table = [
        ("read.fio --target folder", "folder is a directory"),
        ("read.fio --target missing", "missing does not exist; --size SIZE creates it"),
        ("read.fio --target no/such/t --size 4m", "there is no such folder"),
        ("read.fio --target /dev/null", "/dev/null is a character device"),
        ("read.fio --target small", "read.fio:1: "),
        ("read.fio --target t --size 1m", "read.fio:1: "),
        ("read.fio --target small --size 4m", "less than the"),
        ("read.fio --target t --size 0", "a target of 0 bytes is too small"),
        ("read.fio --target t --size 4x", "expected a size such as 4096, 64m or 10g"),
        ("read.fio --target t --size 4m --scheduler nope", "nope"),
        ("read.fio --target t --size 4m --depth 0", "--depth"),
        ("read.fio --target t --size 4m --limit-bytes-per-s 0", "more than 0"),
        ("read.fio --target t --size 4m --group a=7", "a"),
        ("read.fio --target t --size 4m --queue nr_requests=0", "nr_requests=0"),
        ("read.fio --target t --size 4m --set nonsense=1", "nonsense"),
        ("absent.fio --target t --size 4m", "absent.fio"),
        ("odd.fio --target small", "a multiple of 512 bytes"),
        ("offset.fio --target small", "offset"),
    ];
    for (arguments, message) in table {
        let output = place.run(&format!("{arguments} --output out.json"));
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {said}");
        assert!(said.contains(message), "{arguments}: {said}");
        assert!(!said.contains("panicked"), "{said}");
        assert!(output.stdout.is_empty());
        assert_eq!(place.names(), names, "{arguments}");
    }
}

#[test]
fn the_limit_on_file_sizes_is_an_error_and_no_crash() {
    let place = Scratch::new();
    place.write("write.fio", WRITE.replace("size=1m", "size=16m"));
    let limited = |arguments: &str| {
        // 512 or 1024 bytes to the block, depending on the shell.
        let script = format!("ulimit -f 4096 && exec \"$0\" run {arguments}");
        Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_bfq")])
            .current_dir(place.0.path())
            .output()
            .unwrap()
    };
    let output = limited("write.fio --target t --size 16m --scheduler none");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("there is no room for 16777216 bytes"), "{}", stderr(&output));
    assert_eq!(place.names(), ["write.fio"]);

    fs::File::create(place.path("t")).unwrap().set_len(16 * MIB).unwrap();
    let output =
        limited("write.fio --target t --allow-write --scheduler none --output-format json --quiet");
    failed_once(&output, "larger than the limit on file sizes");

    let untold = limited("write.fio --target t --allow-write --scheduler none >/dev/full");
    let said = stderr(&untold);
    assert_eq!(untold.status.code(), Some(1), "{said}");
    for why in ["larger than the limit on file sizes", "stdout: No space left on device"] {
        assert_eq!(said.matches(why).count(), 1, "{said}");
    }
}

/// A run that failed with this message, once, and still printed what it had.
fn failed_once(output: &Output, message: &str) {
    let said = stderr(output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(said.matches(message).count(), 1, "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    let run = &json(output)["runs"][0];
    assert_ne!(run["fio"]["jobs"][0]["error"], 0);
    assert_ne!(run["device_stats"]["written_bytes"], 0);
    assert_ne!(run["device_stats"]["failures"], 0);
}

#[test]
fn a_disk_that_fills_up_during_the_run_is_told_once() {
    let place = Scratch::new();
    place.write("write.fio", WRITE.replace("size=1m", "size=16m"));
    // A file of 16 MiB with no data yet, on a file system of 4 MiB.
    let script = "truncate -s 16m disk/t; \
                  \"$0\" run write.fio --target disk/new --size 16m --scheduler none >created 2>&1; \
                  echo $? >created.code; ls disk >left; \
                  exec \"$0\" run write.fio --target disk/t --allow-write --scheduler none --quiet \
                  --output-format json";
    let Some(output) = place.with_mount("tmpfs -o size=4m", script) else { return };
    let created = fs::read_to_string(place.path("created")).unwrap();
    assert!(created.contains("there is no room for 16777216 bytes"), "{created}");
    assert_eq!(fs::read_to_string(place.path("created.code")).unwrap().trim(), "1");
    assert_eq!(fs::read_to_string(place.path("left")).unwrap(), "t\n", "nothing half-made");
    failed_once(&output, "no space left on the file system");
}

#[test]
fn where_direct_io_is_refused_the_page_cache_is_used_and_it_is_said() {
    let place = Scratch::new();
    place.write("read.fio", READ);
    let script = "exec \"$0\" run read.fio --target disk/t --size 4m --output-format json";
    let Some(output) = place.with_mount("ramfs", script) else { return };
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let run = &json(&output)["runs"][0];
    if run["device_stats"]["direct"] == 1 {
        eprintln!("skipped: even ramfs has O_DIRECT here");
        return;
    }
    assert_eq!(run["device_stats"]["io_uring"], 0);
    assert_eq!(run["fio"]["jobs"][0]["read"]["io_bytes"], 4 * MIB);
    for told in [&said, json(&output)["note"].as_str().unwrap()] {
        assert!(told.contains("O_DIRECT is refused on disk/t"), "{told}");
        assert!(told.contains("preadv and pwritev in a pool of threads"), "{told}");
    }
}

#[test]
fn a_rate_limits_the_target() {
    let place = Scratch::new();
    place.write("read.fio", READ);
    let results = place.results(
        "read.fio --target t --size 4m --scheduler none --limit-bytes-per-s 32m --depth 2",
    );
    let run = &results["runs"][0];
    assert_eq!(run["device_stats"]["limit_bytes_per_s"], 32 * MIB);
    assert_eq!(run["device_stats"]["in_flight_max"], 2);
    // 4 MiB at 32 MiB/s are 125 ms. More slowly is possible on a busy machine, faster is not.
    assert!(run["fio"]["jobs"][0]["read"]["runtime"].as_u64().unwrap() >= 124);
}

#[test]
fn on_a_target_held_to_a_rate_bfq_honours_weights() {
    let place = Scratch::new();
    let group = |name: &str, weight: u32| {
        format!("[{name}]\ncgroup={name}\ncgroup_weight={weight}\nsize=8m\n")
    };
    let backlogged = "[global]\nioengine=libaio\ndirect=1\nrw=randread\nbs=128k\niodepth=16\n\
                      time_based\nruntime=2\n";
    place.write("groups.fio", format!("{backlogged}{}{}", group("a", 100), group("b", 300)));
    let results = place.results(
        "groups.fio --target t --size 16m --scheduler bfq:low_latency=0,none \
         --limit-bytes-per-s 64m",
    );
    let share = |run: usize| {
        let groups = results["runs"][run]["summary"]["groups"].as_array().unwrap();
        let a = groups.iter().find(|group| group["path"] == "/a").unwrap();
        a["share"].as_f64().unwrap()
    };
    // A quarter, give or take the last turn of either group: a turn is 8 MiB of some 128.
    assert!((0.19..0.33).contains(&share(0)), "under bfq: {}", share(0));
    // With nothing between them, each gets what its 16 places of the queue are worth.
    assert!((0.45..0.55).contains(&share(1)), "without a scheduler: {}", share(1));
}

#[test]
fn logs_of_several_runs_do_not_overwrite_each_other() {
    let place = Scratch::new();
    place.write("read.fio", format!("{READ}write_lat_log=lat\n"));
    place.results("read.fio --target t --size 4m --scheduler none,mq-deadline");
    let logs: Vec<String> =
        place.names().into_iter().filter(|name| name.ends_with(".log")).collect();
    assert!(logs.iter().any(|name| name.contains("none.1")), "{logs:?}");
    assert!(logs.iter().any(|name| name.contains("mq-deadline.2")), "{logs:?}");
}
