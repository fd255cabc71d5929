// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every recording in the repository: the core takes the kernel's decisions.

use fidelity::decisions::{LogLine, LogPosition, Setup};
use std::path::PathBuf;

/// The logs in a folder of the data.
fn recordings(folder: &str) -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data").join(folder);
    let entries = std::fs::read_dir(folder).expect("the recordings are in the repository");
    let mut logs: Vec<PathBuf> = entries
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "gz"))
        .collect();
    logs.sort();
    logs
}

/// Every decision in `logs` logs is taken, and few of them hang on the rounding of times.
fn all_agree(folder: &str, logs: usize, decisions: usize) {
    let recordings = recordings(folder);
    assert_eq!(recordings.len(), logs);
    let mut compared = 0;
    for log in &recordings {
        let outcome = fidelity::decisions::compare(log).expect("well-formed");
        let name = log.display();
        assert_eq!(outcome.differ, 0, "{name}: {:#?} {:?}", outcome.first.first(), outcome.note);
        assert!(outcome.rounded.len() * 4000 <= outcome.decisions, "{name}: {:?}", outcome.rounded);
        compared += outcome.decisions;
    }
    assert!(compared > decisions, "{compared}");
}

#[test]
fn every_decision_of_the_first_set_agrees() {
    all_agree("decisions", 18, 200_000);
}

#[test]
fn every_decision_of_6_1_agrees() {
    all_agree("decisions-2/6.1", 8, 270_000);
}

#[test]
fn every_decision_of_6_12_agrees() {
    all_agree("decisions-2/6.12", 12, 360_000);
}

#[test]
fn every_decision_of_the_stock_module_of_6_1_at_work_agrees() {
    all_agree("stock/6.1", 4, 35_000);
}

#[test]
fn every_decision_of_the_stock_module_of_6_12_at_work_agrees() {
    all_agree("stock/6.12", 4, 36_000);
}

/// What a trace with these lines is taken for. Each is `PID MICROSECONDS TEXT`.
fn traced(lines: &[&str]) -> Result<Vec<String>, String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let trace = folder.path().join("x.trace");
    let settings = "disk = { rotational = true }\ndepth = 1\nnr_requests = 8\nhz = 250\n\
                    kernel = \"6.1\"\nmerging = false\nclock_runs = true\n\
                    [tunables]\nlow_latency = 0\n[groups]\na = 100\n\"a/b\" = 200\n";
    std::fs::write(folder.path().join("x.toml"), settings).expect("written");
    let mut text = "# tracer: blk\n#\n".to_owned();
    for line in lines {
        let mut words = line.splitn(3, ' ');
        let (pid, micros) = (words.next().expect("a process"), words.next().expect("a time"));
        let what = words.next().expect("a text");
        text += &format!("   pace-{pid}   [000] d..1.   1.{micros:0>6}: {what}\n");
    }
    std::fs::write(&trace, text).expect("written");
    let outcome = fidelity::decisions::compare(&trace).map_err(|error| error.to_string())?;
    Ok(outcome
        .first
        .into_iter()
        .map(|first| format!("{}|{}", first.expected, first.decided))
        .collect())
}

#[test]
fn what_a_disk_gives_back_is_inserted_at_the_head_for_its_process() {
    let seen = traced(&[
        "7 10 tracing_mark_write: process be4 -",
        "7 20 8,0 Q RS 0 + 8 [pace]",
        "7 21 8,0 G RS 0 + 8 [pace]",
        "7 22 8,0 I RS 0 + 8 [pace]",
        "3 30 8,0 1,0 m N bfq dispatch requests: 1 busy queues",
        "3 31 8,0 D RS 0 + 8 [kworker]",
        "0 900 8,0 C RS 0 + 4 [0]",
        "0 901 8,0 R RS 4 + 4 [0]",
        "3 910 8,0 I RS 4 + 4 [kworker]",
        "3 911 8,0 D RS 4 + 4 [kworker]",
        "0 1900 8,0 C RS 4 + 4 [0]",
    ]);
    let seen = seen.expect("every line is understood");
    // The decisions are not in this trace; that every request was known and issued in turn is.
    assert!(seen.iter().all(|seen| seen.starts_with('|')), "{seen:?}");
    assert!(seen.iter().any(|seen| seen == "|served,7,8"), "{seen:?}");
}

/// What is decided where a process whose first read waits sends a second one in this cgroup.
fn two_reads(second: &str) -> Vec<String> {
    let read = |micros: u32, action: &str, group: &str, sector: u32| {
        format!("7 {micros} 8,0 {group} {action} RS {sector} + 8 [pace]")
    };
    let lines = [
        "4 5 tracing_mark_write: group a 11".to_owned(),
        "4 6 tracing_mark_write: group a/b 2c".to_owned(),
        "7 10 tracing_mark_write: process be4 -".to_owned(),
        read(20, "Q", "1,0", 0),
        read(21, "G", "1,0", 0),
        read(22, "I", "1,0", 0),
        read(30, "Q", second, 8),
        read(31, "G", second, 8),
        read(32, "I", second, 8),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    traced(&lines).expect("every line is understood")
}

#[test]
fn a_process_belongs_to_the_cgroup_of_its_newest_request() {
    let finishes = |decided: Vec<String>| {
        decided.into_iter().filter(|decided| decided.starts_with("|finish_time,7,")).count()
    };
    assert_eq!(finishes(two_reads("1,0")), 1);
    assert_eq!(finishes(two_reads("2c,0")), 3, "its queue leaves one group and comes to another");
}

#[test]
fn who_has_not_introduced_itself_is_a_kernel_thread() {
    let seen = traced(&[
        "24 20 8,0 1,0 Q W 0 + 8 [kworker/u2:1]",
        "24 21 8,0 1,0 G W 0 + 8 [kworker/u2:1]",
        "24 22 8,0 1,0 I W 0 + 8 [kworker/u2:1]",
    ]);
    let seen = seen.expect("every line is understood");
    assert_eq!(seen[0], "|queue_created,async", "{seen:?}");
    let told = traced(&["24 20 8,0 77,0 Q W 0 + 8 [kworker/u2:1]"]).expect_err("not understood");
    assert!(told.contains("77,0 Q W 0 + 8"), "{told}");
}

#[test]
fn a_limit_is_told_at_once_whatever_interrupts_it() {
    let write = |action: &str, sector: u64| format!("7 20 8,0 {action} W {sector} + 8 [pace]");
    let mut lines = vec!["7 10 tracing_mark_write: process be4 -".to_owned()];
    for sector in [0, 8, 16, 24] {
        lines.extend(["Q", "G", "I"].map(|action| write(action, sector)));
    }
    lines.extend([
        "3 30 8,0 1,0 m N bfq dispatch requests: 1 busy queues".to_owned(),
        write("D", 0),
        write("Q", 32),
        "7 41 8,0 1,0 m N bfq7A too many requests: allocated 4 limit 4 level 0".to_owned(),
        write("C", 0),
        "7 44 8,0 1,0 m N bfq [bfq_limit_depth] wr_busy 0 sync 0 depth 1".to_owned(),
    ]);
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let seen = traced(&lines).expect("every line is understood");
    assert!(seen.iter().any(|seen| seen == "|served,async,24"), "{seen:?}");
    assert!(seen.iter().all(|seen| !seen.contains("_limit")), "{seen:?}");
}

#[test]
fn a_group_is_in_one_that_is_known() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let settings = "disk = { rotational = true }\ndepth = 1\nnr_requests = 8\nhz = 250\n\
                    kernel = \"6.1\"\nmerging = false\n[groups]\n\"a/b\" = 200\n";
    std::fs::write(folder.path().join("x.toml"), settings).expect("written");
    let error = Setup::beside(&folder.path().join("x.trace")).expect_err("there is no `a`");
    let told = error.to_string();
    assert!(told.ends_with("group `a/b` is in the unknown group `a`"), "{told}");
}

#[test]
fn a_message_that_is_not_known_is_told() {
    let told = traced(&["7 10 8,0 1,0 m N bfq7S something new 5"]).expect_err("not understood");
    assert!(told.contains("x.trace:3: neither a step"), "{told}");
}

fn recording(name: &str) -> (Setup, Vec<LogLine>) {
    let log = recordings("decisions").into_iter().find(|log| log.to_string_lossy().contains(name));
    let log = log.expect("it is among them");
    let setup = Setup::beside(&log).expect("well-formed");
    (setup, fidelity::decisions::read_log(&log).expect("well-formed"))
}

#[test]
fn a_changed_decision_is_found() {
    let (setup, mut lines) = recording("t1-flat");
    let at = lines.iter().position(|line| line.event == "next_budget").expect("one is there");
    lines[at].fields[1] = "16385".into();
    let outcome = fidelity::decisions::replay("t1", &setup, &lines).expect("no event changed");
    assert_eq!((outcome.differ, outcome.first[0].at), (1, LogPosition::Line(lines[at].number)));
    assert!(outcome.first[0].expected.ends_with("16385"));
}

#[test]
fn a_replay_that_cannot_go_on_says_what_differed_first() {
    let (setup, mut lines) = recording("t1-flat");
    // The second process reads somewhere else than it did: its completions are not understood.
    let at = lines.iter().rposition(|line| line.event == "insert").expect("one is there");
    lines[at].queue = "7".into();
    let changed = lines.iter().position(|line| line.event == "served").expect("one is there");
    lines[changed].fields[0] = "1".into();
    let outcome =
        fidelity::decisions::replay("t1", &setup, &lines).expect("something differed before");
    assert_eq!(outcome.first[0].at, LogPosition::Line(lines[changed].number));
    let note = outcome.note.expect("it ended there");
    assert!(note.ends_with("process `7` is unknown; the replay ends there"), "{note}");
}

#[test]
fn an_event_written_at_a_tick_may_have_come_before_it() {
    // Line 7892 says that a raise is 3022 ms old; by the times as they are written it is 3023.
    let (setup, lines) = recording("fairg4-hdd-32-ll1");
    let outcome = fidelity::decisions::replay("fairg4", &setup, &lines).expect("as recorded");
    assert_eq!((outcome.differ, outcome.rounded.as_slice()), (0, &[7887][..]));
    // No rounding explains two milliseconds.
    let mut changed = lines;
    let at = changed.iter().position(|line| line.number == 7892).expect("it is there");
    changed[at].fields[0] = "3020".into();
    let outcome =
        fidelity::decisions::replay("fairg4", &setup, &changed).expect("no event changed");
    assert_eq!((outcome.differ, outcome.first[0].at), (1, LogPosition::Line(7892)));
}

/// What the core decides in a log that has nothing but these events, of process 4.
fn decided(merging: bool, events: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log = folder.path().join("x.csv");
    let settings = format!(
        "disk = \"reference-hdd\"\ndepth = 1\nnr_requests = 8\nhz = 1000\nkernel = \"6.1\"\n\
         merging = {merging}\n[[process]]\nid = 4\nioprio = \"be4\"\n"
    );
    std::fs::write(folder.path().join("x.toml"), settings).expect("written");
    std::fs::write(&log, events).expect("written");
    let outcome = fidelity::decisions::compare(&log).expect("no event is impossible");
    outcome.first.into_iter().map(|first| first.decided).collect()
}

#[test]
fn a_bio_that_became_part_of_a_waiting_request_shows_in_its_size() {
    let events = "1000,allocate,4,RS,0,8\n1000,insert,4,RS,0,8\n\
                  2000,allocate,4,RS,8,8\n2000,insert,4,RS,8,8\n\
                  3000,dispatch_attempt,,1\n3000,issue,,RS,0,24\n9000,complete,,RS,0,24\n";
    let decided = decided(true, events);
    assert!(decided.contains(&"served,4,24".to_owned()), "{decided:?}");
    assert!(decided.iter().all(|decided| !decided.starts_with("issue")), "{decided:?}");
}

#[test]
fn several_requests_may_be_allocated_before_the_first_is_inserted() {
    let events = "1000,allocate,4,RS,0,8\n1000,allocate,4,RS,8,8\n\
                  2000,insert,4,RS,0,8\n2000,insert,4,RS,8,8\n\
                  3000,dispatch_attempt,,1\n3000,issue,,RS,0,8\n";
    let decided = decided(false, events);
    assert!(decided.contains(&"served,4,8".to_owned()), "{decided:?}");
    assert!(decided.iter().all(|decided| !decided.starts_with("issue")), "{decided:?}");
}

#[test]
fn a_process_gets_the_priority_that_is_logged_for_its_queue() {
    let events = "1000,allocate,4,RS,0,8\n1000,insert,4,RS,0,8\n1000,dispatch_attempt,,1\n\
                  1000,issue,,RS,0,8\n9000,complete,,RS,0,8\n60000000,allocate,4,RS,8,8\n\
                  60000000,ioprio,4,1,70\n60000000,insert,4,RS,8,8\n";
    let decided = decided(false, events);
    let finishes = || decided.iter().filter(|decided| decided.starts_with("finish_time"));
    assert!(finishes().next().is_some_and(|first| first.ends_with(",1200")), "{decided:?}");
    assert!(finishes().any(|finish| finish.ends_with(",2100")), "{decided:?}");
}

#[test]
fn mistakes_are_told_with_their_place() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log = folder.path().join("x.csv");
    let told = |log: &PathBuf| fidelity::decisions::compare(log).expect_err("wrong").to_string();
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
