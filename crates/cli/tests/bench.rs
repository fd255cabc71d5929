// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq bench` as users call it: what it measures, what it says, and what it leaves behind.

use rustix::process::{Pid, Signal, geteuid, kill_process};
use serde_json::Value;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The user nobody, with a folder that this user may write to.
const NOBODY: &str = "65534";

/// One bench at a time on the disk that all temporary folders are on.
static TURN: Mutex<()> = Mutex::new(());

/// A folder of its own for a test, and the turn.
struct Scratch(TempDir, #[expect(dead_code, reason = "it is held")] MutexGuard<'static, ()>);

impl Scratch {
    fn new() -> Scratch {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let place = Scratch(tempfile::tempdir().unwrap(), turn);
        fs::set_permissions(place.0.path(), Permissions::from_mode(0o777)).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// `bfq bench` with these arguments (separated by spaces) in this folder.
    fn command(&self, arguments: &str) -> Command {
        self.as_who(Command::new(env!("CARGO_BIN_EXE_bfq")), arguments)
    }

    /// The same by a user other than root.
    fn unprivileged(&self, arguments: &str) -> Command {
        if !geteuid().is_root() {
            return self.command(arguments);
        }
        let mut command = Command::new("setpriv");
        command.args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]);
        command.arg(env!("CARGO_BIN_EXE_bfq"));
        self.as_who(command, arguments)
    }

    fn as_who(&self, mut command: Command, arguments: &str) -> Command {
        command.arg("bench").args(arguments.split_whitespace()).current_dir(self.0.path());
        command
    }

    /// The lines of a file of results: the opening and the measurements.
    fn results(&self, name: &str) -> (Value, Vec<Value>) {
        let text = fs::read_to_string(self.path(name)).unwrap();
        let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let opening = lines.next().unwrap()["opening"].take();
        (opening, lines.map(|mut line| line["measurement"].take()).collect())
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The output of a run. Another bench on the disk is waited for.
fn output(mut command: Command) -> Output {
    let deadline = Instant::now() + Duration::from_secs(180);
    loop {
        let output = command.output().unwrap();
        let is_taken = stderr(&output).contains("another bench is at work");
        if !is_taken || Instant::now() > deadline {
            return output;
        }
        std::thread::sleep(Duration::from_millis(500));
    }
}

/// The output of a run that must end well; none, and a message, where the temporary folder is
/// on no disk.
fn done(command: Command) -> Option<Output> {
    let output = output(command);
    let said = stderr(&output);
    if said.contains("no disk that could be found") {
        eprintln!("skipped: {said}");
        return None;
    }
    assert_eq!(output.status.code(), Some(0), "{said}");
    Some(output)
}

#[test]
fn without_root_the_scheduler_in_force_is_measured_on_a_scratch_file() {
    let place = Scratch::new();
    let run = ". --size 64m --time 1s --output out \
               --scenarios single,start-writers,start-copies,priorities,commits";
    let Some(output) = done(place.unprivileged(run)) else { return };
    assert!(stderr(&output).contains("Only root can switch schedulers"), "{}", stderr(&output));
    let (opening, measured) = place.results("out");
    assert_eq!(opening["candidates"], serde_json::json!([opening["current"]]));
    assert_eq!(measured.len(), 5 * opening["rounds"].as_u64().unwrap() as usize);
    for (scenario, metrics) in [
        ("single", vec!["cpu_per_io", "iops", "latency_median", "latency_tail"]),
        ("start-writers", vec!["start_up"]),
        ("start-copies", vec!["start_up", "throughput"]),
        ("priorities", vec!["share_error"]),
        ("commits", vec!["iops", "sync_tail"]),
    ] {
        for cell in measured.iter().filter(|cell| cell["scenario"] == scenario) {
            let values = cell["values"].as_object().unwrap();
            assert_eq!(values.keys().collect::<Vec<_>>(), metrics, "{scenario}");
            assert!(values.values().all(|value| value.as_f64().unwrap() >= 0.0), "{cell}");
        }
    }
    assert_eq!(place.names(), ["out"], "the scratch file is gone");
}

#[test]
fn a_run_that_was_interrupted_goes_on_where_it_was() {
    let place = Scratch::new();
    let run = ". --size 64m --scenarios single,random --time 1s --output out --quiet";
    let mut command = place.unprivileged(run);
    // Why it ends is told even if its verdict cannot be.
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let mut child = command.stdout(full).stderr(Stdio::piped()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(120);
    let measured = || fs::read_to_string(place.path("out")).unwrap_or_default().lines().count() > 2;
    while !measured() {
        if child.try_wait().unwrap().is_some() {
            eprintln!("skipped: the temporary folder is on no disk, or on one that is taken");
            return;
        }
        assert!(Instant::now() < deadline, "nothing is measured");
        std::thread::sleep(Duration::from_millis(20));
    }
    // It stands still while it is looked at, so that it goes no further until it is interrupted.
    let send = |signal| kill_process(Pid::from_child(&child), signal).unwrap();
    send(Signal::STOP);
    let (opening, measured) = place.results("out");
    let cells = 2 * opening["rounds"].as_u64().unwrap() as usize;
    assert!(measured.len() < cells, "{} of {cells}", measured.len());
    send(Signal::INT);
    send(Signal::CONT);
    let output = child.wait_with_output().unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("interrupted; go on: bfq bench --resume out"), "{said}");
    assert!(said.contains("stdout: No space left on device"), "{said}");
    let (_, before) = place.results("out");

    done(place.unprivileged("--resume out --quiet")).unwrap();
    let (resumed, after) = place.results("out");
    assert_eq!(resumed, opening);
    assert_eq!((&after[..before.len()], after.len()), (&before[..], cells));
    assert_eq!(place.names(), ["out"]);
}

#[test]
fn journals_that_may_not_be_read_are_not_taken_for_none() {
    let place = Scratch::new();
    fs::create_dir(place.path("closed")).unwrap();
    fs::set_permissions(place.path("closed"), Permissions::from_mode(0o000)).unwrap();
    let output = place.unprivileged("--restore --journals closed").output().unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("closed: permission denied; what root has changed"), "{said}");
}

#[test]
fn the_schedulers_of_a_loop_device_take_turns_and_it_is_left_as_it_was() {
    let place = Scratch::new();
    let backing = place.path("disk");
    fs::write(&backing, vec![7_u8; 80 << 20]).unwrap();
    let Some(device) = LoopDevice::attach(&backing) else { return };
    let before = device.scheduler();
    let check = format!("{} --check --schedulers nope", device.0.display());
    let checked = place.command(&check).output().unwrap();
    assert_eq!(checked.status.code(), Some(2), "{}", stderr(&checked));
    assert!(stderr(&checked).contains("nope"), "{}", stderr(&checked));
    let run = format!(
        "{} --allow-write --schedulers none,mq-deadline:fifo_batch=8 --time 1s --output out \
         --scenarios sequential,groups,commits",
        device.0.display()
    );
    done(place.command(&run)).unwrap();
    assert_eq!(device.scheduler(), before);
    let (opening, measured) = place.results("out");
    assert_eq!(opening["candidates"], serde_json::json!(["none", "mq-deadline:fifo_batch=8"]));
    let scenarios = opening["scenarios"].as_array().unwrap().len();
    assert_eq!(measured.len(), 2 * scenarios * opening["rounds"].as_u64().unwrap() as usize);

    // A command starts with nothing of it in memory.
    let mut command = place.command(&format!(
        "{} --schedulers none --time 1s --quiet --output cold --scenarios command-readers \
            --command",
        device.0.display()
    ));
    command.arg("cat /etc/hostname");
    done(command).unwrap();
    let (_, measured) = place.results("cold");
    assert!(measured.iter().all(|cell| cell["values"]["start_up"].as_f64().unwrap() > 0.0));
    let mut failing = place.command(&format!(
        "{} --schedulers none --quiet --scenarios command-idle --command",
        device.0.display()
    ));
    let output = failing.arg("exit 3").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("the command `exit 3` failed: exit status: 3"));
    assert_eq!(device.scheduler(), before);
}

/// What a scenario reads through the page cache comes from the disk, over and over: the cache
/// forgets it before it is read again.
#[test]
fn what_is_read_through_the_page_cache_comes_from_the_disk() {
    let place = Scratch::new();
    let Some((_memory, device)) = LoopDevice::in_memory() else { return };
    let name = device.0.file_name().unwrap().to_str().unwrap();
    let read_bytes = || {
        let stat = fs::read_to_string(format!("/sys/block/{name}/stat")).unwrap();
        let sectors: u64 = stat.split_whitespace().nth(2).unwrap().parse().unwrap();
        512.0 * sectors as f64
    };
    let before = read_bytes();
    let path = device.0.display();
    let run = format!("{path} --schedulers none --time 1s --scenarios buffered --output out");
    done(place.command(&run)).unwrap();
    let (_, measured) = place.results("out");
    let mb_per_s: f64 =
        measured.iter().map(|cell| cell["values"]["throughput"].as_f64().unwrap()).sum();
    // Each cell is of 0.3 s at the level quick.
    let asked_bytes = mb_per_s * 1e6 * 0.3;
    let moved_bytes = read_bytes() - before;
    assert!(moved_bytes > 0.5 * asked_bytes, "{moved_bytes} of {asked_bytes}");
}

#[test]
fn load_of_others_during_a_run_is_in_the_results_and_the_verdict() {
    let place = Scratch::new();
    let Some((_memory, device)) = LoopDevice::in_memory() else { return };
    let path = device.0.display();
    let others = |name: &str| -> Vec<u64> {
        let run = format!("{path} --schedulers none --time 1s --scenarios single --output {name}");
        done(place.command(&run)).unwrap();
        let of = |cell: &Value| cell["others"]["io_percent"].as_u64().unwrap_or(0);
        let percents: Vec<u64> = place.results(name).1.iter().map(of).collect();
        assert!(percents.len() >= 3, "{percents:?}");
        percents
    };
    assert!(others("alone").iter().all(|percent| *percent == 0));
    let read = format!("exec dd if={path} of=/dev/null bs=64k iflag=direct");
    let reads = format!("while ({read}) 2>/dev/null; do :; done");
    let mut reader = Command::new("sh").args(["-c", &reads]).spawn().unwrap();
    let beside = others("beside");
    reader.kill().unwrap();
    reader.wait().unwrap();
    assert!(beside.iter().all(|percent| *percent > 5), "{beside:?}");
    let told = output(place.command("--import beside"));
    let told = String::from_utf8(told.stdout).unwrap();
    assert!(told.contains(&format!("Others were at work in {} rounds", beside.len())), "{told}");
}

#[test]
fn a_disk_is_fitted_and_the_simulator_plays_it() {
    let place = Scratch::new();
    let Some((_memory, device)) = LoopDevice::in_memory() else { return };
    let before = device.scheduler();
    let fit = format!("{} --allow-write --fit my-disk.toml --time 3s", device.0.display());
    let Some(output) = done(place.command(&fit)) else { return };
    assert_eq!(device.scheduler(), before);
    let told = String::from_utf8(output.stdout).unwrap();
    for part in
        ["random_read_depth_128", "writing in a row:", "play it: bfq sim JOB --device my-disk"]
    {
        assert!(told.contains(part), "{part}: {told}");
    }
    let profile = fs::read_to_string(place.path("my-disk.toml")).unwrap();
    assert!(profile.contains("capacity = { value = 80, unit = \"MiB\""), "{profile}");

    let job = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../jobs/interleaved-readers.fio");
    let mut play = Command::new(env!("CARGO_BIN_EXE_bfq"));
    play.arg("sim")
        .arg(job)
        .args(["--device", "my-disk.toml", "--runtime", "200ms"])
        .current_dir(place.0.path());
    let played = play.output().unwrap();
    assert_eq!(played.status.code(), Some(0), "{}", stderr(&played));
    assert!(String::from_utf8_lossy(&played.stdout).contains("my-disk"));
}

#[test]
fn bad_input_is_refused_with_a_clear_word() {
    let place = Scratch::new();
    fs::write(place.path("there"), "text\n").unwrap();
    for (arguments, told) in [
        ("", "required arguments were not provided"),
        ("missing", "missing: No such file"),
        (
            "/dev/null",
            "/dev/null is a character device; expected a folder, a file or a block device",
        ),
        (". --schedulers cfq", "does not offer cfq for this disk; "),
        (". --schedulers none:x", "expected `name` or `name:tunable=value,…`"),
        (". --scenarios single,nope", "`nope` is no scenario; there are: start-idle,"),
        (". --scenarios command-idle", "--scenarios command-idle: expected --command with it"),
        (". --size 1m", "--size: 1048576 bytes; expected at least 64m"),
        (". --size 0 --check", "--size: 0 bytes; expected at least 64m"),
        (". --time 0", "expected a time such as"),
        (". --level hasty", "possible values: quick, normal, thorough"),
        (". --for gaming", "`gaming` is neither"),
        (". --output there", "there exists; expected a new file, or --resume there"),
        ("there", "a target of 5 bytes is too small"),
        ("--resume missing", "missing: No such file"),
        ("--resume there", "there:1: expected the opening of a file of results"),
        (". --resume there", "cannot be used with"),
    ] {
        let output = output(place.command(&format!("{arguments} --quiet")));
        let said = stderr(&output);
        if said.contains("no disk that could be found") {
            eprintln!("skipped: {said}");
            continue;
        }
        assert!(said.contains(told), "{arguments}: {said}");
        assert_eq!(output.status.code(), Some(2), "{arguments}: {said}");
        assert_eq!(place.names(), ["there"], "{arguments}");
    }
}

/// A block device made of a file; only root can have one.
struct LoopDevice(PathBuf);

impl LoopDevice {
    fn attach(backing: &Path) -> Option<LoopDevice> {
        match Command::new("losetup").args(["--find", "--show"]).arg(backing).output() {
            Ok(output) if output.status.success() => {
                let path = String::from_utf8(output.stdout).unwrap();
                Some(LoopDevice(PathBuf::from(path.trim())))
            }
            other => {
                eprintln!("skipped: no loop device: {other:?}");
                None
            }
        }
    }

    /// One over 80 MiB of memory, where no other has I/O, with the folder that these are in.
    fn in_memory() -> Option<(TempDir, LoopDevice)> {
        let Ok(memory) = tempfile::tempdir_in("/dev/shm") else {
            eprintln!("skipped: no /dev/shm");
            return None;
        };
        let backing = memory.path().join("disk");
        fs::write(&backing, vec![7_u8; 80 << 20]).unwrap();
        let device = LoopDevice::attach(&backing)?;
        Some((memory, device))
    }

    /// The scheduler in force, and those that are offered.
    fn scheduler(&self) -> String {
        let name = self.0.file_name().unwrap().to_str().unwrap();
        fs::read_to_string(format!("/sys/block/{name}/queue/scheduler")).unwrap()
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("--detach").arg(&self.0).status();
    }
}
