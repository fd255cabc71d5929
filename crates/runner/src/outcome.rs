// SPDX-License-Identifier: MIT OR Apache-2.0
//! The results of a run, without the device that it ran on.

use crate::traffic::{Traffic, Usage};
use base::GroupFigure;
use blk::{BlockLayer, GroupId, GroupStatistic, Statistic, Tunable};
use report::{
    DeviceInfo, FioOutput, GroupInfo, JobInfo, LogFiles, OrderedMap, ProcessRecord, Run, apart,
    fio_jobs, plots, summary,
};
use serde_json::Value;
use workload::cache::CacheStatistic;

/// What a run measured.
#[derive(Debug)]
pub struct RunOutcome {
    /// Names and numbers of the jobs.
    pub jobs: Vec<JobInfo>,
    /// The control groups, the root first.
    pub groups: Vec<GroupInfo>,
    /// The processes in the order of jobs and clones, each with what it recorded.
    pub processes: Vec<ProcessRecord>,
    /// How long it took, ns.
    pub elapsed_ns: u64,
    /// The name of the scheduler of the run.
    pub scheduler: String,
    /// The scheduler's tunables at the end.
    pub tunables: Vec<Tunable>,
    /// The statistics of the scheduler at the end.
    pub scheduler_stats: Vec<Statistic>,
    /// The scheduler's statistics of each group, in the order of `groups`.
    pub group_stats: Vec<Vec<GroupStatistic>>,
    /// The block layer's statistics.
    pub layer_stats: Vec<Statistic>,
    /// The page cache's statistics; empty if no job used it.
    pub cache_stats: Vec<CacheStatistic>,
    /// When each of the processes began, in their order; none: it never did.
    pub started_ns: Vec<Option<u64>>,
    global_options: Vec<(String, String)>,
    queue: OrderedMap<u64>,
    traffic: Traffic,
}

impl RunOutcome {
    pub(crate) fn new(
        jobs: Vec<JobInfo>,
        groups: Vec<(GroupId, GroupInfo)>,
        processes: Vec<ProcessRecord>,
        global_options: Vec<(String, String)>,
        layer: &BlockLayer,
        traffic: Traffic,
        elapsed_ns: u64,
    ) -> Self {
        let elevator = layer.elevator();
        let (group_ids, groups): (Vec<GroupId>, Vec<GroupInfo>) = groups.into_iter().unzip();
        Self {
            jobs,
            groups,
            processes,
            elapsed_ns,
            scheduler: elevator.name().to_owned(),
            tunables: elevator.tunables(),
            scheduler_stats: elevator.statistics(),
            group_stats: group_ids.iter().map(|&id| elevator.group_statistics(id)).collect(),
            layer_stats: layer.statistics(),
            cache_stats: Vec::new(),
            started_ns: Vec::new(),
            global_options,
            queue: queue_settings(layer),
            traffic,
        }
    }

    /// How the device was used.
    pub fn usage(&self) -> Usage {
        self.traffic.usage(self.elapsed_ns)
    }

    /// The run as it stands in a result: on `device`, whose figures are `device_stats`. The date
    /// of the fio part is left out.
    pub fn into_run(self, device: DeviceInfo, device_stats: OrderedMap<u64>) -> Run {
        let disk = self.traffic.disk_util(self.elapsed_ns, device.name());
        let note = self.unmeasured();
        let (jobs, processes) = apart(&self.jobs, self.processes);
        let global_options = self.global_options.into_iter().collect();
        Run {
            scheduler: self.scheduler,
            variant: None,
            tunables: self.tunables.iter().map(|row| (row.name, number(&row.value))).collect(),
            device,
            queue: self.queue,
            fio: FioOutput::undated(global_options, fio_jobs(&jobs, &processes), vec![disk]),
            summary: summary(&jobs, &self.groups, &processes),
            fairness: None,
            device_stats,
            scheduler_stats: figures(&self.scheduler_stats),
            group_stats: group_figures(&self.groups, &self.group_stats),
            queue_stats: figures(&self.layer_stats),
            page_cache: self.cache_stats.iter().map(|row| (row.name, row.value)).collect(),
            seed: None,
            note,
            scenario: None,
            plots: Some(plots(&jobs, &processes, self.elapsed_ns)),
        }
    }

    /// Which jobs have nothing but zeros for results, as they ended too early.
    fn unmeasured(&self) -> Option<String> {
        let jobs = self.jobs.iter().enumerate().filter(|&(job, _)| self.ended_in_ramp(job));
        let notes = jobs.map(|(_, job)| {
            format!("job {} ended within its ramp time; nothing of it was measured", job.name)
        });
        let notes: Vec<String> = notes.collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }

    /// Whether a job has processes, and all of them ended before their ramp time did.
    fn ended_in_ramp(&self, job: usize) -> bool {
        let all = self.processes.iter().zip(&self.started_ns);
        let mut of_job = all.filter(|(process, _)| process.job == job).peekable();
        of_job.peek().is_some()
            && of_job.all(|(process, started_ns)| {
                started_ns.is_some_and(|ns| process.recorder.ended_in_ramp(ns))
            })
    }

    /// The logs that the jobs asked for; `infix` tells the files of several runs apart.
    pub fn log_files(&self, infix: &str) -> LogFiles {
        LogFiles::of(self.processes.iter().map(|process| &process.recorder), infix)
    }
}

/// The settings in force, by the kernel's names.
fn queue_settings(layer: &BlockLayer) -> OrderedMap<u64> {
    blk::SETTINGS
        .iter()
        .map(|row| {
            let value = match row.name {
                "nr_requests" => layer.pool().nr_requests(),
                "max_sectors_kb" => layer.settings().max_sectors(layer.limits()) / 2,
                _ => (row.get)(layer.settings()).unwrap_or(0),
            };
            (row.name, u64::from(value))
        })
        .collect()
}

fn figures(statistics: &[Statistic]) -> OrderedMap<u64> {
    statistics.iter().map(|row| (row.name, row.value)).collect()
}

/// What the scheduler counted of each group, by path; groups of which it counted nothing
/// are left out.
fn group_figures(
    groups: &[GroupInfo],
    statistics: &[Vec<GroupStatistic>],
) -> OrderedMap<OrderedMap<Value>> {
    let value = |figure: &GroupFigure| match figure {
        GroupFigure::Plain(value) => Value::from(*value),
        GroupFigure::ByOperation(value) => value
            .fields()
            .into_iter()
            .map(|(name, value)| (name.to_owned(), Value::from(value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
    };
    let rows = |rows: &Vec<GroupStatistic>| {
        rows.iter().map(|row| (row.name.clone(), value(&row.figure))).collect()
    };
    let counted = groups.iter().zip(statistics).filter(|(_, rows)| !rows.is_empty());
    counted.map(|(group, statistics)| (group.path.clone(), rows(statistics))).collect()
}

/// A number if it is one.
fn number(text: &str) -> Value {
    let signed = text.parse::<i64>().map(Value::from);
    signed.or_else(|_| text.parse::<u64>().map(Value::from)).unwrap_or_else(|_| Value::from(text))
}
