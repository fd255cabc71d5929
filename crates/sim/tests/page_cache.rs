// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page cache in whole simulations: what schedulers make of buffered I/O.

use blk::QueueSettings;
use device::Profile;
use report::Run;
use runner::SimultaneousOrder;
use sim::{Setup, limits, simulate};
use std::ops::ControlFlow;
use workload::Job;

fn run(jobs: &[Job], scheduler: &str, device: &str, cache: &str, queue: &str) -> Run {
    let profile = Profile::parse_argument(device).unwrap();
    let setup = Setup {
        jobs,
        group_weights: &[],
        settings: QueueSettings::parse(queue).unwrap(),
        page_cache: workload::cache::CacheSettings::parse(cache).unwrap(),
        profile: &profile,
        elevator: elevators::build(scheduler, 0, &limits(&profile)).unwrap(),
        seed: 1,
        order: SimultaneousOrder::AsCreated,
    };
    let simulated = simulate(setup, &mut |_, _| ControlFlow::Continue(())).unwrap();
    simulated.outcome.into_run(simulated.device, simulated.device_stats)
}

fn parse(text: &str) -> Vec<Job> {
    workload::parse(text, "test.fio").unwrap()
}

/// What jobs/buffered-copy.fio shows.
#[test]
fn a_buffered_copy_stalls_a_reader_under_none_and_not_under_bfq() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../jobs/buffered-copy.fio");
    let jobs = workload::load(path.as_ref()).unwrap();
    let reader = |scheduler| {
        let run = run(&jobs, scheduler, "hdd-desktop", "", "");
        let reader = &run.summary.jobs[1];
        assert_eq!(reader.jobname, "reader");
        assert!(run.page_cache.get("throttled").is_some_and(|&pauses| pauses > 0));
        (reader.bw_bytes / 1_000_000, run.summary.jobs[0].bw_bytes / 1_000_000)
    };
    let (bfq, none, deadline) = (reader("bfq"), reader("none"), reader("mq-deadline"));
    assert!(bfq.0 > 50, "{} MB/s", bfq.0);
    assert!(none.0 < 5 && deadline.0 < 5, "{} and {} MB/s", none.0, deadline.0);
    // The copy goes on, too.
    assert!(bfq.1 > none.1 / 4, "{} and {} MB/s", bfq.1, none.1);
}

#[test]
fn one_buffered_reader_has_the_whole_disk_in_large_requests() {
    let jobs = parse("[a]\ndirect=0\nrw=read\nbs=4k\nsize=1g\ntime_based\nruntime=4\n");
    for (queue, request_kib) in [("", 128), ("read_ahead_kb=512", 512), ("read_ahead_kb=16", 16)] {
        let run = run(&jobs, "bfq", "reference-hdd", "", queue);
        let read = &run.fio.jobs[0].read;
        let requests = run.fio.disk_util[0].read_ios;
        let average_kib = read.io_bytes / 1024 / requests;
        assert!((request_kib * 9 / 10..=request_kib).contains(&average_kib), "{average_kib} KiB");
        if request_kib >= 128 {
            assert!(read.bw_bytes > 90_000_000, "{queue}: {} of 100 MB/s", read.bw_bytes);
        }
    }
}

/// The writer's weight is the root group's here: the flusher does not know whose pages it writes.
#[test]
fn groups_do_not_reach_through_the_cache_but_through_fsync() {
    let text = |sync: &str| {
        format!(
            "[global]\nrw=write\nbs=256k\nsize=8g\ntime_based\nruntime=20\ndirect=0\n{sync}\n\
             [light]\ncgroup=l\ncgroup_weight=100\n[heavy]\ncgroup=h\ncgroup_weight=300\n"
        )
    };
    let share = |text: &str| {
        let run = run(&parse(text), "bfq:low_latency=0", "reference-flat", "memory_mb=256", "");
        run.summary.jobs[1].share
    };
    let (buffered, synced) = (share(&text("")), share(&text("fsync=32")));
    assert!((0.45..0.55).contains(&buffered), "alike: {buffered}");
    assert!((0.70..0.80).contains(&synced), "by weight: {synced}");
}

#[test]
fn a_simulation_with_a_cache_repeats_itself() {
    let text = "[global]\ndirect=0\nsize=64m\nruntime=3\ntime_based\nbs=4k\n[r]\nrw=read\n\
                numjobs=2\n[x]\nrw=randrw\nioengine=io_uring\niodepth=8\nfsync=50\n[w]\nrw=write\n\
                rate=,20m\n";
    let once = || {
        let vm = "memory_mb=64,sync_interval_ms=700";
        let run = run(&parse(text), "bfq", "hdd-desktop", vm, "");
        serde_json::to_string(&run).unwrap()
    };
    assert_eq!(once(), once());
}

/// With a flat pause at the limit both wrote 10 MB/s.
#[test]
fn a_writer_under_a_low_limit_is_not_held_up_for_long() {
    let jobs = parse("[x]\ndirect=0\nrw=write\nbs=64k\nsize=4g\nruntime=5\n");
    for (device, least_mb_per_s) in [("hdd-desktop", 100), ("ssd-sata", 200)] {
        let run = run(&jobs, "none", device, "dirty_bytes=4194304", "");
        let mb_per_s = run.fio.jobs[0].write.bw_bytes / 1_000_000;
        assert!(mb_per_s >= least_mb_per_s, "{device}: {mb_per_s} MB/s");
    }
}
