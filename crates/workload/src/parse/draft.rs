//! A job in the making: the options of a section as they come, and what they add up to.

use std::sync::Arc;

use super::Surroundings;
use super::lines::Origin;
use super::nearest;
use super::number::Expected;
use super::options::{self, Kind, Spec};
use super::values::Split;
use crate::cache::Advice;
use crate::error::JobError;
use crate::job::{
    BlockSizes, Direction, Engine, Extent, IoClass, Ioprio, Job, Note, OffsetModifier,
    PerDirection, Rate, ReplaySettings, Rw, ThinkTime, UnifiedReporting,
};

/// fio's default block size, bytes.
const DEFAULT_BLOCK_BYTES: u32 = 4096;

/// fio's page size for `$pagesize`; fixed, so that a job file means the same everywhere.
const PAGE_BYTES: &str = "4096";

/// `rw` as written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pattern {
    pub(super) rw: Rw,
    pub(super) modifier: Option<u64>,
}

/// Values per direction of which some may not be given.
#[derive(Clone, Debug)]
pub(super) struct Given<T> {
    pub(super) values: PerDirection<Option<T>>,
}

impl<T: Clone> Given<T> {
    const fn nothing() -> Given<T> {
        Given { values: PerDirection { read: None, write: None } }
    }

    /// Takes over a list for reads, writes and trims. A value that is last in the list also
    /// stands for what follows it; an empty one leaves what was.
    pub(super) fn update(&mut self, list: Vec<Option<T>>) {
        if let Some(Some(read)) = list.first() {
            self.values.read = Some(read.clone());
        }
        if let Some(Some(write)) = list.get(1).or(list.first()) {
            self.values.write = Some(write.clone());
        }
    }

    pub(super) fn is_any(&self) -> bool {
        self.values.read.is_some() || self.values.write.is_some()
    }
}

/// A line that set an option.
#[derive(Clone, Debug)]
struct Setting {
    spec: &'static Spec,
    /// As written.
    name: String,
    value: Option<String>,
    origin: Origin,
}

/// The options so far.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    /// Those that need no more than taking over.
    pub(super) job: Job,
    pub(super) name: Option<String>,
    pub(super) filename: Option<String>,
    pub(super) directory: Option<String>,
    pub(super) pattern: Pattern,
    pub(super) repeats: bool,
    pub(super) block_size: Given<u32>,
    pub(super) block_range: Given<(u32, u32)>,
    pub(super) block_split: Given<Split>,
    pub(super) direct: Option<bool>,
    /// `fadvise_hint`; `Some(None)`: by the pattern.
    pub(super) advice: Option<Option<Advice>>,
    pub(super) think_blocks: Option<u64>,
    pub(super) rate: Given<Option<Rate>>,
    pub(super) rate_iops: Given<Option<Rate>>,
    pub(super) prio: Option<u8>,
    pub(super) prio_class: u8,
    pub(super) read_iolog: Option<String>,
    settings: Vec<Setting>,
    /// So many of the settings are from `[global]` sections.
    global_settings: usize,
}

impl Draft {
    /// fio's defaults.
    pub(super) fn new() -> Draft {
        Draft {
            job: defaults(),
            name: None,
            filename: None,
            directory: None,
            pattern: Pattern::default(),
            repeats: false,
            block_size: Given::nothing(),
            block_range: Given::nothing(),
            block_split: Given::nothing(),
            direct: None,
            advice: None,
            think_blocks: None,
            rate: Given::nothing(),
            rate_iops: Given::nothing(),
            prio: None,
            prio_class: 0,
            read_iolog: None,
            settings: Vec::new(),
            global_settings: 0,
        }
    }

    /// The beginning of a job's section: what the `[global]` sections above say.
    pub(super) fn of_section(&self) -> Draft {
        let mut draft = self.clone();
        draft.global_settings = draft.settings.len();
        // As under fio, only a job's own section can name it.
        draft.name = None;
        draft
    }

    /// Takes over one line.
    pub(super) fn set(
        &mut self,
        name: &str,
        value: Option<String>,
        origin: Origin,
    ) -> Result<(), JobError> {
        let Some(spec) = options::find(name) else { return Err(unknown(name, &origin)) };
        let text = match (spec.kind, &value) {
            (_, Some(value)) => value.as_str(),
            (Kind::Flag | Kind::NoEffectFlag(_), None) => "1",
            (Kind::OptionalText, None) => "",
            (_, None) => {
                return Err(origin
                    .wrong(format!("option \"{name}\" has no value"), format!("{name}=VALUE")));
            }
        };
        let text = match spec.kind {
            Kind::Text | Kind::OptionalText => text.to_string(),
            _ => keywords_filled_in(name, text, &origin)?,
        };
        (spec.apply)(self, &text).map_err(|Expected(expected)| {
            origin.wrong(format!("bad value \"{text}\" for option \"{name}\""), expected)
        })?;
        if let Kind::NoEffect(why) | Kind::NoEffectFlag(why) = spec.kind {
            self.note(&origin, format!("option \"{name}\" has no effect: {why}"));
        }
        self.settings.push(Setting { spec, name: name.to_string(), value, origin });
        Ok(())
    }

    /// The job that the options make.
    pub(super) fn finish(
        mut self,
        section: &str,
        origin: &Origin,
        surroundings: &dyn Surroundings,
    ) -> Result<Job, JobError> {
        self.job.name = self.name.clone().unwrap_or_else(|| section.to_string());
        self.job.file = Arc::clone(&origin.file);
        self.job.line = origin.line;
        self.job.global_options = written(&self.settings[..self.global_settings]);
        self.job.options = written(&self.settings[self.global_settings..]);
        self.finish_pattern(origin)?;
        self.finish_cache(origin);
        self.finish_block_sizes();
        self.finish_offsets(origin)?;
        self.finish_rates(origin)?;
        self.finish_think_time(origin)?;
        self.finish_priority();
        self.finish_files(origin, surroundings)?;
        self.finish_logs();
        self.remark(origin);
        Ok(self.job)
    }

    /// The line that last set an option; the section if none did.
    fn origin_of<'a>(&'a self, name: &str, section: &'a Origin) -> &'a Origin {
        let setting = self.settings.iter().rev().find(|setting| setting.spec.names[0] == name);
        setting.map_or(section, |setting| &setting.origin)
    }

    fn is_set(&self, name: &str) -> bool {
        self.settings.iter().any(|setting| setting.spec.names[0] == name)
    }

    fn note(&mut self, origin: &Origin, text: String) {
        self.job.notes.push(Note { file: Arc::clone(&origin.file), line: origin.line, text });
    }

    /// The page cache, which I/O goes through only if the job says so.
    fn finish_cache(&mut self, section: &Origin) {
        if self.direct.is_none() {
            let text = "direct=1 is not given, so fio would use the page cache; here I/O is direct \
                        unless direct=0 says otherwise";
            self.note(section, text.to_string());
        }
        self.job.buffered = self.direct == Some(false);
        self.job.advice = match self.advice {
            None => Advice::Normal,
            Some(Some(advice)) => advice,
            Some(None) if self.job.rw.is_random() => Advice::Random,
            Some(None) => Advice::Sequential,
        };
    }

    fn finish_pattern(&mut self, section: &Origin) -> Result<(), JobError> {
        let Pattern { rw, modifier } = self.pattern;
        self.job.rw = rw;
        self.job.offset_modifier = match modifier {
            None => OffsetModifier::None,
            Some(number) if !rw.is_random() => {
                if number % 512 != 0 {
                    return Err(self.origin_of("rw", section).wrong(
                        format!("holes of {number} bytes between I/Os"),
                        "a multiple of 512 bytes, which direct I/O needs",
                    ));
                }
                OffsetModifier::HoleBytes(number)
            }
            Some(number) if self.repeats => OffsetModifier::RepeatOf(number as u32),
            Some(number) => OffsetModifier::RunOf(number as u32),
        };
        Ok(())
    }

    fn finish_block_sizes(&mut self) {
        let sizes = |direction: Direction| {
            if let Some(split) = &self.block_split.values[direction] {
                BlockSizes::Split(split.clone())
            } else if let Some((min, max)) = self.block_range.values[direction] {
                if min == max { BlockSizes::Fixed(min) } else { BlockSizes::Range(min, max) }
            } else {
                let bytes = self.block_size.values[direction];
                BlockSizes::Fixed(bytes.unwrap_or(DEFAULT_BLOCK_BYTES))
            }
        };
        self.job.block_sizes =
            PerDirection { read: sizes(Direction::Read), write: sizes(Direction::Write) };
    }

    fn finish_offsets(&mut self, section: &Origin) -> Result<(), JobError> {
        let amounts = [
            ("offset", self.job.offset),
            ("offset_increment", self.job.offset_increment),
            ("offset_align", Extent::Bytes(self.job.offset_align_bytes)),
        ];
        for (name, amount) in amounts {
            if let Extent::Bytes(bytes) = amount
                && bytes % 512 != 0
            {
                return Err(self.origin_of(name, section).wrong(
                    format!("{name} of {bytes} bytes"),
                    "a multiple of 512 bytes, which direct I/O needs",
                ));
            }
        }
        Ok(())
    }

    fn finish_rates(&mut self, section: &Origin) -> Result<(), JobError> {
        if self.rate.is_any() && self.rate_iops.is_any() {
            return Err(self.origin_of("rate_iops", section).wrong(
                "both rate and rate_iops are given",
                "one of them: fio excludes the other",
            ));
        }
        let given = if self.rate.is_any() { &self.rate } else { &self.rate_iops };
        self.job.rate =
            PerDirection { read: given.values.read.flatten(), write: given.values.write.flatten() };
        Ok(())
    }

    fn finish_think_time(&mut self, section: &Origin) -> Result<(), JobError> {
        let think_time = &mut self.job.think_time;
        // Time alone decides if it is given and a number of blocks is not.
        let default_blocks = if think_time.io_time_ns > 0 { 0 } else { 1 };
        think_time.blocks = self.think_blocks.unwrap_or(default_blocks);
        if think_time.pause_ns == 0 {
            let extras = ["thinktime_spin", "thinktime_blocks", "thinktime_iotime"];
            if let Some(extra) = extras.into_iter().find(|extra| self.is_set(extra)) {
                let origin = self.origin_of(extra, section).clone();
                self.note(&origin, format!("option \"{extra}\" has no effect without thinktime"));
            }
        } else if think_time.spin_ns > think_time.pause_ns {
            return Err(self
                .origin_of("thinktime_spin", section)
                .wrong("thinktime_spin is longer than thinktime", "at most thinktime"));
        }
        Ok(())
    }

    /// As under fio, a level without a class is best effort, and a class without a level has
    /// level 0.
    fn finish_priority(&mut self) {
        let class = match (self.prio_class, self.prio) {
            (0, None) => return,
            (1, _) => IoClass::RealTime,
            (3, _) => IoClass::Idle,
            _ => IoClass::BestEffort,
        };
        self.job.ioprio = Some(Ioprio { class, level: self.prio.unwrap_or(0) });
    }

    fn finish_files(
        &mut self,
        section: &Origin,
        surroundings: &dyn Surroundings,
    ) -> Result<(), JobError> {
        self.job.filename = self.filename.as_ref().map(|name| match &self.directory {
            Some(directory) if !name.starts_with('/') => {
                format!("{}/{name}", directory.trim_end_matches('/'))
            }
            _ => name.clone(),
        });
        let Some(path) = &self.read_iolog else { return Ok(()) };
        let origin = self.origin_of("read_iolog", section).clone();
        let depth = self.job.written_depth();
        let trace = super::read_trace(path, &origin, &self.job.replay, depth, surroundings)?;
        let remarks = trace.remarks.iter().map(|remark| format!("{path}: {remark}"));
        for text in remarks.collect::<Vec<_>>() {
            self.note(&origin, text);
        }
        if self.job.buffered && trace.is_of_devices {
            return Err(self.origin_of("direct", section).wrong(
                "a trace of what came below the page cache is replayed above it",
                "direct=1 with this trace",
            ));
        }
        self.job.trace = Some(Arc::new(trace));
        if self.job.filename.is_some() {
            let text = "option \"filename\" has no effect with read_iolog; replay_redirect would";
            let origin = self.origin_of("filename", section).clone();
            self.note(&origin, text.to_string());
        }
        Ok(())
    }

    /// A log without a name of its own is named after the job.
    fn finish_logs(&mut self) {
        for log in [&mut self.job.write_lat_log, &mut self.job.write_bw_log] {
            if log.as_deref() == Some("") {
                *log = Some(self.job.name.clone());
            }
        }
    }

    fn remark(&mut self, section: &Origin) {
        let job = &self.job;
        let mut remarks = Vec::new();
        if !job.buffered {
            for option in
                ["invalidate", "fadvise_hint"].into_iter().filter(|name| self.is_set(name))
            {
                remarks.push((option, format!("option \"{option}\" has no effect: I/O is direct")));
            }
        } else if job.engine == Engine::Libaio && job.iodepth > 1 {
            let text = "engine libaio waits for each buffered I/O: the queue depth is 1";
            remarks.push(("iodepth", text.to_string()));
        }
        if job.engine.is_synchronous() && job.iodepth > 1 {
            let text = format!("engine {} is synchronous: the queue depth is 1", job.engine.name());
            remarks.push(("iodepth", text));
        }
        if job.time_based && job.runtime_ns.is_none() {
            remarks.push(("time_based", "time_based has no effect without a runtime".to_string()));
        }
        if job.cgroup_weight.is_some() && job.cgroup.is_none() {
            let text = "cgroup_weight has no effect on the root group";
            remarks.push(("cgroup_weight", text.to_string()));
        }
        for (option, text) in remarks {
            let origin = self.origin_of(option, section).clone();
            self.note(&origin, text);
        }
    }
}

/// Options as fio reports them: with a value, each once, the later value counts.
fn written(settings: &[Setting]) -> Vec<(String, String)> {
    let mut options: Vec<(String, String)> = Vec::new();
    for setting in settings {
        let Some(value) = &setting.value else { continue };
        let name = &setting.name;
        match options.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => known.clone_from(value),
            None => options.push((name.clone(), value.clone())),
        }
    }
    options
}

fn unknown(name: &str, origin: &Origin) -> JobError {
    if let Some(nearest) = nearest::to_unsupported(name) {
        return origin.wrong(
            format!("fio's option \"{name}\" is not supported"),
            format!("a supported option; the nearest is {nearest}"),
        );
    }
    let nearest = nearest::by_spelling(name, options::names());
    origin.wrong(
        format!("unknown option \"{name}\""),
        format!("a supported option; the nearest is {nearest}"),
    )
}

/// fio's keywords: `$pagesize`, also with arithmetic around it. The others depend on the machine.
fn keywords_filled_in(name: &str, text: &str, origin: &Origin) -> Result<String, JobError> {
    for keyword in ["$mb_memory", "$ncpus"] {
        if text.contains(keyword) {
            return Err(origin.wrong(
                format!("option \"{name}\" uses {keyword}, which depends on the machine"),
                "a value that means the same everywhere, or ${VARIABLE}",
            ));
        }
    }
    if !text.contains("$pagesize") {
        return Ok(text.to_string());
    }
    let filled = text.replace("$pagesize", PAGE_BYTES);
    let is_sum = filled.contains(['+', '*', '/', '^']) && !filled.starts_with('(');
    Ok(if is_sum { format!("({filled})") } else { filled })
}

fn defaults() -> Job {
    Job {
        index: 0,
        name: String::new(),
        file: "".into(),
        line: 0,
        description: None,
        options: Vec::new(),
        global_options: Vec::new(),
        notes: Vec::new(),
        rw: Rw::Read,
        offset_modifier: OffsetModifier::None,
        rw_mix_read_percent: 50,
        block_sizes: PerDirection::both(BlockSizes::Fixed(DEFAULT_BLOCK_BYTES)),
        filename: None,
        filename_format: None,
        size: None,
        offset: Extent::Bytes(0),
        offset_increment: Extent::Bytes(0),
        offset_align_bytes: 0,
        io_size: None,
        number_ios: None,
        buffered: false,
        invalidate: true,
        advice: Advice::Normal,
        loops: 1,
        engine: Engine::Psync,
        iodepth: 1,
        numjobs: 1,
        runtime_ns: None,
        time_based: false,
        ramp_time_ns: 0,
        start_delay_ns: (0, 0),
        think_time: ThinkTime::default(),
        rate: PerDirection::both(None),
        rate_ignore_think_time: false,
        ioprio: None,
        cgroup: None,
        cgroup_weight: None,
        fsync_every_writes: 0,
        fdatasync_every_writes: 0,
        end_fsync: false,
        stonewall: false,
        new_group: false,
        group_reporting: false,
        group_id: 0,
        unified_rw_reporting: UnifiedReporting::Separate,
        rand_seed: None,
        no_random_map: false,
        write_lat_log: None,
        write_bw_log: None,
        log_avg_msec: 0,
        percentile_list: None,
        trace: None,
        replay: ReplaySettings::default(),
    }
}
