// SPDX-License-Identifier: MIT OR Apache-2.0
//! What commands that run jobs share: job files, devices, settings, groups, times.

use crate::failure::Failure;
use crate::groups;
use crate::note;
use crate::output::{Format, OutputOptions};
use crate::values::{self, completed, whole};
use lab::{Work, duration_ns};
use std::path::{Path, PathBuf};
use workload::{Job, ReplayMode};

/// The options of commands that run jobs: the job files, and what is set around them.
#[derive(Debug, clap::Args)]
pub struct WorkOptions {
    /// fio job files, traces to be replayed, or @NAME: a built-in scenario
    ///
    /// `bfq trace info` says what is in a trace, `bfq list scenarios` which scenarios there are;
    /// `-` is stdin.
    /// Each file after the first starts when the one before has ended.
    #[arg(required = true, value_name = "JOBFILE", value_parser = values::input())]
    job_files: Vec<PathBuf>,
    /// Set a tunable of the schedulers that have it
    ///
    /// May be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    #[arg(long, value_name = "PATH=WEIGHT", help = groups::SHORT_HELP, long_help = groups::help())]
    group: Vec<String>,
    /// End every job after T: 10, 10s, 500ms, 2m
    ///
    /// T takes the place of its runtime. A job with time_based runs so long; others end sooner
    /// if their work is done.
    #[arg(long, value_name = "T", value_parser = duration_ns,
          allow_negative_numbers = true)]
    runtime: Option<u64>,
    /// How traces are replayed: timed, chain or fast
    ///
    /// At the recorded times (timed, the default), as a chain of what waited for what with the
    /// recorded gaps (chain), or without gaps (fast).
    #[arg(long, hide_short_help = true, value_name = "MODE",
          value_parser = completed(ReplayMode::by_name, ReplayMode::ALL.map(ReplayMode::name)),
          hide_possible_values = true)]
    replay: Option<ReplayMode>,
    /// Pass over options of the job files that fio has and bfq does not support (bfq list
    /// job-options names them), and say which
    #[arg(long, hide_short_help = true)]
    ignore_unsupported: bool,
    /// Set a queue setting: nr_requests, max_sectors_kb, nomerges, read_ahead_kb. May be repeated,
    /// or several separated by commas
    #[arg(long, hide_short_help = true, value_name = "NAME=VALUE")]
    queue: Vec<String>,
    /// Seed of every random choice
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 1,
          value_parser = whole::<u64>(0..=u64::MAX), allow_negative_numbers = true)]
    pub seed: u64,
}

/// The options of commands that can simulate: what is set around the modelled page cache.
#[derive(Debug, clap::Args)]
pub struct CacheOptions {
    /// Set the simulated page cache (jobs with `direct=0`), by the names of /proc/sys/vm:
    /// dirty_background_ratio, dirty_ratio (or _bytes), dirty_expire_centisecs,
    /// dirty_writeback_centisecs; besides memory_mb and sync_interval_ms. May be repeated, or
    /// several separated by commas
    #[arg(long, hide_short_help = true, value_name = "NAME=VALUE")]
    pub vm: Vec<String>,
}

impl CacheOptions {
    /// Whether any is given.
    pub fn are_given(&self) -> bool {
        !self.vm.is_empty()
    }
}

/// What commands that give results record of a run besides figures.
#[derive(Debug, clap::Args)]
pub struct TimelineOptions {
    /// How many entries of the schedule (who was served when, around the time when the last process
    /// begins) a result in JSON has for `bfq report` to draw; 0: none
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 400,
          value_parser = whole::<usize>(0..=u32::MAX.into()), allow_negative_numbers = true)]
    timeline: usize,
}

impl TimelineOptions {
    /// How many entries a result has, if it has a place for them.
    pub fn entries(&self, output: &OutputOptions) -> usize {
        if output.format() == Format::Json { self.timeline } else { 0 }
    }
}

impl WorkOptions {
    /// The files that are read.
    pub fn job_files(&self) -> &[PathBuf] {
        &self.job_files
    }

    /// The job files, traces and scenarios to run, with the changes that the options ask for.
    pub fn work(&self) -> Work {
        Work {
            job_files: self.job_files.clone(),
            replay: self.replay,
            ignore_unsupported: self.ignore_unsupported,
            runtime_ns: self.runtime,
            set: self.set.clone(),
            groups: self.group.clone(),
            queue: self.queue.clone(),
            seed: self.seed,
        }
    }
}

/// Tells on stderr what has no effect here: options of the job files, and settings (`vm` are those
/// of the page cache, if one may be simulated) of the command line. To be called when nothing of
/// the input is wrong: an error stands alone.
pub fn print_notes(jobs: &[Job], work: &WorkOptions, vm: Option<&[String]>, quiet: bool) {
    if quiet {
        return;
    }
    for note in workload::notes(jobs) {
        note::note(&note.to_string());
    }
    if jobs.iter().any(|job| job.buffered) {
        return;
    }
    let because = match vm {
        Some(_) => "no job has direct=0, so no page cache is simulated",
        None => "a real target has no simulated page cache",
    };
    for option in of_the_page_cache(vm.unwrap_or_default(), &work.queue) {
        note::note(&format!("note: {option} has no effect: {because}"));
    }
}

/// The options, as they are given, of which nobody but a simulated page cache takes notice.
fn of_the_page_cache(vm: &[String], queue: &[String]) -> Vec<String> {
    let settings = queue.iter().flat_map(|list| list.split(',')).map(str::trim);
    let of_reading = settings.filter(|setting| setting.starts_with("read_ahead_kb"));
    let of_memory = vm.iter().map(|list| format!("--vm {list}"));
    of_memory.chain(of_reading.map(|setting| format!("--queue {setting}"))).collect()
}

/// Checks, before long work, that there are the folders that logs of the jobs go to.
///
/// # Errors
/// If there is none.
pub fn check_logs(jobs: &[Job]) -> Result<(), Failure> {
    for job in jobs {
        let logs = [
            ("write_lat_log", &job.write_lat_log),
            ("write_bw_log", &job.write_bw_log),
            ("write_iops_log", &job.write_iops_log),
        ];
        for (option, prefix) in logs {
            let Some(prefix) = prefix else { continue };
            let name = format!("{prefix}_");
            let folder = Path::new(&name).parent().unwrap_or(Path::new(""));
            if !folder.as_os_str().is_empty() && !folder.is_dir() {
                let (file, folder) = (&job.file, folder.display());
                return Err(Failure::usage(format!(
                    "{file}: job {}: {option}={prefix}: there is no folder {folder}",
                    job.name
                )));
            }
        }
    }
    Ok(())
}
