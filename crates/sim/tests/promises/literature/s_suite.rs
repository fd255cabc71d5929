// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of the S suite that the other topics do not have: guarantees, fairness, interleaved
//! readers, start-ups of recorded programs.

use crate::claim::{Claim, Limit};
use crate::scenario::Scenario;

pub fn claims() -> Vec<Claim> {
    [start_up(), guaranteed_bandwidth(), fair_ends(), interleaved()].concat()
}

/// S3, S4: bfq "about the same time as if the storage device was idle"; nine
/// times faster than the others.
fn start_up() -> Vec<Claim> {
    // Known misses, on the hard disk and on flash. A browser starts for longer than a raise lasts,
    // and Writer reads large pieces.
    let rows = [
        ("bash", "s04-replay-small", [None, None]),
        ("git status", "s04-replay-medium", [None, None]),
        ("Writer", "s04-replay-large", [Some(1.7), None]),
        ("a browser", "s03-browser", [Some(5.0), Some(2.0)]),
    ];
    let mut claims = Vec::new();
    for (program, replay, known_misses) in rows {
        let idle = Scenario::new(format!("s-suite/{replay}-idle.fio"));
        let busy = Scenario::new(format!("s-suite/{replay}-10r-seq.fio"));
        for (disk, known) in ["hdd-desktop", "ssd-sata"].into_iter().zip(known_misses) {
            let start_ms = |scenario: &Scenario, scheduler| {
                scenario.run(disk, scheduler).runtime_ms("command")
            };
            let (idle_ms, busy_ms) = (start_ms(&idle, "bfq"), start_ms(&busy, "bfq"));
            let rival_ms = start_ms(&busy, "mq-deadline");
            let commands =
                [idle.command(disk, &["bfq"]), busy.command(disk, &["bfq", "mq-deadline"])];
            let what = format!("{program} starts beside 10 readers, against the idle disk");
            let limit = Limit::TimesAtMost(1.5);
            let claim = Claim::new(what, disk, limit, busy_ms / idle_ms, &commands.join("\n"));
            let claim = claim.detail(format!(
                "{busy_ms:.0} ms, idle {idle_ms:.0} ms, mq-deadline {rival_ms:.0} ms"
            ));
            claims.push(claim.known_to_miss(known.map(Limit::TimesAtMost)));
        }
    }
    claims
}

/// S7, S8: the share of one tenant.
fn guaranteed_bandwidth() -> Vec<Claim> {
    const DISK: &str = "ssd-sata";
    const OURS: &str = "bfq:low_latency=0";
    let rows = [
        ("nine readers", "s-suite/s07-sequential-reads.fio", 300.0 / 1700.0),
        ("nine writers", "s-suite/s07-writes.fio", 300.0 / 1700.0),
        ("seven equals", "s-suite/s08-equal-weights.fio", 1.0 / 8.0),
    ];
    let claim = |(others, file, share): (&str, &'static str, f64)| {
        let scenario = Scenario::new(file);
        let measured = scenario.run(DISK, OURS).share_percent("target");
        let none = scenario.run(DISK, "none").share_percent("target");
        let what = format!("a tenant beside {others}: its share");
        let limit = Limit::Percent(share * 100.0, 1.0);
        Claim::new(what, DISK, limit, measured, &scenario.command(DISK, &[OURS, "none"]))
            .detail(format!("none {none:.1} %"))
    };
    rows.map(claim).to_vec()
}

/// S10: files in proportion to the weights end together.
fn fair_ends() -> Vec<Claim> {
    const OURS: &str = "bfq:low_latency=0";
    let rows = [
        ("s-suite/s10-weights-100-100.fio", ["weight-100", "weight-100-too"]),
        ("s-suite/s10-weights-100-200.fio", ["weight-100", "weight-200"]),
        ("s-suite/s10-weights-100-1000.fio", ["weight-100", "weight-1000"]),
    ];
    let mut claims = Vec::new();
    for (file, jobs) in rows {
        let scenario = Scenario::new(file);
        for disk in ["hdd-desktop", "ssd-sata"] {
            let run = scenario.run(disk, OURS);
            let [a, b] = jobs.map(|job| run.runtime_ms(job));
            let what = format!("{} and {}: the last to end against the first", jobs[0], jobs[1]);
            let command = scenario.command(disk, &[OURS]);
            let limit = Limit::TimesAtMost(1.1);
            let claim = Claim::new(what, disk, limit, f64::max(a / b, b / a), &command)
                .detail(format!("{a:.0} and {b:.0} ms"));
            // The light reader has what it reads ahead in the disk with every turn, however short.
            let known = disk == "ssd-sata" && jobs[1] == "weight-1000";
            claims.push(claim.known_to_miss(known.then_some(Limit::TimesAtMost(1.4))));
        }
    }
    claims
}

/// S11: together as fast as one sequential reader.
fn interleaved() -> Vec<Claim> {
    const DISK: &str = "hdd-desktop";
    let rows = [
        (3, "s-suite/s11-interleaved-3.fio"),
        (5, "s-suite/s11-interleaved-5.fio"),
        (6, "s-suite/s11-interleaved-6.fio"),
        (7, "s-suite/s11-interleaved-7.fio"),
        (9, "s-suite/s11-interleaved-9.fio"),
    ];
    let whole =
        Scenario::new("laboratory-report/sequential-read.fio").run(DISK, "bfq").bytes_per_s();
    let mut claims = Vec::new();
    for (readers, file) in rows {
        let scenario = Scenario::new(file);
        for scheduler in ["bfq", "bfq:low_latency=0"] {
            let percent = scenario.run(DISK, scheduler).bytes_per_s() / whole * 100.0;
            let what = format!(
                "{readers} interleaved readers, {scheduler}: throughput, of one sequential reader's"
            );
            let command = scenario.command(DISK, &[scheduler]);
            let claim = Claim::new(what, DISK, Limit::PercentAtLeast(90.0), percent, &command);
            // Nine started at once are a large burst; their queues are split
            // and merged again and again.
            let known = readers == 9 && scheduler != "bfq";
            claims.push(claim.known_to_miss(known.then_some(Limit::PercentAtLeast(80.0))));
        }
    }
    claims
}
