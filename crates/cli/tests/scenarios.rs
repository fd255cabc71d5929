// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is built in is there wherever the command runs, and whatever lies in the folder there.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A folder for the command to run in, whose parent is its own, too.
struct Elsewhere(tempfile::TempDir);

impl Elsewhere {
    fn new() -> Self {
        let elsewhere = Self(tempfile::tempdir().unwrap());
        fs::create_dir(elsewhere.0.path().join("here")).unwrap();
        elsewhere
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.path().join("here").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn bfq(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bfq"));
        command.args(arguments).current_dir(self.0.path().join("here")).output().unwrap()
    }

    fn done(&self, arguments: &[&str]) -> String {
        let output = self.bfq(arguments);
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {complaint}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Simulates and gives what came out, without where it came from.
    fn simulated(&self, job_file: &str) -> Value {
        let arguments =
            ["sim", job_file, "--scheduler", "bfq", "--quiet", "--output-format", "json"];
        let mut results: Value = serde_json::from_str(&self.done(&arguments)).unwrap();
        results["runs"][0]["scenario"].take();
        results
    }

    fn refused(&self, arguments: &[&str]) -> String {
        let output = self.bfq(arguments);
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {complaint}");
        complaint.trim_end().to_owned()
    }
}

/// A file of `jobs/` on disk.
fn in_repository(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../jobs").join(name).display().to_string()
}

#[test]
fn all_scenarios_and_recordings_are_listed_by_names_that_can_be_run() {
    let elsewhere = Elsewhere::new();
    let list = elsewhere.done(&["list", "scenarios"]);
    let on_disk = elsewhere.done(&["list", "scenarios", &in_repository("")]);
    let titles = |text: &str| -> Vec<String> {
        let title = |line: &str| line.split_once("  ").unwrap().1.trim().to_owned();
        let mut titles: Vec<_> = text.lines().map(title).collect();
        titles.retain(|title| !title.starts_with("A recording"));
        titles.sort();
        titles
    };
    assert_eq!(titles(&list), titles(&on_disk));
    for name in ["@shared-disk ", "@2008-page/streams ", "@start-ups/chromium.blkparse.gz "] {
        assert!(list.lines().any(|line| line.starts_with(name)), "{name} in {list}");
    }
}

#[test]
fn a_folder_lists_its_own_and_a_scenario_shows_its_text() {
    let elsewhere = Elsewhere::new();
    let tenants = elsewhere.done(&["list", "scenarios", "@tenants"]);
    assert!(tenants.lines().all(|line| line.starts_with("@tenants/")), "{tenants}");
    let text = elsewhere.done(&["list", "scenarios", "@tenants/container-tree"]);
    assert_eq!(text, fs::read_to_string(in_repository("tenants/container-tree.fio")).unwrap());
    let complaint = elsewhere.refused(&["list", "scenarios", "@start-ups/bash.blkparse.gz"]);
    assert!(complaint.contains("bfq trace info @start-ups/bash.blkparse.gz"), "{complaint}");
}

#[test]
fn a_built_in_scenario_and_what_it_replays_do_not_come_from_the_current_folder() {
    let elsewhere = Elsewhere::new();
    elsewhere.write("@s-suite/s04-replay-small-idle.fio", "not a job file");
    elsewhere.write("../start-ups/bash.blkparse.gz", "not a trace");
    let name = "s-suite/s04-replay-small-idle";
    let built_in = elsewhere.simulated(&format!("@{name}"));
    assert_eq!(built_in, elsewhere.simulated(&format!("@{name}.fio")));
    // As its own folder has it, which the decoy above would hide.
    fs::remove_dir_all(elsewhere.0.path().join("start-ups")).unwrap();
    assert_eq!(built_in, elsewhere.simulated(&in_repository(&format!("{name}.fio"))));
}

#[test]
fn results_name_the_scenario_and_the_command_that_repeats_them() {
    let elsewhere = Elsewhere::new();
    let scenario = "@s-suite/s04-replay-small-idle";
    let arguments = ["sim", scenario, "--scheduler", "none", "--output-format", "json"];
    let results: Value = serde_json::from_str(&elsewhere.done(&arguments)).unwrap();
    let told = &results["runs"][0]["scenario"];
    assert_eq!(told["files"][0], scenario);
    assert_eq!(told["title"], "A small recorded start-up on the idle disk.");
    assert_eq!(told["command"], format!("bfq sim {scenario} --scheduler none"));
}

#[test]
fn every_command_that_takes_a_job_file_or_a_trace_takes_what_is_built_in() {
    let elsewhere = Elsewhere::new();
    let recording = "@start-ups/bash.blkparse.gz";
    let explained =
        elsewhere.done(&["explain", "@s-suite/s04-replay-small-idle", "--job", "command"]);
    assert!(explained.contains("command"), "{explained}");
    let info = elsewhere.done(&["trace", "info", recording]);
    assert!(info.starts_with(recording) && info.contains("blkparse"), "{info}");
    elsewhere.done(&["trace", "convert", recording, "copy.log", "--to", "iolog2"]);
    elsewhere.done(&["sim", recording, "--replay", "chain", "--scheduler", "bfq"]);
    let scenario = "@s-suite/s04-replay-small-idle";
    let run = ["run", scenario, "--target", "scratch", "--size", "1m", "--scheduler", "none"];
    let complaint = elsewhere.refused(&run);
    assert!(complaint.contains("it needs the target up to byte"), "it was read: {complaint}");
}

#[test]
fn ones_own_job_file_can_name_what_is_built_in() {
    let elsewhere = Elsewhere::new();
    let text = "[start]\nread_iolog=@start-ups/bash.blkparse.gz\nreplay_mode=chain\ndirect=1\n";
    elsewhere.write("mine.fio", text);
    assert!(
        elsewhere.simulated("mine.fio")["runs"][0]["fio"]["jobs"][0]["read"]["total_ios"].as_u64()
            > Some(100)
    );
    elsewhere.write("mine.fio", "[a]\ninclude @no-such-part\nrw=read\nsize=1m\ndirect=1\n");
    let complaint = elsewhere.refused(&["sim", "mine.fio"]);
    assert!(
        complaint.starts_with("bfq: mine.fio:2: cannot read include @no-such-part"),
        "{complaint}"
    );
    elsewhere.write("part.fio", "rw=randread\nsize=1m\ndirect=1\n");
    elsewhere.write("mine.fio", "[a]\ninclude part.fio\n");
    elsewhere.simulated("mine.fio");
}

#[test]
fn an_unknown_name_is_answered_with_the_nearest() {
    let elsewhere = Elsewhere::new();
    let name = "@2008-page/steams";
    for arguments in [&["sim", name][..], &["explain", name, "--job", "x"]] {
        let complaint = elsewhere.refused(arguments);
        assert!(
            complaint
                .starts_with("bfq: @2008-page/steams: there is no such scenario; did you mean"),
            "{complaint}"
        );
        assert!(complaint.contains("did you mean `@2008-page/streams`"), "{complaint}");
        assert_eq!(complaint.lines().count(), 1, "{complaint}");
    }
    for arguments in [["list", "scenarios", "@nowhere"], ["trace", "info", "@start-ups/bsh"]] {
        let complaint = elsewhere.refused(&arguments);
        assert!(complaint.contains("there is no such scenario; "), "{complaint}");
    }
}
