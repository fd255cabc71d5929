// SPDX-License-Identifier: MIT OR Apache-2.0
//! What jobs become when a run begins: processes, a page cache, logs, results.

use crate::config::Config;
use crate::error::RunnerError;
use crate::groups::absolute;
use crate::kernel::Kernel;
use base::Class;
use blk::{BlockLayer, GroupId, ProcessSpec};
use report::{GLOBAL_PERCENTILES, JobInfo, LatencyGoal, LogSettings};
use std::ops::Range;
use workload::cache::OpenFile;
use workload::{Job, ProcessPlan, UnifiedReporting};

/// The page cache of a run with jobs that use it.
pub(super) fn kernel(
    config: &Config,
    plans: &[ProcessPlan],
    layer: &mut BlockLayer,
) -> Result<Option<Kernel>, RunnerError> {
    let Some(job) = config.jobs.iter().find(|job| job.buffered) else { return Ok(None) };
    let Some(settings) = &config.page_cache else {
        return Err(RunnerError::Buffered {
            file: job.file.to_string(),
            line: job.line,
            job: job.name.clone(),
        });
    };
    let opened =
        plans.iter().map(|plan| OpenFile { file: plan.file, advice: config.jobs[plan.job].advice });
    Kernel::new(settings, layer, &opened.collect::<Vec<_>>()).map(Some)
}

pub(super) fn process_spec(job: &Job, clone: u32, group: GroupId) -> ProcessSpec {
    let ioprio = job.ioprio.unwrap_or_default();
    ProcessSpec { group, ioprio, name: format!("{}.{clone}", job.name) }
}

pub(super) fn log_settings(job: &Job) -> Option<LogSettings> {
    let (latency, bandwidth) = (job.write_lat_log.clone(), job.write_bw_log.clone());
    let iops = job.write_iops_log.clone();
    let wanted = latency.is_some() || bandwidth.is_some() || iops.is_some();
    let real_time = |ioprio: &base::IoprioValue| ioprio.class == Some(Class::RealTime);
    wanted.then(|| LogSettings {
        latency,
        bandwidth,
        iops,
        average_ns: job.log_avg_msec * 1_000_000,
        high_priority: job.ioprio.as_ref().is_some_and(real_time),
    })
}

pub(super) fn job_info(job: &Job, phase: u32) -> JobInfo {
    let mut percentiles =
        job.percentile_list.clone().unwrap_or_else(|| GLOBAL_PERCENTILES.to_vec());
    percentiles.sort_by(f64::total_cmp);
    JobInfo {
        name: job.name.clone(),
        groupid: job.group_id,
        phase,
        cgroup: absolute(job.cgroup.as_deref().unwrap_or("")),
        options: job.options.iter().cloned().collect(),
        percentiles,
        group_reporting: job.group_reporting,
        depth: job.queue_depth(),
        latency_goal: job.latency_target.map(|target| LatencyGoal {
            target_ns: target.target_ns,
            percentile: target.percentile,
            window_us: target.window_ns / 1000,
        }),
        process_names: job.process_names.clone(),
        unified: job.unified_rw_reporting != UnifiedReporting::Separate,
    }
}

/// When the last phase ends if every job takes the time it may take; known if a job of each phase
/// has a limit. Start delays count from the start of the run.
pub(super) fn planned_ns(jobs: &[Job], phases: &[Range<usize>], job_of: &[usize]) -> Option<u64> {
    let end_ns = |job: &Job, begin_ns: u64| {
        let start_ns = begin_ns.max(job.start_delay_ns.1);
        Some(start_ns.saturating_add(job.ramp_time_ns).saturating_add(job.runtime_ns?))
    };
    phases.iter().try_fold(0, |begin_ns, range| {
        job_of[range.clone()].iter().filter_map(|&job| end_ns(&jobs[job], begin_ns)).max()
    })
}
