// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options on when a process does its I/O: start, end, pauses and rates.

use super::super::number::{boolean, integer, range};
use super::super::values::{choice, list};
use super::spec::set;
use crate::job::Rate;
use crate::parse::expected::Expected;
use crate::parse::options::spec::{
    BOOLEAN, COUNT, MICROSECONDS, SECONDS, Spec, count, flag, microseconds_ns, on, seconds_ns,
    some, value,
};
use std::num::NonZeroU64;

pub(super) const OPTIONS: &[Spec] = &[
    value(
        &["runtime", "timeout"],
        SECONDS,
        "",
        "it ends after this time, if it has not before",
        |draft, text| {
            draft.job.runtime_ns = Some(seconds_ns(text)?).filter(|&runtime_ns| runtime_ns > 0);
            Ok(())
        },
    ),
    flag(
        &["time_based"],
        "it goes on until its runtime is over, however often that means",
        set!(job.time_based, on),
    ),
    value(
        &["ramp_time"],
        SECONDS,
        "0",
        "what ends in this time after the start is not in the results",
        set!(job.ramp_time_ns, seconds_ns),
    ),
    value(
        &["startdelay"],
        "time (s), or LEAST-MOST",
        "0",
        "it starts so long after the run does",
        set!(job.start_delay_ns, |text| range(text, seconds_ns)),
    ),
    value(
        &["thinktime"],
        MICROSECONDS,
        "0",
        "pause after each I/O, when it has completed",
        set!(job.think_time.pause_ns, microseconds_ns),
    ),
    value(
        &["thinktime_spin"],
        MICROSECONDS,
        "0",
        "how much of the pause is computing",
        set!(job.think_time.spin_ns, microseconds_ns),
    ),
    value(
        &["thinktime_blocks"],
        COUNT,
        "1",
        "a pause follows this number of I/Os",
        set!(think_blocks, some(count(1))),
    ),
    value(
        &["thinktime_blocks_type"],
        "complete, issue",
        "complete",
        "whether I/Os are counted when they complete or when they are issued",
        |draft, text| {
            draft.job.think_time.counts_issued =
                choice(text, &[("complete", false), ("issue", true)])?;
            Ok(())
        },
    ),
    value(
        &["thinktime_iotime"],
        SECONDS,
        "0",
        "a pause follows this time of I/O",
        set!(job.think_time.io_time_ns, |text| seconds_ns(text).map(NonZeroU64::new)),
    ),
    value(
        &["rate"],
        "bytes/s of reads,writes,trims",
        "0",
        "no faster than this; 0: as fast as it goes",
        |draft, text| {
            draft.rate.update(rates(Rate::BytesPerS)(text)?);
            Ok(())
        },
    ),
    value(
        &["rate_iops"],
        "I/Os/s of reads,writes,trims",
        "0",
        "the same, in I/Os of the smallest block",
        |draft, text| {
            draft.rate_iops.update(rates(Rate::IosPerS)(text)?);
            Ok(())
        },
    ),
    value(
        &["rate_process"],
        "linear, poisson",
        "linear",
        "I/Os at a rate come evenly spread, or at random times as if from many users",
        |draft, text| {
            draft.job.poisson = choice(text, &[("linear", false), ("poisson", true)])?;
            Ok(())
        },
    ),
    value(
        &["rate_ignore_thinktime"],
        BOOLEAN,
        "0",
        "time spent thinking is not caught up",
        set!(job.rate_ignore_think_time, boolean),
    ),
];

/// A bound on the speed; 0 is none.
fn rates(make: fn(u64) -> Rate) -> impl Fn(&str) -> Result<Vec<Option<Option<Rate>>>, Expected> {
    move |text| list(text, |text| Ok((integer(text)? > 0).then_some(make(integer(text)?))))
}
