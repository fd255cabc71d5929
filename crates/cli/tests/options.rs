// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options that would have no effect beside others, comparisons of nothing, and outputs that would
//! replace what is read: each is refused, and nothing is changed.

use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const JOB: &str = "[a]\nrw=randread\nbs=4k\nsize=64k\ndirect=1\n";

const TRACE: &str = "  8,0    1        1     0.000000000   100  Q   R 8 + 8 [a]\n";

/// A folder with a job file, a trace and a result.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("job.fio"), JOB).unwrap();
    fs::write(folder.path().join("t.txt"), TRACE).unwrap();
    let run = "sim job.fio --device reference-ssd --output-format json --quiet -o r.json";
    assert_eq!(bfq(folder.path(), run), (Some(0), String::new()));
    folder
}

/// Exit code and stderr.
fn bfq(folder: &Path, words: &str) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bfq"));
    let output = command.args(words.split(' ')).current_dir(folder).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

fn refused(folder: &Path, words: &str, why: &str) {
    let (code, said) = bfq(folder, words);
    assert_eq!(code, Some(2), "{words}: {said}");
    assert!(said.contains(why), "{words}: {said}");
}

#[test]
fn options_without_an_effect_are_refused() {
    let folder = folder();
    for words in [
        "bench --check --import r.json",
        "bench --check --as none=r.json",
        "bench --check . --fit p.toml",
        "bench --import r.json --emit udev --json",
        "bench --check . --json",
        "bench --import r.json --level normal",
        "bench --import r.json --time 1m",
        "bench --import r.json --schedulers none",
        "bench --import r.json --size 1g",
        "bench --import r.json --seed 3",
        "bench --as none=r.json --fit p.toml",
        "bench --restore --allow-write",
        "bench --restore --output x",
        "bench --resume x --import r.json",
        "bench --restore --as none=r.json",
        "doctor --restore --fix",
        "doctor sda --restore",
        "top sda --restore",
        "top --restore --record x",
        "top --batch --json",
        "top --batch --output-format json",
        "top --restore --json",
        "doctor --restore --output-format json",
        "sim job.fio --json --output-format json",
        "explain job.fio --job a --for 3s",
        "explain job.fio --job a --save x",
        "explain --recording x --for 3s",
        "explain --recording x --size 1g",
        "explain --recording x --depth 3",
        "explain --recording x --allow-write",
        "explain --kernel sda --limit-bytes-per-s 1m",
        "fidelity log.csv --scenario x",
        "fidelity log.csv --scheduler x",
        "fidelity log.csv --scenarios .",
    ] {
        refused(folder.path(), words, "cannot be used with");
    }
}

/// Settings that are taken, but reach nobody: who sets them has to hear why nothing changes.
#[test]
fn settings_of_a_page_cache_that_is_not_there_are_told() {
    let folder = folder();
    fs::write(folder.path().join("cached.fio"), JOB.replace("direct=1", "direct=0")).unwrap();
    let simulated = "has no effect: no job has direct=0, so no page cache is simulated";
    let real = "has no effect: a real target has no simulated page cache";
    let sim = "sim job.fio --device reference-ssd --scheduler none";
    let explain = "explain job.fio --device reference-ssd";
    let run = "run job.fio --target t --size 1m";
    for (words, without_effect) in [
        (format!("{sim} --vm dirty_ratio=5"), &["--vm dirty_ratio=5"][..]),
        (
            format!("{sim} --vm memory_mb=9,dirty_ratio=5 --queue nomerges=2,read_ahead_kb=0"),
            &["--vm memory_mb=9,dirty_ratio=5", "--queue read_ahead_kb=0"],
        ),
        (format!("{explain} --vm dirty_ratio=5"), &["--vm dirty_ratio=5"]),
        (format!("{run} --queue read_ahead_kb=0"), &["--queue read_ahead_kb=0"]),
        (format!("{sim} --queue nomerges=2"), &[]),
        (format!("{sim} --vm dirty_ratio=5 --quiet"), &[]),
        (sim.replace("job.fio", "cached.fio") + " --vm dirty_ratio=5", &[]),
    ] {
        let (code, said) = bfq(folder.path(), &words);
        let because = if words.starts_with("run") { real } else { simulated };
        let told: Vec<&str> = said.lines().filter(|line| line.contains("no effect")).collect();
        let expected = without_effect.iter().map(|option| format!("bfq: note: {option} {because}"));
        assert_eq!(code, Some(0), "{words}: {said}");
        assert_eq!(told, expected.collect::<Vec<_>>(), "{words}");
    }
}

#[test]
fn an_output_never_replaces_an_input() {
    let folder = folder();
    fs::hard_link(folder.path().join("r.json"), folder.path().join("same.json")).unwrap();
    let before = fs::read(folder.path().join("r.json")).unwrap();
    for words in [
        "sim job.fio -o job.fio",
        "run job.fio --target t --size 1m -o ./job.fio",
        "explain job.fio --job a -o job.fio",
        "report r.json -o same.json",
        "trace info t.txt -o t.txt",
        "trace convert t.txt t.txt --to msr",
    ] {
        refused(folder.path(), words, "it is an input; expected another name");
    }
    assert_eq!(fs::read_to_string(folder.path().join("job.fio")).unwrap(), JOB);
    assert_eq!(fs::read_to_string(folder.path().join("t.txt")).unwrap(), TRACE);
    assert_eq!(fs::read(folder.path().join("r.json")).unwrap(), before);
    assert!(!folder.path().join("t").exists());
}

/// `-` is stdin and stdout; what can be neither is no file of that name.
#[test]
fn a_dash_is_no_file() {
    let folder = folder();
    let result = fs::read(folder.path().join("r.json")).unwrap();
    let table = "sim job.fio --device reference-ssd --scheduler none --quiet";
    let sim = "sim - --device reference-ssd --scheduler none --quiet";
    for (words, stdin, expected) in [
        (format!("{table} -o -"), &b""[..], "IOPS"),
        (format!("{table} --json -o -"), b"", "{"),
        ("report r.json -o -".to_owned(), b"", "reference-ssd"),
        ("report -".to_owned(), &result, "reference-ssd"),
        ("trace info -".to_owned(), TRACE.as_bytes(), "blkparse"),
        (format!("{sim} -o -"), JOB.as_bytes(), "IOPS"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bfq"));
        command.args(words.split(' ')).current_dir(folder.path());
        let (reader, mut writer) = std::io::pipe().unwrap();
        let output = std::thread::scope(|scope| {
            // A command that reads nothing closes the pipe before all is written.
            scope.spawn(move || drop(std::io::Write::write_all(&mut writer, stdin)));
            command.stdin(reader).output().unwrap()
        });
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains(expected), "{words}: {output:?}");
    }
    for words in
        ["top --record -", "bench . -o -", "bench . --fit -", "explain --kernel x --save -"]
    {
        refused(folder.path(), words, "it is not written to stdout; expected a file");
    }
    assert!(!folder.path().join("-").exists());
}

#[test]
fn a_result_is_written_though_its_logs_cannot_be() {
    let folder = folder();
    let job = format!("{JOB}write_lat_log=l\n");
    fs::write(folder.path().join("logs.fio"), job).unwrap();
    let command = "sim logs.fio --device reference-ssd --scheduler bfq --quiet -o r.txt";
    fs::create_dir(folder.path().join("l_lat.1.log")).unwrap();
    let (code, said) = bfq(folder.path(), command);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("l_lat.1.log") && !said.contains(".bfq-"), "{said}");
    assert!(fs::read_to_string(folder.path().join("r.txt")).unwrap().contains("IOPS"));
}

#[test]
fn a_folder_of_logs_that_is_not_there_is_told_before_the_run() {
    let folder = folder();
    let job = format!("{JOB}write_lat_log=missing/l\n");
    fs::write(folder.path().join("logs.fio"), job).unwrap();
    for command in ["sim logs.fio -o r.txt", "run logs.fio --target t --size 1m -o r.txt"] {
        let why = "job a: write_lat_log=missing/l: there is no folder missing";
        refused(folder.path(), command, why);
    }
    assert!(!folder.path().join("r.txt").exists() && !folder.path().join("t").exists());
}

#[test]
fn the_ending_of_an_output_says_its_form() {
    let folder = folder();
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let is_json = |name: &str| read(name).starts_with('{');
    for words in [
        "sim job.fio --device reference-ssd --scheduler bfq --quiet -o",
        "explain job.fio --quiet -o",
        "trace info t.txt --quiet -o",
        "report r.json -o",
        "what-if t.txt --device reference-ssd --scheduler bfq --quiet -o",
    ] {
        for (name, json) in [("out.json", true), ("out", false), ("out.txt", false)] {
            let (code, said) = bfq(folder.path(), &format!("{words} {name}"));
            assert_eq!(code, Some(0), "{words} {name}: {said}");
            assert_eq!(is_json(name), json, "{words} {name}");
        }
        refused(
            folder.path(),
            &format!("{words} out.pdf"),
            "that form is not written; expected .txt",
        );
    }
    refused(
        folder.path(),
        "what-if t.txt -o out.csv",
        "expected .txt, .html, .json or --output-format",
    );
    assert!(!folder.path().join("out.csv").exists());
}

/// One spelling with all commands, its short form, and what some took before.
#[test]
fn json_is_asked_for_by_one_option() {
    let folder = folder();
    let before = ["--format json", "--format=json"];
    for (words, older) in [
        ("sim job.fio --device reference-ssd --scheduler none --quiet", &[][..]),
        ("explain job.fio --quiet", &[]),
        ("run job.fio --target t --size 1m --quiet", &[]),
        ("trace info t.txt", &[]),
        ("report r.json", &before),
        ("what-if t.txt --device reference-ssd --scheduler none --quiet", &before),
        ("doctor", &[]),
    ] {
        for option in ["--output-format json", "--json"].iter().chain(older) {
            let mut command = Command::new(env!("CARGO_BIN_EXE_bfq"));
            command.args(words.split(' ')).args(option.split(' ')).current_dir(folder.path());
            let output = command.output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            if said.contains("this machine has no disk") {
                eprintln!("skipped: doctor, as this machine has no disk");
                continue;
            }
            let printed = serde_json::from_slice::<serde_json::Value>(&output.stdout);
            assert!(printed.is_ok_and(|json| json.is_object()), "{words} {option}: {said}");
        }
    }
    for option in ["--output-format normal", "--output-format text"] {
        for words in ["trace info t.txt", "report r.json"] {
            let (code, said) = bfq(folder.path(), &format!("{words} {option}"));
            assert_eq!(code, Some(0), "{words} {option}: {said}");
        }
    }
    // Options of the whole command and those of its part are no two ways to say something else.
    for words in ["--json status --output-format normal", "--output-format normal status --json"] {
        refused(folder.path(), &format!("ctl {words}"), "--json and --output-format");
    }
    refused(
        folder.path(),
        "explain job.fio --scheduler cfq",
        "decisions are told of bfq and tfq only",
    );
}

#[test]
fn hints_name_what_was_meant() {
    let folder = folder();
    let typo = JOB.replace("size", "ssize");
    fs::write(folder.path().join("typo.fio"), typo).unwrap();
    // In one way, whatever the name is of.
    for (words, meant) in [
        ("sim two-groups", "@two-groups"),
        ("sim @two-grups", "@two-groups"),
        ("sim typo.fio", "size"),
        ("sim job.fio --device hdd-deskto", "hdd-desktop"),
        ("sim job.fio --device hdd-desktop:dept=1", "depth"),
        ("sim job.fio --scheduler bfqq", "bfq"),
        ("sim job.fio --scheduler bfq:slice_idl=0", "slice_idle"),
        ("sim job.fio --set slice_idl=0", "slice_idle"),
        ("sim job.fio --vm dirty_rato=4", "dirty_ratio"),
        ("sim job.fio --queue nr_request=4", "nr_requests"),
        ("explain job.fio --job aa", "a"),
        ("explain job.fio --scheduler bfqq", "bfq"),
        ("explain job.fio --set slice_idl=0", "slice_idle"),
        ("report r.json --job aa", "a"),
        ("trace info t.txt --format blkpars", "blkparse"),
        ("list tunables bfqq", "bfq"),
        ("list devices ssd-stata", "ssd-sata"),
        ("list scenarios @two-grups", "@two-groups"),
        ("bench . --scenarios start-idel", "start-idle"),
        ("bench . --goal desktp", "desktop"),
        ("bench . --emit udv", "udev"),
        ("serve --emulate ssd-stata", "ssd-sata"),
    ] {
        refused(folder.path(), words, &format!("; did you mean `{meant}`"));
    }
    refused(
        folder.path(),
        "explain @two-groups",
        "--job NAME is needed, as there are several jobs: ",
    );
    let tuned = "explain job.fio --scheduler tfq:low_latency=0";
    refused(folder.path(), tuned, "--set low_latency=0");
}

#[test]
fn a_name_does_not_reach_the_terminal_as_a_command() {
    let folder = folder();
    let job = JOB.replace("[a]", "[a\u{1b}[31mred]");
    fs::write(folder.path().join("red.fio"), job).unwrap();
    let (code, said) = bfq(folder.path(), "sim red.fio --device reference-ssd -o red.txt");
    assert_eq!(code, Some(0), "{said}");
    let text = fs::read_to_string(folder.path().join("red.txt")).unwrap();
    assert!(text.contains("a?[31mred") && !text.contains('\u{1b}'), "{text}");
}

#[test]
fn a_file_that_is_nothing_that_is_read_is_told_in_a_sentence() {
    let folder = folder();
    let (code, said) = bfq(folder.path(), "sim r.json");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("neither a job file nor a trace") && said.lines().count() == 1, "{said}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_bfq"));
    command.args(["sim", "/dev/stdin"]).current_dir(folder.path());
    let (reader, mut writer) = std::io::pipe().unwrap();
    std::io::Write::write_all(&mut writer, TRACE.as_bytes()).unwrap();
    drop(writer);
    let output = command.stdin(reader).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("a trace cannot be replayed through a pipe"), "{said}");
}

#[test]
fn what_is_not_there_is_not_passed_over() {
    let folder = folder();
    let csv = Path::new(env!("CARGO_MANIFEST_DIR"));
    let csv = csv.join("../fidelity/data/results/kernel-results.csv");
    let compared = format!("fidelity --results {} --scenarios . --scenario nope", csv.display());
    refused(folder.path(), &compared, "no recorded line is of these scenarios and schedulers");
    refused(folder.path(), "bench --restore --journals missing", "missing: no such folder");
    refused(folder.path(), "trace convert t.txt t.zst --to msr", ".zst is only read");
    assert!(!folder.path().join("t.zst").exists());
}

#[test]
fn explain_follows_the_behaviour_that_is_set() {
    let folder = folder();
    for (behaviour, code) in [("linux-6.1", Some(0)), ("improved", Some(0)), ("nope", Some(2))] {
        let words = format!("explain job.fio --job a --set behaviour={behaviour}");
        let (found, said) = bfq(folder.path(), &words);
        assert_eq!(found, code, "{behaviour}: {said}");
    }
}

/// A value that is wrong is told with what was expected, also if it begins with a dash.
#[test]
fn wrong_values_are_told_with_what_was_expected() {
    let folder = folder();
    let result = fs::read_to_string(folder.path().join("r.json")).unwrap();
    let mut result: serde_json::Value = serde_json::from_str(&result).unwrap();
    result["runs"] = serde_json::json!([]);
    fs::write(folder.path().join("none.json"), result.to_string()).unwrap();
    fs::write(folder.path().join("list.json"), "[]").unwrap();
    let any = "expected a whole number from 0 to 18446744073709551615";
    let few = "expected a whole number from 0 to 4294967295";
    for (words, expected) in [
        ("sim job.fio --seed abc", any),
        ("sim job.fio --seed -1", any),
        ("sim job.fio --seed 99999999999999999999", any),
        ("bench . --seed abc", any),
        ("sim job.fio --timeline x", few),
        ("explain job.fio --slowest -1", few),
        ("explain job.fio --scheduler bfq,tfq", "expected one scheduler"),
        ("explain job.fio --target t --depth 0", "expected a whole number from 1 to 1024"),
        ("run job.fio --target t --depth abc", "expected a whole number from 1 to 1024"),
        ("run job.fio --target t --rotational maybe", "expected yes or no"),
        ("sim job.fio --runtime -5", "expected a time such as 10, 10s, 500ms or 2m"),
        ("bench . --time -5", "expected a time such as"),
        ("top --interval -5", "expected a time such as"),
        ("ctl weight alice -5", "expected a whole number from 1 to 10000"),
        ("ctl explain alice --count 0", "expected a whole number from 1 to 4294967295"),
        ("sweep study.toml --workers 0", "expected a whole number from 1 to 4294967295"),
        ("report none.json", "expected a result that bfq sim or bfq run wrote"),
        ("report none.json", "it has no runs"),
        ("report list.json", "it is a list; expected a result"),
    ] {
        refused(folder.path(), words, expected);
    }
    for rotational in ["yes", "No", "1", "false"] {
        let words = format!("run job.fio --target t --size 1m --quiet --rotational {rotational}");
        assert_eq!(bfq(folder.path(), &words).0, Some(0), "{rotational}");
    }
}

#[test]
fn figures_that_are_too_large_are_told_as_such() {
    let folder = folder();
    let long = "sim job.fio --runtime 99999999999d";
    refused(folder.path(), long, "expected a time of less than 584 years");
    let large = "run job.fio --target t --size 16384p";
    refused(folder.path(), large, "expected a size of less than 16384p");
}
