// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options on what is reported: logs, percentiles, what is put together.

use super::super::number::bounded;
use super::super::values::{choice, float_list};
use super::spec::set;
use crate::job::UnifiedReporting;
use crate::parse::options::spec::{Spec, any, log, some, value};

/// The longest time in ms that nanoseconds can tell.
const MOST_MS: u64 = u64::MAX / 1_000_000;

pub(super) const OPTIONS: &[Spec] = &[
    log(
        &["write_lat_log"],
        "writes the latency of each I/O to NAME_slat, _clat and _lat.N.log",
        set!(job.write_lat_log, some(any)),
    ),
    log(
        &["write_bw_log"],
        "writes the bandwidth to NAME_bw.N.log",
        set!(job.write_bw_log, some(any)),
    ),
    log(
        &["write_iops_log"],
        "writes I/Os per second to NAME_iops.N.log; without windows, 1 for each I/O, as fio does",
        set!(job.write_iops_log, some(any)),
    ),
    value(
        &["log_avg_msec"],
        "time (ms)",
        "0",
        "lines of logs are means over windows of this length; 0: one line for each I/O",
        set!(job.log_avg_msec, |text| bounded(text, 0, MOST_MS)),
    ),
    value(
        &["percentile_list"],
        "up to 20 numbers with colons",
        "",
        "percentiles of completion latencies in results; 17 from 1 to 99.99 if not given",
        set!(job.percentile_list, some(float_list)),
    ),
    value(
        &["unified_rw_reporting"],
        "none, mixed, both",
        "none",
        "whether reads and writes are also reported together",
        |draft, text| {
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
        },
    ),
    value(&["kb_base"], "1024", "1024", "the unit k; fio's default", |_, text| {
        bounded(text, 1024, 1024).map(|_| ())
    }),
];
