// SPDX-License-Identifier: MIT OR Apache-2.0
//! What commands that run jobs share: job files, devices, settings, groups, times.

use crate::failure::Failure;
use crate::groups;
use crate::output::{Format, OutputOptions};
use crate::scenario;
use crate::streams;
use crate::watched_file::{Watching, known};
use blk::QueueSettings;
use explain::{Cast, TimelineRecorder};
use report::Scenario;
use std::path::PathBuf;
use workload::cache::CacheSettings;
use workload::{Job, LoadSettings, ReplayMode};

/// The options of commands that run jobs: the job files, and what is set around them.
#[derive(Debug, clap::Args)]
pub struct WorkOptions {
    /// fio job files, traces to be replayed, or @NAME: a built-in scenario
    ///
    /// `bfq trace info` says what is in a trace, `bfq list scenarios` which scenarios there are.
    /// Each file after the first starts when the one before has ended.
    #[arg(required = true, value_name = "JOBFILE")]
    job_files: Vec<PathBuf>,
    /// Set a tunable of the schedulers that have it
    ///
    /// May be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    #[arg(long, value_name = "PATH=WEIGHT", help = groups::SHORT_HELP, long_help = groups::help())]
    group: Vec<String>,
    /// Let every job run so long: 10, 10s, 500ms, 2m
    ///
    /// Whatever its file says.
    #[arg(long, value_name = "T", value_parser = duration_ns)]
    runtime: Option<u64>,
    /// How traces are replayed: timed, chain or fast
    ///
    /// At the recorded times (timed, the default), as a chain of what waited for what with the
    /// recorded gaps (chain), or without gaps (fast).
    #[arg(long, hide_short_help = true, value_name = "MODE", value_parser = replay_mode)]
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
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 1)]
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
    vm: Vec<String>,
}

impl CacheOptions {
    /// Whether any is given.
    pub fn are_given(&self) -> bool {
        !self.vm.is_empty()
    }

    /// The values of `--vm`.
    ///
    /// # Errors
    /// If a setting is unknown or its value is wrong.
    pub fn settings(&self) -> Result<CacheSettings, Failure> {
        CacheSettings::parse(&self.vm.join(","))
            .map_err(|error| Failure::usage(format!("--vm: {error}")))
    }
}

/// What commands that give results record of a run besides figures.
#[derive(Debug, clap::Args)]
pub struct TimelineOptions {
    /// How many entries of the schedule (who was served when, around the time when the last process
    /// begins) a result in JSON has for `bfq report` to draw; 0: none
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 400)]
    timeline: usize,
}

impl TimelineOptions {
    /// A recorder for a run of these jobs, if its result will have a place for what it records.
    pub fn recorder(&self, jobs: &[Job], output: &OutputOptions) -> Option<TimelineRecorder> {
        let wanted = self.timeline > 0 && output.output_format == Format::Json;
        wanted.then(|| TimelineRecorder::new(Cast::everybody(jobs), self.timeline))
    }
}

impl WorkOptions {
    /// The jobs of the files, with `--runtime` in force. Large traces show a bar unless `quiet`.
    ///
    /// # Errors
    /// If a file is missing or wrong.
    pub fn jobs(&self, quiet: bool) -> Result<Vec<Job>, Failure> {
        self.job_files.iter().try_for_each(|path| known(path))?;
        let surroundings = Watching { quiet };
        let is_trace = |path: &PathBuf| workload::is_trace(path, &surroundings);
        if self.replay.is_some() && !self.job_files.iter().any(is_trace) {
            let hint = "--replay: none of the files is a trace; expected one, or replay_mode=MODE \
                        in the job file";
            return Err(Failure::usage(hint));
        }
        let settings =
            LoadSettings { replay: self.replay, ignore_unsupported: self.ignore_unsupported };
        let mut jobs = workload::load_all_with(&self.job_files, &settings, &surroundings)
            .map_err(Failure::usage)?;
        if self.runtime.is_some() {
            jobs.iter_mut().for_each(|job| job.runtime_ns = self.runtime);
        }
        Ok(jobs)
    }

    /// What is run, for the result; `jobs` are those of the files.
    ///
    /// # Errors
    /// If a job file cannot be read, or says that something is measured that is not there.
    pub fn scenario(&self, jobs: &[Job]) -> Result<Scenario, Failure> {
        scenario::of_this_command(&self.job_files, jobs)
    }

    /// The values of `--queue`.
    ///
    /// # Errors
    /// If a setting is unknown or its value is wrong.
    pub fn queue_settings(&self) -> Result<QueueSettings, Failure> {
        queue_settings(&self.queue)
    }

    /// The weights by `--group`.
    ///
    /// # Errors
    /// If a value is malformed or out of range.
    pub fn group_weights(&self) -> Result<Vec<(String, u32)>, Failure> {
        groups::weights(&self.group)
    }
}

/// Tells on stderr which options of the job files have no effect here. To be called when nothing of
/// the input is wrong: an error stands alone.
pub fn print_notes(jobs: &[Job], quiet: bool) {
    if quiet {
        return;
    }
    for note in workload::notes(jobs) {
        streams::note(&format!("{}:{}: {}", note.file, note.line, note.text));
    }
}

/// Reads the values of `--queue`.
///
/// # Errors
/// If a setting is unknown or its value is wrong.
fn queue_settings(values: &[String]) -> Result<QueueSettings, Failure> {
    QueueSettings::parse(&values.join(","))
        .map_err(|error| Failure::usage(format!("--queue: {error}")))
}

/// Reads the name of a mode of replay. For clap.
fn replay_mode(text: &str) -> Result<ReplayMode, String> {
    let known = ReplayMode::ALL.into_iter().find(|mode| mode.name() == text);
    known.ok_or_else(|| "expected timed, chain or fast".to_owned())
}

/// Reads a time as fio's `runtime` has it: seconds, or a number with `us`, `ms`, `s`, `m`, `h` or
/// `d`. For clap.
///
/// # Errors
/// If it is none, or 0.
pub fn duration_ns(text: &str) -> Result<u64, String> {
    const EXPECTED: &str = "expected a time such as 10, 10s, 500ms or 2m";
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit_ns: u64 = match &text[digits.len()..] {
        "us" => 1_000,
        "ms" => 1_000_000,
        "" | "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "d" => 86_400_000_000_000,
        _ => return Err(EXPECTED.to_owned()),
    };
    let number: u64 = digits.parse().map_err(|_| EXPECTED.to_owned())?;
    match number.checked_mul(unit_ns) {
        Some(0) | None => Err(EXPECTED.to_owned()),
        Some(ns) => Ok(ns),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        for (text, ns) in [
            ("10", 10_000_000_000),
            ("10s", 10_000_000_000),
            ("500ms", 500_000_000),
            ("7us", 7_000),
            ("2m", 120_000_000_000),
            ("1h", 3_600_000_000_000),
            ("1d", 86_400_000_000_000),
        ] {
            assert_eq!(duration_ns(text), Ok(ns), "{text}");
        }
        for text in ["", "s", "0", "-1", "1.5", "1 s", "10x", "99999999999d"] {
            assert!(duration_ns(text).is_err(), "{text}");
        }
    }
}
