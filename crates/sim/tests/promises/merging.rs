// SPDX-License-Identifier: MIT OR Apache-2.0
//! Merging: two processes that read a file in turn, on a disk that seeks.

use crate::claim::{Claim, Limit};
use crate::measure::measure;

const DEVICE: &str = "hdd-desktop";
const COMMAND: &str = "bfq sim jobs/sequential-reader.fio --device hdd-desktop --scheduler bfq\n\
     bfq sim jobs/interleaved-readers.fio --device hdd-desktop --scheduler bfq\n\
     bfq sim jobs/interleaved-readers-late.fio --device hdd-desktop --scheduler bfq";

pub fn claims() -> Vec<Claim> {
    let whole = measure("sequential-reader.fio", DEVICE, "bfq");
    let early = measure("interleaved-readers.fio", DEVICE, "bfq");
    let late = measure("interleaved-readers-late.fio", DEVICE, "bfq");
    let claim =
        |what: &str, promised, measured| Claim::new(what, DEVICE, promised, measured, COMMAND);
    let of_whole_percent = |part: f64| part / whole.bytes_per_s() * 100.0;
    vec![
        claim("started within 100 ms: merges", Limit::Count(1), early.scheduler_stat("merges")),
        claim("splits", Limit::Count(0), early.scheduler_stat("splits")),
        claim(
            "throughput, of one sequential reader's",
            Limit::PercentAtLeast(90.0),
            of_whole_percent(early.bytes_per_s()),
        )
        .detail(format!(
            "{:.1} MB/s; not merged {:.1}",
            early.bytes_per_s() / 1e6,
            late.bytes_per_s() / 1e6
        )),
        claim("started 200 ms apart: merges", Limit::Count(0), late.scheduler_stat("merges")),
    ]
}
