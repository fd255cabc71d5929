// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lists, comparisons, results and the reports on them.

use super::*;

#[test]
fn lists() {
    let desk = Desk::new();
    for (arguments, parts) in [
        (&["list", "schedulers"][..], &["none", "mq-deadline", "kyber"][..]),
        (&["list", "tunables"], &["fifo_batch", "16"]),
        (&["list", "tunables", "mq-deadline"], &["writes_starved"]),
        (&["list", "tunables", "kyber"], &["read_lat_nsec", "10000000"]),
        (&["list", "tunables", "none"], &["no tunables"]),
        // One tunable, and what it does is something else.
        (&["list", "tunables", "bfq"], &["soft real-time", "the queue in service"]),
        (&["list", "tunables", "tfq"], &["on a loan of time", "The longest wait"]),
        (&["list", "devices"], &["reference-hdd", "ssd-nvme", "rotational"]),
        (&["list", "devices", "reference-hdd:depth=5"], &["5", "seek", "8 ms", "by definition"]),
        (
            &["list", "devices", "ssd-sata"],
            &["0 to 10 s", "1 to 65536 commands", "0 or 1", "Longest time a read waits for"],
        ),
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
        ("report", "  "),
    ] {
        desk.done(&["report", "r.json", "-o", name]);
        let text = fs::read_to_string(desk.path(name)).unwrap();
        assert!(text.starts_with(beginning), "{name}: {}", &text[..60]);
    }
    let message = desk.refused(&["report", "r.json", "-o", "report.pdf"]);
    assert!(
        message.contains("expected .txt, .html, .md, .csv, .json or --output-format"),
        "{message}"
    );
    desk.done(&["report", "r.json", "-o", "report.pdf", "--format", "text"]);
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
