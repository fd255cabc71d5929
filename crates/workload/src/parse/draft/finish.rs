// SPDX-License-Identifier: MIT OR Apache-2.0
//! The end of a section: what its options add up to, and which don't go together.

use std::num::NonZeroU64;
use std::sync::Arc;

use super::defaults::BLOCK_BYTES;
use super::{Draft, Setting, Zones};
use crate::advice::Advice;
use crate::error::JobError;
use crate::job::{
    BlockSizes, Direction, Distribution, Engine, Extent, Job, OffsetModifier, PerDirection, Strides,
};
use crate::parse::environment::Environment;
use crate::parse::lines::Origin;
use crate::parse::values::Pattern;
use base::text::printable;
use base::{Class, IoprioValue};

impl Draft {
    /// The job that the options make. What is wrong with them is added to the mistakes; the job is
    /// then worth nothing.
    pub(in crate::parse) fn finish(
        mut self,
        section: &str,
        origin: &Origin,
        environment: &dyn Environment,
        mistakes: &mut Vec<JobError>,
    ) -> Job {
        // Names reach terminals, where a control character may do anything.
        let name = self.name.as_deref().unwrap_or(section);
        self.job.name = printable(name);
        self.job.file = Arc::clone(&origin.file);
        self.job.line = origin.line;
        self.job.global_options = written(&self.settings[..self.global_settings]);
        self.job.options = written(&self.settings[self.global_settings..]);
        mistakes.extend(self.finish_pattern(origin).err());
        self.finish_cache(origin);
        self.finish_block_sizes();
        mistakes.extend(self.finish_offsets(origin).err());
        mistakes.extend(self.finish_rates(origin).err());
        mistakes.extend(self.finish_think_time(origin).err());
        mistakes.extend(self.finish_zones(origin).err());
        self.finish_exit(origin);
        mistakes.extend(self.finish_latency(origin).err());
        self.finish_calls(origin);
        self.finish_flow(origin);
        self.finish_priority();
        mistakes.extend(self.finish_files(origin, environment).err());
        mistakes.extend(self.finish_verify(origin).err());
        self.finish_logs();
        self.remark(origin);
        self.job
    }

    /// The line that last set an option; the section if none did.
    pub(super) fn origin_of<'a>(&'a self, name: &str, section: &'a Origin) -> &'a Origin {
        let setting = self.settings.iter().rev().find(|setting| setting.option == name);
        setting.map_or(section, |setting| &setting.origin)
    }

    pub(super) fn is_set(&self, name: &str) -> bool {
        self.settings.iter().any(|setting| setting.option == name)
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
                BlockSizes::Fixed(bytes.unwrap_or(BLOCK_BYTES))
            }
        };
        self.job.block_sizes = PerDirection::of(sizes);
    }

    fn finish_offsets(&mut self, section: &Origin) -> Result<(), JobError> {
        let amounts = [
            ("offset", self.job.offset),
            ("offset_increment", self.job.offset_increment),
            ("offset_align", Extent::Bytes(self.job.offset_align_bytes.map_or(0, NonZeroU64::get))),
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
        self.job.rate = PerDirection::of(|direction| given.values[direction].flatten());
        Ok(())
    }

    fn finish_think_time(&mut self, section: &Origin) -> Result<(), JobError> {
        let think_time = &mut self.job.think_time;
        // Time alone decides if it is given and a number of blocks is not.
        let default_blocks = think_time.io_time_ns.is_none().then_some(NonZeroU64::MIN);
        think_time.blocks = self.think_blocks.and_then(NonZeroU64::new).or(default_blocks);
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

    fn finish_zones(&mut self, section: &Origin) -> Result<(), JobError> {
        let Zones { are_strided, size_bytes, range_bytes, skip_bytes } = self.zones;
        if !are_strided {
            let extras =
                [("zonesize", size_bytes), ("zonerange", range_bytes), ("zoneskip", skip_bytes)];
            return match extras.into_iter().find(|(_, bytes)| *bytes > 0) {
                Some((extra, _)) => Err(self
                    .origin_of(extra, section)
                    .wrong(format!("{extra} without zones"), "zonemode=strided with it")),
                None => Ok(()),
            };
        }
        if size_bytes == 0 {
            return Err(self
                .origin_of("zonemode", section)
                .wrong("zonemode=strided without zonesize", "zonesize=BYTES with it"));
        }
        let range_bytes = if range_bytes == 0 { size_bytes } else { range_bytes };
        for (name, bytes) in [("zonerange", range_bytes), ("zoneskip", skip_bytes)] {
            if bytes % 512 != 0 {
                return Err(self.origin_of(name, section).wrong(
                    format!("{name} of {bytes} bytes"),
                    "a multiple of 512 bytes, which direct I/O needs",
                ));
            }
        }
        if range_bytes < u64::from(self.job.max_block_bytes()) {
            return Err(self.origin_of("zonerange", section).wrong(
                format!("zones of {range_bytes} bytes"),
                "at least a block (by zonerange, or else zonesize)",
            ));
        }
        self.job.strides = Some(Strides { size_bytes, range_bytes, skip_bytes });
        Ok(())
    }

    fn finish_exit(&mut self, section: &Origin) {
        self.job.exit_all = self.exits_all.then_some(self.exit_scope);
        if !self.exits_all && self.is_set("exit_what") {
            let origin = self.origin_of("exit_what", section).clone();
            self.note(&origin, "option \"exit_what\" has no effect without exitall".to_string());
        }
    }

    /// As under fio, a level without a class is best effort, and a class without a level
    /// has level 0.
    fn finish_priority(&mut self) {
        let class = match (self.prio_class, self.prio) {
            (0, None) => return,
            (1, _) => Some(Class::RealTime),
            (3, _) => Some(Class::Idle),
            _ => Some(Class::BestEffort),
        };
        self.job.ioprio = Some(IoprioValue { class, level: self.prio.unwrap_or(0) });
    }

    fn finish_files(
        &mut self,
        section: &Origin,
        environment: &dyn Environment,
    ) -> Result<(), JobError> {
        let names = self.filenames.iter();
        self.job.filenames = names.map(|name| self.job.in_directory(name)).collect();
        self.check_files(section)?;
        let Some(path) = &self.read_iolog else { return Ok(()) };
        let origin = self.origin_of("read_iolog", section).clone();
        let depth = self.job.written_depth();
        let trace = crate::parse::read_trace(path, &origin, &self.job.replay, depth, environment)?;
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
        self.note_passed_over(section);
        Ok(())
    }

    fn check_files(&mut self, section: &Origin) -> Result<(), JobError> {
        let names = &self.job.filenames;
        let devices = names.iter().filter(|name| name.starts_with("/dev/")).count();
        if devices > 0 && names.len() > 1 {
            return Err(self.origin_of("filename", section).wrong(
                "a device among several files",
                "one device (it is the whole target), or files that share the target",
            ));
        }
        if self.job.buffered && self.job.rw.trims() {
            return Err(self
                .origin_of("rw", section)
                .wrong("trims with direct=0", "direct=1: trims pass the page cache by"));
        }
        if self.job.buffered && self.job.files() > 1 {
            let option = if names.is_empty() { "nrfiles" } else { "filename" };
            return Err(self.origin_of(option, section).wrong(
                "several files of a process with direct=0",
                "one file, or direct=1: the modelled page cache knows one file a process",
            ));
        }
        if !names.is_empty() && self.is_set("nrfiles") && self.job.nr_files != self.job.files() {
            let text = "option \"nrfiles\" has no effect: filename says how many there are";
            let origin = self.origin_of("nrfiles", section).clone();
            self.note(&origin, text.to_string());
        }
        Ok(())
    }

    /// A log without a name of its own is named after the job.
    fn finish_logs(&mut self) {
        let job = &mut self.job;
        for log in [&mut job.write_lat_log, &mut job.write_bw_log, &mut job.write_iops_log] {
            if log.as_deref() == Some("") {
                *log = Some(job.name.clone());
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
        if !job.rw.is_random() && job.distribution != Distribution::Uniform {
            let text = "random_distribution has no effect on a sequential job".to_string();
            remarks.push(("random_distribution", text));
        }
        if job.poisson && job.rate == PerDirection::all(None) {
            remarks.push(("rate_process", "rate_process has no effect without a rate".to_string()));
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
