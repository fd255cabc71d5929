// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time lines: what a process issues, and when. The orders, ends, pauses and rates are those that
//! fio 3.33 records of itself with `write_iolog`; where it does otherwise, a comment says so.

use super::{Issuer, IssuerStep};
use crate::io::{Io, IoKind};
use crate::job::Job;
use crate::layout::{Region, lay_out};
use crate::parse::parse;

pub(super) const MS: u64 = 1_000_000;
pub(super) const TARGET_BYTES: u64 = 1 << 40;

/// The one job with these options, separated by blanks.
pub(super) fn job(options: &str) -> Job {
    let text = format!("[a]\ndirect=1\n{}\n", options.replace(' ', "\n"));
    parse(&text, "t.fio").unwrap_or_else(|error| panic!("{options}: {error}")).remove(0)
}

pub(super) fn region(job: &Job) -> Region {
    lay_out(std::slice::from_ref(job), TARGET_BYTES).unwrap()[0].region
}

/// A run of one process against a target that takes `service_ns` for each I/O, any number of them
/// at a time.
pub(super) struct Run {
    pub(super) issued: Vec<(u64, Io)>,
    pub(super) ended_ns: u64,
    pub(super) most_in_flight: usize,
}

pub(super) fn run(job: &Job, service_ns: u64, most_ios: usize) -> Run {
    let plan = lay_out(std::slice::from_ref(job), TARGET_BYTES).unwrap().remove(0);
    run_process(Issuer::on_files(job, 0, &plan.regions(), 1), service_ns, most_ios)
}

pub(super) fn run_process(mut process: Issuer, service_ns: u64, most_ios: usize) -> Run {
    let mut run = Run { issued: Vec::new(), ended_ns: 0, most_in_flight: 0 };
    let mut in_flight = std::collections::VecDeque::new();
    let mut now_ns = 0;
    while run.issued.len() < most_ios {
        let next_ns = match process.poll(now_ns) {
            IssuerStep::Submit(io) => {
                run.issued.push((now_ns, io));
                in_flight.push_back((now_ns + service_ns, io.ticket));
                run.most_in_flight = run.most_in_flight.max(in_flight.len());
                continue;
            }
            IssuerStep::Sleep { until_ns } => {
                assert!(until_ns > now_ns, "it sleeps until {until_ns} at {now_ns}");
                until_ns
            }
            IssuerStep::Wait => u64::MAX,
            IssuerStep::Follow { .. } => panic!("it has no process to follow"),
            IssuerStep::Done => {
                assert_eq!((in_flight.len(), process.in_flight()), (0, 0));
                run.ended_ns = now_ns;
                return run;
            }
        };
        match in_flight.front() {
            Some(&(at_ns, ticket)) if at_ns <= next_ns => {
                in_flight.pop_front();
                now_ns = at_ns;
                process.completed(now_ns, ticket);
            }
            _ => now_ns = next_ns,
        }
        assert!(now_ns < u64::MAX, "it waits for nothing");
    }
    run.ended_ns = now_ns;
    run
}

/// I/Os as `OFFSET` in KiB, with `w` before writes; syncs as `sync` and `datasync`.
pub(super) fn order(run: &Run) -> String {
    let words = run.issued.iter().map(|(_, io)| match io.kind {
        IoKind::Read => format!("{}", io.offset_bytes >> 10),
        IoKind::Write => format!("w{}", io.offset_bytes >> 10),
        IoKind::Trim => format!("t{}", io.offset_bytes >> 10),
        IoKind::Fsync => "sync".to_string(),
        IoKind::Fdatasync => "datasync".to_string(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The times of the I/Os and of the end, ms.
pub(super) fn times(run: &Run) -> String {
    let at = |ns: u64| {
        assert_eq!(ns % MS, 0);
        (ns / MS).to_string()
    };
    let issued = run.issued.iter().map(|(ns, _)| at(*ns)).collect::<Vec<_>>().join(" ");
    format!("{issued} | {}", at(run.ended_ns))
}

#[test]
fn sequential_work_ends_where_fio_ends_it() {
    for (options, expected) in [
        ("size=16k", "0 4 8 12"),
        ("size=10k", "0 4"),
        ("size=16k loops=2", "0 4 8 12 0 4 8 12"),
        ("size=10k loops=2", "0 4 0 4"),
        ("size=16k io_size=40k", "0 4 8 12 0 4 8 12 0 4"),
        ("size=16k io_size=26k", "0 4 8 12 0 4 8"),
        ("size=16k io_size=8k", "0 4"),
        ("size=16k io_size=8k loops=3", "0 4 8 12 0 4"),
        ("size=32k io_size=9k loops=2", "0 4 8 12 16"),
        ("size=8k io_size=19k", "0 4 0 4"),
        ("size=8k io_size=20k", "0 4 0 4 0"),
        ("size=8k io_size=12k loops=4", "0 4 0 4 0 4 0 4"),
        ("size=8k io_size=20k loops=2", "0 4 0 4 0 4"),
        ("size=8k io_size=62k loops=3 number_ios=2", "0 4 0 4 0 4"),
        ("size=8k io_size=43k loops=2 number_ios=9", "0 4 0 4 0 4 0 4 0 4"),
        ("size=20k io_size=50%", "0 4 8"),
        ("size=16k number_ios=3", "0 4 8"),
        ("size=16k number_ios=6", "0 4 8 12"),
        ("size=16k number_ios=3 loops=3", "0 4 8 12 0 4 8 12 0"),
        ("size=16k number_ios=6 loops=2", "0 4 8 12 0 4 8 12"),
        ("size=16k io_size=40k number_ios=6", "0 4 8 12 0 4"),
        ("size=16k io_size=40k number_ios=3", "0 4 8"),
        ("size=32k offset=8k", "8 12 16 20 24 28 32 36"),
        ("size=32k rw=read:4k", "0 8 16 24 0 8 16 24"),
        ("size=28k rw=read:4k loops=2", "0 8 16 24 0 8 16 24"),
        ("size=30k bs=8k rw=read:4k loops=2", "0 12 0 12"),
        ("size=20k rw=write:8k io_size=18k", "w0 w12 w0 w12 w0"),
        ("size=16k time_based number_ios=7", "0 4 8 12"),
        ("size=16k rw=write", "w0 w4 w8 w12"),
    ] {
        assert_eq!(order(&run(&job(options), MS, 100)), expected, "{options}");
    }
}

#[test]
fn time_based_work_goes_on_until_the_runtime_is_over() {
    for (options, ios) in [
        ("size=16k time_based runtime=1", 100),
        ("size=16k time_based runtime=1 number_ios=3", 100),
        ("size=16k time_based runtime=1 io_size=24k", 100),
        ("size=16k time_based runtime=1 rw=randread", 100),
        ("size=16k runtime=1", 4),
        ("size=1g runtime=1", 100),
    ] {
        assert_eq!(run(&job(options), 10 * MS, 1000).issued.len(), ios, "{options}");
    }
}

#[test]
fn what_is_in_flight_at_the_end_of_the_runtime_completes() {
    let run = run(&job("size=1g runtime=100ms iodepth=2 ioengine=libaio"), 30 * MS, 1000);
    assert_eq!(times(&run), "0 0 30 30 60 60 90 90 | 120");
}

#[test]
fn sequential_reads_and_writes_have_a_position_each() {
    // At the end of the region both go back.
    let run = run(&job("rw=rw size=64k io_size=4m"), MS, 2000);
    let (mut reads, mut writes, mut rounds) = (0, 0, 0);
    for (_, io) in &run.issued {
        let position = if io.kind == IoKind::Read { &mut reads } else { &mut writes };
        if io.offset_bytes == 0 && *position == 64 << 10 {
            (reads, writes) = (0, 0);
            rounds += 1;
        }
        let position = if io.kind == IoKind::Read { &mut reads } else { &mut writes };
        assert_eq!(io.offset_bytes, *position);
        *position += u64::from(io.length_bytes);
    }
    assert_eq!(run.issued.len(), 1024);
    assert!(rounds >= 32, "{rounds}");
}

#[test]
fn a_mix_has_the_share_of_reads_asked_for() {
    for (options, least, most) in [
        ("rw=randrw", 4_800, 5_200),
        ("rw=randrw rwmixread=70", 6_800, 7_200),
        ("rw=rw rwmixwrite=90", 850, 1_150),
        ("rw=rw rwmixread=100", 10_000, 10_000),
        ("rw=rw rwmixread=0", 0, 0),
    ] {
        let run = run(&job(&format!("size=1g {options}")), MS, 10_000);
        let reads = run.issued.iter().filter(|(_, io)| io.kind == IoKind::Read).count();
        assert!((least..=most).contains(&reads), "{options}: {reads}");
    }
}

#[test]
fn think_time_counts_from_the_completion() {
    let run = run(&job("size=12k thinktime=100ms"), 7 * MS, 100);
    assert_eq!(times(&run), "0 107 214 | 321");
}

#[test]
fn pauses_come_after_the_blocks_counted() {
    for (options, expected) in [
        ("thinktime=100ms thinktime_blocks=6", "0 0 0 0 0 0 100 100 100 100 100 100 200 200 | 200"),
        ("thinktime=100ms", "0 100 200 300 400 500 600 700 800 900 1000 1100 1200 1300 | 1400"),
    ] {
        let job = job(&format!("size=56k {options}"));
        assert_eq!(times(&run(&job, 0, 100)), expected, "{options}");
    }
}

#[test]
fn with_a_queue_a_pause_waits_for_what_is_in_flight() {
    let queue = "size=64k ioengine=libaio iodepth=4 thinktime=100ms";
    for (options, expected) in [
        // Counted at completion: the queue is full once, and its surplus counts from then on.
        ("", "0 0 0 0 110 220 330 440 550 660 770 880 990 1100 1210 1320 | 1430"),
        // The pause begins when the nine of the first second are done.
        ("thinktime_blocks=6", "0 0 0 0 10 10 10 10 20 130 130 130 130 140 140 250 | 260"),
        // Counted at submission: never more in flight than the blocks between two pauses.
        (
            "thinktime_blocks_type=issue",
            "0 110 220 330 440 550 660 770 880 990 1100 1210 1320 1430 1540 1650 | 1760",
        ),
        (
            "thinktime_blocks_type=issue thinktime_blocks=6",
            "0 0 0 0 10 10 120 120 120 120 130 130 240 240 240 240 | 250",
        ),
    ] {
        let job = job(&format!("{queue} {options}"));
        assert_eq!(times(&run(&job, 10 * MS, 100)), expected, "{options}");
    }
}

#[test]
fn pauses_come_after_a_time_of_io() {
    // As documented. fio itself is late with the first pause.
    let io = "size=48k rate_iops=20 thinktime=100ms thinktime_iotime=200ms";
    for (options, expected) in [
        ("", "0 50 100 150 200 300 300 350 400 450 500 600 | 600"),
        ("thinktime_blocks=2", "0 50 150 150 250 250 350 350 450 450 550 550 | 650"),
    ] {
        let job = job(&format!("{io} {options}"));
        assert_eq!(times(&run(&job, 0, 100)), expected, "{options}");
    }
}

#[test]
fn a_pause_ends_with_the_runtime() {
    // fio 3.33 oversleeps; later versions don't.
    let run = run(&job("size=1m thinktime=100ms runtime=250ms"), 0, 100);
    assert_eq!(times(&run), "0 100 200 | 250");
}

#[test]
fn a_pause_is_as_long_however_much_of_it_is_spent_computing() {
    let run = run(&job("size=12k thinktime=100ms thinktime_spin=100ms"), 0, 100);
    assert_eq!(times(&run), "0 100 200 | 300");
}

#[test]
fn rates_spread_io_evenly_and_catch_up() {
    for (options, expected) in [
        ("rate=40k", "0 100 200 300 400 500 600 700 800 900 | 900"),
        ("rate_iops=10", "0 100 200 300 400 500 600 700 800 900 | 900"),
        ("rate_iops=20", "0 50 100 150 200 250 300 350 400 450 | 450"),
        (
            "rate_iops=20 thinktime=180ms thinktime_blocks=5",
            "0 50 100 150 200 380 380 380 400 450 | 630",
        ),
        (
            "rate_iops=20 thinktime=180ms thinktime_blocks=5 rate_ignore_thinktime=1",
            "0 50 100 150 200 380 430 480 530 580 | 760",
        ),
        ("rate_iops=20 runtime=200ms", "0 50 100 150 | 200"),
    ] {
        let job = job(&format!("size=40k {options}"));
        assert_eq!(times(&run(&job, 0, 100)), expected, "{options}");
    }
    let slow = job("size=24k rate_iops=20");
    assert_eq!(times(&run(&slow, 60 * MS, 100)), "0 60 120 180 240 300 | 360");
}

#[test]
fn each_direction_has_a_rate_of_its_own() {
    let run = run(&job("size=120k rw=rw rate_iops=20,10"), 0, 100);
    let at = |kind: IoKind| -> Vec<u64> {
        let of_kind = run.issued.iter().filter(|(_, io)| io.kind == kind);
        of_kind.map(|(ns, _)| ns / MS).collect()
    };
    let expected =
        |step: u64, count: usize| -> Vec<u64> { (0..count as u64).map(|n| n * step).collect() };
    let (reads, writes) = (at(IoKind::Read), at(IoKind::Write));
    assert_eq!(reads, expected(50, reads.len()));
    assert_eq!(writes, expected(100, writes.len()));
    assert_eq!((reads.len(), writes.len()), (20, 10));
}

#[test]
fn an_unlimited_direction_does_not_wait_for_a_limited_one() {
    let run = run(&job("size=80k rw=rw rate_iops=,10"), 0, 100);
    assert_eq!((run.issued.len(), run.ended_ns), (20, 0));
}

#[test]
fn a_rate_in_io_counts_the_smallest_block() {
    let run = run(&job("size=40k bssplit=8k/50:4k/50 rate_iops=10"), 0, 100);
    let mut due_ms = 0;
    for (at_ns, io) in &run.issued {
        assert_eq!(at_ns / MS, due_ms);
        due_ms += u64::from(io.length_bytes) / 4096 * 100;
    }
}

#[test]
fn after_the_ramp_time_io_is_counted_anew_but_the_region_is_not() {
    for (options, ios, end_ms) in [
        ("size=40k", 10, 900),
        ("size=40k rw=randread norandommap", 10, 900),
        ("size=40k number_ios=6", 10, 900),
        ("size=80k number_ios=6", 11, 1000),
        ("size=80k number_ios=2", 2, 100),
        ("size=40k io_size=20k", 5, 400),
        ("size=80k io_size=24k", 11, 1000),
        ("size=12k loops=2", 6, 500),
        ("size=40k runtime=400ms", 9, 850),
        ("size=40k runtime=1 time_based", 15, 1450),
    ] {
        let job = job(&format!("rate_iops=10 ramp_time=450ms {options}"));
        let run = run(&job, 0, 100);
        assert_eq!((run.issued.len(), run.ended_ns / MS), (ios, end_ms), "{options}");
    }
}

#[test]
fn results_count_from_the_end_of_the_ramp_time() {
    let job = job("size=40k startdelay=1 ramp_time=450ms");
    let mut process = Issuer::new(&job, 0, region(&job), 1);
    assert_eq!(process.measure_from_ns(), None);
    process.poll(0);
    assert_eq!(process.measure_from_ns(), Some(1450 * MS));
}

#[test]
fn a_start_delay_counts_from_the_start_of_the_run() {
    let job = job("size=4k startdelay=500ms");
    for (first_poll_ns, start_ns) in [(0, 500 * MS), (200 * MS, 500 * MS), (900 * MS, 900 * MS)] {
        let mut process = Issuer::new(&job, 0, region(&job), 1);
        let step = process.poll(first_poll_ns);
        assert_eq!(process.started_ns(), Some(start_ns));
        if start_ns > first_poll_ns {
            assert_eq!(step, IssuerStep::Sleep { until_ns: start_ns });
        }
        assert!(
            matches!(process.poll(start_ns), IssuerStep::Submit(_)) || start_ns == first_poll_ns
        );
    }
}

#[test]
fn a_range_of_start_delays_is_drawn_from_for_each_clone() {
    let job = job("size=4k startdelay=100ms-2s numjobs=50");
    let starts: Vec<u64> = (0..50)
        .map(|clone| {
            let mut process = Issuer::new(&job, clone, region(&job), 1);
            process.poll(0);
            process.started_ns().unwrap()
        })
        .collect();
    assert!(starts.iter().all(|start_ns| (100 * MS..=2000 * MS).contains(start_ns)));
    assert!(starts.iter().any(|start_ns| *start_ns < 500 * MS));
    assert!(starts.iter().any(|start_ns| *start_ns > 1500 * MS));
}

#[test]
fn runtime_and_think_time_count_from_the_start_after_the_delay() {
    let run = run(&job("size=1m startdelay=1 runtime=250ms thinktime=100ms"), 0, 100);
    assert_eq!(times(&run), "1000 1100 1200 | 1250");
}

#[test]
fn syncs_come_after_the_writes_counted_and_are_waited_for() {
    for (options, expected) in [
        ("rw=write fsync=3", "w0 w4 w8 sync w12 w16 w20 sync w24 w28"),
        ("rw=write fdatasync=4", "w0 w4 w8 w12 datasync w16 w20 w24 w28"),
        (
            "rw=write fsync=2 fdatasync=3 end_fsync=1",
            "w0 w4 sync w8 datasync w12 sync w16 w20 sync w24 w28 sync",
        ),
        ("rw=read fsync=2 end_fsync=1", "0 4 8 12 16 20 24 28"),
        ("rw=write number_ios=2 end_fsync=1", "w0 w4 sync"),
        // Each pass has its own, as under fio 3.33; so has what io_size makes of a region.
        ("rw=write size=8k loops=2 end_fsync=1", "w0 w4 sync w0 w4 sync"),
        ("rw=write size=8k io_size=20k end_fsync=1", "w0 w4 sync w0 w4 sync w0 sync"),
        ("rw=write size=8k loops=2 fsync=2 end_fsync=1", "w0 w4 sync sync w0 w4 sync"),
        ("rw=read size=8k loops=2 end_fsync=1", "0 4 0 4"),
    ] {
        assert_eq!(order(&run(&job(&format!("size=32k {options}")), MS, 100)), expected);
    }
    let run = run(&job("size=16k rw=write fsync=2 ioengine=libaio iodepth=8"), 10 * MS, 100);
    assert_eq!(times(&run), "0 0 0 10 10 | 20");
}

#[test]
fn a_sync_between_passes_waits_for_what_is_in_flight() {
    let options = "size=8k rw=randwrite loops=2 end_fsync=1 ioengine=libaio iodepth=8";
    assert_eq!(times(&run(&job(options), 10 * MS, 100)), "0 0 10 20 20 30 | 40");
    // With a runtime there is one end, and one sync.
    let options = "size=8k rw=write end_fsync=1 time_based runtime=45ms";
    let syncs = run(&job(options), 10 * MS, 100);
    assert_eq!(order(&syncs), "w0 w4 w0 w4 w0 sync");
}

#[test]
fn a_queue_is_kept_full() {
    for (options, most) in [
        ("ioengine=libaio iodepth=16", 16),
        ("ioengine=io_uring iodepth=3", 3),
        ("ioengine=psync iodepth=16", 1),
    ] {
        let run = run(&job(&format!("size=1m {options}")), MS, 1000);
        assert_eq!((run.most_in_flight, run.issued.len()), (most, 256), "{options}");
    }
}

/// The numbers are those of fio 3.33.
#[test]
fn random_runs_with_an_io_size_end_by_their_bytes() {
    for (options, ios) in [
        ("rw=randwrite:3 io_size=600k loops=1", 38),
        ("rw=randwrite:3 io_size=600k loops=2", 75),
        ("rw=randwrite:3 io_size=600k loops=3", 113),
        ("rw=randwrite:3 io_size=600k loops=2 norandommap", 75),
        ("rw=randwrite:3 loops=2", 32),
        ("rw=randwrite io_size=600k loops=2", 48),
        ("rw=randwrite io_size=600k loops=2 norandommap", 75),
    ] {
        let run = run(&job(&format!("bs=16k size=256k {options}")), 0, 200);
        assert_eq!(run.issued.len(), ios, "{options}");
    }
}

#[test]
fn random_runs_go_on_from_a_random_offset() {
    for (options, step) in [("rw=randread:8", 4096), ("rw=randread:8 rw_sequencer=identical", 0)] {
        let run = run(&job(&format!("size=1g {options}")), MS, 800);
        let mut starts = Vec::new();
        for eight in run.issued.chunks(8) {
            let start = eight[0].1.offset_bytes;
            starts.push(start);
            // Only a run that reaches the end of the region breaks off.
            if start + 8 * 4096 <= 1 << 30 {
                for (n, (_, io)) in eight.iter().enumerate() {
                    assert_eq!(io.offset_bytes, start + n as u64 * step);
                }
            }
        }
        starts.sort_unstable();
        starts.dedup();
        assert_eq!(starts.len(), 100);
    }
}

#[test]
fn block_sizes_have_the_shares_asked_for() {
    let shares = |options: &str| {
        let run = run(&job(&format!("rw=randread size=100g {options}")), MS, 10_000);
        let mut counts = std::collections::BTreeMap::new();
        for (_, io) in &run.issued {
            *counts.entry(io.length_bytes >> 10).or_insert(0) += 1;
        }
        counts.into_iter().collect::<Vec<(u32, i32)>>()
    };
    for (options, expected) in [
        ("bssplit=4k/10:64k/50:32k/40", vec![(4, 1000), (32, 4000), (64, 5000)]),
        ("bsrange=4k-16k", vec![(4, 2500), (8, 2500), (12, 2500), (16, 2500)]),
        ("bsrange=4k-10k", vec![(4, 4000), (8, 4000), (10, 2000)]),
    ] {
        let shares = shares(options);
        assert_eq!(shares.len(), expected.len(), "{options}");
        for ((size, count), (expected_size, expected_count)) in shares.iter().zip(&expected) {
            assert_eq!(size, expected_size, "{options}");
            assert!((count - expected_count).abs() < 200, "{options}: {count} of {size}k");
        }
    }
}

#[test]
fn a_stopped_process_ends_when_nothing_is_in_flight() {
    let job = job("size=1m ioengine=libaio iodepth=2 thinktime=1s rw=write end_fsync=1");
    let mut process = Issuer::new(&job, 0, region(&job), 1);
    let (IssuerStep::Submit(first), IssuerStep::Submit(second)) =
        (process.poll(0), process.poll(0))
    else {
        panic!("two are issued at once");
    };
    process.stop();
    assert_eq!(process.poll(0), IssuerStep::Wait);
    process.completed(1, second.ticket);
    assert_eq!(process.poll(1), IssuerStep::Wait);
    process.completed(2, first.ticket);
    assert_eq!(process.poll(2), IssuerStep::Done);
    assert_eq!(process.poll(3), IssuerStep::Done);
}
