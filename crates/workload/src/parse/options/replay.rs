// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options on replaying a trace instead of following a pattern.

use super::super::number::{boolean, bounded};
use super::super::values::{alignment, choice, one_path};
use super::spec::set;
use crate::parse::draft::Draft;
use crate::parse::expected::Expected;
use crate::parse::options::spec::{BOOLEAN, SIZE, Spec, count_u32, some, text, value};
use crate::recorded::ReplayMode;

pub(super) const OPTIONS: &[Spec] = &[
    text(
        &["read_iolog"],
        "path",
        "the trace, in fio's formats or any that bfq trace info knows",
        set!(read_iolog, some(one_path)),
    ),
    value(
        &["replay_no_stall"],
        BOOLEAN,
        "0",
        "the recorded times do not count",
        set!(job.replay.no_stall, boolean),
    ),
    value(
        &["replay_time_scale"],
        "%",
        "100",
        "speed, in percent of the recorded one",
        set!(job.replay.time_scale_percent, count_u32(1)),
    ),
    text(
        &["replay_redirect"],
        "path",
        "the file that all of it goes to, instead of the recorded ones",
        set!(job.replay.redirect, some(one_path)),
    ),
    value(
        &["replay_skip"],
        "read, write, trim, sync (several: with commas)",
        "",
        "kinds of I/O to be left out",
        skipped,
    ),
    value(
        &["replay_scale"],
        "number",
        "1",
        "what offsets are divided by",
        set!(job.replay.offset_scale, |text| bounded(text, 1, 1 << 32)),
    ),
    value(
        &["replay_align"],
        SIZE,
        "",
        "what offsets are rounded down to",
        set!(job.replay.align_bytes, some(alignment)),
    ),
    value(
        &["replay_mode"],
        "timed, chain, fast",
        "",
        "by the recorded times, by what waited for what with its gaps, or without (not fio's)",
        |draft, text| {
            let names = ReplayMode::ALL.map(|mode| (mode.name(), mode));
            draft.job.replay.mode = Some(choice(text, &names)?);
            Ok(())
        },
    ),
    value(
        &["replay_format"],
        "name of a format",
        "",
        "the trace's format, if its content does not tell it (not fio's)",
        |draft, text| {
            let names = trace::Format::ALL.map(|format| (format.name(), format));
            draft.job.replay.format = Some(choice(text, &names)?);
            Ok(())
        },
    ),
    value(
        &["replay_skip_bad"],
        BOOLEAN,
        "0",
        "pass over records that are wrong (not fio's)",
        set!(job.replay.skip_bad, boolean),
    ),
];

/// Parses the value of `replay_skip`.
fn skipped(draft: &mut Draft, text: &str) -> Result<(), Expected> {
    let replay = &mut draft.job.replay;
    for word in text.split(',') {
        match word.trim() {
            "read" => replay.skip_reads = true,
            "write" => replay.skip_writes = true,
            "sync" => replay.skip_syncs = true,
            "trim" => replay.skip_trims = true,
            _ => return Err("read, write, trim or sync, with commas between them".into()),
        }
    }
    Ok(())
}
