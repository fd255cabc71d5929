// SPDX-License-Identifier: MIT OR Apache-2.0
//! A job: what one section of a job file says, parsed, typed and with fio's defaults filled in.

mod depth;
mod direction;
mod distribution;
mod files;
mod sizes;
mod verify;

use crate::recorded::{ReplaySettings, Trace};
use std::fmt;
use std::num::NonZeroU64;
use std::sync::Arc;

use crate::advice::Advice;
pub use base::Direction;
pub use depth::{Batches, Flow, LatencyTarget, Reap};
pub use direction::{OffsetModifier, PerDirection, Rw};
pub use distribution::{Distribution, Share, Strides};
pub use files::{FileOrder, FileService};
pub use sizes::{BlockSizes, Extent};
pub use verify::Verify;

/// I/Os in flight at most in a replay that doesn't limit them: far more than a queue takes.
const REPLAYED_DEPTH: u32 = 4096;

/// How a job submits its I/O (`ioengine`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Engine `sync` of fio.
    Sync,
    /// Engine `psync` of fio, the default.
    #[default]
    Psync,
    /// Engine `vsync` of fio.
    Vsync,
    /// Engine `pvsync` of fio.
    Pvsync,
    /// Engine `pvsync2` of fio.
    Pvsync2,
    /// Engine `libaio` of fio.
    Libaio,
    /// Engine `io_uring` of fio.
    IoUring,
    /// Engine `posixaio` of fio.
    Posixaio,
}

impl Engine {
    /// All engines, for lookup by name.
    pub const ALL: [Engine; 8] = [
        Engine::Sync,
        Engine::Psync,
        Engine::Vsync,
        Engine::Pvsync,
        Engine::Pvsync2,
        Engine::Libaio,
        Engine::IoUring,
        Engine::Posixaio,
    ];

    /// fio's name of the engine.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Sync => "sync",
            Engine::Psync => "psync",
            Engine::Vsync => "vsync",
            Engine::Pvsync => "pvsync",
            Engine::Pvsync2 => "pvsync2",
            Engine::Libaio => "libaio",
            Engine::IoUring => "io_uring",
            Engine::Posixaio => "posixaio",
        }
    }

    /// Does submission wait for completion, which caps the queue depth at 1?
    pub fn is_synchronous(self) -> bool {
        !matches!(self, Engine::Libaio | Engine::IoUring | Engine::Posixaio)
    }
}

/// A limit on the speed of one direction (`rate`, `rate_iops`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// The most bytes per second.
    BytesPerS(u64),
    /// I/Os per second, each counted as the smallest block size.
    IosPerS(u64),
}

/// The pauses a job makes (`thinktime` and its kin).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThinkTime {
    /// How long each pause is, ns; 0: no pauses.
    pub pause_ns: u64,
    /// How much of it is spent computing, ns. The pause is never shorter than this.
    pub spin_ns: u64,
    /// A pause after this number of I/Os; none: not by count.
    pub blocks: Option<NonZeroU64>,
    /// Are I/Os counted when they are issued, rather than when they complete?
    pub counts_issued: bool,
    /// A pause once I/O has gone on for this long, ns; none: not by time.
    pub io_time_ns: Option<NonZeroU64>,
}

/// Who ends together with the first process of a job that ends (`exit_what`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExitScope {
    /// `group`: the reporting group.
    #[default]
    Group,
    /// `stonewall`: all that run at the time; what comes behind a `stonewall` begins.
    Running,
    /// `all`: the whole run.
    All,
}

/// How results of reads and writes are put together (`unified_rw_reporting`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnifiedReporting {
    /// `none`: each is reported separately.
    #[default]
    Separate,
    /// `mixed`: the directions are summed up and reported as one.
    Mixed,
    /// `both`: apart, and then summed up.
    Both,
}
/// A remark on a line that was accepted but does not do here what it does under fio. Displayed as
/// `FILE:LINE: TEXT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Path of the file.
    pub file: Arc<str>,
    /// The line, from 1; 0 when the file as a whole is meant.
    pub line: u32,
    /// Text of the remark.
    pub text: String,
}

impl Note {
    /// Makes it one on the file as a whole, which it may have named `name`.
    pub(crate) fn concern_whole_file(&mut self, name: &str) {
        self.line = 0;
        let rest = self.text.strip_prefix(name).and_then(|rest| rest.strip_prefix(": "));
        self.text = rest.unwrap_or(&self.text).to_owned();
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.text),
            line => write!(f, "{}:{line}: {}", self.file, self.text),
        }
    }
}

/// The notes of several jobs in order of jobs and lines, each once: one on a `[global]` line is
/// with every job below it.
pub fn notes(jobs: &[Job]) -> Vec<&Note> {
    let mut notes: Vec<&Note> = Vec::new();
    for note in jobs.iter().flat_map(|job| &job.notes) {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}

/// One job. Its fields are the options of the job file with fio's names spelled out, units in the
/// name; what a field's option means is in fio's documentation.
#[derive(Clone, Debug)]
pub struct Job {
    /// Position among all jobs, from 0. It enters the random streams (see [`crate::process_seed`]).
    pub index: u32,
    /// The section's name, or `name`.
    pub name: String,
    /// The file of the section.
    pub file: Arc<str>,
    /// The line of the section, from 1.
    pub line: u32,
    /// Value of the option `description`.
    pub description: Option<String>,
    /// The section's own options as written, for fio's "job options". As fio does, options written
    /// without a value are left out, and one written twice appears once with the later value.
    pub options: Vec<(String, String)>,
    /// The options of the `[global]` sections above, for fio's "global options"; likewise.
    pub global_options: Vec<(String, String)>,
    /// What was accepted without effect. To be shown to the user.
    pub notes: Vec<Note>,
    /// Value of the option `rw`.
    pub rw: Rw,
    /// Value of the options `rw=…:NUMBER`, `rw_sequencer`.
    pub offset_modifier: OffsetModifier,
    /// `rwmixread`, `rwmixwrite`: percent of a mixed job's I/Os that are reads.
    pub rw_mix_read_percent: u8,
    /// `bs`, `bsrange`, `bssplit`
    pub block_sizes: PerDirection<BlockSizes>,
    /// `filename` (each with `directory` before it); empty: the files have no names.
    pub filenames: Vec<String>,
    /// `directory`: where files are whose names do not begin with a slash.
    pub directory: Option<String>,
    /// `nrfiles`: files of each process, unless they are named.
    pub nr_files: u32,
    /// In which order the files are used: `file_service_type`.
    pub file_service: FileService,
    /// `filename_format`, expanded when the job is laid out.
    pub filename_format: Option<String>,
    /// `size`; none: all there is.
    pub size: Option<Extent>,
    /// Value of the option `offset`.
    pub offset: Extent,
    /// `offset_increment`: added to the offset of clone k, k times.
    pub offset_increment: Extent,
    /// `offset_align`: what an offset given in percent is rounded up to; none: the smallest
    /// block.
    pub offset_align_bytes: Option<NonZeroU64>,
    /// `io_size`; a percentage is one of `size`.
    pub io_size: Option<Extent>,
    /// Value of the option `number_ios`.
    pub number_ios: Option<u64>,
    /// `direct=0`: I/O goes through the page cache.
    pub buffered: bool,
    /// `invalidate`: the job's part of its file is dropped from the page cache before each pass.
    pub invalidate: bool,
    /// Value of the option `fadvise_hint`.
    pub advice: Advice,
    /// `loops`, at least 1.
    pub loops: u64,
    /// Value of the option `ioengine`.
    pub engine: Engine,
    /// `iodepth` as written. [`Job::queue_depth`] is the one that counts.
    pub iodepth: u32,
    /// `latency_target` and its kin; none: the depth is `iodepth`.
    pub latency_target: Option<LatencyTarget>,
    /// `iodepth_batch` and its kin.
    pub batches: Batches,
    /// `flow` and its kin; none: it does not look at other jobs.
    pub flow: Option<Flow>,
    /// Value of the option `numjobs`.
    pub numjobs: u32,
    /// Value of the option `runtime`, ns.
    pub runtime_ns: Option<u64>,
    /// `time_based`. Without a runtime it has no effect, as under fio.
    pub time_based: bool,
    /// Value of the option `ramp_time`, ns.
    pub ramp_time_ns: u64,
    /// `startdelay`, ns since the start of the whole run: least and most.
    pub start_delay_ns: (u64, u64),
    /// `thinktime` and its kin.
    pub think_time: ThinkTime,
    /// Value of the options `rate`, `rate_iops`.
    pub rate: PerDirection<Option<Rate>>,
    /// `rate_process=poisson`: I/Os come at random times, with the rate as their mean.
    pub poisson: bool,
    /// Value of the option `rate_ignore_thinktime`.
    pub rate_ignore_think_time: bool,
    /// `prio`, `prioclass`; none: neither was given.
    pub ioprio: Option<base::IoprioValue>,
    /// `cgroup`: path in the tree of groups, without leading or trailing slash; none: the root.
    pub cgroup: Option<String>,
    /// Value of the option `cgroup_weight`, 1..=1000.
    pub cgroup_weight: Option<u32>,
    /// `fsync`: each time this number of writes was issued; none: never.
    pub fsync_every_writes: Option<NonZeroU64>,
    /// `fdatasync`: each time this number of writes was issued; none: never.
    pub fdatasync_every_writes: Option<NonZeroU64>,
    /// `end_fsync`: once, after the last write.
    pub end_fsync: bool,
    /// `stonewall`: starts when all jobs before it have ended.
    pub stonewall: bool,
    /// Value of the option `new_group`.
    pub new_group: bool,
    /// `exitall`: who else ends when a process of the job does, if any.
    pub exit_all: Option<ExitScope>,
    /// Value of the option `group_reporting`.
    pub group_reporting: bool,
    /// Where results are to tell the processes of its trace apart, each counted from its first I/O
    /// on: what they are called, in the trace's order; none: in no result. Those of the same name
    /// are together. Empty: not at all. It is no option of job files.
    pub process_names: Vec<Option<String>>,
    /// fio's `groupid`: rises with each `stonewall` and `new_group`.
    pub group_id: u32,
    /// Value of the option `unified_rw_reporting`.
    pub unified_rw_reporting: UnifiedReporting,
    /// `randseed`: takes the place of the run's seed for this job.
    pub rand_seed: Option<u64>,
    /// Value of the option `norandommap`.
    pub no_random_map: bool,
    /// How random places are drawn: `random_distribution`.
    pub distribution: Distribution,
    /// `zonemode=strided`; none: the region is one.
    pub strides: Option<Strides>,
    /// `write_lat_log`: what the names of the files begin with.
    pub write_lat_log: Option<String>,
    /// `write_bw_log`: what the name of the file begins with.
    pub write_bw_log: Option<String>,
    /// `write_iops_log`: what the name of the file begins with.
    pub write_iops_log: Option<String>,
    /// `log_avg_msec`, ms; 0: every I/O is logged.
    pub log_avg_msec: u64,
    /// `percentile_list`, in the order given.
    pub percentile_list: Option<Vec<f64>>,
    /// `verify` and its kin; none: contents don't matter.
    pub verify: Option<Verify>,
    /// `serialize_overlap`: an I/O waits for those in flight that it overlaps, if the job writes.
    pub serialize_overlap: bool,
    /// `read_iolog`, already read and checked.
    pub trace: Option<Arc<Trace>>,
    /// Value of the option `replay_*`.
    pub replay: ReplaySettings,
}

impl Job {
    /// A file's name with `directory` before it, unless it begins with a slash.
    pub(crate) fn in_directory(&self, name: &str) -> String {
        match &self.directory {
            Some(directory) if !name.starts_with('/') => {
                format!("{}/{name}", directory.trim_end_matches('/'))
            }
            _ => name.to_owned(),
        }
    }

    /// I/Os in flight at most: `iodepth`, or 1 where the engine is synchronous; in a trace that
    /// knows it itself, as many as there are.
    pub fn queue_depth(&self) -> u32 {
        match &self.trace {
            Some(trace) if trace.knows_depth => REPLAYED_DEPTH,
            _ => self.written_depth(),
        }
    }

    /// The queue depth that the options say. Buffered I/O makes libaio wait for each.
    pub(crate) fn written_depth(&self) -> u32 {
        let waits = self.buffered && self.engine == Engine::Libaio;
        if waits || self.engine.is_synchronous() { 1 } else { self.iodepth }
    }

    /// Whether each block of the region comes once in a pass over it. Blocks that are drawn without
    /// regard to those before may come again.
    pub(crate) fn keeps_map(&self) -> bool {
        !self.no_random_map && self.distribution == Distribution::Uniform
    }

    /// How many files each process has.
    pub fn files(&self) -> u32 {
        match (&self.trace, self.filenames.len()) {
            (Some(_), _) => 1,
            (None, 0) => self.nr_files,
            (None, named) => u32::try_from(named).unwrap_or(u32::MAX),
        }
    }

    /// How many processes it has: `numjobs`, times the processes of its trace.
    pub fn processes(&self) -> u32 {
        let of_trace = self.trace.as_ref().map_or(1, |trace| trace.processes.len());
        self.numjobs.saturating_mul(u32::try_from(of_trace).unwrap_or(u32::MAX))
    }

    /// `runtime` in force: does the job go on until it is over, however much I/O that takes?
    pub fn runs_for_runtime(&self) -> bool {
        self.time_based && self.runtime_ns.is_some()
    }

    /// The smallest block size among the directions the job uses, bytes.
    pub fn min_block_bytes(&self) -> u32 {
        self.used_sizes().map(BlockSizes::min_bytes).min().unwrap_or(0)
    }

    /// The largest block size among the directions the job uses, bytes.
    pub fn max_block_bytes(&self) -> u32 {
        self.used_sizes().map(BlockSizes::max_bytes).max().unwrap_or(0)
    }

    fn used_sizes(&self) -> impl Iterator<Item = &BlockSizes> {
        let used = Direction::ALL.into_iter().filter(|&direction| self.rw.has(direction));
        used.map(|direction| &self.block_sizes[direction])
    }
}
