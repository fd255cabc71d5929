// SPDX-License-Identifier: MIT OR Apache-2.0
//! Plans as a library's user makes them: what is wrong is told before anything runs, and runs give
//! the same results as often as they are made.

use lab::{
    ExplainOptions, ExplainPlan, Files, SeriesObserver, SeriesStep, SimulationOptions, Simulations,
    Work,
};
use report::LogFiles;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

const JOBS: &str =
    "[global]\nrw=randread\nbs=4k\nsize=1m\ntime_based\nruntime=1\n[a]\n[b]\nbs=8k\n";

fn job_file(folder: &Path) -> PathBuf {
    let path = folder.join("jobs.fio");
    std::fs::write(&path, JOBS).unwrap();
    path
}

fn options(devices: &str, schedulers: &str) -> SimulationOptions {
    SimulationOptions {
        devices: vec![devices.into()],
        schedulers: schedulers.into(),
        ..SimulationOptions::default()
    }
}

#[test]
fn each_device_has_a_run_under_each_scheduler() {
    let folder = tempfile::tempdir().unwrap();
    let work = Work::of([job_file(folder.path())]);
    let both = options("reference-hdd,reference-ssd:depth=4", "bfq:low_latency=0,none");
    let plan = Simulations::plan(&work, both, &Files::plain()).unwrap();
    let infixes: Vec<String> = plan.cells().map(|cell| cell.infix).collect();
    assert_eq!(plan.len(), 4);
    assert_eq!(infixes[1], "-reference-hdd.1-none.2");
    assert_eq!(infixes[2], "-reference-ssd.2-bfq.1");
    let cell = plan.cells().nth(2).unwrap();
    let runs =
        [(); 2].map(|()| plan.run(&cell, &mut |_, _| ControlFlow::Continue(())).unwrap().run);
    assert_eq!(runs[0].summary.jobs.len(), 2);
    assert_eq!(runs[0].variant.as_deref(), Some("bfq:low_latency=0"));
    assert_eq!(format!("{:?}", runs[0]), format!("{:?}", runs[1]));
}

#[test]
fn a_run_can_be_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let work = Work { runtime_ns: Some(60_000_000_000), ..Work::of([job_file(folder.path())]) };
    let plan = Simulations::plan(&work, options("reference-hdd", "none"), &Files::plain()).unwrap();
    let cell = plan.cells().next().unwrap();
    let finished = plan.run(&cell, &mut |_, _| ControlFlow::Break(())).unwrap();
    assert!(finished.stopped);
}

#[test]
fn mistakes_are_told_when_the_plan_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let jobs = job_file(folder.path());
    let work = || Work::of([jobs.clone()]);
    for (work, options, expected) in [
        (Work::of(["@2008-page/steams"]), options("reference-hdd", "none"), "no such scenario"),
        (work(), options("reference-hd", "none"), "reference-hd"),
        (work(), options(",", "none"), "names no device"),
        (work(), options("reference-hdd", "mq-deadlin"), "did you mean `mq-deadline`?"),
        (
            Work { queue: vec!["nr_request=3".into()], ..work() },
            options("reference-hdd", "none"),
            "--queue: no queue setting `nr_request`",
        ),
        (
            Work { groups: vec!["a=0".into()], ..work() },
            options("reference-hdd", "none"),
            "--group a=0",
        ),
        (
            Work { replay: Some(workload::ReplayMode::Chain), ..work() },
            options("reference-hdd", "none"),
            "none of the files is a trace",
        ),
    ] {
        let error = Simulations::plan(&work, options, &Files::plain()).unwrap_err();
        assert!(error.is_usage(), "{error}");
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn an_explanation_is_about_one_job_on_one_device() {
    let folder = tempfile::tempdir().unwrap();
    let work = Work::of([job_file(folder.path())]);
    let about = |job: &str, device: &str| ExplainOptions {
        job: Some(job.into()),
        device: device.into(),
        slowest: 1,
        ..ExplainOptions::default()
    };
    let plan = |options| ExplainPlan::plan(&work, &options, &Files::plain());
    let planned = plan(about("b", "reference-hdd")).unwrap();
    let (explanation, stopped) = planned.simulated(&mut |_, _| ControlFlow::Continue(())).unwrap();
    assert!(!stopped && explanation.ios > 0 && explanation.job == "b");
    let unknown = plan(about("c", "reference-hdd")).unwrap_err().to_string();
    assert!(unknown.contains("no such job"), "{unknown}");
    let several = plan(about("b", "reference-hdd,reference-ssd")).unwrap_err().to_string();
    assert!(several.contains("expected one device"), "{several}");
}

/// Writes down what goes on, and stops the run of that number, from 1.
struct Recorder {
    steps: Vec<String>,
    stops_run: usize,
}

impl SeriesObserver for Recorder {
    fn begins(&mut self, step: SeriesStep<'_>) {
        self.steps.push(match step {
            SeriesStep::Alone { device } => format!("alone on {device}"),
            SeriesStep::Run { choice, device } => format!("{} on {device}", choice.name()),
        });
    }

    fn at(&mut self, _: u64, _: Option<u64>) -> ControlFlow<()> {
        let is_run = |step: &&String| *step != "over" && !step.starts_with("alone");
        let runs = self.steps.iter().filter(is_run).count();
        if runs == self.stops_run { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn ended(&mut self) {
        self.steps.push("over".to_owned());
    }

    fn logs(&mut self, _: LogFiles) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

#[test]
fn all_runs_are_made_until_one_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let work = Work::of([job_file(folder.path())]);
    let fair = SimulationOptions { fair: true, ..options("reference-ssd", "none,bfq,noop") };
    let plan = Simulations::plan(&work, fair, &Files::plain()).unwrap();
    let all = plan.run_all(&mut ()).unwrap();
    assert!(!all.stopped && all.results.note.is_none());
    let schedulers: Vec<_> = all.results.runs.iter().map(|run| &*run.scheduler).collect();
    assert_eq!(schedulers, ["none", "bfq", "noop"]);
    assert!(all.results.runs.iter().all(|run| run.fairness.is_some()));

    let mut recorder = Recorder { steps: Vec::new(), stops_run: 2 };
    let some = plan.run_all(&mut recorder).unwrap();
    assert!(some.stopped);
    let note = "interrupted; the last of these 2 runs (of 3) is incomplete";
    assert_eq!(some.results.note.as_deref(), Some(note));
    let ssd = "on reference-ssd";
    let steps = [format!("alone {ssd}"), format!("none {ssd}"), format!("bfq {ssd}")];
    let expected: Vec<String> =
        steps.into_iter().flat_map(|step| [step, "over".to_owned()]).collect();
    assert_eq!(recorder.steps, expected);
}

#[test]
fn what_was_done_is_kept_when_a_run_fails() {
    // On the small disk the job has nothing to pause for.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pauses.fio");
    std::fs::write(&path, "[a]\nrw=read\nbs=1m\nsize=100%\nthinktime=18000000000s\n").unwrap();
    let work = Work::of([path]);
    let (small, large) = ("reference-flat:capacity=1MiB", "reference-flat:capacity=4MiB");
    let plan = |devices: [&str; 2]| {
        let mut options = options("", "none,noop");
        options.devices = devices.map(Into::into).into();
        Simulations::plan(&work, options, &Files::plain()).unwrap()
    };
    let series = plan([small, large]).run_all(&mut ()).unwrap();
    assert_eq!(series.results.runs.len(), 2, "those on the small disk");
    let note = "not among these runs, as they failed: none on reference-flat";
    assert_eq!(series.results.note.as_deref(), Some(note));
    let failed: Vec<_> = series.failed.iter().map(ToString::to_string).collect();
    assert_eq!(failed, ["none on reference-flat"], "a second one would fail as well");
    assert!(!series.stopped && series.failed[0].error.is_usage());
    let error = plan([large, small]).run_all(&mut ()).unwrap_err();
    assert!(error.to_string().contains("584 years"), "{error}");
}
