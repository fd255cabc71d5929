// SPDX-License-Identifier: MIT OR Apache-2.0
//! A session as the page uses it.

use lab::{Files, SimulationOptions, Simulations, Work};
use playground::{Change, Frame, Playground, Session, Setup, Why};
use serde_json::{Value, json};

const MS: u64 = 1_000_000;

/// Two readers with weights, and a click now and then.
const LOAD: &str = "\
[global]
size=256m
time_based
runtime=2
[light]
cgroup=light
cgroup_weight=100
rw=read
bs=128k
[heavy]
cgroup=heavy
cgroup_weight=300
rw=read
bs=128k
[clicks]
rw=randread
bs=4k
thinktime=50ms
";

const READER: &str = "[late]\ncgroup=late\nrw=read\nbs=128k\n";

fn setup(schedulers: &str) -> Setup {
    Setup::new("hdd-desktop", schedulers, LOAD)
}

fn advance(session: &mut Session, until_ms: u64) -> Vec<Frame> {
    session.advance(until_ms * MS).unwrap()
}

/// What the command prints for a built-in job file.
fn command(name: &str, setup: &Setup) -> String {
    let work = Work { seed: setup.seed, ..Work::of([name]) };
    let options = SimulationOptions {
        devices: vec![setup.device.clone().into()],
        schedulers: setup.schedulers.clone(),
        timeline: 400,
        command: setup.command(),
        ..SimulationOptions::default()
    };
    let plan = Simulations::plan(&work, options, &Files::plain()).unwrap();
    plan.run_all(&mut ()).unwrap().results.to_json()
}

#[test]
fn a_finished_session_has_the_result_of_the_command() {
    for (name, device) in [("@two-groups", "hdd-desktop"), ("@random-readers", "ssd-sata")] {
        let setup = Setup { name: name.into(), ..Setup::new(device, "bfq,none", "") };
        let mut session = Session::begin(setup.clone()).unwrap();
        for until_ms in [1, 16, 17, 100, 1_000] {
            advance(&mut session, until_ms);
        }
        assert!(session.result().unwrap() == command(name, &setup), "{name}");
    }
}

#[test]
fn frames_have_all_that_was_served_exactly_once() {
    let mut session = Session::begin(setup("bfq,none")).unwrap();
    let mut served = [0; 2];
    let mut last = Vec::new();
    for until_ms in (0..=1_000).step_by(16) {
        last = advance(&mut session, until_ms);
        for (run, frame) in last.iter().enumerate() {
            assert!(frame.now_ns <= until_ms * MS);
            let timeline = frame.timeline.iter();
            let requests = timeline.flat_map(|timeline| &timeline.requests);
            served[run] += requests.map(|entry| entry.end_sector - entry.first_sector).sum::<u64>();
        }
    }
    for (run, frame) in last.iter().enumerate() {
        let bytes: u64 = frame.processes.iter().map(|process| process.bytes).sum();
        // What has ended in part is in none of the figures yet.
        let unfinished = served[run] * 512 - bytes;
        assert!(bytes > 8 << 20 && unfinished <= 384 << 10, "{run}: {unfinished}");
    }
    let turns = last[0].timeline.as_ref().map(|timeline| timeline.turns.len());
    assert!(turns.is_some() && last[1].timeline.as_ref().unwrap().turns.is_empty());
}

#[test]
fn a_weight_changed_on_the_way_is_part_of_the_setup() {
    let mut session = Session::begin(setup("bfq")).unwrap();
    advance(&mut session, 500);
    session.set_weight("/light", 900).unwrap();
    let later = advance(&mut session, 1_500);
    let bytes = |frames: &[Frame]| [frames[0].processes[0].bytes, frames[0].processes[1].bytes];
    assert_eq!(
        session.setup().changes,
        [Change { at_ns: 500 * MS, group: "/light".into(), weight: 900 }]
    );
    assert_eq!(session.about().groups[0].weight, 900);
    let light = |frames: &[Frame]| frames[0].groups[0].weight;
    assert_eq!(light(&later), 900);

    let mut again = Session::begin(session.setup().clone()).unwrap();
    assert_eq!(light(&advance(&mut again, 400)), 100);
    let again = advance(&mut again, 1_500);
    assert_eq!(bytes(&again), bytes(&later), "the setup is the session");
    assert_eq!(light(&again), 900);
    session.add_job(READER).unwrap();
    assert_eq!(light(&advance(&mut session, 1_500)), 900, "also when a job was added");
    let mut unchanged = Session::begin(setup("bfq")).unwrap();
    let [light, heavy] = bytes(&advance(&mut unchanged, 1_500));
    assert!(light < heavy && bytes(&later)[0] > light, "{light}, {heavy}, {later:?}");

    assert!(session.set_weight("/nobody", 100).is_err());
    assert!(session.set_weight("/light", 0).is_err());
    assert_eq!(session.setup().changes.len(), 1, "what was refused is no change");
}

#[test]
fn a_reader_added_on_the_way_changes_nothing_of_what_was() {
    let mut session = Session::begin(setup("bfq,mq-deadline")).unwrap();
    let before = advance(&mut session, 700);
    session.add_job(READER).unwrap();
    assert!(session.setup().job_file.ends_with("bs=128k\nstartdelay=700ms\n"));
    assert_eq!(session.about().processes, ["light", "heavy", "clicks", "late"]);

    let after = advance(&mut session, 700);
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before.processes[..], after.processes[..3]);
        assert_eq!(after.processes[3].ios, 0);
        let served = |frame: &Frame| frame.timeline.clone().map(|timeline| timeline.requests);
        assert!(served(before).is_some_and(|requests| requests.len() > 3));
        assert!(served(before) == served(after), "the past is there to be drawn again");
    }
    let later = advance(&mut session, 1_500);
    assert!(later.iter().all(|frame| frame.processes[3].ios > 0));
    assert!(session.add_job("[wrong]\nrw=red\n").is_err());
    assert_eq!(session.about().processes.len(), 4);
}

#[test]
fn no_job_is_added_behind_one_that_waits() {
    let text = format!("{LOAD}stonewall\n");
    let mut session = Session::begin(Setup::new("hdd-desktop", "bfq", &text)).unwrap();
    advance(&mut session, 700);
    let told = session.add_job(READER).unwrap_err().to_string();
    assert!(told.starts_with("job clicks has stonewall: "), "{told}");
    assert_eq!(session.setup().job_file, text);
    assert!(session.add_job("[wrong]\nrw=red\n").is_err());
}

#[test]
fn why_the_last_request_waited_if_none_is_under_way() {
    let mut session = Session::begin(setup("bfq,none")).unwrap();
    advance(&mut session, 700);
    session.add_job(READER).unwrap();
    for run in [0, 1] {
        let first = session.why(run, "clicks", 0).unwrap().unwrap();
        // In the middle of a pause of 50 ms.
        let between = session.why(run, "clicks", first.ended_ns + 20 * MS).unwrap().unwrap();
        // Its words are those of all that was under way beside it.
        assert_eq!(Why { terms: first.terms.clone(), ..between }, first);
        let last = session.why(run, "light", 3_600_000 * MS).unwrap().unwrap();
        assert!(last.ended_ns > 1_900 * MS, "{last:?}");
        assert_eq!(session.why(run, "late", MS).unwrap(), None, "it has asked for nothing yet");
    }
}

#[test]
fn why_a_request_waited_adds_up() {
    let session = Session::begin(setup("bfq,none")).unwrap();
    for run in [0, 1] {
        let why = session.why(run, "light", 1_000 * MS).unwrap().unwrap();
        assert!(why.submitted_ns <= 1_000 * MS && why.ended_ns >= 1_000 * MS);
        assert!((why.submitted_ns..=why.ended_ns).contains(&why.dispatched_ns));
        assert_eq!((why.process.as_str(), why.op, why.bytes), ("light", "read", 128 << 10));
        assert!(why.behind.windows(2).all(|rows| rows[0].bytes >= rows[1].bytes));
        let told: u64 = why.causes.iter().map(|cause| cause.ns).sum();
        let latency_ns = why.ended_ns - why.submitted_ns;
        assert_eq!(told, if run == 0 { latency_ns } else { 0 }, "{why:?}");
        assert_eq!(why.steps.is_empty(), run == 1);
        let turn = why.terms.iter().any(|term| term.term == "turn" && !term.meaning.is_empty());
        assert_eq!(turn, run == 0, "the words of the answer are explained: {:?}", why.terms);
    }
    assert!(session.why(2, "light", 0).is_err());
    assert!(session.why(0, "nobody", 0).is_err());
}

#[test]
fn mistakes_are_told_and_name_the_line() {
    for (setup, expected) in [
        (Setup::new("hdd-desktop", "bfq", "[a]\nrw=red\n"), "playground.fio:2"),
        (Setup::new("hdd-deskto", "bfq", LOAD), "hdd-desktop"),
        (Setup::new("hdd-desktop", "bfg", LOAD), "bfq"),
        (Setup::new("hdd-desktop", "bfq,tfq,none,kyber", LOAD), "1 to 3 schedulers"),
        (Setup::new("hdd-desktop", "bfq", "include other.fio\n"), "other.fio"),
    ] {
        let told = Session::begin(setup).err().unwrap().to_string();
        assert!(told.contains(expected), "{told}");
    }
}

#[test]
fn the_page_calls_by_texts() {
    let mut page = Playground::default();
    let mut call =
        |call: Value| -> Value { serde_json::from_str(&page.call(&call.to_string())).unwrap() };
    let lists = call(json!("lists"))["done"].take();
    assert!(lists["devices"].as_array().unwrap().iter().any(|row| row["name"] == "ssd-sata"));
    assert_eq!(call(json!({"advance": {"until_ns": 1}}))["error"], "there is no session yet");

    let setup = json!({"device": "hdd-desktop", "schedulers": "bfq", "job_file": LOAD});
    let about = call(json!({ "begin": setup }))["done"].take();
    assert_eq!(about["groups"][1], json!({"path": "/heavy", "weight": 300}));
    let frames = call(json!({"advance": {"until_ns": 100 * MS}}))["done"].take();
    assert_eq!(frames[0]["has_ended"], false);
    assert!(frames[0]["timeline"]["requests"].as_array().unwrap().len() > 3);
    assert!(call(json!({"set_weight": {"group": "/heavy", "weight": 5}}))["error"].is_null());
    let why = call(json!({"why": {"run": 0, "process": "clicks", "at_ns": 0}}));
    assert_eq!(why["done"]["process"], "clicks");
    assert_eq!(call(json!("setup"))["done"]["changes"][0]["at_ns"], 100 * MS);
    assert!(call(json!({"begin": {"device": 1}}))["error"].as_str().unwrap().contains("string"));
    assert!(page.call("nonsense").contains("error"));
}
