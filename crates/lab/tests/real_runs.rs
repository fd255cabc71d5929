// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs on a real file as a library's user makes them: until all are made, one fails or the user
//! stops them; their results are kept in each case.
#![cfg(feature = "real")]

use disk_io::EngineKind;
use lab::{
    Files, FinishedRealSeries, LabError, RealRuns, RealRunsOptions, SeriesEnd, SeriesObserver,
    SeriesStep, TargetOptions, Work,
};
use report::LogFiles;
use std::ops::ControlFlow;
use std::path::Path;

const SHORT: &str = "[a]\nrw=randread\nbs=4k\nsize=64k\n";
const ENDLESS: &str = "[a]\nrw=randread\nbs=4k\nsize=64k\ntime_based\nruntime=3600\n";

/// These jobs under three schedulers, on a file made for them.
fn made(jobs: &str, fair: bool, observer: &mut dyn SeriesObserver) -> FinishedRealSeries {
    let folder = tempfile::tempdir().unwrap();
    let job_file = folder.path().join("jobs.fio");
    std::fs::write(&job_file, jobs).unwrap();
    let plan = RealRuns::plan(&Work::of([job_file]), options(folder.path(), fair), &Files::plain());
    let plan = plan.unwrap();
    let mut stage = plan.stage(&mut |_, _| ControlFlow::Continue(())).unwrap();
    plan.run_all(&mut stage, observer)
}

fn options(folder: &Path, fair: bool) -> RealRunsOptions {
    let target = TargetOptions {
        path: folder.join("target"),
        size_bytes: Some(1 << 20),
        allow_write: false,
        depth: 4,
        limit_bytes_per_s: None,
        rotational: Some(false),
        engine: None,
        buffered: true,
        keep: false,
    };
    let (schedulers, command) = ("none,bfq,noop".to_owned(), String::new());
    RealRunsOptions { target, schedulers, timeline: 0, fair, command }
}

fn schedulers(finished: &FinishedRealSeries) -> Vec<&str> {
    finished.results.runs.iter().map(|run| &*run.scheduler).collect()
}

/// Writes down which steps there are, and stops in the middle of one, or after the logs of one.
#[derive(Default)]
struct Recorder {
    steps: Vec<String>,
    stops_in: Option<usize>,
    stops_after: Option<usize>,
}

impl Recorder {
    fn stop_if(&self, step: Option<usize>) -> ControlFlow<()> {
        if step == Some(self.steps.len()) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl SeriesObserver for Recorder {
    fn begins(&mut self, step: SeriesStep<'_>) {
        self.steps.push(match step {
            SeriesStep::Alone { .. } => "alone".to_owned(),
            SeriesStep::Run { choice, .. } => choice.name().to_owned(),
        });
    }

    fn at(&mut self, _: u64, _: Option<u64>) -> ControlFlow<()> {
        self.stop_if(self.stops_in)
    }

    fn ended(&mut self) {}

    fn logs(&mut self, _: LogFiles) -> ControlFlow<()> {
        self.stop_if(self.stops_after)
    }
}

#[test]
fn all_runs_are_made_and_judged() {
    let mut recorder = Recorder::default();
    let finished = made(SHORT, true, &mut recorder);
    assert!(matches!(finished.ended, SeriesEnd::Done), "{:?}", finished.ended);
    assert_eq!(schedulers(&finished), ["none", "bfq", "noop"]);
    assert!(finished.results.runs.iter().all(|run| run.fairness.is_some()));
    assert_eq!(recorder.steps, ["alone", "none", "bfq", "noop"]);
}

#[test]
fn a_run_that_is_stopped_is_the_last_and_said_to_be_incomplete() {
    let mut recorder = Recorder { stops_in: Some(1), ..Recorder::default() };
    let finished = made(ENDLESS, false, &mut recorder);
    assert!(matches!(finished.ended, SeriesEnd::Stopped), "{:?}", finished.ended);
    assert_eq!(schedulers(&finished), ["none"]);
    let note = finished.results.note.unwrap();
    assert!(note.ends_with("interrupted in run 1 of 3, which is incomplete"), "{note}");
}

#[test]
fn after_lost_logs_there_is_no_further_run() {
    let mut recorder = Recorder { stops_after: Some(2), ..Recorder::default() };
    let finished = made(SHORT, false, &mut recorder);
    assert!(matches!(finished.ended, SeriesEnd::Stopped), "{:?}", finished.ended);
    assert_eq!(schedulers(&finished), ["none", "bfq"]);
    let note = finished.results.note.unwrap_or_default();
    assert!(!note.contains("interrupted"), "no run was cut short: {note}");
}

#[test]
fn without_a_judge_nothing_is_run() {
    let mut recorder = Recorder { stops_in: Some(1), ..Recorder::default() };
    let finished = made(ENDLESS, true, &mut recorder);
    let SeriesEnd::Failed(error) = finished.ended else { panic!("{:?}", finished.ended) };
    assert!(matches!(error, LabError::NotJudged) && !error.is_usage(), "{error}");
    assert_eq!((finished.results.runs.len(), recorder.steps.len()), (0, 1));
}

/// A ring has no room for so many requests; that is known only once the target is there.
#[test]
fn a_target_on_which_no_run_begins_is_not_kept() {
    for (depth, engine, stays) in
        [(40_000, EngineKind::IoUring, false), (4, EngineKind::Threads, true)]
    {
        let folder = tempfile::tempdir().unwrap();
        let job_file = folder.path().join("jobs.fio");
        std::fs::write(&job_file, SHORT).unwrap();
        let mut options = options(folder.path(), false);
        options.target =
            TargetOptions { depth, engine: Some(engine), keep: true, ..options.target };
        let plan = RealRuns::plan(&Work::of([job_file]), options, &Files::plain()).unwrap();
        let stage = plan.stage(&mut |_, _| ControlFlow::Continue(()));
        assert_eq!(stage.is_ok(), stays, "{depth}");
        assert_eq!(folder.path().join("target").exists(), stays, "{depth}");
    }
}
