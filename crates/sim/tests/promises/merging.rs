// SPDX-License-Identifier: MIT OR Apache-2.0
//! Merging: two processes that read a file in turn, on a disk that seeks.

use crate::claim::{Claim, Limit};
use crate::measure::{Measured, measure};
use crate::stand_in::own_or;

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
    // Without merges: the two stay together, as equals.
    let longest_ns = |run: &Measured, job: &str| {
        run.job(job).read_clat_ns.as_ref().expect("it reads").max as f64
    };
    let half =
        |what, run: &Measured| claim(what, Limit::Percent(50.0, 2.0), run.share_percent("even"));
    vec![
        own_or(
            || {
                claim(
                    "started within 100 ms: merges",
                    Limit::Count(1),
                    early.scheduler_stat("merges"),
                )
            },
            || half("started within 100 ms: share of one of the two", &early),
        ),
        own_or(
            || claim("splits", Limit::Count(0), early.scheduler_stat("splits")),
            || {
                let whole_ns = longest_ns(&whole, "whole");
                let ratio = longest_ns(&early, "even") / whole_ns;
                claim(
                    "its longest read, of one sequential reader's",
                    Limit::TimesAtMost(10.0),
                    ratio,
                )
            },
        ),
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
        own_or(
            || {
                claim(
                    "started 200 ms apart: merges",
                    Limit::Count(0),
                    late.scheduler_stat("merges"),
                )
            },
            || half("started 200 ms apart: share of one of the two", &late),
        ),
    ]
}
