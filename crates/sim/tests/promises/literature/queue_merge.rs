// SPDX-License-Identifier: MIT OR Apache-2.0
//! The change "let a queue be merged only shortly after starting I/O".

use crate::claim::{Claim, Limit};
use crate::scenario::Scenario;
use crate::stand_in::own_or;

pub fn claims() -> Vec<Claim> {
    [no_spurious_merge(), no_outliers()].concat()
}

/// "A low-weight bfq_queue may unjustly get more than its expected share."
fn no_spurious_merge() -> Vec<Claim> {
    const DISK: &str = "hdd-desktop";
    const SCHEDULER: &str = "bfq:low_latency=0";
    let scenario = Scenario::new("queue-merge/low-weight-stays-low.fio");
    let run = scenario.run(DISK, SCHEDULER);
    let command = scenario.command(DISK, &[SCHEDULER]);
    let not_merged = || {
        let what = "readers that come close by accident: merges";
        Claim::new(what, DISK, Limit::Count(0), run.scheduler_stat("merges"), &command)
    };
    // The one that the low one comes close to is not slower than its equal.
    let no_harm = || {
        let [high, other] = ["high", "other"].map(|job| run.share_percent(job));
        let what = "a reader that another comes close to, against its equal";
        Claim::new(what, DISK, Limit::TimesAtLeast(0.9), high / other, &command)
    };
    vec![
        own_or(not_merged, no_harm),
        Claim::new(
            "the same: share of the reader of weight 10 beside two of 80",
            DISK,
            Limit::PercentBelow(12.0),
            run.share_percent("low"),
            &command,
        ),
    ]
}

/// "This commit eliminated any outlier": 7.5 s instead of 6.5 s before it, so 15 %.
fn no_outliers() -> Vec<Claim> {
    const DISK: &str = "hdd-laptop-2007";
    let scenario = Scenario::new("queue-merge/start-up-without-outliers.fio");
    let run = scenario.run(DISK, "bfq");
    let starts_ms: Vec<f64> =
        (1..=6).map(|start| run.runtime_ms(&format!("command-{start}"))).collect();
    let longest = starts_ms.iter().copied().fold(f64::MIN, f64::max);
    let mut sorted = starts_ms.clone();
    sorted.sort_by(f64::total_cmp);
    let median = (sorted[2] + sorted[3]) / 2.0;
    let what = "six starts beside readers and writers: the longest against the median";
    let command = scenario.command(DISK, &["bfq"]);
    let detail = starts_ms.iter().map(|ms| format!("{ms:.0}")).collect::<Vec<_>>().join(", ");
    vec![
        Claim::new(what, DISK, Limit::TimesAtMost(1.15), longest / median, &command)
            .detail(format!("{detail} ms")),
    ]
}
