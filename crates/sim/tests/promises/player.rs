// SPDX-License-Identifier: MIT OR Apache-2.0
//! Soft real-time: a film of 25 frames a second beside readers and writers.

use crate::claim::{Claim, Limit};
use crate::measure::measure;
use crate::stand_in::own_or;

/// When a frame is late, ns after it was asked for.
const DEADLINE_NS: u64 = 40_000_000;

const READERS: (&str, &str) = ("10 readers", "player-readers.fio");
const WRITERS: (&str, &str) = ("5 readers and 5 writers", "player-readers-writers.fio");

const DEVICES: [&str; 2] = ["ssd-sata", "hdd-desktop"];

fn late_percent(latencies_ns: &[u64]) -> f64 {
    assert_eq!(latencies_ns.len(), 1000, "40 s of 25 frames each");
    let late = latencies_ns.iter().filter(|latency_ns| **latency_ns > DEADLINE_NS).count();
    late as f64 / latencies_ns.len() as f64 * 100.0
}

fn claim((load, file): (&str, &str), device: &'static str, below_percent: f64) -> Claim {
    let bfq = measure(file, device, "bfq");
    let rival = measure(file, device, "mq-deadline");
    let worst_ms = bfq.logged_ns.iter().max().unwrap() / 1_000_000;
    let mut detail =
        format!("worst {worst_ms} ms; mq-deadline {:.2} %", late_percent(&rival.logged_ns));
    let in_disk_percent = late_percent(&bfq.on_device_ns);
    if in_disk_percent > 0.0 {
        detail = format!("{in_disk_percent:.2} % by the disk alone; {detail}");
    }
    let command = format!("bfq sim jobs/{file} --device {device} --scheduler bfq,mq-deadline");
    let what = format!("late frames beside {load}");
    let limit = Limit::PercentBelow(below_percent);
    Claim::new(what, device, limit, late_percent(&bfq.logged_ns), &command).detail(detail)
}

/// Readers and writers, served rarely beside a player, must not pass for players themselves.
fn only_the_player_is_raised((load, file): (&str, &str), device: &'static str) -> Claim {
    let bfq = measure(file, device, "bfq");
    let command = format!("bfq sim jobs/{file} --device {device} --scheduler bfq");
    let raised_once = || {
        let what = format!("soft real-time raises beside {load}");
        let raises = bfq.scheduler_stat("raises_soft_real_time");
        Claim::new(what, device, Limit::Count(1), raises, &command)
    };
    // Who passes for a player gets more than its equals.
    let readers_are_equals = || {
        let of_readers = (1..=5).map(|n| bfq.job(&format!("reader-{n}")).bw_bytes as f64);
        let (least, most) = of_readers
            .fold((f64::MAX, f64::MIN), |(least, most), one| (least.min(one), most.max(one)));
        let what = format!("beside a player and {load}: the most of a reader against the least");
        Claim::new(what, device, Limit::TimesAtMost(1.25), most / least, &command)
    };
    own_or(raised_once, readers_are_equals)
}

pub fn claims() -> Vec<Claim> {
    let mut claims = vec![
        claim(READERS, "ssd-sata", 0.1),
        claim(WRITERS, "ssd-sata", 0.1),
        claim(READERS, "hdd-desktop", 1.0),
        claim(WRITERS, "hdd-desktop", 1.0),
    ];
    claims.extend(DEVICES.map(|device| only_the_player_is_raised(WRITERS, device)));
    claims
}
