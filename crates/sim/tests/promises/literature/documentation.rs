// SPDX-License-Identifier: MIT OR Apache-2.0
//! The user documentation's claims that the other topics do not have, and the laboratory report
//! whose test cannot tell schedulers apart.

use crate::claim::{Claim, Limit};
use crate::scenario::Scenario;
use crate::stand_in::own_or;

pub fn claims() -> Vec<Claim> {
    [
        sequential_throughput(),
        same_throughput(),
        code_development(),
        seeky_by_time(),
        idling_for_weights(),
        budgets(),
        nothing_to_tell_apart(),
    ]
    .concat()
}

/// "Up to 30% higher throughput than CFQ, and up to 150% higher throughput than DEADLINE and NOOP."
fn sequential_throughput() -> Vec<Claim> {
    let scenario = Scenario::new("user-documentation/throughput-sequential.fio");
    let cfq_b = "cfq:generation=2.6.35";
    // A rival, how many times its throughput is claimed, and the limit of a known miss. A disk of
    // 2008 with 31 commands at a time and 16 streams in its cache does not thrash:
    // there the direction counts.
    let rows = [
        (
            "hdd-desktop",
            [
                ("cfq", 1.0, Some(0.99)),
                (cfq_b, 1.0, None),
                ("deadline", 2.0, None),
                ("noop", 2.0, None),
            ],
        ),
        (
            "hdd-desktop-2008:depth=1",
            [
                ("cfq", 1.0, None),
                (cfq_b, 1.0, None),
                ("deadline", 2.0, None),
                ("noop", 2.0, Some(1.9)),
            ],
        ),
        (
            "hdd-desktop-2008",
            [("cfq", 1.0, None), (cfq_b, 1.0, None), ("deadline", 1.0, None), ("noop", 1.0, None)],
        ),
    ];
    let mut claims = Vec::new();
    for (disk, rivals) in rows {
        for (rival, least, known) in rivals {
            let mb_per_s = |scheduler| scenario.run(disk, scheduler).bytes_per_s() / 1e6;
            let (ours, theirs) = (mb_per_s("bfq:low_latency=0"), mb_per_s(rival));
            let what = format!("8 sequential readers: throughput, of {rival}'s");
            let command = scenario.command(disk, &["bfq:low_latency=0", rival]);
            let claim = Claim::new(what, disk, Limit::TimesAtLeast(least), ours / theirs, &command)
                .detail(format!("{ours:.1} and {theirs:.1} MB/s"));
            claims.push(claim.known_to_miss(known.map(Limit::TimesAtLeast)));
        }
    }
    claims
}

/// "With random workloads, and with all the workloads on flash-based devices, … about the same."
fn same_throughput() -> Vec<Claim> {
    let rows = [
        ("8 sequential readers", "user-documentation/throughput-sequential.fio", "ssd-sata"),
        ("8 random readers", "user-documentation/throughput-random.fio", "ssd-sata"),
        ("8 random readers", "user-documentation/throughput-random.fio", "hdd-desktop"),
        ("4 times 64 random reads", "s-suite/s02-deep-queues.fio", "ssd-nvme"),
    ];
    let claim = |(load, file, disk): (&str, &'static str, &'static str)| {
        let scenario = Scenario::new(file);
        let percent = scenario.run(disk, "bfq").bytes_per_s()
            / scenario.run(disk, "none").bytes_per_s()
            * 100.0;
        let what = format!("{load}: throughput, of none's");
        Claim::new(
            what,
            disk,
            Limit::Percent(100.0, 3.0),
            percent,
            &scenario.command(disk, &["bfq", "none"]),
        )
    };
    rows.map(claim).to_vec()
}

/// "Much more quickly than CFQ, NOOP or DEADLINE."
fn code_development() -> Vec<Claim> {
    const DISK: &str = "hdd-desktop";
    let rows = [
        ("make", "s-suite/s06-make-10r-seq.fio"),
        ("merge", "s-suite/s06-merge-10r-seq.fio"),
        ("grep", "s-suite/s06-grep-10r-seq.fio"),
    ];
    let mut claims = Vec::new();
    for (task, file) in rows {
        let scenario = Scenario::new(file);
        let bfq_ms = scenario.run(DISK, "bfq").runtime_ms(task);
        for rival in ["cfq", "mq-deadline", "none"] {
            let rival_ms = scenario.run(DISK, rival).runtime_ms(task);
            let what = format!("git or make: {task} beside 10 readers, times faster than {rival}");
            let limit = Limit::TimesAtLeast(2.0);
            let command = scenario.command(DISK, &["bfq", rival]);
            let claim = Claim::new(what, DISK, limit, rival_ms / bfq_ms, &command);
            claims.push(claim.detail(format!("bfq {bfq_ms:.0} ms, {rival} {rival_ms:.0} ms")));
        }
    }
    claims
}

/// "BFQ switches to time-based resource sharing (only) for applications that would otherwise cause
/// a throughput loss": the two others keep most of what they have alone.
fn seeky_by_time() -> Vec<Claim> {
    const DISK: &str = "hdd-desktop";
    const OURS: &str = "bfq:low_latency=0";
    const KERNEL: &str = "bfq:low_latency=0,behaviour=linux-6.1";
    let scenario = Scenario::new("user-documentation/time-for-seeky.fio");
    let mb_per_s = |scheduler| scenario.run(DISK, scheduler).bytes_per_s() / 1e6;
    let (ours, kernel, none) = (mb_per_s(OURS), mb_per_s(KERNEL), mb_per_s("none"));
    let command = scenario.command(DISK, &[OURS, KERNEL, "none"]);
    let what =
        |rival| format!("a random reader beside two sequential ones: throughput, of {rival}'s");
    vec![
        Claim::new(what("none"), DISK, Limit::TimesAtLeast(2.0), ours / none, &command)
            .detail(format!("{ours:.1} and {none:.1} MB/s")),
        Claim::new(
            what("Linux 6.1's bfq"),
            DISK,
            Limit::TimesAtLeast(1.0),
            ours / kernel,
            &command,
        )
        .detail(format!("{ours:.1} and {kernel:.1} MB/s; docs/decisions.md")),
    ]
}

/// Why the disk is sometimes kept idle.
fn idling_for_weights() -> Vec<Claim> {
    const WITHOUT: &str = "bfq:low_latency=0,slice_idle=0";
    let scenario = Scenario::new("user-documentation/idling-for-weights.fio");
    let mut claims = Vec::new();
    for disk in ["ssd-sata", "hdd-desktop"] {
        let share_of_light = |how, scheduler: &str, limit| {
            let share = scenario.run(disk, scheduler).share_percent("weight-100");
            let what =
                format!("weights 100 and 300, one read at a time, {how}: share of weight 100");
            Claim::new(what, disk, limit, share, &scenario.command(disk, &[scheduler]))
        };
        let with = Limit::Percent(25.0, 1.25);
        claims.push(share_of_light("with idling", "bfq:low_latency=0", with));
        // A scheduler that keeps the shares without idling breaks no promise; what one does without
        // it for is throughput.
        let of_none = || {
            let [ours, none] =
                [WITHOUT, "none"].map(|scheduler| scenario.run(disk, scheduler).bytes_per_s());
            let what = "without idling (slice_idle=0): throughput, of none's";
            let command = scenario.command(disk, &[WITHOUT, "none"]);
            Claim::new(what, disk, Limit::PercentAtLeast(98.0), ours / none * 100.0, &command)
        };
        let half = Limit::Percent(50.0, 5.0);
        claims.push(own_or(
            || share_of_light("without idling (slice_idle=0)", WITHOUT, half),
            of_none,
        ));
    }
    claims
}

/// "Larger values increase the throughput … and coarsen the granularity of … latency guarantees."
fn budgets() -> Vec<Claim> {
    const DISK: &str = "hdd-desktop";
    let scenario = Scenario::new("user-documentation/budgets.fio");
    let command = scenario.command(DISK, &["bfq", "bfq:max_budget=1024"]);
    let (large, small) = (scenario.run(DISK, "bfq"), scenario.run(DISK, "bfq:max_budget=1024"));
    let worst_ms = |run: &crate::measure::Measured| {
        run.job("readers").read_clat_ns.as_ref().expect("it reads").max as f64 / 1e6
    };
    vec![
        Claim::new(
            "automatic budgets against 1024 sectors: throughput",
            DISK,
            Limit::TimesAtLeast(1.5),
            large.bytes_per_s() / small.bytes_per_s(),
            &command,
        ),
        Claim::new(
            "automatic budgets against 1024 sectors: worst latency",
            DISK,
            Limit::TimesAtLeast(1.5),
            worst_ms(&large) / worst_ms(&small),
            &command,
        ),
    ]
}

/// `hdparm -t` in a loop: one sequential reader.
fn nothing_to_tell_apart() -> Vec<Claim> {
    const SCHEDULERS: [&str; 7] =
        ["bfq", "bfq:low_latency=0", "bfq:slice_idle=0", "none", "mq-deadline", "kyber", "cfq"];
    let scenario = Scenario::new("laboratory-report/sequential-read.fio");
    let claim = |disk: &'static str| {
        let figures = SCHEDULERS.map(|scheduler| scenario.run(disk, scheduler).bytes_per_s());
        let fastest = figures.iter().copied().fold(f64::MIN, f64::max);
        let slowest = figures.iter().copied().fold(f64::MAX, f64::min);
        let what = "one sequential read: the fastest scheduler against the slowest";
        let command = scenario.command(disk, &SCHEDULERS);
        Claim::new(what, disk, Limit::TimesAtMost(1.02), fastest / slowest, &command)
    };
    ["hdd-desktop", "ssd-sata", "ssd-nvme"].map(claim).to_vec()
}
