// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reading recordings and judging differences.

use super::*;

const HEAD: &str = "scenario,disk,depth,scheduler,job,processes,ios,mb_per_s,share,\
process_min_mb_per_s,process_max_mb_per_s,latency_mean_us,latency_p50_us,latency_p95_us,\
latency_p99_us,latency_max_us,elapsed_ms\n";

fn recording(job: &str, mb_per_s: f64, share: f64) -> Recording {
    let line = format!("s,hdd,32,bfq-ll0,{job},1,9,{mb_per_s},{share},1,1,1,1,1,1,1,2000");
    read_recordings(&format!("{HEAD}{line}\n")).unwrap().remove(0)
}

fn figures(mb_per_s: f64, share: f64) -> Figures {
    Figures { mb_per_s, share, latency_mean_us: 1.0, elapsed_ms: 2000.0 }
}

fn comparison(recorded: (f64, f64), simulated: (f64, f64)) -> Comparison {
    Comparison {
        recorded: recording("a", recorded.0, recorded.1),
        simulated: figures(simulated.0, simulated.1),
    }
}

#[test]
fn lines_become_cases() {
    let recordings = [recording("a", 1.0, 0.5), recording("b", 1.0, 0.5)];
    let cases = cases(&recordings);
    assert_eq!(cases.len(), 1);
    assert_eq!((cases[0].disk.as_str(), cases[0].depth), ("hdd", 32));
    assert_eq!(cases[0].elevator("linux-6.1"), "bfq:behaviour=linux-6.1,low_latency=0");
}

#[test]
fn a_missing_column_is_named() {
    let error = read_recordings("scenario,disk\nx,y\n").unwrap_err().to_string();
    assert!(error.contains("depth"), "{error}");
}

#[test]
fn verdicts() {
    use Agreement::{Agrees, Differs, WithinSlot};
    for (recorded, simulated, verdict) in [
        ((100.0, 0.50), (102.9, 0.509), Agrees),
        ((100.0, 0.50), (102.9, 0.511), Differs),
        ((20.0, 0.20), (26.2, 0.205), WithinSlot), // 12.4 MB in 2 s
        ((20.0, 0.20), (26.3, 0.205), Differs),
        ((0.0, 0.0), (0.13, 0.0), Agrees), // one I/O of 256 KiB in 2 s
    ] {
        assert_eq!(
            comparison(recorded, simulated).agreement(),
            verdict,
            "{recorded:?} {simulated:?}"
        );
    }
    let mut fifo = comparison((20.0, 0.20), (26.2, 0.205));
    fifo.recorded.scheduler = "none".into();
    assert_eq!(fifo.agreement(), Differs, "none has no slots");
}

#[test]
fn mean_latencies_agree_within_a_tenth() {
    let mut line = comparison((20.0, 0.20), (20.0, 0.20));
    line.simulated.latency_mean_us = 1.09;
    assert_eq!(line.agreement(), Agreement::Agrees);
    line.simulated.latency_mean_us = 1.11;
    assert_eq!(line.agreement(), Agreement::WithinSlot);
    line.recorded.job = "cmd".into();
    assert_eq!(line.agreement(), Agreement::Differs, "a start-up has no last slot to be cut off");
}

#[test]
fn a_start_up_is_judged_by_its_time() {
    let mut start_up = comparison((1.0, 0.5), (9.0, 0.5));
    start_up.recorded.job = "cmd".into();
    for (elapsed_ms, verdict) in
        [(2000.0, Agreement::Agrees), (2190.0, Agreement::Agrees), (2210.0, Agreement::Differs)]
    {
        start_up.simulated.elapsed_ms = elapsed_ms;
        assert_eq!(start_up.agreement(), verdict, "{elapsed_ms} ms");
    }
}

#[test]
fn a_recorded_value_lies_inside_near_or_outside_the_spread() {
    let orders = [(90.0, 0.5), (110.0, 0.5), (101.0, 0.5)];
    let orders: Vec<Figures> = orders.iter().map(|&(mb, share)| figures(mb, share)).collect();
    for (recorded, place) in [
        ((95.0, 0.5), Proximity::Inside),
        ((113.0, 0.5), Proximity::Near),
        ((115.0, 0.5), Proximity::Outside),
        ((95.0, 0.509), Proximity::Near),
        ((95.0, 0.52), Proximity::Outside),
    ] {
        let recorded = recording("a", recorded.0, recorded.1);
        let line = SpreadComparison { recorded, orders: orders.clone(), chaotic: true };
        assert_eq!(
            line.spread(&FIGURES[0]),
            base::Interval { median: 101.0, low: 90.0, high: 110.0 }
        );
        assert_eq!(line.proximity(), place, "{:?}", line.recorded);
    }
}

#[test]
fn parts_of_a_job_are_summed() {
    let jobs = workload::parse("[a.0]\nrw=read\nsize=1m\n[a.1]\nrw=read\nsize=1m\n", "t").unwrap();
    let case =
        Case { scenario: "s".into(), disk: "flat".into(), depth: 32, scheduler: "none".into() };
    let run = run_case(&case, &jobs, 0).unwrap();
    let both = Figures::of_job("a", &run).unwrap();
    assert_eq!(both.share, 1.0);
    assert_eq!(Figures::of_job("a.1", &run).unwrap().share, 0.5);
    assert_eq!(Figures::of_job("b", &run), None);
}

#[test]
fn what_is_under_way_at_the_end_does_not_count() {
    let text = "[a]\nrw=read\nbs=1m\nsize=1g\ntime_based\nruntime=1\nnumjobs=4\n";
    let jobs = workload::parse(text, "t").unwrap();
    let case =
        Case { scenario: "s".into(), disk: "flat".into(), depth: 32, scheduler: "none".into() };
    let run = run_case(&case, &jobs, 0).unwrap();
    assert_eq!(run.summary.jobs[0].runtime, 1000, "ms");
    assert_eq!(run.summary.jobs[0].io_bytes >> 20, 95, "100 MB/s for a second");
}

/// How many reads a process gets on the disk `flat` in 10 s that does one of 64 KiB every 2 ms,
/// with more jobs beside it.
fn reads_of_a_thinker(beside: &str) -> u64 {
    let text = format!(
        "[global]\nrw=read\nsize=1g\ntime_based\nruntime=10\n[a]\nbs=64k\nthinktime=2000\n{beside}"
    );
    let jobs = workload::parse(&text, "t").unwrap();
    let case =
        Case { scenario: "s".into(), disk: "flat".into(), depth: 32, scheduler: "none".into() };
    run_case(&case, &jobs, 0).unwrap().summary.jobs[0].io_bytes >> 16
}

#[test]
fn who_thinks_wakes_late_unless_something_else_happens() {
    // The first read takes 655.36 µs and 5 readings of the clock; before each of the others there
    // are 2000 µs of thinking, 50 µs of the timer's slack and one more reading.
    let reads = |period_ns: u64| 1 + (10_000_000_000 - 656_640) / period_ns;
    let (period_ns, slack_ns) = (2_706_896, 50_000);
    assert_eq!(reads_of_a_thinker(""), reads(period_ns));
    // One that reads 512 bytes all the time completes every 7 µs, and keeps the CPU or the disk
    // busy for as long.
    let beside = reads_of_a_thinker("[b]\nbs=512\n");
    let without_slack_ns = period_ns - slack_ns;
    assert!(
        (reads(without_slack_ns + 8_000)..=reads(without_slack_ns)).contains(&beside),
        "{beside}"
    );
}
