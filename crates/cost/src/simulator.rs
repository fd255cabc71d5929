// SPDX-License-Identifier: MIT OR Apache-2.0
//! The simulator under load: how many requests it serves in a second of one core, and the same load
//! in this program, for callgrind.

use crate::error::CostError;
use blk::QueueSettings;
use device::Profile;
use runner::SimultaneousOrder;
use serde_json::{Map, Value, json};
use sim::Setup;
use std::{ops::ControlFlow, path::Path, process::Command, time::Instant};

/// 16 random readers of depth 8, but for how long they run.
const JOB: &str = "\
[readers]
ioengine=io_uring
direct=1
rw=randread
bs=4k
size=1g
iodepth=8
numjobs=16
norandommap=1
group_reporting=1
time_based=1
";
/// For how long they run where time counts, ms.
const TIMED_MS: u64 = 4000;
const DEVICES: [&str; 1] = ["ssd-nvme"];
/// Rounds whose median counts.
const ROUNDS: usize = 5;

fn job_file(length_ms: u64) -> String {
    format!("{JOB}runtime={length_ms}ms\n")
}

/// Requests served in that time by the simulator within this program, on the first device.
///
/// # Errors
/// An unknown scheduler.
pub fn simulate(scheduler: &str, length_ms: u64) -> Result<u64, CostError> {
    let failed = |error: &dyn std::fmt::Display| CostError::Simulation(error.to_string());
    let jobs = workload::parse(&job_file(length_ms), "the job").map_err(|error| failed(&error))?;
    let profile = Profile::parse_argument(DEVICES[0]).map_err(|error| failed(&error))?;
    let setup = Setup {
        jobs: &jobs,
        group_weights: &[],
        settings: QueueSettings::default(),
        page_cache: Default::default(),
        profile: &profile,
        elevator: elevators::build(scheduler, 0, &sim::limits(&profile))?,
        seed: 1,
        order: SimultaneousOrder::AsCreated,
    };
    let simulated = sim::simulate(setup, &mut |_, _| ControlFlow::Continue(()));
    Ok(simulated.map_err(|error| failed(&error))?.commands)
}

/// Requests a second for each device and scheduler, by the bfq command at `bfq`.
pub fn measure(bfq: &Path) -> Result<Value, CostError> {
    let job = std::env::temp_dir().join(format!("bfq-cost-{}.fio", std::process::id()));
    std::fs::write(&job, job_file(TIMED_MS))
        .map_err(|source| CostError::Write { path: job.clone(), source })?;
    println!("{:<12} {:<12} {:>14}", "device", "scheduler", "requests/s");
    let mut devices = Map::new();
    for device in DEVICES {
        let mut rows = Map::new();
        for scheduler in elevators::names() {
            let mut rates = Vec::with_capacity(ROUNDS);
            for _ in 0..ROUNDS {
                rates.push(one_run(bfq, &job, device, scheduler)?);
            }
            rates.sort_by(f64::total_cmp);
            let rate = rates[ROUNDS / 2];
            println!("{device:<12} {scheduler:<12} {rate:>14.0}");
            rows.insert(scheduler.to_owned(), json!({ "requests_per_s": rate }));
        }
        devices.insert(device.to_owned(), Value::Object(rows));
    }
    // It lies in the temporary folder; whether it can be removed changes no figure.
    let _ = std::fs::remove_file(&job);
    Ok(Value::Object(devices))
}

/// Requests simulated in one run over the time that it took, start and end included.
fn one_run(bfq: &Path, job: &Path, device: &str, scheduler: &str) -> Result<f64, CostError> {
    let program = bfq.display().to_string();
    let start = Instant::now();
    let output = Command::new(bfq)
        .arg("sim")
        .arg(job)
        .args(["--device", device, "--scheduler", scheduler, "--output-format", "json", "--quiet"])
        .output()
        .map_err(|source| CostError::Run { program: program.clone(), source })?;
    let elapsed_s = start.elapsed().as_secs_f64();
    let failed = |message: String| CostError::Failed { program: program.clone(), message };
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let result: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| failed(error.to_string()))?;
    let jobs = result["runs"][0]["fio"]["jobs"].as_array();
    let total = jobs.map_or(0, |jobs| {
        jobs.iter().filter_map(|job| job["read"]["total_ios"].as_u64()).sum::<u64>()
    });
    Ok(total as f64 / elapsed_s)
}
