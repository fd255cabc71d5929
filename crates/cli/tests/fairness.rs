// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq sim --fair` from end to end: figures beside those that come out by hand, and
//! what it refuses.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Weights 1 : 2, with `--group team=200`. The groups are not in the order of their names.
const TWO: &str = "\
; Two readers: one of twice the weight of the other.
[global]
direct=1
rw=read
bs=128k
size=4g
time_based
runtime=5

[heavy]
cgroup=team/a

[light]
offset=8g
cgroup=rest
cgroup_weight=100
";

/// A device that does one thing at a time, always at the same rate: who shares it by weight gets
/// exactly what is due.
const DEVICE: &str = "reference-ssd:depth=1";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("two.fio"), TWO).unwrap();
    folder
}

fn bfq(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bfq"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

/// What it prints, when all goes well.
fn done(folder: &Path, arguments: &[&str]) -> String {
    let output = bfq(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// What it says on stderr, in one line and with exit code 2.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = bfq(folder, arguments);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    assert!(output.stdout.is_empty() && message.lines().count() == 1, "{arguments:?}: {message}");
    message
}

/// `bfq sim --fair` as JSON.
fn judged(folder: &Path, file: &str, device: &str, more: &[&str]) -> Value {
    let arguments = ["sim", file, "--fair", "--quiet", "--device", device];
    let json = ["--output-format", "json", "--scheduler", "none,bfq"];
    serde_json::from_str(&done(folder, &[&arguments[..], &json, more].concat())).unwrap()
}

fn assert_near(value: &Value, expected: f64, what: &str) {
    let figure = value.as_f64().unwrap_or_else(|| panic!("{what}: {value} is no number"));
    assert!((figure - expected).abs() <= 0.01, "{what}: {figure}, expected {expected}");
}

#[test]
fn two_readers_of_weights_1_to_2() {
    let folder = folder();
    let results = judged(folder.path(), "two.fio", DEVICE, &["--group", "team=200"]);
    // R of heavy and light. Under none each gets half, of which two thirds and one third are due.
    for (place, [heavy, light]) in [[0.75, 1.5], [1.0, 1.0]].into_iter().enumerate() {
        let fairness = &results["runs"][place]["fairness"];
        assert_near(&fairness["worst"], heavy, "worst");
        assert_near(&fairness["useful"], 1.0, "useful");
        for (job, name, share, r) in
            [(0, "heavy", 2.0 / 3.0, heavy), (1, "light", 1.0 / 3.0, light)]
        {
            let process = &fairness["processes"][job];
            assert_eq!(process["jobname"], name);
            assert_eq!(process["weight"], 40, "the weights 1 : 2 are those of the groups");
            assert_near(&process["demand"], 1.0, name);
            assert_near(&process["share"], share, name);
            assert_near(&process["r"], r, name);
            let rate = |key: &str| process[key].as_f64().unwrap();
            let fair_rate = rate("alone_bw_bytes") * share;
            assert!((rate("fair_bw_bytes") / fair_rate - 1.0).abs() < 0.01, "{process}");
            assert!((rate("bw_bytes") / fair_rate - r).abs() < 0.02, "{process}");
        }
        let groups = fairness["groups"].as_array().unwrap();
        let expected = [
            ("/", 1.0, 1.0),
            ("/team", 2.0 / 3.0, heavy),
            ("/team/a", 2.0 / 3.0, heavy),
            ("/rest", 1.0 / 3.0, light),
        ];
        assert_eq!(groups.len(), expected.len());
        for (group, (path, share, r)) in groups.iter().zip(expected) {
            assert_eq!(group["path"], path);
            assert_near(&group["share"], share, path);
            assert_near(&group["r"], r, path);
        }
    }
}

#[test]
fn the_table_the_page_and_the_report_of_many() {
    let folder = folder();
    let sim = ["sim", "two.fio", "--fair", "--quiet", "--device", DEVICE, "--group", "team=200"];
    let sim = [&sim[..], &["--scheduler", "none,bfq"]].concat();
    let text = done(folder.path(), &sim);
    let table = "
fairness: R           due, %  alone, MB/s  none   bfq
heavy                   66.7        383.1  0.75  1.00
light                   33.3        383.1  1.50  1.00
/team                   66.7               0.75  1.00
/team/a                 66.7               0.75  1.00
/rest                   33.3               1.50  1.00
worst R of a process                       0.75  1.00
useful time, U                             1.00  1.00
";
    assert!(text.ends_with(table), "{text}");
    done(folder.path(), &[&sim[..], &["--output-format", "json", "-o", "r.json"]].concat());
    let page = done(folder.path(), &["report", "r.json", "--format", "html"]);
    assert!(page.contains("Fairness") && page.contains("worst R of a process"));
    let report = "\
Mean of the worst R of a process, above 1 counted as 1 · scenarios in which it is at least 0.9 · \
                  sum of U:

| Scheduler | reference-ssd:depth=1 |
| --- | ---: |
| none | **0.750** · 0 of 1 · 1.0 |
| bfq | **0.998** · 1 of 1 · 1.0 |

Below, in each cell: worst R of a process · U.

## reference-ssd:depth=1

| Name | Scenario | none | bfq |
| --- | --- | ---: | ---: |
| two | Two readers: one of twice the weight of the other | 0.75 · 1.00 | 1.00 · 1.00 |
";
    assert_eq!(done(folder.path(), &["report", "r.json", "--format", "fairness"]), report);
}

#[test]
fn reports_of_runs_that_are_not_judged_or_in_other_groups() {
    let folder = folder();
    let sim = |file: &str, more: &[&str]| {
        let sim = ["sim", file, "--quiet", "--device", DEVICE, "--scheduler", "none"];
        done(folder.path(), &[&sim[..], &["--output-format", "json"], more].concat());
    };
    sim("two.fio", &["-o", "plain.json"]);
    let message = refused(folder.path(), &["report", "plain.json", "--format", "fairness"]);
    let expected = "bfq: none of the runs was judged; expected a result of bfq sim --fair\n";
    assert_eq!(message, expected);
    // The same jobs in no groups are another scenario of the same name.
    let ungrouped: Vec<&str> = TWO.lines().filter(|line| !line.starts_with("cgroup")).collect();
    fs::create_dir(folder.path().join("other")).unwrap();
    fs::write(folder.path().join("other/two.fio"), ungrouped.join("\n")).unwrap();
    sim("two.fio", &["--fair", "-o", "grouped.json"]);
    sim("other/two.fio", &["--fair", "-o", "ungrouped.json"]);
    for format in ["html", "fairness", "text", "md"] {
        let results = ["report", "grouped.json", "ungrouped.json", "plain.json", "--format"];
        let text = done(folder.path(), &[&results[..], &[format]].concat());
        assert!(text.contains("other/two"), "{format}: {text:.2000}");
        let beside = text.contains("none (2)");
        assert_eq!(beside, format != "fairness", "plain.json was not judged: {text:.2000}");
    }
}

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The names of the scenarios of `jobs/fairness`.
fn cells() -> Vec<String> {
    let entries = fs::read_dir(root().join("jobs/fairness")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.map(|name| name.strip_suffix(".fio").expect("a job file").to_owned()).collect()
}

#[test]
fn the_page_of_figures_has_a_row_for_each_cell_on_each_device() {
    let page = fs::read_to_string(root().join("docs/generated/fairness.md")).unwrap();
    for device in ["ssd-sata", "ssd-nvme", "hdd-desktop"] {
        let (_, section) = page.split_once(&format!("\n## {device}\n")).expect(device);
        let section = section.split("\n## ").next().unwrap();
        let rows = section.lines().filter(|line| line.starts_with("| ")).skip(2);
        let mut named: Vec<String> =
            rows.map(|row| row.split(" | ").next().unwrap()[2..].replace('\\', "")).collect();
        let mut expected = cells();
        named.sort();
        expected.sort();
        assert_eq!(named, expected, "{device}; make fairness");
        assert!(!section.contains("| - |"), "{device}: something was not judged");
    }
}

#[test]
fn the_script_judges_a_cell_and_says_what_it_does_not_find() {
    let folder = tempfile::tempdir().unwrap();
    let script = |only: &str, device: &str, out: &str| {
        Command::new("bash")
            .arg(root().join("scripts/fairness"))
            .arg(env!("CARGO_BIN_EXE_bfq"))
            .envs([("ONLY", only), ("DEVICES", device)])
            .env("BFQ_FAIRNESS_OUT", folder.path().join(out))
            .output()
            .unwrap()
    };
    let page = |out: &str| {
        let made = script("fairg4", "reference-hdd", out);
        assert!(made.status.success(), "{made:?}");
        fs::read_to_string(folder.path().join(out).join("fairness.md")).unwrap()
    };
    let figures = page("one");
    assert_eq!(figures, page("two"));
    let head =
        "| Name | Scenario | tfq | bfq | bfq:behaviour=linux-6.12 | mq-deadline | kyber | none |";
    assert!(figures.contains(head), "{figures}");
    let row = figures.lines().find(|line| line.starts_with("| fairg4 | ")).expect("a row");
    assert_eq!(row.matches(" · ").count(), 6, "{row}");

    for (only, device, expected) in [
        ("no-such-cell", "reference-hdd", "no scenario in jobs/fairness has \"no-such-cell\""),
        ("fairg4", "no-such-disk", "failed: jobs/fairness/fairg4.fio on no-such-disk"),
    ] {
        let failed = script(only, device, "failed");
        let message = String::from_utf8_lossy(&failed.stderr);
        assert!(!failed.status.success() && message.contains(expected), "{message}");
    }
}

#[test]
fn the_laboratory_judges_what_can_be_judged() {
    let folder = tempfile::tempdir().unwrap();
    let lab = |only: &str| {
        let made = Command::new("bash")
            .arg(root().join("scripts/lab"))
            .args([env!("CARGO_BIN_EXE_bfq"), only])
            .envs([("FAIR", "1"), ("ALSO", "tfq")])
            .env("BFQ_LAB_OUT", folder.path())
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
        let results = folder.path().join(format!("{}.json", only.replace('/', ".")));
        let results: Value = serde_json::from_slice(&fs::read(results).unwrap()).unwrap();
        let page = fs::read_to_string(folder.path().join("report.html")).unwrap();
        (results, page, String::from_utf8(made.stderr).unwrap())
    };
    let (results, page, said) = lab("laboratory-report/sequential-read");
    let runs = results["runs"].as_array().unwrap();
    assert!(runs.iter().any(|run| run["scheduler"] == "tfq"));
    for run in runs {
        assert_near(&run["fairness"]["worst"], 1.0, "R of a process alone");
    }
    assert!(page.contains("The worst R of a process is") && page.contains("The useful time is"));
    assert_eq!(said, "");

    let (results, page, said) = lab("s-suite/s04-replay-small-idle");
    assert_eq!(results["runs"][0].get("fairness"), None);
    assert!(!page.contains("worst R"));
    let start = "not judged: jobs/s-suite/s04-replay-small-idle.fio:";
    assert!(said.starts_with(start) && said.lines().count() == 1, "{said}");
}

/// A process alone gets what it gets alone: the same I/Os at the same places.
#[test]
fn who_is_alone_has_what_is_due() {
    let folder = folder();
    let one_after_another = "\
[global]
direct=1
bs=4k
size=1g
runtime=2
time_based
rw=randread
[first]
[thinker]
stonewall
offset=50g
thinktime=20000
[late]
stonewall
rw=randrw
numjobs=1
offset=100g
startdelay=10
";
    fs::write(folder.path().join("one-after-another.fio"), one_after_another).unwrap();
    let results = judged(folder.path(), "one-after-another.fio", "reference-hdd", &[]);
    for run in results["runs"].as_array().unwrap() {
        let processes = run["fairness"]["processes"].as_array().unwrap();
        for (process, demand) in processes.iter().zip([1.0, 0.29, 1.0]) {
            assert_near(&process["r"], 1.0, "R");
            assert_near(&process["demand"], demand, "demand");
            assert_near(&process["share"], demand, "share");
        }
        assert_eq!(processes.len(), 3);
    }
}

#[test]
fn what_would_be_another_load_alone_is_refused() {
    let folder = folder();
    let trace = "  8,0    1        1     0.000000000   100  Q   R 8 + 8 [a]\n";
    fs::write(folder.path().join("t.txt"), trace).unwrap();
    for (options, why) in [
        ("direct=1\nread_iolog=t.txt", "a recording"),
        ("direct=1\nrw=read\nsize=1m\nflow=8", "flow="),
        ("direct=1\nrw=read\nsize=1m\nlatency_target=10ms\nlatency_window=1s", "latency_target="),
        ("direct=0\nrw=write\nsize=1m", "page cache"),
        ("direct=0\nrw=randrw\nsize=1m", "page cache"),
    ] {
        let text = format!("[fine]\ndirect=1\nrw=read\nsize=1m\n\n[odd]\n{options}\n");
        fs::write(folder.path().join("odd.fio"), text).unwrap();
        let arguments = ["sim", "odd.fio", "--device", DEVICE, "--scheduler", "none", "--quiet"];
        done(folder.path(), &arguments);
        let message = refused(folder.path(), &[&arguments[..], &["--fair"]].concat());
        let start = "bfq: odd.fio:6: job odd: --fair is not defined for it: ";
        assert!(message.starts_with(start) && message.contains(why), "{message}");
    }
    let reads = "[fine]\ndirect=0\nrw=read\nsize=1m\n";
    fs::write(folder.path().join("reads.fio"), reads).unwrap();
    judged(folder.path(), "reads.fio", DEVICE, &[]);
}
