// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results for tests, small and made by hand.

use crate::fio::{FioOutput, GLOBAL_PERCENTILES};
use crate::ordered::OrderedMap;
use crate::plots;
use crate::recorder::{Recorder, Sample};
use crate::results::{DeviceInfo, Mode, Results, Run, Scenario};
use crate::study::NamedResults;
use crate::summary::{GroupInfo, summary};
use crate::timeline::{Mark, Requests, Timeline, TimelineTurn, Wait, Who};
use crate::totals::{JobInfo, ProcessRecord, fio_jobs};
use base::Direction;

pub(crate) const MS: u64 = 1_000_000;

/// A job, and what its process did: `(ended_ms, latency_us, bytes)` of each I/O.
pub(crate) struct JobSample<'a> {
    pub name: &'a str,
    pub cgroup: &'a str,
    pub options: &'a [(&'a str, &'a str)],
    pub ios: Vec<(u64, u64, u64)>,
}

impl JobSample<'_> {
    /// Ten I/Os in ten seconds.
    pub fn steady<'a>(
        name: &'a str,
        options: &'a [(&'a str, &'a str)],
        latency_us: u64,
        bytes: u64,
    ) -> JobSample<'a> {
        let ios = (1..=10).map(|second| (second * 1000, latency_us, bytes)).collect();
        JobSample { name, cgroup: "/", options, ios }
    }
}

fn recorded(job: &JobSample) -> Recorder {
    let mut recorder = Recorder::new(false, None);
    recorder.start(0);
    let mut last_ns = 0;
    for &(ended_ms, latency_us, bytes) in &job.ios {
        let ended_ns = ended_ms * MS;
        let created_ns = ended_ns - latency_us * 1000;
        let direction = Direction::Read;
        let sample = Sample { direction, bytes, created_ns, accepted_ns: created_ns };
        recorder.completed(ended_ns, &sample);
        last_ns = ended_ns;
    }
    recorder.finish(last_ns);
    recorder
}

/// A run of jobs, with weights of groups, on a simulated rotating disk.
pub(crate) fn run(scheduler: &str, jobs: &[JobSample], weights: &[(&str, u32)]) -> Run {
    let infos: Vec<JobInfo> = jobs
        .iter()
        .map(|job| JobInfo {
            name: job.name.into(),
            cgroup: job.cgroup.into(),
            options: job
                .options
                .iter()
                .copied()
                .map(|(name, value)| (name, value.into()))
                .collect(),
            percentiles: GLOBAL_PERCENTILES.to_vec(),
            depth: 1,
            ..JobInfo::default()
        })
        .collect();
    let mut groups = vec![GroupInfo { path: "/".into(), weight: None }];
    groups.extend(
        weights.iter().map(|&(path, weight)| GroupInfo { path: path.into(), weight: Some(weight) }),
    );
    let processes: Vec<ProcessRecord> = jobs
        .iter()
        .enumerate()
        .map(|(place, job)| ProcessRecord { job: place, recorder: recorded(job) })
        .collect();
    let elapsed_ms = jobs.iter().flat_map(|job| &job.ios).map(|io| io.0).max().unwrap_or(0);
    Run {
        scheduler: scheduler.into(),
        variant: None,
        tunables: [("slice_idle", 8)].into_iter().map(|(name, v)| (name, v.into())).collect(),
        device: DeviceInfo {
            profile: Some("disk".into()),
            depth: 32,
            rotational: true,
            ..DeviceInfo::default()
        },
        queue: OrderedMap::new(),
        fio: FioOutput::undated(OrderedMap::new(), fio_jobs(&infos, &processes), Vec::new()),
        summary: summary(&infos, &groups, &processes),
        fairness: None,
        device_stats: [("seeks", 7)].into_iter().collect(),
        group_stats: OrderedMap::new(),
        scheduler_stats: OrderedMap::new(),
        queue_stats: OrderedMap::new(),
        page_cache: OrderedMap::new(),
        seed: None,
        note: None,
        scenario: None,
        plots: Some(plots(&infos, &processes, elapsed_ms * MS)),
    }
}

/// A result of runs, from a job file of that name.
pub(crate) fn source(name: &str, mut runs: Vec<Run>) -> NamedResults {
    let scenario = Scenario {
        files: vec![format!("jobs/{name}.fio")],
        title: format!("About {name}."),
        notes: [("Shows", "what it shows.".to_owned())].into_iter().collect(),
        command: format!("bfq sim jobs/{name}.fio"),
    };
    runs.iter_mut().for_each(|run| run.scenario = Some(scenario.clone()));
    let results = Results { bfq_version: "1".into(), mode: Mode::Sim, seed: 1, note: None, runs };
    NamedResults { name: format!("out/{name}.json"), results }
}

/// A schedule of two processes, of which the second is idled for.
pub(crate) fn timeline() -> Timeline {
    let who = |name: &str, job| Who { name: name.into(), job: Some(job) };
    let requests = |from_ms: u64, until_ms: u64, who, first_sector| Requests {
        dispatched_ns: from_ms * MS,
        ended_ns: until_ms * MS,
        who,
        op: 'R',
        first_sector,
        end_sector: first_sector + 512,
        count: 1,
    };
    let turn = |from_ms: u64, until_ms: u64, who, reason: &str| TimelineTurn {
        from_ns: from_ms * MS,
        until_ns: until_ms * MS,
        who,
        reason: reason.into(),
        slow: false,
    };
    Timeline {
        from_ns: 0,
        until_ns: 100 * MS,
        who: vec![who("one", 0), who("two", 1)],
        requests: vec![requests(0, 40, 0, 0), requests(40, 50, 1, 90_000)],
        turns: vec![turn(0, 40, 0, "budget_exhausted"), turn(40, 60, 1, "too_idle")],
        waits: vec![Wait { from_ns: 50 * MS, until_ns: 60 * MS, who: 1, rule: "strict".into() }],
        marks: vec![Mark { at_ns: 40 * MS, who: 1, what: "raised".into(), detail: String::new() }],
    }
}
