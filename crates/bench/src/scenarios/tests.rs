// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of scenarios, and what is read off made-up outcomes.

use super::*;
use crate::model::Level;
use crate::workers::{InRamp, Latencies, ProcessReport};
use std::collections::BTreeSet;

fn scales() -> Vec<Scale> {
    let sizes = [Scale::LEAST_BYTES, 1 << 30, 1 << 40];
    let levels = [Level::Quick, Level::Normal, Level::Thorough];
    sizes.iter().flat_map(|&bytes| levels.map(|level| Scale::new(level, bytes).unwrap())).collect()
}

#[test]
fn every_scenario_is_a_job_file_that_fits_the_target() {
    for scale in scales() {
        for scenario in &SCENARIOS {
            let too_large =
                scenario.name == "office-readers" && scale.used_bytes == Scale::LEAST_BYTES;
            let jobs = match scenario.jobs(&scale) {
                Err(error) if too_large => {
                    assert!(error.to_string().contains("room of"), "{error}");
                    continue;
                }
                jobs => jobs.unwrap(),
            };
            let jobs: Vec<_> = jobs.into_iter().map(|scaled| scaled.job).collect();
            workload::lay_out(&jobs, scale.used_bytes)
                .unwrap_or_else(|error| panic!("{}: {error}", scenario.name));
            assert_eq!(workload::notes(&jobs).len(), 0, "{}", scenario.name);
        }
    }
}

#[test]
fn rows_agree_with_their_jobs() {
    let scale = Scale::new(Level::Normal, 1 << 30).unwrap();
    let mut names = BTreeSet::new();
    for scenario in &SCENARIOS {
        assert!(names.insert(scenario.name), "{} twice", scenario.name);
        let jobs = scenario.jobs(&scale).unwrap();
        let known = |name: &str| {
            name.is_empty() || name == COMMAND_JOB || jobs.iter().any(|s| s.job.name == name)
        };
        assert!(scenario.awaited.iter().all(|name| known(name)), "{}", scenario.name);
        let writes = jobs.iter().any(|s| s.job.trace.is_none() && s.job.rw.writes());
        assert_eq!(writes, scenario.needs.contains(&Need::Writes), "{}", scenario.name);
        let groups = jobs.iter().any(|s| s.job.cgroup.is_some());
        assert_eq!(groups, scenario.needs.contains(&Need::Groups), "{}", scenario.name);
        for measure in scenario.measures {
            let job = match *measure {
                Measure::StartUp(job)
                | Measure::Throughput(job)
                | Measure::Iops(job)
                | Measure::LatencyMedian(job)
                | Measure::LatencyTail(job)
                | Measure::LateFrames { job, .. }
                | Measure::SyncTail(job) => job,
                Measure::ShareError | Measure::CpuPerIo => "",
            };
            assert!(known(job), "{}: {job}", scenario.name);
            let of_load = jobs.iter().map(|s| &s.job).filter(|of| {
                of.name == job && !scenario.awaited.contains(&job) && scenario.has_a_load()
            });
            let lead_ns = scale.lead.as_nanos() as u64;
            of_load.for_each(|load| assert_eq!(load.ramp_time_ns, lead_ns, "{}", scenario.name));
        }
        let metrics: BTreeSet<_> = scenario.measures.iter().map(|m| m.metric()).collect();
        assert_eq!(metrics.len(), scenario.measures.len(), "{}", scenario.name);
    }
}

/// Latencies of these times, ms.
fn latencies(ms: &[u64]) -> Latencies {
    let pairs: Vec<_> = ms.iter().map(|ms| (ms * 1_000_000, 1)).collect();
    serde_json::from_value(serde_json::json!(pairs)).unwrap()
}

fn process(began_s: u64, ended_s: u64, bytes: u64, latencies: Latencies) -> ProcessReport {
    let [began_ns, ended_ns] = [began_s, ended_s].map(|s| s * 1_000_000_000);
    ProcessReport { began_ns, ended_ns, ios: 10, bytes, latencies, ..ProcessReport::default() }
}

fn outcome() -> CellOutcome {
    let a = process(1, 3, 40_000_000, latencies(&[10, 21, 30, 40]));
    let b = process(2, 4, 80_000_000, Latencies::default());
    let syncs = latencies(&(1..=20).collect::<Vec<_>>());
    let c = ProcessReport { syncs, ..process(0, 2, 0, Latencies::default()) };
    let job = |name: &str, weight, processes| JobOutcome { name: name.into(), weight, processes };
    CellOutcome {
        jobs: vec![job("first", 100, vec![a, b]), job("second", 300, vec![c])],
        cpu_ns: 600_000,
    }
}

#[test]
fn figures_are_read_off_an_outcome() {
    let frames = Measure::LateFrames { job: "first", frame_ms: 20 };
    for (measure, value) in [
        (Measure::StartUp("first"), 3.0),
        (Measure::Throughput("first"), 60.0),
        (Measure::Throughput(""), 60.0),
        (Measure::Iops("first"), 10.0),
        (Measure::Iops(""), 15.0),
        (Measure::LatencyMedian("first"), 21.0),
        (Measure::LatencyTail("first"), 40.0),
        (frames, 75.0),
        (Measure::ShareError, 75.0),
        (Measure::SyncTail("second"), 19.0),
        (Measure::CpuPerIo, 20.0),
    ] {
        assert_eq!(measure.of(&outcome()), Some(value), "{measure:?}");
    }
}

#[test]
fn what_a_load_moves_before_anything_is_disturbed_is_not_meanwhile() {
    // 100 MB/s for 400 ms, alone; then half of that for 400 ms, beside the other.
    let load = ProcessReport {
        ended_ns: 800_000_000,
        ios: 600,
        bytes: 60_000_000,
        in_ramp: InRamp { time_ns: 400_000_000, ios: 400, bytes: 40_000_000 },
        ..ProcessReport::default()
    };
    let job = |processes| JobOutcome { name: "load".into(), weight: 100, processes };
    let outcome = CellOutcome { jobs: vec![job(vec![load.clone()])], cpu_ns: 0 };
    assert_eq!(Measure::Throughput("load").of(&outcome), Some(50.0));
    assert_eq!(Measure::Iops("load").of(&outcome), Some(500.0));
    let ended_early = ProcessReport { ended_ns: 300_000_000, ..load };
    let outcome = CellOutcome { jobs: vec![job(vec![ended_early])], cpu_ns: 0 };
    assert_eq!(Measure::Throughput("load").of(&outcome), None);
}

#[test]
fn what_was_not_done_has_no_figure() {
    let nothing = CellOutcome::default();
    for scenario in &SCENARIOS {
        assert!(scenario.measures.iter().all(|measure| measure.of(&nothing).is_none()));
    }
}

#[test]
fn a_target_that_is_too_small_is_refused() {
    let error = Scale::new(Level::Quick, 63 << 20).unwrap_err();
    assert_eq!(error.to_string(), "the target has room for 63 MiB; expected at least 64 MiB");
}
