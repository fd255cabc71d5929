// SPDX-License-Identifier: MIT OR Apache-2.0
//! Control groups as users of the binary meet them: weights, and statistics.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn job_file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../jobs").join(name)
}

fn sim(more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bfq"))
        .arg("sim")
        .arg(job_file("weights-200-300.fio"))
        .args(["--device", "reference-flat", "--quiet", "--output-format", "json"])
        .args(more)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// The only run of a simulation that succeeds.
fn run(more: &[&str]) -> Value {
    let output = sim(more);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut results: Value = serde_json::from_slice(&output.stdout).unwrap();
    results["runs"][0].take()
}

fn share(run: &Value, group: &str) -> f64 {
    let groups = run["summary"]["groups"].as_array().unwrap();
    groups.iter().find(|row| row["path"] == group).unwrap()["share"].as_f64().unwrap()
}

#[test]
fn shares_are_those_of_the_weights_exactly() {
    //  --group, share of /a
    let cases: [(&[&str], f64); 4] = [
        (&[], 0.4), // 200 and 300, by the job file
        (&["a=2000", "b=3000"], 0.4),
        (&["a/io.weight=10000", "b/io.bfq.weight=1000"], 0.909),
        (&["a=10", "a=8:0 700", "b=8:0 default", "b=300"], 0.7),
    ];
    for (weights, expected) in cases {
        let mut arguments = vec!["--scheduler", "bfq:low_latency=0"];
        arguments.extend(weights.iter().flat_map(|weight| ["--group", weight]));
        let share = share(&run(&arguments), "/a");
        assert!((share - expected).abs() <= 0.005, "{weights:?}: {share}, not {expected}");
    }
}

#[test]
fn a_weight_that_is_wrong_is_refused() {
    for (weight, expected) in [
        ("a=10001", "1 to 10000"),
        ("a/io.bfq.weight=2000", "1 to 1000"),
        ("a=9:3 200", "there is no disk 9:3"),
        ("c=100", "no group `/c`"),
    ] {
        let output = sim(&["--group", weight]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{weight}: {message}");
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn groups_have_their_statistics() {
    let cheap = run(&["--scheduler", "bfq", "--runtime", "1s"]);
    let groups = &cheap["group_stats"];
    let bytes = |group: &str, name: &str, field: &str| groups[group][name][field].as_u64().unwrap();
    let (a, b) =
        (bytes("/a", "io_service_bytes", "Read"), bytes("/b", "io_service_bytes", "Total"));
    assert!(a > 0 && b > a, "{a} and {b}");
    assert_eq!(bytes("/", "io_service_bytes_recursive", "Sync"), a + b);
    assert_eq!(bytes("/", "io_serviced", "Total"), 0, "no process is in the root group itself");
    assert_eq!(groups["/a"]["io_wait_time"], Value::Null, "costly ones are off");

    let all = run(&["--scheduler", "bfq:detailed_statistics=1", "--runtime", "1s"]);
    let a = &all["group_stats"]["/a"];
    assert_eq!(a["io_service_bytes"], groups["/a"]["io_service_bytes"]);
    assert_eq!(a["sectors"].as_u64().unwrap() * 512, bytes("/a", "io_service_bytes", "Read"));
    assert!(a["io_wait_time_recursive"]["Read"].as_u64().unwrap() > 0);
    let in_service_ms =
        ["/a", "/b"].map(|group| all["group_stats"][group]["time"].as_u64().unwrap());
    assert!((900..=1100).contains(&in_service_ms.iter().sum::<u64>()), "{in_service_ms:?}");

    let none = run(&["--scheduler", "none", "--runtime", "1s"]);
    assert_eq!(none["group_stats"], Value::Null, "it does not count by groups");
    let output = sim(&["--scheduler", "bfq:detailed_statistics=yes"]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && message.contains("0 or 1"), "{message}");
}
