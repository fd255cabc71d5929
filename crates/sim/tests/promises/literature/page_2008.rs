// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page "BFQ Test Results" of 2008: a disk of 320 GB without queueing of its own, bfq against
//! cfq. The bfq of that time raised no weights, so `low_latency` is off.

use crate::claim::{Claim, Limit};
use crate::measure::Measured;
use crate::scenario::Scenario;
use crate::stand_in::own_or;

const DISK: &str = "hdd-desktop-2008:depth=1";
const OURS: &str = "bfq:low_latency=0";

pub fn claims() -> Vec<Claim> {
    [throughput(), random_throughput(), opposite_ends(), streams()].concat()
}

/// "The slightly higher throughput obtained by BFQ": no figure is stated in its text.
fn throughput() -> Vec<Claim> {
    let files = [
        (16, "2008-page/sequential-16.fio"),
        (32, "2008-page/sequential-32.fio"),
        (64, "2008-page/sequential-64.fio"),
    ];
    let claim = |(readers, file): (u32, &'static str), rival: &str, least| {
        let scenario = Scenario::new(file);
        let mb_per_s = |scheduler| scenario.run(DISK, scheduler).bytes_per_s() / 1e6;
        let (ours, theirs) = (mb_per_s(OURS), mb_per_s(rival));
        let what = format!("{readers} sequential readers: throughput, of {rival}'s");
        let command = scenario.command(DISK, &[OURS, rival]);
        Claim::new(what, DISK, Limit::TimesAtLeast(least), ours / theirs, &command)
            .detail(format!("{ours:.1} and {theirs:.1} MB/s"))
    };
    let against_cfq = files.map(|file| claim(file, "cfq", 1.0));
    let against_none = files.map(|file| claim(file, "none", 2.0));
    [against_cfq, against_none].concat()
}

/// "The longer slices … do not produce any significant difference."
fn random_throughput() -> Vec<Claim> {
    let files = [
        (16, "2008-page/random-16.fio"),
        (32, "2008-page/random-32.fio"),
        (64, "2008-page/random-64.fio"),
    ];
    let mut claims = Vec::new();
    for (readers, file) in files {
        let scenario = Scenario::new(file);
        let bytes_per_s = |scheduler| scenario.run(DISK, scheduler).bytes_per_s();
        for rival in ["none", "cfq"] {
            let percent = bytes_per_s(OURS) / bytes_per_s(rival) * 100.0;
            let what = format!("{readers} random readers: throughput, of {rival}'s");
            let command = scenario.command(DISK, &[OURS, rival]);
            let claim = Claim::new(what, DISK, Limit::Percent(100.0, 3.0), percent, &command);
            // Today's bfq takes a disk for one that queues until readers with several reads at
            // a time have shown that it does not; so it does not wait for a reader whose file
            // is small.
            let known = (rival == "cfq").then_some(Limit::PercentAtLeast(90.0));
            claims.push(claim.known_to_miss(known));
        }
    }
    claims
}

/// Weights 1 : 1 : 2, and as much to read: under fair shares all three end together.
fn opposite_ends() -> Vec<Claim> {
    let claim = |file, scheduler: &str, what: &str, limit, jobs: &[&str]| {
        let scenario = Scenario::new(file);
        let run = scenario.run(DISK, scheduler);
        let ends_ms: Vec<f64> = jobs.iter().map(|job| run.runtime_ms(job)).collect();
        let last = ends_ms.iter().copied().fold(f64::MIN, f64::max);
        let first = ends_ms.iter().copied().fold(f64::MAX, f64::min);
        let detail = ends_ms.iter().map(|ms| format!("{ms:.0}")).collect::<Vec<_>>().join(", ");
        Claim::new(what, DISK, limit, last / first, &scenario.command(DISK, &[scheduler]))
            .detail(format!("{} end after {detail} ms", jobs.join(", ")))
    };
    vec![
        claim(
            "2008-page/opposite-ends.fio",
            OURS,
            "weights 1 : 1 : 2 at both ends of the disk: bfq shares bandwidth, the last to end \
                against the first",
            Limit::TimesAtMost(1.15),
            &["low-outer", "low-inner", "high-inner"],
        ),
        claim(
            "2008-page/opposite-ends-cfq.fio",
            "cfq",
            "cfq shares time: the two of equal priority, the last to end against the first",
            Limit::TimesAtLeast(1.3),
            &["low-outer", "low-inner"],
        ),
    ]
}

/// "An initial peak and then always … under the values obtained by CFQ"; the streams end earlier.
///
/// What is known to be missed: a stream whose budget has grown waits until the others have had as
/// much as it is about to get. With `low_latency` the greedy readers are raised together with the
/// streams. And streams that take turns at short intervals cost seeks.
fn streams() -> Vec<Claim> {
    let variants = [
        ("2008-page/streams.fio", OURS, "defaults of 2008", [None, Some(0.9), None]),
        ("2008-page/streams.fio", "bfq", "defaults of today", [Some(0.95), Some(0.4), Some(0.95)]),
        (
            "2008-page/streams-tuned.fio",
            // Another scheduler is not to be tuned.
            own_or(|| "bfq:low_latency=0,timeout_sync=100", || OURS),
            "tuned",
            [None, Some(0.3), None],
        ),
    ];
    let mut claims = Vec::new();
    for (file, ours, name, known_misses) in variants {
        let scenario = Scenario::new(file);
        let (bfq, cfq) = (scenario.run(DISK, ours), scenario.run(DISK, "cfq"));
        let latency = |run: &Measured| run.job("streams").read_clat_ns.clone().expect("it reads");
        let mean_ms = |run: &Measured| latency(run).mean / 1e6;
        let worst_ms = |run: &Measured| latency(run).max as f64 / 1e6;
        let end_ms = |run: &Measured| run.runtime_ms("streams");
        let figures = [
            ("mean latency", mean_ms(&bfq), mean_ms(&cfq)),
            ("worst latency", worst_ms(&bfq), worst_ms(&cfq)),
            ("time to the end", end_ms(&bfq), end_ms(&cfq)),
        ];
        for ((figure, bfq_ms, cfq_ms), known) in figures.into_iter().zip(known_misses) {
            let what = format!("32 intermittent readers, {name}: {figure} under cfq, of bfq's");
            let command = scenario.command(DISK, &[ours, "cfq"]);
            let claim = Claim::new(what, DISK, Limit::TimesAtLeast(1.0), cfq_ms / bfq_ms, &command)
                .detail(format!("bfq {bfq_ms:.0} ms, cfq {cfq_ms:.0} ms"));
            claims.push(claim.known_to_miss(known.map(Limit::TimesAtLeast)));
        }
    }
    claims
}
