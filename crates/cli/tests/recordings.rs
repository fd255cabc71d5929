// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recordings as users meet them: `bfq explain --recording` and `bfq fidelity`.

#[path = "../../top/tests/recorded/mod.rs"]
mod recorded;

use recorded::{recording, recording_by};
use std::fs;
use std::process::{Command, Stdio};

/// Runs `bfq` beside a whole recording, one that is cut, one that is none, and one without content.
fn bfq(arguments: &[&str]) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let bytes = recording();
    fs::write(folder.path().join("sda.rec"), &bytes).unwrap();
    fs::write(folder.path().join("cut.rec"), &bytes[..bytes.len() - 1]).unwrap();
    fs::write(folder.path().join("tfq.rec"), recording_by::<bfq::TimeFair>()).unwrap();
    fs::write(folder.path().join("none.rec"), "nothing").unwrap();
    fs::write(folder.path().join("empty.rec"), "").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_bfq"));
    let output = command.args(arguments).current_dir(folder.path()).stdin(Stdio::null()).output();
    let output = output.unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn without_a_job_it_says_who_did_io() {
    let (code, text, errors) = bfq(&["explain", "--recording", "sda.rec"]);
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    for part in ["sda under bfq, 20.0 ms, from attach on", "reader ", " 10 ", "2.00 ms"] {
        assert!(text.contains(part), "{part:?} is missing in:\n{text}");
    }
    let (_, json, _) = bfq(&["explain", "--recording", "sda.rec", "--output-format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["programs"][0]["read_bytes"], 40_960);
    assert_eq!(json["scheduler"], "bfq");
    let (_, text, _) = bfq(&["explain", "--recording", "tfq.rec"]);
    assert!(text.starts_with("sda under tfq, 20.0 ms"), "{text}");
}

#[test]
fn with_a_job_it_says_where_its_time_went() {
    let (code, text, _) =
        bfq(&["explain", "--recording", "cut.rec", "--job", "reader", "--slowest", "1"]);
    assert_eq!(code, Some(0));
    for part in ["reader, under bfq on sda\n", "in the device", "100.0%", "a read of 4 KiB"] {
        assert!(text.contains(part), "{part:?} is missing in:\n{text}");
    }
}

#[test]
fn a_recording_is_replayed() {
    let (code, text, _) = bfq(&["fidelity", "sda.rec"]);
    assert_eq!(code, Some(0));
    assert!(text.starts_with("sda: ") && text.ends_with(" decisions, 0 differ\n"), "{text}");
}

#[test]
fn mistakes_are_said_in_one_line() {
    let table: [(&[&str], &str); 7] = [
        (&["explain", "--recording", "none.rec"], "none.rec: byte 0: this is no recording"),
        (&["explain", "--recording", "nowhere.rec"], "nowhere.rec: No such file"),
        (&["explain", "--recording", "sda.rec", "--job", "raeder"], "did you mean `reader`?"),
        (&["explain", "--kernel", "no-such-disk"], "--kernel no-such-disk: no such disk"),
        (&["fidelity", "cut.rec"], "the recording ends within a record"),
        (&["fidelity", "empty.rec"], "empty.rec: the file is empty; expected a recording"),
        (&["explain", "--recording", "sda.rec", "--seed", "3"], "cannot be used with"),
    ];
    for (arguments, part) in table {
        let (code, text, errors) = bfq(arguments);
        assert_eq!((code, text.as_str()), (Some(2), ""), "{arguments:?}: {errors}");
        assert!(errors.contains(part), "{part:?} is missing in: {errors}");
    }
}
