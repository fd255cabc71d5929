// SPDX-License-Identifier: MIT OR Apache-2.0
//! Timelines of simulated runs: what is in them must be possible.

use super::*;
use blk::QueueSettings;
use device::Profile;
use runner::SimultaneousOrder;
use sim::{Setup, limits, simulate_before};
use std::ops::ControlFlow;

/// Two groups of readers and a late starter, for 2 s on a hard disk.
const JOBS: &str = "\
[global]
time_based
runtime=2
size=64m
[light]
cgroup=light
rw=read
bs=256k
[heavy]
cgroup=heavy
cgroup_weight=300
rw=read
bs=256k
numjobs=2
[late]
rw=randread
bs=4k
startdelay=1
runtime=500ms
";

fn jobs() -> Vec<workload::Job> {
    workload::parse(JOBS, "test.fio").unwrap()
}

fn simulated(
    elevator: Box<dyn blk::Elevator>,
    mut observer: impl sim::RunObserver,
) -> runner::RunOutcome {
    let setup = Setup {
        jobs: &jobs(),
        group_weights: &[],
        settings: QueueSettings::default(),
        page_cache: Default::default(),
        profile: &Profile::builtin("hdd-desktop").unwrap(),
        elevator,
        seed: 1,
        order: SimultaneousOrder::AsCreated,
    };
    simulate_before(setup, &mut |_, _| ControlFlow::Continue(()), &mut observer).unwrap().outcome
}

fn recorded(scheduler: &str, entries: usize) -> Timeline {
    let recorder = TimelineRecorder::new(Cast::everybody(&jobs()), entries);
    let limits = limits(&Profile::builtin("hdd-desktop").unwrap());
    let elevator = elevators::build_observed(scheduler, 0, &limits, recorder.clone()).unwrap();
    let outcome = simulated(elevator, recorder.clone());
    recorder.timeline(outcome.elapsed_ns).expect("requests ended")
}

#[test]
fn turns_follow_each_other_and_the_disk_is_idle_only_within_them() {
    let timeline = recorded("bfq", 100_000);
    assert!(timeline.turns.len() > 10, "{}", timeline.turns.len());
    for pair in timeline.turns.windows(2) {
        assert!(pair[0].until_ns <= pair[1].from_ns, "{pair:?}");
    }
    assert!(!timeline.waits.is_empty());
    for wait in &timeline.waits {
        let around = timeline
            .turns
            .iter()
            .find(|turn| turn.from_ns <= wait.from_ns && wait.until_ns <= turn.until_ns);
        assert_eq!(around.map(|turn| turn.who), Some(wait.who), "{wait:?}");
    }
    let raised = timeline.marks.iter().find(|mark| mark.what == "raised");
    assert_eq!(raised.map(|mark| mark.detail.as_str()), Some("interactive"));
}

#[test]
fn names_are_those_of_the_job_file() {
    let timeline = recorded("bfq", 100_000);
    let of_requests = timeline.requests.iter().map(|entry| &timeline.who[entry.who]);
    let mut names: Vec<_> = of_requests.map(|who| (who.name.as_str(), who.job.unwrap())).collect();
    names.sort_unstable();
    names.dedup();
    // Queues may be shared, requests have one process.
    assert_eq!(names, [("heavy.0", 1), ("heavy.1", 1), ("late", 2), ("light", 0)]);
}

#[test]
fn every_scheduler_has_its_requests_in_order_around_the_late_start() {
    for scheduler in elevators::names() {
        let timeline = recorded(scheduler, 50);
        assert!(timeline.requests.len() <= 50, "{scheduler}");
        assert!(timeline.requests.is_sorted_by_key(|entry| entry.ended_ns), "{scheduler}");
        let of_late = |entry: &&Requests| timeline.who[entry.who].name == "late";
        let late = timeline.requests.iter().find(of_late).expect(scheduler);
        assert!(timeline.from_ns < 1_000_000_000, "{scheduler}: {}", timeline.from_ns);
        assert!(late.dispatched_ns >= 1_000_000_000, "{scheduler}: {late:?}");
        assert!(timeline.requests[0].ended_ns >= timeline.from_ns, "{scheduler}");
        for entry in &timeline.requests {
            assert!(entry.dispatched_ns < entry.ended_ns && entry.count > 0, "{entry:?}");
            assert!(entry.first_sector < entry.end_sector, "{entry:?}");
        }
        assert_eq!(timeline.turns.is_empty(), scheduler != "bfq", "{scheduler}");
    }
}

#[test]
fn whatever_is_recorded_has_words_in_the_report() {
    let has = |table: &[(&str, &str)], name: &str| table.iter().any(|(known, _)| *known == name);
    for reason in bfq::why::Reason::ALL {
        assert!(has(&report::timeline::REASONS, reason.name()), "{}", reason.name());
    }
    for mark in recorded("bfq", 100_000).marks {
        assert!(has(&report::timeline::MARKS, &mark.what), "{mark:?}");
    }
}

#[test]
fn observing_changes_nothing() {
    let limits = limits(&Profile::builtin("hdd-desktop").unwrap());
    let recorder = TimelineRecorder::new(Cast::everybody(&jobs()), 50);
    let observed = elevators::build_observed("bfq", 0, &limits, recorder.clone()).unwrap();
    let plain = elevators::build("bfq", 0, &limits).unwrap();
    let results = |outcome: runner::RunOutcome| {
        let run = outcome.into_run(report::DeviceInfo::default(), report::OrderedMap::new());
        (run.summary, run.fio, run.scheduler_stats)
    };
    assert_eq!(results(simulated(observed, recorder)), results(simulated(plain, ())));
}
