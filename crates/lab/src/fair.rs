// SPDX-License-Identifier: MIT OR Apache-2.0
//! How fairly runs share a device's time: what each job does there alone, and what the processes of
//! a run got beside that.

pub(crate) mod check;

pub use check::{FairError, check};

use crate::error::LabError;
use base::{Class, DEFAULT_GROUP_WEIGHT};
use fairness::{Alone, Life, Tree, TreeGroup, TreeProcess};
use report::{Fairness, GroupFairness, ProcessFairness};
use runner::RunOutcome;
use std::collections::BTreeMap;
use workload::Job;

/// What a job did with the device to itself.
#[derive(Clone, Copy, Debug, Default)]
struct Solo {
    /// Throughput in bytes a second.
    rate: f64,
    busy_s: f64,
    elapsed_s: f64,
    visits: f64,
}

impl Solo {
    /// Reads it off a run of one process.
    fn of(outcome: &RunOutcome) -> Solo {
        let recorder = outcome.processes.first().map(|process| &process.recorder);
        let span_ns = recorder.and_then(|recorder| recorder.span_ns());
        let rate = recorder.zip(span_ns).map_or(0.0, |(recorder, (from_ns, to_ns))| {
            recorder.bytes() as f64 * 1e9 / (to_ns - from_ns) as f64
        });
        let usage = outcome.usage();
        let (busy_s, elapsed_s) = (usage.busy_ns as f64 / 1e9, outcome.elapsed_ns as f64 / 1e9);
        Solo { rate, busy_s, elapsed_s, visits: usage.visits as f64 }
    }

    fn demand(&self) -> f64 {
        if self.elapsed_s > 0.0 { (self.busy_s / self.elapsed_s).min(1.0) } else { 0.0 }
    }

    /// Whether it leaves the device to others now and then.
    fn pauses(&self) -> bool {
        self.visits > 1.0
    }

    /// The same where each visit begins with a seek: alone, the head stays where the process left
    /// it; among others it does not.
    fn seeking(self, motion: Motion, paced: bool) -> Solo {
        if !self.pauses() {
            return self;
        }
        let (busy_s, pause_s) =
            (self.busy_s / self.visits, (self.elapsed_s - self.busy_s).max(0.0) / self.visits);
        let bytes = self.rate * (busy_s + pause_s);
        let visit_s = busy_s.max(motion.seek_s + bytes / motion.rate.max(1.0));
        // Who is paced pauses the less, the longer a visit takes.
        let period_s = if paced { visit_s.max(busy_s + pause_s) } else { visit_s + pause_s };
        Solo { rate: bytes / period_s, busy_s: visit_s, elapsed_s: period_s, visits: 1.0 }
    }
}

/// What it costs a rotating disk to turn to another process.
#[derive(Clone, Copy, Debug)]
struct Motion {
    /// A small random read, s.
    seek_s: f64,
    /// Sequential reads of the whole disk, bytes a second.
    rate: f64,
}

impl Motion {
    /// What finds it out: random reads, then sequential ones.
    const PROBES: &str = "[global]\ndirect=1\nfilename=/dev/target\ntime_based\n\
        runtime=2\n[seek]\nrw=randread\nbs=4k\nnorandommap\n[transfer]\nrw=read\nbs=1m\n";

    /// Reads it off the runs of the two probes.
    fn of(seek: &RunOutcome, transfer: &RunOutcome) -> Motion {
        let seek = Solo::of(seek);
        let seek_s = if seek.rate > 0.0 { 4096.0 * seek.demand() / seek.rate } else { 0.0 };
        Motion { seek_s, rate: Solo::of(transfer).rate }
    }
}

/// The jobs, each to be run alone: it starts at once, and writes no logs.
fn soloists(jobs: &[Job]) -> Vec<Job> {
    let mut jobs = jobs.to_vec();
    for job in &mut jobs {
        job.start_delay_ns = (0, 0);
    }
    jobs
}

/// Runs each job alone, and on a rotating device the probes if a job pauses. `alone` runs the
/// first process of the job at a place, under `none`; it gives none if it was stopped, as
/// this then does.
///
/// # Errors
/// If a run fails.
pub(crate) fn judge(
    jobs: &[Job],
    group_weights: &[(String, u32)],
    rotational: bool,
    mut alone: impl FnMut(&[Job], usize) -> Result<Option<RunOutcome>, LabError>,
) -> Result<Option<Judge>, LabError> {
    let soloists = soloists(jobs);
    let mut solos = Vec::new();
    for job in 0..soloists.len() {
        let Some(outcome) = alone(&soloists, job)? else { return Ok(None) };
        solos.push(Solo::of(&outcome));
    }
    let mut motion = None;
    if rotational && solos.iter().any(Solo::pauses) {
        let probes = workload::parse(Motion::PROBES, "probes")?;
        let Some(seek) = alone(&probes, 0)? else { return Ok(None) };
        let Some(transfer) = alone(&probes, 1)? else { return Ok(None) };
        motion = Some(Motion::of(&seek, &transfer));
    }
    Ok(Some(Judge::new(jobs, group_weights, &solos, motion)))
}

/// Judges runs of some jobs on one device, whatever the scheduler.
#[derive(Clone, Debug)]
pub struct Judge {
    tree: Tree,
    /// The paths of the tree's groups, in its order.
    paths: Vec<String>,
    /// What each process does with the device to itself.
    alone: Vec<Alone>,
    /// The place of the job of each process, the job's name, and which clone it is.
    processes: Vec<(usize, String, u32)>,
    /// The runtime of each process, if its job has one, ns.
    runtimes_ns: Vec<Option<u64>>,
}

impl Judge {
    /// `solos` are those of the jobs; `motion` is there if the device rotates and a job pauses.
    fn new(
        jobs: &[Job],
        group_weights: &[(String, u32)],
        solos: &[Solo],
        motion: Option<Motion>,
    ) -> Judge {
        let weights = weights(jobs, group_weights);
        let mut tree = Tree::new();
        let mut paths = vec!["/".to_owned()];
        let mut groups: BTreeMap<String, TreeGroup> = BTreeMap::new();
        let (mut alone, mut processes) = (Vec::new(), Vec::new());
        let mut runtimes_ns = Vec::new();
        for (place, (job, solo)) in jobs.iter().zip(solos).enumerate() {
            let mut group = Tree::ROOT;
            let mut path = String::new();
            for part in parts(job.cgroup.as_deref().unwrap_or("")) {
                path = format!("{path}/{part}");
                let weight = weights.get(&path).copied().unwrap_or(DEFAULT_GROUP_WEIGHT);
                group = *groups.entry(path.clone()).or_insert_with(|| {
                    paths.push(path.clone());
                    tree.group(group, weight)
                });
            }
            let paced = job.rate[workload::Direction::Read].is_some()
                || job.rate[workload::Direction::Write].is_some();
            let solo = motion.map_or(*solo, |motion| solo.seeking(motion, paced));
            let ioprio = job.ioprio.unwrap_or_default();
            let class = ioprio.class.unwrap_or(Class::BestEffort);
            // As the kernel's bfq has it.
            let weight = (8 - u32::from(ioprio.level.min(7))) * 10;
            for clone in 0..job.processes() {
                tree.process(TreeProcess { group, weight, class, demand: solo.demand() });
                alone.push(Alone { rate: solo.rate });
                processes.push((place, job.name.clone(), clone));
                runtimes_ns.push(job.runtime_ns);
            }
        }
        Judge { tree, paths, alone, processes, runtimes_ns }
    }

    /// What a run of all the jobs made of it.
    pub(crate) fn judge(&self, outcome: &RunOutcome) -> Fairness {
        let lives: Vec<Option<Life>> = outcome
            .processes
            .iter()
            .zip(outcome.started_ns.iter().zip(&self.runtimes_ns))
            .map(|(process, (started_ns, runtime_ns))| {
                let (counts_from_ns, ended_ns) = process.recorder.span_ns()?;
                let (started_ns, bytes) = ((*started_ns)?, process.recorder.bytes());
                let over_ns = runtime_ns.map_or(u64::MAX, |ns| counts_from_ns.saturating_add(ns));
                let goes_on_until_ns = ended_ns.min(over_ns);
                Some(Life { started_ns, counts_from_ns, goes_on_until_ns, ended_ns, bytes })
            })
            .collect();
        let verdict = fairness::judge(&self.tree, &self.alone, &lives);
        let process = |place: usize| {
            let (job, jobname, clone) = self.processes[place].clone();
            let judged = verdict.processes[place];
            let rate = lives[place].map_or(0.0, |life| {
                life.bytes as f64 * 1e9 / (life.ended_ns - life.counts_from_ns) as f64
            });
            let TreeProcess { weight, demand, .. } = self.tree.processes()[place];
            ProcessFairness {
                job,
                jobname,
                clone,
                weight,
                demand: rounded(demand),
                share: rounded(judged.share),
                bw_bytes: rate as u64,
                alone_bw_bytes: self.alone[place].rate as u64,
                fair_bw_bytes: judged.fair_rate as u64,
                r: judged.r.map(rounded),
            }
        };
        let groups = self.paths.iter().zip(&verdict.groups).map(|(path, judged)| {
            let (share, r) = (rounded(judged.share), judged.r.map(rounded));
            GroupFairness { path: path.clone(), share, r }
        });
        let grouped = self.paths.len() > 1;
        Fairness {
            worst: verdict.worst.map(rounded),
            useful: rounded(verdict.useful),
            processes: (0..self.processes.len()).map(process).collect(),
            groups: groups.filter(|_| grouped).collect(),
        }
    }
}

fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| !part.is_empty())
}

/// The weights of the groups that have one of their own, by path.
fn weights(jobs: &[Job], group_weights: &[(String, u32)]) -> BTreeMap<String, u32> {
    let absolute = |path: &str| parts(path).fold(String::new(), |path, part| path + "/" + part);
    let of_jobs =
        jobs.iter().filter_map(|job| Some((absolute(job.cgroup.as_deref()?), job.cgroup_weight?)));
    let given = group_weights.iter().map(|(path, weight)| (absolute(path), *weight));
    of_jobs.chain(given).collect()
}
