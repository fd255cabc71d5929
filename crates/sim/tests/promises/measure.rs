// SPDX-License-Identifier: MIT OR Apache-2.0
//! Simulates a job file of `jobs/` as `bfq sim` does, and picks figures from the result.

use crate::stand_in::{cast, stand_in};
use blk::{IoError, ProcessId, QueueSettings, Tag};
use device::Profile;
use report::{JobSummary, Run};
use runner::{Runner, SimultaneousOrder};
use sim::{RunObserver, Setup, limits, simulate_before};
use std::ops::ControlFlow;
use std::path::Path;

/// A run, with the latencies that the result sums up.
pub struct Measured {
    pub run: Run,
    /// Completion latencies of the jobs with `write_lat_log`, ns, in order of completion.
    pub logged_ns: Vec<u64>,
    /// How long the disk had each I/O of the last process, ns.
    pub on_device_ns: Vec<u64>,
}

/// What is set around a job file.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// Settings of the block layer.
    pub settings: QueueSettings,
    /// Weights of groups.
    pub groups: Vec<(String, u32)>,
}

/// Simulates `jobs/FILE` under `scheduler`.
pub fn measure(file: &str, device: &str, scheduler: &str) -> Measured {
    measure_in(&Environment::default(), file, device, scheduler)
}

/// The same, in another environment than the usual one.
pub fn measure_in(
    environment: &Environment,
    file: &str,
    device: &str,
    scheduler: &str,
) -> Measured {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../jobs");
    let jobs = workload::load(&folder.join(file)).unwrap();
    let profile = Profile::parse_argument(device).unwrap();
    let setup = Setup {
        jobs: &jobs,
        group_weights: &environment.groups,
        settings: environment.settings,
        page_cache: Default::default(),
        profile: &profile,
        elevator: elevators::build(&cast(scheduler, stand_in().as_deref()), 0, &limits(&profile))
            .unwrap(),
        seed: 1,
        order: SimultaneousOrder::AsCreated,
    };
    let processes: u32 = jobs.iter().map(|job| job.numjobs).sum();
    let mut watch = DeviceTimes { process: ProcessId(processes - 1), times_ns: Vec::new() };
    let simulated =
        simulate_before(setup, &mut |_, _| ControlFlow::Continue(()), &mut watch).unwrap();
    Measured {
        logged_ns: logged_ns(&simulated.outcome.log_files("").0),
        run: simulated.outcome.into_run(simulated.device, simulated.device_stats),
        on_device_ns: watch.times_ns,
    }
}

/// Notes how long each I/O of a process is on the device.
struct DeviceTimes {
    process: ProcessId,
    times_ns: Vec<u64>,
}

impl RunObserver for DeviceTimes {
    fn ends(&mut self, now_ns: u64, tag: Tag, _: Result<(), IoError>, runner: &Runner) {
        let time_ns = now_ns - runner.layer().pool()[tag].dispatched_ns;
        let own = runner.bios(tag).filter(|bio| bio.process == Some(self.process));
        self.times_ns.extend(own.map(|_| time_ns));
    }
}

/// The second column of fio's completion latency logs.
fn logged_ns(files: &[(String, String)]) -> Vec<u64> {
    let logs = files.iter().filter(|(name, _)| name.contains("_clat"));
    let lines = logs.flat_map(|(_, text)| text.lines());
    lines.map(|line| line.split(", ").nth(1).unwrap().parse().unwrap()).collect()
}

impl Measured {
    /// What the result says of a job.
    pub fn job(&self, name: &str) -> &JobSummary {
        self.run.summary.jobs.iter().find(|job| job.jobname == name).unwrap()
    }

    /// How long a job took, ms.
    pub fn runtime_ms(&self, name: &str) -> f64 {
        self.job(name).runtime as f64
    }

    /// A job's part of all bytes of its phase, percent.
    pub fn share_percent(&self, name: &str) -> f64 {
        self.job(name).share * 100.0
    }

    /// The throughput of all jobs together, bytes a second.
    pub fn bytes_per_s(&self) -> f64 {
        self.run.summary.jobs.iter().map(|job| job.bw_bytes).sum::<u64>() as f64
    }

    /// A figure of the scheduler; no number if it is a stand-in that counts no such thing.
    pub fn scheduler_stat(&self, name: &str) -> f64 {
        match self.run.scheduler_stats.get(name) {
            Some(figure) => *figure as f64,
            None if stand_in().is_some() => f64::NAN,
            None => panic!("bfq counts no {name}"),
        }
    }
}
