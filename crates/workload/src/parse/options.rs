//! The options this crate supports: one table of names, kinds and what each does to a job.

use super::draft::Draft;
use super::number::{self, Expected, Plain, boolean, bounded, extent, integer, range, time_ns};
use super::values::{
    advice, alignment, choice, float_list, group_path, list, one_path, pattern, percent,
    size_ranges, size_splits, skipped,
};
use crate::job::{Engine, Rate, ReplayMode, UnifiedReporting};

/// An option.
#[derive(Debug)]
pub(super) struct Spec {
    /// Its name, and its aliases.
    pub(super) names: &'static [&'static str],
    pub(super) kind: Kind,
    /// Takes over a value.
    pub(super) apply: fn(&mut Draft, &str) -> Result<(), Expected>,
}

/// What an option's value is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A value, in which `$pagesize` stands for 4096.
    Value,
    /// A value that is taken as it is.
    Text,
    /// As Text; without a value it is empty.
    OptionalText,
    /// 0 or 1; without a value it is 1.
    Flag,
    /// A value that is checked to be there; the option has no effect here, for the reason given.
    NoEffect(&'static str),
    /// Likewise, a flag.
    NoEffectFlag(&'static str),
}

const NO_CONTENTS: &str = "what is written does not matter to a scheduler";
const NO_FILES: &str = "files are stretches of the target here";
const OWN_NUMBERS: &str = "random numbers come from the run's seed, or randseed";
const NO_KERNEL: &str = "processes, clocks and memory are the host's own here";

/// Finds an option by its name or an alias.
pub(super) fn find(name: &str) -> Option<&'static Spec> {
    OPTIONS.iter().find(|spec| spec.names.contains(&name))
}

/// All names, for suggestions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    OPTIONS.iter().flat_map(|spec| spec.names.iter().copied())
}

const fn value(
    names: &'static [&'static str],
    apply: fn(&mut Draft, &str) -> Result<(), Expected>,
) -> Spec {
    Spec { names, kind: Kind::Value, apply }
}

const fn text(
    names: &'static [&'static str],
    apply: fn(&mut Draft, &str) -> Result<(), Expected>,
) -> Spec {
    Spec { names, kind: Kind::Text, apply }
}

const fn flag(
    names: &'static [&'static str],
    apply: fn(&mut Draft, &str) -> Result<(), Expected>,
) -> Spec {
    Spec { names, kind: Kind::Flag, apply }
}

const fn no_effect(names: &'static [&'static str], why: &'static str) -> Spec {
    Spec { names, kind: Kind::NoEffect(why), apply: |_, _| Ok(()) }
}

const fn no_effect_bool(names: &'static [&'static str], why: &'static str) -> Spec {
    Spec { names, kind: Kind::NoEffect(why), apply: |_, text| boolean(text).map(|_| ()) }
}

const fn no_effect_flag(names: &'static [&'static str], why: &'static str) -> Spec {
    Spec { names, kind: Kind::NoEffectFlag(why), apply: |_, text| integer(text).map(|_| ()) }
}

/// Sets a field from the value that a function makes of the text.
macro_rules! set {
    ($($field:ident).+, $value:expr) => {
        |draft, text| {
            draft.$($field).+ = ($value)(text)?;
            Ok(())
        }
    };
}

fn some<T>(
    parse: impl Fn(&str) -> Result<T, Expected>,
) -> impl Fn(&str) -> Result<Option<T>, Expected> {
    move |text| parse(text).map(Some)
}

fn on(text: &str) -> Result<bool, Expected> {
    integer(text).map(|number| number != 0)
}

fn string(text: &str) -> Result<String, Expected> {
    if text.is_empty() { Err("a text that is not empty".into()) } else { Ok(text.to_string()) }
}

fn any(text: &str) -> Result<String, Expected> {
    Ok(text.to_string())
}

fn count(least: u64) -> impl Fn(&str) -> Result<u64, Expected> {
    move |text| bounded(text, least, u64::MAX)
}

fn count_u32(least: u32) -> impl Fn(&str) -> Result<u32, Expected> {
    move |text| bounded(text, u64::from(least), u64::from(u32::MAX)).map(|number| number as u32)
}

fn small(most: u8) -> impl Fn(&str) -> Result<u8, Expected> {
    move |text| bounded(text, 0, u64::from(most)).map(|number| number as u8)
}

fn seconds_ns(text: &str) -> Result<u64, Expected> {
    time_ns(text, Plain::Seconds)
}

fn microseconds_ns(text: &str) -> Result<u64, Expected> {
    time_ns(text, Plain::Microseconds)
}

/// A bound on the speed; 0 is none.
fn rates(make: fn(u64) -> Rate) -> impl Fn(&str) -> Result<Vec<Option<Option<Rate>>>, Expected> {
    move |text| list(text, |text| Ok((integer(text)? > 0).then_some(make(integer(text)?))))
}

static OPTIONS: &[Spec] = &[
    // The job.
    text(&["name"], set!(name, some(string))),
    text(&["description"], set!(job.description, some(any))),
    value(&["numjobs"], set!(job.numjobs, |text| bounded(text, 1, 65_536).map(|n| n as u32))),
    flag(&["stonewall", "wait_for_previous"], set!(job.stonewall, on)),
    flag(&["new_group"], set!(job.new_group, on)),
    flag(&["group_reporting"], set!(job.group_reporting, on)),
    // Where.
    text(&["filename"], set!(filename, some(one_path))),
    text(&["filename_format"], set!(job.filename_format, some(string))),
    text(&["directory"], set!(directory, some(one_path))),
    value(&["nrfiles", "nr_files"], |_, text| bounded(text, 1, 1).map(|_| ())),
    value(&["size"], |draft, text| {
        draft.job.size = Some(extent(text, 1)?).filter(|&size| size != number::NOTHING);
        Ok(())
    }),
    value(&["offset", "fileoffset"], set!(job.offset, |text| extent(text, 0))),
    value(&["offset_increment"], set!(job.offset_increment, |text| extent(text, 0))),
    value(&["offset_align"], set!(job.offset_align_bytes, integer)),
    // What.
    value(&["rw", "readwrite"], set!(pattern, pattern)),
    value(&["rw_sequencer"], |draft, text| {
        draft.repeats = choice(text, &[("sequential", false), ("identical", true)])?;
        Ok(())
    }),
    value(&["rwmixread"], set!(job.rw_mix_read_percent, percent)),
    value(&["rwmixwrite"], |draft, text| {
        draft.job.rw_mix_read_percent = 100 - percent(text)?;
        Ok(())
    }),
    value(&["bs", "blocksize"], |draft, text| {
        draft.block_size.update(list(text, number::block)?);
        Ok(())
    }),
    value(&["bsrange", "blocksize_range"], |draft, text| {
        draft.block_range.update(size_ranges(text)?);
        Ok(())
    }),
    value(&["bssplit"], |draft, text| {
        draft.block_split.update(size_splits(text)?);
        Ok(())
    }),
    flag(&["norandommap"], set!(job.no_random_map, on)),
    value(&["randseed"], set!(job.rand_seed, some(integer))),
    value(&["fsync"], set!(job.fsync_every_writes, integer)),
    value(&["fdatasync"], set!(job.fdatasync_every_writes, integer)),
    value(&["end_fsync"], set!(job.end_fsync, boolean)),
    // How much.
    value(&["io_size", "io_limit"], |draft, text| {
        draft.job.io_size = Some(extent(text, 1)?).filter(|&size| size != number::NOTHING);
        Ok(())
    }),
    value(&["number_ios"], |draft, text| {
        draft.job.number_ios = Some(integer(text)?).filter(|&ios| ios > 0);
        Ok(())
    }),
    value(&["loops"], set!(job.loops, |text| integer(text).map(|loops| loops.max(1)))),
    // How.
    value(&["ioengine"], |draft, text| {
        draft.job.engine = choice(text, &Engine::ALL.map(|engine| (engine.name(), engine)))?;
        Ok(())
    }),
    value(&["iodepth"], set!(job.iodepth, count_u32(1))),
    value(&["direct"], set!(direct, some(boolean))),
    value(&["buffered"], |draft, text| {
        draft.direct = Some(!boolean(text)?);
        Ok(())
    }),
    value(&["invalidate"], set!(job.invalidate, boolean)),
    value(&["fadvise_hint"], set!(advice, some(advice))),
    // When.
    value(&["runtime", "timeout"], |draft, text| {
        draft.job.runtime_ns = Some(seconds_ns(text)?).filter(|&runtime_ns| runtime_ns > 0);
        Ok(())
    }),
    flag(&["time_based"], set!(job.time_based, on)),
    value(&["ramp_time"], set!(job.ramp_time_ns, seconds_ns)),
    value(&["startdelay"], set!(job.start_delay_ns, |text| range(text, seconds_ns))),
    value(&["thinktime"], set!(job.think_time.pause_ns, microseconds_ns)),
    value(&["thinktime_spin"], set!(job.think_time.spin_ns, microseconds_ns)),
    value(&["thinktime_blocks"], set!(think_blocks, some(count(1)))),
    value(&["thinktime_blocks_type"], |draft, text| {
        draft.job.think_time.counts_issued = choice(text, &[("complete", false), ("issue", true)])?;
        Ok(())
    }),
    value(&["thinktime_iotime"], set!(job.think_time.io_time_ns, seconds_ns)),
    value(&["rate"], |draft, text| {
        draft.rate.update(rates(Rate::BytesPerS)(text)?);
        Ok(())
    }),
    value(&["rate_iops"], |draft, text| {
        draft.rate_iops.update(rates(Rate::IosPerS)(text)?);
        Ok(())
    }),
    value(&["rate_process"], |_, text| choice(text, &[("linear", ())])),
    value(&["rate_ignore_thinktime"], set!(job.rate_ignore_think_time, boolean)),
    // Who.
    value(&["prio"], set!(prio, some(small(7)))),
    value(&["prioclass"], set!(prio_class, small(3))),
    text(&["cgroup"], set!(job.cgroup, group_path)),
    value(&["cgroup_weight"], |draft, text| {
        draft.job.cgroup_weight = Some(bounded(text, 1, 1000)? as u32);
        Ok(())
    }),
    // Logs in.
    text(&["read_iolog"], set!(read_iolog, some(one_path))),
    value(&["replay_no_stall"], set!(job.replay.no_stall, boolean)),
    value(&["replay_time_scale"], set!(job.replay.time_scale_percent, count_u32(1))),
    text(&["replay_redirect"], set!(job.replay.redirect, some(one_path))),
    value(&["replay_skip"], skipped),
    value(&["replay_scale"], set!(job.replay.offset_scale, |text| bounded(text, 1, 1 << 32))),
    value(&["replay_align"], set!(job.replay.align_bytes, some(alignment))),
    // The same, where fio has nothing.
    value(&["replay_mode"], |draft, text| {
        let names = ReplayMode::ALL.map(|mode| (mode.name(), mode));
        draft.job.replay.mode = Some(choice(text, &names)?);
        Ok(())
    }),
    value(&["replay_format"], |draft, text| {
        let names = trace::Format::ALL.map(|format| (format.name(), format));
        draft.job.replay.format = Some(choice(text, &names)?);
        Ok(())
    }),
    value(&["replay_skip_bad"], set!(job.replay.skip_bad, boolean)),
    // Logs and results out.
    Spec {
        names: &["write_lat_log"],
        kind: Kind::OptionalText,
        apply: set!(job.write_lat_log, some(any)),
    },
    Spec {
        names: &["write_bw_log"],
        kind: Kind::OptionalText,
        apply: set!(job.write_bw_log, some(any)),
    },
    value(&["log_avg_msec"], set!(job.log_avg_msec, integer)),
    value(&["percentile_list"], set!(job.percentile_list, some(float_list))),
    value(&["unified_rw_reporting"], |draft, text| {
        use UnifiedReporting::{Both, Mixed, Separate};
        let names = [
            ("none", Separate),
            ("0", Separate),
            ("mixed", Mixed),
            ("1", Mixed),
            ("both", Both),
            ("2", Both),
        ];
        draft.job.unified_rw_reporting = choice(text, &names)?;
        Ok(())
    }),
    value(&["kb_base"], |_, text| bounded(text, 1024, 1024).map(|_| ())),
    // Without effect here.
    no_effect_bool(&["randrepeat"], OWN_NUMBERS),
    no_effect_bool(&["allrandrepeat"], OWN_NUMBERS),
    no_effect(&["random_generator"], OWN_NUMBERS),
    no_effect_flag(&["zero_buffers"], NO_CONTENTS),
    no_effect_flag(&["refill_buffers"], NO_CONTENTS),
    no_effect_bool(&["scramble_buffers"], NO_CONTENTS),
    no_effect(&["buffer_pattern"], NO_CONTENTS),
    no_effect(&["buffer_compress_percentage"], NO_CONTENTS),
    no_effect(&["buffer_compress_chunk"], NO_CONTENTS),
    no_effect(&["dedupe_percentage"], NO_CONTENTS),
    no_effect(&["dedupe_mode"], NO_CONTENTS),
    no_effect(&["dedupe_working_set_percentage"], NO_CONTENTS),
    no_effect_bool(&["dedupe_global"], NO_CONTENTS),
    no_effect(&["write_hint"], NO_CONTENTS),
    no_effect(&["fallocate"], NO_FILES),
    no_effect_bool(&["overwrite"], NO_FILES),
    no_effect_bool(&["create_serialize"], NO_FILES),
    no_effect_bool(&["create_fsync"], NO_FILES),
    no_effect_bool(&["create_on_open"], NO_FILES),
    no_effect_bool(&["allow_file_create"], NO_FILES),
    no_effect_bool(&["allow_mounted_write"], NO_FILES),
    no_effect_bool(&["unlink"], NO_FILES),
    no_effect_flag(&["thread"], NO_KERNEL),
    no_effect(&["clocksource"], NO_KERNEL),
    no_effect(&["mem", "iomem"], NO_KERNEL),
    no_effect(&["mem_align", "iomem_align"], NO_KERNEL),
    no_effect(&["hugepage-size"], NO_KERNEL),
    no_effect_bool(&["disk_util"], "the device's use is always reported"),
    no_effect_bool(&["cgroup_nodelete"], "groups live as long as the run"),
];
