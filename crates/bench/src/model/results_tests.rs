// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files of results: written, read, interrupted, damaged.

use super::*;

fn opening() -> Opening {
    Opening {
        version: "0.1.0".to_owned(),
        kernel: "6.1.0".to_owned(),
        target: "/srv".to_owned(),
        disk: "a disk".to_owned(),
        identity: None,
        current: Some("none".to_owned()),
        candidates: vec![Candidate::plain("none"), "bfq:low_latency=0".parse().unwrap()],
        scenarios: vec!["start-up".to_owned()],
        rounds: 2,
        seed: 7,
        conditions: Conditions::default(),
    }
}

fn measurement(round: u32) -> Measurement {
    Measurement {
        candidate: Candidate::plain("none"),
        scenario: "start-up".to_owned(),
        round,
        began_s: 1.5,
        values: BTreeMap::from([(Metric::StartUp, 6.25)]),
        remarks: Vec::new(),
        others: None,
    }
}

#[test]
fn a_run_that_was_interrupted_goes_on_behind_its_last_whole_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results");
    let mut file = ResultsFile::create(&path, &opening()).unwrap();
    file.add(&measurement(0)).unwrap();
    file.add(&measurement(1)).unwrap();
    drop(file);
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() - 9]).unwrap();

    let (mut file, read, measured) = ResultsFile::resume(&path).unwrap();
    assert_eq!((read, measured), (opening(), vec![measurement(0)]));
    file.add(&measurement(1)).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), whole);
}

#[test]
fn a_file_is_never_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results");
    ResultsFile::create(&path, &opening()).unwrap();
    assert!(matches!(ResultsFile::create(&path, &opening()), Err(ResultsError::Io { .. })));
}

#[test]
fn whether_a_file_can_be_added_to_is_found_without_a_change() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results");
    assert!(matches!(ResultsFile::check_writable(&path), Err(ResultsError::Io { .. })));
    assert!(!path.exists());
    ResultsFile::create(&path, &opening()).unwrap();
    let before = std::fs::read(&path).unwrap();
    ResultsFile::check_writable(&path).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), before);
    ResultsFile::check_writable(folder.path()).unwrap_err();
}

#[test]
fn a_damaged_file_is_refused_with_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results");
    for (text, told) in [
        ("", "1: expected the opening"),
        ("{}\n", "1: expected the opening"),
        ("{\"measurement\": 1}\n", "1: expected the opening"),
    ] {
        std::fs::write(&path, text).unwrap();
        let error = ResultsFile::read(&path).unwrap_err().to_string();
        assert!(error.contains(told), "{text}: {error}");
    }
    std::fs::remove_file(&path).unwrap();
    ResultsFile::create(&path, &opening()).unwrap();
    let mut text = std::fs::read_to_string(&path).unwrap();
    text.push_str("no JSON\n");
    std::fs::write(&path, text).unwrap();
    let error = ResultsFile::read(&path).unwrap_err().to_string();
    assert!(error.contains("2: expected a measurement"), "{error}");
}

#[test]
fn a_line_may_be_cut_off_within_a_letter() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results");
    let mut file = ResultsFile::create(&path, &opening()).unwrap();
    let remarks = vec!["é".to_owned()];
    file.add(&Measurement { remarks, ..measurement(0) }).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let inside = whole.iter().position(|byte| !byte.is_ascii()).unwrap() + 1;
    std::fs::write(&path, &whole[..inside]).unwrap();
    let (_, measured) = ResultsFile::read(&path).unwrap();
    assert_eq!(measured, []);
    ResultsFile::resume(&path).unwrap();
    assert!(std::fs::read(&path).unwrap().ends_with(b"\n"));
}

#[test]
fn rounds_that_nobody_can_measure_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results");
    ResultsFile::create(&path, &Opening { rounds: u32::MAX, ..opening() }).unwrap();
    let error = ResultsFile::read(&path).unwrap_err().to_string();
    assert!(error.contains("1: expected at most 1000000 rounds"), "{error}");
}

#[test]
fn a_terminal_obeys_no_name_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results");
    let name = || "x\u{1b}[31m\ny".to_owned();
    let opening = Opening { current: Some(name()), scenarios: vec![name()], ..opening() };
    let measured = Measurement { scenario: name(), remarks: vec![name()], ..measurement(0) };
    ResultsFile::write(&path, &opening, &[measured]).unwrap();
    let (opening, measured) = ResultsFile::read(&path).unwrap();
    let shown = "x?[31m?y";
    assert_eq!((opening.current.as_deref(), &opening.scenarios[0][..]), (Some(shown), shown));
    assert_eq!((&measured[0].scenario[..], &measured[0].remarks[0][..]), (shown, shown));
}
