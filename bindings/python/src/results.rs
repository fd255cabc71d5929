// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run's results: the command's JSON, and tables of it.

use crate::errors::usage;
use crate::table::{Column, Table};
use pyo3::prelude::*;
use report::timeline::Timeline;
use report::{DirectionStats, JobStats, JobSummary, LatencySummary, Plots, Run, Summary};
use std::collections::BTreeMap;

/// The results of one run.
#[pyclass(frozen, module = "bfq._bfq")]
pub(crate) struct Results {
    results: report::Results,
    decisions: Option<Py<Table>>,
    /// The logs that jobs asked for, by the names of their files.
    #[pyo3(get)]
    logs: BTreeMap<String, String>,
    /// What has no effect here: file, line and words.
    #[pyo3(get)]
    notes: Vec<(String, u32, String)>,
}

impl Results {
    /// Those of a run that was just made.
    pub(crate) fn new(
        results: report::Results,
        decisions: Option<Py<Table>>,
        logs: Vec<(String, String)>,
        notes: Vec<(String, u32, String)>,
    ) -> Results {
        Results { results, decisions, logs: logs.into_iter().collect(), notes }
    }

    /// Those of one run, which were read.
    fn read(results: report::Results) -> Results {
        Results::new(results, None, Vec::new(), Vec::new())
    }

    fn run(&self) -> &Run {
        // There is one: all constructors see to it.
        &self.results.runs[0]
    }

    fn summary(&self) -> &Summary {
        &self.run().summary
    }

    fn timeline(&self) -> Option<&Timeline> {
        self.run().plots.as_ref()?.timeline.as_ref()
    }

    /// Names of the job of each place.
    fn job_name(&self, job: usize) -> String {
        self.summary().jobs.get(job).map_or(String::new(), |job| job.jobname.clone())
    }

    /// What tells a row from those of other runs.
    fn origin(&self, rows: usize) -> Vec<(String, Column)> {
        let run = self.run();
        let scheduler = scheduler(run);
        let text = |text: &str| Column::texts(vec![text; rows]);
        vec![
            ("scheduler".to_owned(), text(scheduler)),
            ("device".to_owned(), text(run.device.name())),
            ("seed".to_owned(), Column::counts(vec![self.results.seed; rows])),
        ]
    }
}

#[pymethods]
impl Results {
    /// Reads the JSON of a result, the command's too. If it has several runs, `run` is the place of
    /// the one that is meant.
    #[staticmethod]
    fn from_json(text: &str, run: Option<usize>) -> PyResult<Results> {
        let mut results = report::Results::from_json(text).map_err(usage)?;
        let runs = results.runs.len();
        let place = match run {
            Some(run) if run < runs => run,
            Some(run) => {
                return Err(usage(format!("there is no run {run}: the result has {runs}")));
            }
            None if runs == 1 => 0,
            None => return Err(usage(several(&results.runs))),
        };
        results.runs = vec![results.runs.swap_remove(place)];
        Ok(Results::read(results))
    }

    /// Reads all runs of such a JSON.
    #[staticmethod]
    fn list_from_json(text: &str) -> PyResult<Vec<Results>> {
        let mut results = report::Results::from_json(text).map_err(usage)?;
        let runs = std::mem::take(&mut results.runs);
        let alone = |run| report::Results { runs: vec![run], ..results.clone() };
        Ok(runs.into_iter().map(|run| Results::read(alone(run))).collect())
    }

    /// The JSON that the command writes for the same input.
    fn to_json(&self) -> String {
        self.results.to_json()
    }

    /// The decisions, if they were asked for.
    fn decisions(&self, python: Python<'_>) -> Option<Py<Table>> {
        self.decisions.as_ref().map(|decisions| decisions.clone_ref(python))
    }

    /// A row for each job.
    fn jobs(&self) -> PyResult<Table> {
        let jobs = &self.summary().jobs;
        let counts = |of: fn(&JobSummary) -> u64| Column::counts(jobs.iter().map(of));
        let mut columns = self.origin(jobs.len());
        let mut add = |name: &str, column| columns.push((name.to_owned(), column));
        add("job", Column::texts(jobs.iter().map(|job| job.jobname.as_str())));
        add("group", Column::texts(jobs.iter().map(|job| job.cgroup.as_str())));
        add("phase", counts(|job| job.phase.into()));
        add("processes", counts(|job| job.processes.into()));
        add("io_bytes", counts(|job| job.io_bytes));
        add("bw_bytes", counts(|job| job.bw_bytes));
        add("share", Column::Numbers(jobs.iter().map(|job| Some(job.share)).collect()));
        add("process_bw_bytes_min", counts(|job| job.process_bw_bytes_min));
        add("process_bw_bytes_max", counts(|job| job.process_bw_bytes_max));
        add("runtime_ms", counts(|job| job.runtime));
        add("error", Column::Integers(jobs.iter().map(|job| Some(job.error.into())).collect()));
        for kind in JobSummary::latency_kinds() {
            columns.extend(latencies_of(kind, jobs));
        }
        Table::new(columns)
    }

    /// A row for each process, or for each reporting group: fio's `jobs`.
    fn processes(&self) -> PyResult<Table> {
        let jobs = &self.run().fio.jobs;
        let mut columns = self.origin(jobs.len());
        columns
            .push(("job".to_owned(), Column::texts(jobs.iter().map(|job| job.jobname.as_str()))));
        let directions: [(&str, OfJob); 3] =
            [("read", |job| &job.read), ("write", |job| &job.write), ("trim", |job| &job.trim)];
        for (kind, of) in directions {
            let mut add = |name, column| columns.push((format!("{kind}_{name}"), column));
            let stats = || jobs.iter().map(of);
            add("ios", Column::counts(stats().map(|stats| stats.total_ios)));
            add("io_bytes", Column::counts(stats().map(|stats| stats.io_bytes)));
            add("bw_bytes", Column::counts(stats().map(|stats| stats.bw_bytes)));
            add("iops", Column::Numbers(stats().map(|stats| Some(stats.iops)).collect()));
            let mean = |stats: &DirectionStats| (stats.clat_ns.n > 0).then_some(stats.clat_ns.mean);
            add("mean_ns", Column::Numbers(stats().map(mean).collect()));
            let max = |stats: &DirectionStats| (stats.clat_ns.n > 0).then_some(stats.clat_ns.max);
            add("max_ns", Column::Counts(stats().map(max).collect()));
        }
        Table::new(columns)
    }

    /// A row for each control group and phase; none if no job is in a group.
    fn groups(&self) -> PyResult<Table> {
        let groups = &self.summary().groups;
        let mut columns = self.origin(groups.len());
        let mut add = |name: &str, column| columns.push((name.to_owned(), column));
        add("group", Column::texts(groups.iter().map(|group| group.path.as_str())));
        let weights = groups.iter().map(|group| group.weight.map(u64::from));
        add("weight", Column::Counts(weights.collect()));
        add("phase", Column::counts(groups.iter().map(|group| group.phase.into())));
        add("processes", Column::counts(groups.iter().map(|group| group.processes.into())));
        add("io_bytes", Column::counts(groups.iter().map(|group| group.io_bytes)));
        add("bw_bytes", Column::counts(groups.iter().map(|group| group.bw_bytes)));
        add("share", Column::Numbers(groups.iter().map(|group| Some(group.share)).collect()));
        Table::new(columns)
    }

    /// How many I/Os of each job and kind took how long.
    fn latencies(&self) -> PyResult<Table> {
        let plots = self.run().plots.as_ref();
        let all = plots.map_or(&[][..], |plots: &Plots| &plots.latencies[..]);
        let rows: Vec<_> =
            all.iter().flat_map(|of| of.bins.iter().map(move |bin| (of, bin))).collect();
        Table::new([
            ("job", Column::texts(rows.iter().map(|(of, _)| self.job_name(of.job)))),
            ("job_row", Column::counts(rows.iter().map(|(of, _)| of.job as u64))),
            ("kind", Column::texts(rows.iter().map(|(of, _)| of.kind.as_str()))),
            ("from_ns", Column::counts(rows.iter().map(|(_, bin)| bin.from_ns))),
            ("until_ns", Column::counts(rows.iter().map(|(_, bin)| bin.until_ns))),
            ("ios", Column::counts(rows.iter().map(|(_, bin)| bin.count))),
        ])
    }

    /// Bytes of each job in slots of time.
    fn throughput(&self) -> PyResult<Table> {
        let mut rows: Vec<(usize, u64, u64)> = Vec::new();
        if let Some(Plots { throughput, .. }) = &self.run().plots {
            for (job, slots) in throughput.job_bytes.iter().enumerate() {
                let slot_ns = |slot: usize| slot as u64 * throughput.slot_ns;
                rows.extend(slots.iter().enumerate().map(|(slot, &b)| (job, slot_ns(slot), b)));
            }
        }
        Table::new([
            ("job", Column::texts(rows.iter().map(|&(job, _, _)| self.job_name(job)))),
            ("job_row", Column::counts(rows.iter().map(|&(job, _, _)| job as u64))),
            ("at_ns", Column::counts(rows.iter().map(|&(_, at_ns, _)| at_ns))),
            ("bytes", Column::counts(rows.iter().map(|&(_, _, bytes)| bytes))),
        ])
    }

    /// What the device did in the part of the run that was recorded.
    fn requests(&self) -> PyResult<Table> {
        let timeline = self.timeline();
        let rows = timeline.map_or(&[][..], |timeline| &timeline.requests[..]);
        Table::new([
            ("dispatched_ns", Column::counts(rows.iter().map(|row| row.dispatched_ns))),
            ("ended_ns", Column::counts(rows.iter().map(|row| row.ended_ns))),
            ("who", who(timeline, rows.iter().map(|row| row.who))),
            ("op", Column::texts(rows.iter().map(|row| row.op))),
            ("first_sector", Column::counts(rows.iter().map(|row| row.first_sector))),
            ("end_sector", Column::counts(rows.iter().map(|row| row.end_sector))),
            ("requests", Column::counts(rows.iter().map(|row| row.count))),
        ])
    }

    /// Turns of queues on the disk in that part.
    fn turns(&self) -> PyResult<Table> {
        let timeline = self.timeline();
        let rows = timeline.map_or(&[][..], |timeline| &timeline.turns[..]);
        Table::new([
            ("from_ns", Column::counts(rows.iter().map(|row| row.from_ns))),
            ("until_ns", Column::counts(rows.iter().map(|row| row.until_ns))),
            ("who", who(timeline, rows.iter().map(|row| row.who))),
            ("reason", Column::texts(rows.iter().map(|row| row.reason.as_str()))),
            ("slow", Column::Flags(rows.iter().map(|row| Some(row.slow)).collect())),
        ])
    }

    /// Times in that part during which the disk was kept for a process.
    fn waits(&self) -> PyResult<Table> {
        let timeline = self.timeline();
        let rows = timeline.map_or(&[][..], |timeline| &timeline.waits[..]);
        Table::new([
            ("from_ns", Column::counts(rows.iter().map(|row| row.from_ns))),
            ("until_ns", Column::counts(rows.iter().map(|row| row.until_ns))),
            ("who", who(timeline, rows.iter().map(|row| row.who))),
            ("rule", Column::texts(rows.iter().map(|row| row.rule.as_str()))),
        ])
    }
}

/// The most runs that an error lists.
const LISTED_RUNS: usize = 8;

/// The error of a result that has none or several runs, where one is wanted.
fn several(runs: &[Run]) -> String {
    let Some(last) = runs.len().checked_sub(1) else { return "the result has no run".to_owned() };
    let name = |(place, run)| format!("{place}: {} on {}", scheduler(run), run.device.name());
    let mut names: Vec<_> = runs.iter().enumerate().map(name).take(LISTED_RUNS).collect();
    if names.len() < runs.len() {
        names.push("…".to_owned());
    }
    format!(
        "the result has {} runs ({}); expected run=0 to {last}, or Result.list_from_json for all",
        runs.len(),
        names.join(", ")
    )
}

/// The scheduler of a run as it was asked for.
fn scheduler(run: &Run) -> &str {
    run.variant.as_deref().unwrap_or(&run.scheduler)
}

type OfJob = fn(&JobStats) -> &DirectionStats;

/// Whose entries of a timeline are.
fn who(timeline: Option<&Timeline>, places: impl Iterator<Item = usize>) -> Column {
    let all = timeline.map_or(&[][..], |timeline| &timeline.who[..]);
    Column::Texts(places.map(|place| all.get(place).map(|who| who.name.clone())).collect())
}

/// The figures of a kind of I/O, with gaps for jobs that did none.
fn latencies_of(kind: &str, jobs: &[JobSummary]) -> Vec<(String, Column)> {
    let counts = |of: fn(&LatencySummary) -> Option<u64>| {
        Column::Counts(jobs.iter().map(|job| job.latency_of(kind).and_then(of)).collect())
    };
    let numbers =
        |of: &dyn Fn(&JobSummary) -> Option<f64>| Column::Numbers(jobs.iter().map(of).collect());
    let mean = |job: &JobSummary| job.latency_of(kind).map(|latency| latency.mean);
    let mut columns = vec![
        ("ios", counts(|latency| Some(latency.n))),
        ("iops", numbers(&|job| job.iops_of(kind))),
        ("mean_ns", numbers(&mean)),
        ("p50_ns", counts(|latency| Some(latency.p50))),
        ("p95_ns", counts(|latency| Some(latency.p95))),
        ("p99_ns", counts(|latency| Some(latency.p99))),
        ("p99_9_ns", counts(|latency| latency.p99_9)),
        ("max_ns", counts(|latency| Some(latency.max))),
    ];
    if kind != "sync" {
        let bytes = jobs.iter().map(|job| job.bw_bytes_of(kind)).collect();
        columns.insert(1, ("bw_bytes", Column::Counts(bytes)));
    }
    columns.into_iter().map(|(name, column)| (format!("{kind}_{name}"), column)).collect()
}
