// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options on how many I/Os a process has going, and how it submits and reaps them.

use super::super::number::{bounded, integer};
use super::super::values::{choice, float_percent};
use super::spec::set;
use crate::job::Engine;
use crate::parse::options::spec::{
    COUNT, MICROSECONDS, PERCENT, Spec, count_u32, flag, microseconds_ns, on, some, value,
};

pub(super) const OPTIONS: &[Spec] = &[
    value(
        &["ioengine"],
        "sync, psync, vsync, pvsync, pvsync2, libaio, io_uring, posixaio",
        "psync",
        "the first five do one I/O at a time, whatever iodepth says",
        |draft, text| {
            draft.job.engine = choice(text, &Engine::ALL.map(|engine| (engine.name(), engine)))?;
            Ok(())
        },
    ),
    value(&["iodepth"], COUNT, "1", "I/Os in flight at most", set!(job.iodepth, count_u32(1))),
    value(
        &["iodepth_batch", "iodepth_batch_submit"],
        "number; 0: iodepth",
        "",
        "I/Os in one call of submission at most; all that come at once if not given (fio: 1)",
        set!(calls.submit, some(count_u32(0))),
    ),
    value(
        &["iodepth_batch_complete_min", "iodepth_batch_complete"],
        COUNT,
        "",
        "when the queue is full, I/Os that are waited for",
        set!(calls.reap_least, some(count_u32(0))),
    ),
    value(
        &["iodepth_batch_complete_max"],
        COUNT,
        "",
        "I/Os reaped in one call at most; the least number if not given",
        set!(calls.reap_most, some(count_u32(0))),
    ),
    value(
        &["iodepth_low"],
        COUNT,
        "",
        "a full queue is filled again when no more than this is in flight; iodepth if not given",
        set!(calls.low, some(count_u32(0))),
    ),
    value(
        &["latency_target"],
        MICROSECONDS,
        "",
        "search for the queue depth up to iodepth that keeps latencies below this",
        set!(latency.target_ns, microseconds_ns),
    ),
    value(
        &["latency_window"],
        MICROSECONDS,
        "",
        "how long each depth is tried",
        set!(latency.window_ns, microseconds_ns),
    ),
    value(
        &["latency_percentile"],
        PERCENT,
        "",
        "how many of the I/Os have to keep the target; all if not given",
        set!(latency.percentile, some(float_percent)),
    ),
    flag(
        &["latency_run"],
        "go on when the depth is found, and try to raise it now and then",
        set!(latency.goes_on, on),
    ),
    value(
        &["flow"],
        "0 to 1000",
        "0",
        "weight: jobs of a flow do I/Os in proportion to their weights; 0: of no flow",
        set!(flow.weight, |text| bounded(text, 0, 1000).map(|n| n as u32)),
    ),
    value(&["flow_id"], COUNT, "0", "the number of the flow", set!(flow.id, integer)),
    value(
        &["flow_sleep"],
        MICROSECONDS,
        "0",
        "how long a job sleeps that is ahead in its flow; 0: until it no longer is",
        set!(flow.sleep_ns, microseconds_ns),
    ),
];
