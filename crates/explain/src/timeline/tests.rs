//! Timelines of simulated runs: what is in them must be possible.

use super::*;
use blk::QueueSettings;
use device::Profile;
use runner::SimultaneousOrder;
use sim::{Control, Setup, limits, simulate_before};

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

fn recorded(scheduler: &str, entries: usize) -> Timeline {
    let jobs = workload::parse(JOBS, "test.fio").unwrap();
    let profile = Profile::builtin("hdd-desktop").unwrap();
    let mut recorder = TimelineRecorder::new(Cast::everybody(&jobs), entries);
    let limits = limits(&profile);
    let setup = Setup {
        jobs: &jobs,
        group_weights: &[],
        settings: QueueSettings::default(),
        page_cache: Default::default(),
        profile: &profile,
        elevator: elevators::build_observed(scheduler, 0, &limits, recorder.clone()).unwrap(),
        seed: 1,
        order: SimultaneousOrder::AsCreated,
    };
    let simulated = simulate_before(setup, &mut |_, _| Control::Continue, &mut recorder).unwrap();
    recorder.timeline(simulated.outcome.elapsed_ns).expect("requests ended")
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
fn observing_changes_nothing() {
    let plain = recorded("none", 100_000).requests;
    assert_eq!(plain, recorded("none", 100_000).requests);
}
