// SPDX-License-Identifier: MIT OR Apache-2.0
//! Our own behaviour beside the kernel's, in the recorded scenarios: is any process worse
//! off with it?

use super::case::Case;
use super::error::ResultsError;
use super::simulation::simulate_case;
use base::Class;
use report::Run;
use sim::SimulatedHost;
use std::fmt::Write;
use workload::Job;

/// What a scenario gave to its processes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Service {
    /// Throughput of all, MB/s.
    pub total_mb_per_s: f64,
    /// Throughput of the process that got least, of those that go on all the time and are not of
    /// the idle class, MB/s.
    pub least_mb_per_s: f64,
    /// The longest that one of the processes not of the idle class waited for an I/O, ms.
    pub longest_wait_ms: f64,
    /// The largest difference between the share of a job and that of its weight, among those that
    /// always ask for more and are of the best-effort class.
    pub unfairness: f64,
    /// How long the start-up took, if there is one, s.
    pub start_up_s: Option<f64>,
}

/// A case under both behaviours.
#[derive(Clone, Debug, PartialEq)]
pub struct BehaviourComparison {
    /// The scenario, disk, depth and settings that both behaviours are simulated with.
    pub case: Case,
    /// What the kernel's behaviour gives.
    pub kernel: Service,
    /// What the improved behaviour gives, which is ours by default.
    pub improved: Service,
}

/// A figure of [`Service`] that is compared, and what counts as worse.
#[derive(Debug)]
pub struct ServiceFigure {
    /// Its name, with its unit.
    pub name: &'static str,
    /// Digits shown behind the point.
    pub digits: usize,
    /// The value; none if the scenario has no such thing.
    pub value: fn(&Service) -> Option<f64>,
    /// Whether more is better.
    pub more_is_better: bool,
    /// Differences up to this do not matter, whatever part of the value they are.
    pub negligible: f64,
}

/// Differences up to this part of the value do not matter.
const NEGLIGIBLE: f64 = 0.05;
/// The number of orders of simultaneous events in which each case is simulated; of each figure the
/// median counts, of the longest wait the greatest.
const ORDERS: u64 = 5;

/// All figures that are compared.
pub const SERVICE_FIGURES: [ServiceFigure; 5] = [
    ServiceFigure {
        name: "total, MB/s",
        digits: 2,
        value: |service| Some(service.total_mb_per_s),
        more_is_better: true,
        negligible: 0.01,
    },
    ServiceFigure {
        name: "worst off, MB/s",
        digits: 3,
        value: |service| Some(service.least_mb_per_s),
        more_is_better: true,
        negligible: 0.01,
    },
    ServiceFigure {
        name: "longest wait, ms",
        digits: 0,
        value: |service| Some(service.longest_wait_ms),
        more_is_better: false,
        negligible: 20.0,
    },
    ServiceFigure {
        name: "off the weights",
        digits: 3,
        value: |service| Some(service.unfairness),
        more_is_better: false,
        negligible: 0.01,
    },
    ServiceFigure {
        name: "start-up, s",
        digits: 2,
        value: |service| service.start_up_s,
        more_is_better: false,
        negligible: 0.02,
    },
];

/// How a figure of ours stands beside the kernel's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Better by more than a twentieth.
    Better,
    /// The two differ by no more than a twentieth.
    Same,
    /// Worse by more than a twentieth.
    Worse,
}

impl ServiceFigure {
    /// How ours stands beside the kernel's.
    pub fn standing(&self, comparison: &BehaviourComparison) -> Standing {
        let values = (self.value)(&comparison.kernel).zip((self.value)(&comparison.improved));
        let Some((kernel, improved)) = values else { return Standing::Same };
        let gain = if self.more_is_better { improved - kernel } else { kernel - improved };
        match gain {
            gain if gain.abs() <= (kernel * NEGLIGIBLE).max(self.negligible) => Standing::Same,
            gain if gain > 0.0 => Standing::Better,
            _ => Standing::Worse,
        }
    }
}

/// Simulates a case of bfq under both behaviours.
///
/// # Errors
/// An unknown disk or scheduler, or jobs that don't fit.
pub fn compare_behaviours(case: &Case, jobs: &[Job]) -> Result<BehaviourComparison, ResultsError> {
    Ok(BehaviourComparison {
        case: case.clone(),
        kernel: service(case, jobs, "linux-6.1")?,
        improved: service(case, jobs, "improved")?,
    })
}

fn service(case: &Case, jobs: &[Job], behaviour: &str) -> Result<Service, ResultsError> {
    let one = |seed| {
        // What waits at the end of the run is waited for: a process that gets nothing counts, too.
        let host = SimulatedHost { stops_on_time: false, ..case.host(seed) };
        let run = simulate_case(case, &case.elevator(behaviour), jobs, seed, host)?;
        Ok(Service::of_run(&run, jobs))
    };
    let services: Vec<Service> = (1..=ORDERS).map(one).collect::<Result<_, ResultsError>>()?;
    let median = |value: fn(&Service) -> f64| {
        let mut values: Vec<f64> = services.iter().map(value).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    Ok(Service {
        total_mb_per_s: median(|service| service.total_mb_per_s),
        least_mb_per_s: median(|service| service.least_mb_per_s),
        longest_wait_ms: services.iter().map(|service| service.longest_wait_ms).fold(0.0, f64::max),
        unfairness: median(|service| service.unfairness),
        start_up_s: services[0].start_up_s.map(|_| median(|one| one.start_up_s.unwrap_or(0.0))),
    })
}

fn is_start_up(job: &Job) -> bool {
    job.number_ios.is_some() || job.trace.is_some()
}

fn class(job: &Job) -> Class {
    job.ioprio.unwrap_or_default().effective().class()
}

/// The weight of all processes of a job together.
fn weight(job: &Job) -> f64 {
    let own = match (job.cgroup_weight, job.ioprio) {
        (Some(weight), _) => weight,
        (None, Some(ioprio)) => (8 - u32::from(ioprio.level)) * 10,
        (None, None) => 40,
    };
    f64::from(own * job.processes())
}

impl Service {
    fn of_run(run: &Run, jobs: &[Job]) -> Service {
        let summaries = &run.summary.jobs;
        let both = || jobs.iter().zip(summaries);
        let ordinary = |job: &Job| class(job) != Class::Idle;
        let mb = |bytes: u64| bytes as f64 / 1e6;
        let least = both()
            .filter(|(job, _)| ordinary(job) && !is_start_up(job))
            .map(|(_, summary)| summary.process_bw_bytes_min);
        let is_waited_for = |name: &str| jobs.iter().any(|job| job.name == name && ordinary(job));
        let waits = run.fio.jobs.iter().filter(|job| is_waited_for(&job.jobname));
        let longest_ns = waits.flat_map(|job| [job.read.lat_ns.max, job.write.lat_ns.max]).max();
        let start_up = jobs.iter().find(|job| is_start_up(job));
        let start_up_s = start_up.and_then(|start_up| {
            let job = run.fio.jobs.iter().find(|job| job.jobname == start_up.name)?;
            Some(job.read.lat_ns.mean * job.read.lat_ns.n as f64 / 1e9)
        });
        Service {
            total_mb_per_s: mb(summaries.iter().map(|job| job.bw_bytes).sum()),
            least_mb_per_s: mb(least.min().unwrap_or(0)),
            longest_wait_ms: longest_ns.unwrap_or(0) as f64 / 1e6,
            unfairness: unfairness(
                jobs,
                &summaries.iter().map(|job| job.share).collect::<Vec<_>>(),
            ),
            start_up_s,
        }
    }
}

/// The largest difference between a job's share and that of its weight, among those
/// that always ask.
fn unfairness(jobs: &[Job], shares: &[f64]) -> f64 {
    let asks =
        |job: &Job| !is_start_up(job) && job.think_time.pause_ns == 0 && class(job) != Class::Idle;
    if jobs.iter().any(|job| class(job) == Class::RealTime) {
        return 0.0;
    }
    let asking = || jobs.iter().zip(shares).filter(|(job, _)| asks(job));
    let all_weights: f64 = asking().map(|(job, _)| weight(job)).sum();
    let all_shares: f64 = asking().map(|(_, share)| share).sum();
    let off = asking().map(|(job, share)| (share / all_shares - weight(job) / all_weights).abs());
    if all_shares > 0.0 { off.fold(0.0, f64::max) } else { 0.0 }
}

/// A table with a line for each case: the kernel's figures and ours. What is better by more than a
/// twentieth is marked +, what is worse −.
pub fn behaviours_markdown(comparisons: &[BehaviourComparison]) -> String {
    let mut text = String::from("| scenario | disk | depth | setting |");
    for figure in &SERVICE_FIGURES {
        let _ = write!(text, " {} | ours |", figure.name);
    }
    text.push_str("\n|---|---|---|---|");
    text.push_str(&"---|---|".repeat(SERVICE_FIGURES.len()));
    text.push('\n');
    for comparison in comparisons {
        let Case { scenario, disk, depth, scheduler } = &comparison.case;
        let _ = write!(text, "| {scenario} | {disk} | {depth} | {scheduler} |");
        for figure in &SERVICE_FIGURES {
            let digits = figure.digits;
            let mark = match figure.standing(comparison) {
                Standing::Better => " +",
                Standing::Same => "",
                Standing::Worse => " **−**",
            };
            match (figure.value)(&comparison.kernel).zip((figure.value)(&comparison.improved)) {
                Some((kernel, improved)) => {
                    let _ = write!(text, " {kernel:.digits$} | {improved:.digits$}{mark} |");
                }
                None => text.push_str(" | |"),
            }
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
#[path = "behaviours_tests.rs"]
mod tests;
