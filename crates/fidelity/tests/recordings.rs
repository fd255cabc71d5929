//! Every recording in the repository: the core takes the kernel's decisions.

use std::path::PathBuf;

fn recordings() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/data/decisions");
    let entries = std::fs::read_dir(folder).expect("the recordings are in the repository");
    let mut logs: Vec<PathBuf> = entries
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "gz"))
        .collect();
    logs.sort();
    logs
}

#[test]
fn every_decision_agrees() {
    let logs = recordings();
    assert_eq!(logs.len(), 18);
    let mut decisions = 0;
    for log in &logs {
        let outcome = fidelity::compare(log).expect("well-formed");
        assert_eq!(outcome.differ, 0, "{}: {:#?}", log.display(), outcome.first.first());
        assert!(outcome.clock.len() * 300 <= outcome.decisions, "{}", log.display());
        decisions += outcome.decisions;
    }
    assert!(decisions > 200_000, "{decisions}");
}

#[test]
fn a_changed_decision_is_found() {
    let log = recordings().into_iter().find(|log| log.to_string_lossy().contains("t1-flat"));
    let log = log.expect("t1 is among them");
    let setup = fidelity::Setup::beside(&log).expect("well-formed");
    let mut lines = fidelity::read_log(&log).expect("well-formed");
    let at = lines.iter().position(|line| line.event == "next_budget").expect("one is there");
    lines[at].fields[1] = "16385".into();
    let outcome = fidelity::replay("t1", &setup, &lines).expect("no event changed");
    assert_eq!((outcome.differ, outcome.first[0].at), (1, fidelity::Place::Line(lines[at].number)));
    assert!(outcome.first[0].expected.ends_with("16385"));
}

#[test]
fn mistakes_are_told_with_their_place() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log = folder.path().join("x.csv");
    let told = |log: &PathBuf| fidelity::compare(log).expect_err("wrong").to_string();
    assert!(told(&log).contains("cannot read"), "{}", told(&log));
    std::fs::write(&log, "1000,allocate,1,RS,0,8\nnonsense\n").expect("written");
    assert!(told(&log).contains("x.csv:2: expected"), "{}", told(&log));
    std::fs::write(&log, "1000,allocate,1,RS,0,8\n").expect("written");
    assert!(told(&log).contains("x.toml"), "{}", told(&log));
    let settings = "disk = \"reference-hdd\"\ndepth = 1\nnr_requests = 8\nhz = 1000\n\
                    kernel = \"5.10\"\nmerging = false\n";
    std::fs::write(folder.path().join("x.toml"), settings).expect("written");
    assert!(told(&log).contains("kernel `5.10` is unknown: expected 6.1"), "{}", told(&log));
    std::fs::write(folder.path().join("x.toml"), settings.replace("5.10", "6.1")).expect("written");
    assert!(told(&log).contains("x.csv:1: process `1` is unknown"), "{}", told(&log));
}
