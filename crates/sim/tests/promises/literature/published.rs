// SPDX-License-Identifier: MIT OR Apache-2.0
//! Figures that others published: of an SSD in 2016, of guarantees in 2019,
//! of NVMe in 2020 and 2024.

use crate::claim::{Claim, Limit};
use crate::scenario::Scenario;

pub fn claims() -> Vec<Claim> {
    [start_up_on_ssd(), throughput_on_ssd(), start_up_on_nvme(), guarantees(), interference()]
        .concat()
}

/// BFQ's release table of 2016, quoted in an issue of the deepin kernel: beside 10 sequential
/// readers xterm started in 0.21 s under bfq, 1.91 under deadline, 1.88 under noop, more than 60
/// under cfq; oowriter in 0.93, 10.2, 10.8 and more than 60 s.
fn start_up_on_ssd() -> Vec<Claim> {
    const DISK: &str = "ssd-sata";
    let rows = [
        ("bash for xterm", "s-suite/s04-replay-small-10r-seq.fio", "deadline", 9.1, None),
        ("bash for xterm", "s-suite/s04-replay-small-10r-seq.fio", "noop", 9.0, None),
        ("Writer", "s-suite/s04-replay-large-10r-seq.fio", "deadline", 11.0, Some(6.0)),
        ("Writer", "s-suite/s04-replay-large-10r-seq.fio", "noop", 11.6, Some(6.0)),
    ];
    let claim =
        |(program, file, rival, least, known): (&str, &'static str, &str, f64, Option<f64>)| {
            let scenario = Scenario::new(file);
            let start_ms = |scheduler| scenario.run(DISK, scheduler).runtime_ms("command");
            let (bfq_ms, rival_ms) = (start_ms("bfq"), start_ms(rival));
            let what = format!("2016: {program} beside 10 readers, times faster than {rival}");
            let command = scenario.command(DISK, &["bfq", rival]);
            let claim =
                Claim::new(what, DISK, Limit::TimesAtLeast(least), rival_ms / bfq_ms, &command)
                    .detail(format!("{bfq_ms:.0} and {rival_ms:.0} ms"));
            // Most of the 802 ms that Writer takes on the idle disk are its own.
            claim.known_to_miss(known.map(Limit::TimesAtLeast))
        };
    rows.map(claim).to_vec()
}

/// The same table: 399 of 400 MB/s with 10 sequential readers, 191 of 203 with 10 random ones.
fn throughput_on_ssd() -> Vec<Claim> {
    const DISK: &str = "ssd-sata";
    let rows = [
        ("sequential", "user-documentation/throughput-sequential.fio", 399.0 / 400.0),
        ("random", "user-documentation/throughput-random.fio", 191.0 / 203.0),
    ];
    let claim = |(order, file, part): (&str, &'static str, f64)| {
        let scenario = Scenario::new(file);
        let bytes_per_s = |scheduler| scenario.run(DISK, scheduler).bytes_per_s();
        let percent = bytes_per_s("bfq") / bytes_per_s("noop") * 100.0;
        let what = format!("2016: {order} readers, throughput of noop's");
        // To a whole percent, as published.
        let limit = Limit::PercentAtLeast((part * 100.0).floor());
        Claim::new(what, DISK, limit, percent, &scenario.command(DISK, &["bfq", "noop"]))
    };
    rows.map(claim).to_vec()
}

/// An issue of the S suite, 2020: gnome-terminal beside 10 readers on NVMe in 0.74 s under bfq,
/// 2.18 under mq-deadline, 2.11 under none.
fn start_up_on_nvme() -> Vec<Claim> {
    const DISK: &str = "ssd-nvme";
    let scenario = Scenario::new("s-suite/s04-replay-small-10r-seq.fio");
    let start_ms = |scheduler: &str| scenario.run(DISK, scheduler).runtime_ms("command");
    let bfq_ms = start_ms("bfq");
    let claim = |(rival, least): (&str, f64)| {
        let rival_ms = start_ms(rival);
        let what =
            format!("2020: bash for a terminal beside 10 readers, times faster than {rival}");
        let command = scenario.command(DISK, &["bfq", rival]);
        Claim::new(what, DISK, Limit::TimesAtLeast(least), rival_ms / bfq_ms, &command)
            .detail(format!("{bfq_ms:.0} and {rival_ms:.0} ms"))
    };
    [("mq-deadline", 2.9), ("none", 2.8)].map(claim).to_vec()
}

/// Linaro, 2019: beside sequential readers a random one gets nearly nothing, under bfq 10 MB/s and
/// more, and the disk keeps 90 % of its throughput.
fn guarantees() -> Vec<Claim> {
    const DISK: &str = "ssd-sata";
    const OURS: &str = "bfq:low_latency=0";
    let scenario = Scenario::new("s-suite/s07-random-reads.fio");
    let (bfq, none) = (scenario.run(DISK, OURS), scenario.run(DISK, "none"));
    let mb_per_s = |run: &crate::measure::Measured| run.job("target").bw_bytes as f64 / 1e6;
    let command = scenario.command(DISK, &[OURS, "none"]);
    vec![
        Claim::new(
            "2019: a random reader beside 9 sequential ones, times none's bandwidth",
            DISK,
            Limit::TimesAtLeast(10.0),
            mb_per_s(&bfq) / mb_per_s(&none),
            &command,
        )
        .detail(format!("{:.1} and {:.1} MB/s", mb_per_s(&bfq), mb_per_s(&none))),
        // The disk is kept idle for the reader's one small read at a time; it has a weight of 300.
        Claim::new(
            "2019: the throughput of all then, of none's",
            DISK,
            Limit::PercentAtLeast(90.0),
            bfq.bytes_per_s() / none.bytes_per_s() * 100.0,
            &command,
        )
        .known_to_miss(Some(Limit::PercentAtLeast(60.0))),
    ]
}

/// The study of 2024 (ICPE): under interference the 99 % latency is up to 99.3 % lower than under
/// none and mq-deadline, and schedulers cost up to 63.4 % of the throughput.
fn interference() -> Vec<Claim> {
    const DISK: &str = "ssd-nvme";
    let scenario = Scenario::new("tenants/latency-beside-throughput.fio");
    let command = scenario.command(DISK, &["bfq", "none"]);
    let (bfq, none) = (scenario.run(DISK, "bfq"), scenario.run(DISK, "none"));
    let p99_ns = |run: &crate::measure::Measured| {
        run.job("web").read_clat_ns.as_ref().expect("it reads").p99 as f64
    };
    let lower_percent = (1.0 - p99_ns(&bfq) / p99_ns(&none)) * 100.0;
    let kept_percent = bfq.bytes_per_s() / none.bytes_per_s() * 100.0;
    vec![
        Claim::new(
            "2024: 99 % latency of small reads beside deep queues, lower than none's by",
            DISK,
            Limit::PercentAtLeast(90.0),
            lower_percent,
            &command,
        )
        .detail(format!("{:.0} and {:.0} µs", p99_ns(&bfq) / 1e3, p99_ns(&none) / 1e3)),
        // Idling for one small read at a time leaves an NVMe disk nothing to do meanwhile.
        Claim::new(
            "2024: the throughput of all then, of none's",
            DISK,
            Limit::PercentAtLeast(36.6),
            kept_percent,
            &command,
        )
        .known_to_miss(Some(Limit::PercentAtLeast(2.0))),
    ]
}
