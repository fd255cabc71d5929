//! A job: what one section of a job file says, parsed, typed and with fio's defaults filled in.

use std::ops::{Index, IndexMut};
use std::sync::Arc;

use crate::cache::Advice;
use crate::recorded::Trace;
use trace::SECTOR_BYTES;

/// I/Os in flight at most in a replay that doesn't limit them: far more than a queue takes.
const REPLAYED_DEPTH: u32 = 4096;

/// The direction of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// From the target.
    Read,
    /// To the target.
    Write,
}

impl Direction {
    /// The opposite direction.
    pub fn other(self) -> Direction {
        match self {
            Direction::Read => Direction::Write,
            Direction::Write => Direction::Read,
        }
    }
}

/// A value for each direction, indexed by [`Direction`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerDirection<T> {
    /// For reads.
    pub read: T,
    /// For writes.
    pub write: T,
}

impl<T: Clone> PerDirection<T> {
    /// The same value for both directions.
    pub fn both(value: T) -> PerDirection<T> {
        PerDirection { read: value.clone(), write: value }
    }
}

impl<T> Index<Direction> for PerDirection<T> {
    type Output = T;

    fn index(&self, direction: Direction) -> &T {
        match direction {
            Direction::Read => &self.read,
            Direction::Write => &self.write,
        }
    }
}

impl<T> IndexMut<Direction> for PerDirection<T> {
    fn index_mut(&mut self, direction: Direction) -> &mut T {
        match direction {
            Direction::Read => &mut self.read,
            Direction::Write => &mut self.write,
        }
    }
}

/// The pattern of I/O (`rw`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rw {
    /// Sequential reads: `read`, the default.
    #[default]
    Read,
    /// Sequential writes: `write`.
    Write,
    /// Sequential reads and writes, each with a position of its own: `rw`, `readwrite`.
    ReadWrite,
    /// Random reads: `randread`.
    RandRead,
    /// Random writes: `randwrite`.
    RandWrite,
    /// Random reads and writes: `randrw`.
    RandReadWrite,
}

impl Rw {
    /// fio's name of the pattern.
    pub fn name(self) -> &'static str {
        match self {
            Rw::Read => "read",
            Rw::Write => "write",
            Rw::ReadWrite => "rw",
            Rw::RandRead => "randread",
            Rw::RandWrite => "randwrite",
            Rw::RandReadWrite => "randrw",
        }
    }

    /// Does it read?
    pub fn reads(self) -> bool {
        !matches!(self, Rw::Write | Rw::RandWrite)
    }

    /// Does it write?
    pub fn writes(self) -> bool {
        !matches!(self, Rw::Read | Rw::RandRead)
    }

    /// Does it mix both?
    pub fn is_mixed(self) -> bool {
        matches!(self, Rw::ReadWrite | Rw::RandReadWrite)
    }

    /// Are its offsets random?
    pub fn is_random(self) -> bool {
        matches!(self, Rw::RandRead | Rw::RandWrite | Rw::RandReadWrite)
    }
}

/// The number appended to `rw` after a colon, and what it means (`rw_sequencer`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OffsetModifier {
    /// None was given.
    #[default]
    None,
    /// `rw=read:4k`: so many bytes are left out after each sequential I/O.
    HoleBytes(u64),
    /// `rw=randread:8`: a new random offset for every so many I/Os, sequential in between.
    RunOf(u32),
    /// `rw=randread:8`, `rw_sequencer=identical`: every offset is used so many times.
    RepeatOf(u32),
}

/// The sizes of the I/Os of one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockSizes {
    /// `bs`: always this many bytes.
    Fixed(u32),
    /// `bsrange`: a multiple of the first number of bytes, up to the second.
    Range(u32, u32),
    /// `bssplit`: bytes, and how many percent of the I/Os have that size; the percentages add up
    /// to 100.
    Split(Vec<(u32, u8)>),
}

impl BlockSizes {
    /// The smallest size, bytes. Random offsets are multiples of it.
    pub fn min_bytes(&self) -> u32 {
        match self {
            BlockSizes::Fixed(bytes) => *bytes,
            BlockSizes::Range(min, _) => *min,
            BlockSizes::Split(parts) => parts.iter().map(|part| part.0).min().unwrap_or(0),
        }
    }

    /// The largest size, bytes.
    pub fn max_bytes(&self) -> u32 {
        match self {
            BlockSizes::Fixed(bytes) => *bytes,
            BlockSizes::Range(_, max) => *max,
            BlockSizes::Split(parts) => parts.iter().map(|part| part.0).max().unwrap_or(0),
        }
    }
}

/// An amount of the target: bytes, or a share of a file or of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Bytes.
    Bytes(u64),
    /// Percent, 0..=100.
    Percent(u8),
}

impl Extent {
    /// The amount in bytes, where `whole_bytes` is what a percentage is taken of (rounded down).
    pub fn of(self, whole_bytes: u64) -> u64 {
        match self {
            Extent::Bytes(bytes) => bytes,
            Extent::Percent(percent) => {
                (u128::from(whole_bytes) * u128::from(percent) / 100) as u64
            }
        }
    }
}

/// How a job submits its I/O (`ioengine`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// `sync`
    Sync,
    /// `psync`, the default.
    #[default]
    Psync,
    /// `vsync`
    Vsync,
    /// `pvsync`
    Pvsync,
    /// `pvsync2`
    Pvsync2,
    /// `libaio`
    Libaio,
    /// `io_uring`
    IoUring,
    /// `posixaio`
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
    /// Bytes per second.
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
    /// A pause after so many I/Os; 0: not by count.
    pub blocks: u64,
    /// Are I/Os counted when they are issued, rather than when they complete?
    pub counts_issued: bool,
    /// A pause once I/O has gone on for this long, ns; 0: not by time.
    pub io_time_ns: u64,
}

/// An I/O scheduling class (`prioclass`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IoClass {
    /// 1
    RealTime,
    /// 2
    BestEffort,
    /// 3
    Idle,
}

/// An I/O priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ioprio {
    /// The class.
    pub class: IoClass,
    /// The level within the class, 0 (first) ..= 7.
    pub level: u8,
}

/// How results of reads and writes are put together (`unified_rw_reporting`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnifiedReporting {
    /// `none`: apart.
    #[default]
    Separate,
    /// `mixed`: summed up.
    Mixed,
    /// `both`: apart, and then summed up.
    Both,
}

/// When the I/Os of a trace are issued (`replay_mode`, which fio doesn't have).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReplayMode {
    /// `timed`: at the recorded times, whatever the target does.
    #[default]
    Timed,
    /// `chain`: when what each waited for has completed, and the recorded gap has passed.
    Chain,
    /// `fast`: when what each waited for has completed.
    Fast,
}

impl ReplayMode {
    /// All modes.
    pub const ALL: [ReplayMode; 3] = [ReplayMode::Timed, ReplayMode::Chain, ReplayMode::Fast];

    /// What it is called in job files and on command lines.
    pub fn name(self) -> &'static str {
        match self {
            ReplayMode::Timed => "timed",
            ReplayMode::Chain => "chain",
            ReplayMode::Fast => "fast",
        }
    }
}

/// How a trace is replayed (`replay_*`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplaySettings {
    /// `replay_mode`; none: not given. fio's own logs are then replayed as fio does, everything else
    /// is timed.
    pub mode: Option<ReplayMode>,
    /// The format of the trace (`replay_format`); none: known by its content.
    pub format: Option<trace::Format>,
    /// Pass over records that are wrong (`replay_skip_bad`).
    pub skip_bad: bool,
    /// What offsets are divided by (`replay_scale`).
    pub offset_scale: u64,
    /// What offsets are rounded down to, and lengths up, bytes (`replay_align`).
    pub align_bytes: Option<u64>,
    /// Ignore the log's times (`replay_no_stall`).
    pub no_stall: bool,
    /// Speed in percent of the recorded one (`replay_time_scale`).
    pub time_scale_percent: u32,
    /// The file that all of it goes to, instead of the recorded ones (`replay_redirect`).
    pub redirect: Option<String>,
    /// Leave out reads (`replay_skip`).
    pub skip_reads: bool,
    /// Leave out writes (`replay_skip`).
    pub skip_writes: bool,
    /// Leave out syncs (`replay_skip`).
    pub skip_syncs: bool,
    /// Leave out trims (`replay_skip`).
    pub skip_trims: bool,
}

impl Default for ReplaySettings {
    fn default() -> ReplaySettings {
        ReplaySettings {
            mode: None,
            format: None,
            skip_bad: false,
            offset_scale: 1,
            align_bytes: None,
            no_stall: false,
            time_scale_percent: 100,
            redirect: None,
            skip_reads: false,
            skip_writes: false,
            skip_syncs: false,
            skip_trims: false,
        }
    }
}

impl ReplaySettings {
    /// Where an I/O of a trace is replayed. Or what is wrong with it, and what was expected.
    pub(crate) fn placed(
        &self,
        offset_bytes: u64,
        length_bytes: u32,
    ) -> Result<(u64, u32), (String, &'static str)> {
        let wrong = || format!("I/O of {length_bytes} bytes at {offset_bytes}");
        let mut offset = offset_bytes / self.offset_scale.max(1);
        let mut length = u64::from(length_bytes);
        if self.offset_scale > 1 {
            offset -= offset % SECTOR_BYTES;
        }
        if let Some(align_bytes) = self.align_bytes {
            offset -= offset % align_bytes;
            length = length.next_multiple_of(SECTOR_BYTES);
        }
        if !offset.is_multiple_of(SECTOR_BYTES) || !length.is_multiple_of(SECTOR_BYTES) {
            return Err((wrong(), "multiples of 512 bytes, or replay_align=512"));
        }
        match u32::try_from(length) {
            Ok(length) if offset.checked_add(u64::from(length)).is_some() => Ok((offset, length)),
            _ => Err((wrong(), "less than 4 GiB, below 2^64")),
        }
    }
}

/// A remark on a line that was accepted but does not do here what it does under fio.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The file.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
    /// The remark.
    pub text: String,
}

/// The notes of several jobs in order of jobs and lines, each once: one on a `[global]` line is with
/// every job below it.
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
    /// `description`
    pub description: Option<String>,
    /// The section's own options as written, for fio's "job options". As fio does, options written
    /// without a value are left out, and one written twice appears once with the later value.
    pub options: Vec<(String, String)>,
    /// The options of the `[global]` sections above, for fio's "global options"; likewise.
    pub global_options: Vec<(String, String)>,
    /// What was accepted without effect. To be shown to the user.
    pub notes: Vec<Note>,
    /// `rw`
    pub rw: Rw,
    /// `rw=…:NUMBER`, `rw_sequencer`
    pub offset_modifier: OffsetModifier,
    /// `rwmixread`, `rwmixwrite`: percent of a mixed job's I/Os that are reads.
    pub rw_mix_read_percent: u8,
    /// `bs`, `bsrange`, `bssplit`
    pub block_sizes: PerDirection<BlockSizes>,
    /// `filename` (with `directory` before it).
    pub filename: Option<String>,
    /// `filename_format`, expanded when the job is laid out.
    pub filename_format: Option<String>,
    /// `size`; none: all there is.
    pub size: Option<Extent>,
    /// `offset`
    pub offset: Extent,
    /// `offset_increment`: added to the offset of clone k, k times.
    pub offset_increment: Extent,
    /// `offset_align`: what an offset given in percent is rounded up to; 0: the smallest block.
    pub offset_align_bytes: u64,
    /// `io_size`; a percentage is one of `size`.
    pub io_size: Option<Extent>,
    /// `number_ios`
    pub number_ios: Option<u64>,
    /// `direct=0`: I/O goes through the page cache.
    pub buffered: bool,
    /// `invalidate`: the job's part of its file is dropped from the page cache before each pass.
    pub invalidate: bool,
    /// `fadvise_hint`
    pub advice: Advice,
    /// `loops`, at least 1.
    pub loops: u64,
    /// `ioengine`
    pub engine: Engine,
    /// `iodepth` as written. [`Job::queue_depth`] is the one that counts.
    pub iodepth: u32,
    /// `numjobs`
    pub numjobs: u32,
    /// `runtime`, ns.
    pub runtime_ns: Option<u64>,
    /// `time_based`. Without a runtime it has no effect, as under fio.
    pub time_based: bool,
    /// `ramp_time`, ns.
    pub ramp_time_ns: u64,
    /// `startdelay`, ns since the start of the whole run: least and most.
    pub start_delay_ns: (u64, u64),
    /// `thinktime` and its kin.
    pub think_time: ThinkTime,
    /// `rate`, `rate_iops`
    pub rate: PerDirection<Option<Rate>>,
    /// `rate_ignore_thinktime`
    pub rate_ignore_think_time: bool,
    /// `prio`, `prioclass`; none: neither was given.
    pub ioprio: Option<Ioprio>,
    /// `cgroup`: path in the tree of groups, without leading or trailing slash; none: the root.
    pub cgroup: Option<String>,
    /// `cgroup_weight`, 1..=1000.
    pub cgroup_weight: Option<u32>,
    /// `fsync`: after every so many writes; 0: never.
    pub fsync_every_writes: u64,
    /// `fdatasync`: after every so many writes; 0: never.
    pub fdatasync_every_writes: u64,
    /// `end_fsync`: once, after the last write.
    pub end_fsync: bool,
    /// `stonewall`: starts when all jobs before it have ended.
    pub stonewall: bool,
    /// `new_group`
    pub new_group: bool,
    /// `group_reporting`
    pub group_reporting: bool,
    /// fio's `groupid`: rises with each `stonewall` and `new_group`.
    pub group_id: u32,
    /// `unified_rw_reporting`
    pub unified_rw_reporting: UnifiedReporting,
    /// `randseed`: takes the place of the run's seed for this job.
    pub rand_seed: Option<u64>,
    /// `norandommap`
    pub no_random_map: bool,
    /// `write_lat_log`: what the names of the files begin with.
    pub write_lat_log: Option<String>,
    /// `write_bw_log`: what the name of the file begins with.
    pub write_bw_log: Option<String>,
    /// `log_avg_msec`, ms; 0: every I/O is logged.
    pub log_avg_msec: u64,
    /// `percentile_list`, in the order given.
    pub percentile_list: Option<Vec<f64>>,
    /// `read_iolog`, already read and checked.
    pub trace: Option<Arc<Trace>>,
    /// `replay_*`
    pub replay: ReplaySettings,
}

impl Job {
    /// I/Os in flight at most: `iodepth`, or 1 where the engine is synchronous; in a trace that knows
    /// it itself, as many as there are.
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
        let read = self.block_sizes.read.min_bytes();
        let write = self.block_sizes.write.min_bytes();
        match (self.rw.reads(), self.rw.writes()) {
            (true, true) => read.min(write),
            (true, false) => read,
            _ => write,
        }
    }

    /// The largest block size among the directions the job uses, bytes.
    pub fn max_block_bytes(&self) -> u32 {
        let read = self.block_sizes.read.max_bytes();
        let write = self.block_sizes.write.max_bytes();
        match (self.rw.reads(), self.rw.writes()) {
            (true, true) => read.max(write),
            (true, false) => read,
            _ => write,
        }
    }
}
