// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time lines of jobs that look at each other or at their own queue: exitall, flow, batches.

use super::tests::Bench;
use base::Op;

const MS: u64 = 1_000_000;

/// Bytes read by each process.
fn read_bytes(jobs: &str) -> Vec<u64> {
    let (run, _) = Bench::with(jobs, 32, |_| {}).run();
    run.fio.jobs.iter().map(|job| job.read.io_bytes).collect()
}

#[test]
fn exitall_ends_the_group_the_phase_or_the_run() {
    // As fio 3.33 does with these jobs: a ends after 10 I/Os, c is of another group, d of a
    // later phase.
    let jobs = |what: &str| {
        format!(
            "[global]\ndirect=1\nbs=4k\nsize=40k\n[a]\nexitall\n{what}\n[b]\nsize=1g\n[c]\n\
             new_group\nsize=80k\n[d]\nstonewall\n"
        )
    };
    const K: u64 = 1024;
    for (what, ends) in [
        ("", [40 * K, 40 * K, 80 * K, 40 * K]),
        ("exit_what=stonewall", [40 * K, 40 * K, 40 * K, 40 * K]),
        ("exit_what=all", [40 * K, 40 * K, 40 * K, 0]),
    ] {
        let read = read_bytes(&jobs(what));
        for (job, (read, end)) in read.iter().zip(ends).enumerate() {
            // What is in flight when the others are stopped still counts.
            assert!((end..=end + 4 * K).contains(read), "{what} {job}: {read}, not {end}");
        }
    }
}

#[test]
fn jobs_of_a_flow_do_ios_in_proportion_to_their_weights() {
    let jobs = "[global]\ndirect=1\nbs=4k\nsize=1g\nruntime=2\ntime_based\n\
                [a]\nflow=3\nrate_iops=300\n[b]\nflow=1\n[c]\n";
    let read = read_bytes(jobs);
    let ratio = read[0] as f64 / read[1] as f64;
    assert!((2.9..3.1).contains(&ratio), "{read:?}");
    // Who is not of the flow is not held back.
    assert!(read[2] > 3 * read[0], "{read:?}");
}

#[test]
fn a_job_of_a_flow_goes_on_when_the_others_have_ended() {
    let jobs = "[global]\ndirect=1\nbs=4k\n[a]\nflow=1\nsize=40k\n[b]\nflow=1\nsize=400k\n";
    assert_eq!(read_bytes(jobs), [40 << 10, 400 << 10]);
}

#[test]
fn a_job_ahead_in_its_flow_sleeps_as_long_as_it_says() {
    let jobs = "[global]\ndirect=1\nbs=4k\nsize=1g\nruntime=1\ntime_based\n\
                [a]\nflow=1\nrate_iops=100\n[b]\nflow=1\nflow_sleep=50000\n";
    let (_, log) = Bench::with(jobs, 32, |_| {}).run();
    // b does five I/Os in a row, one a millisecond, and then sleeps until a has done five.
    let rate = log.iter().filter(|(time_ns, ..)| *time_ns >= 500 * MS).count();
    assert!((90..=110).contains(&rate), "{rate} I/Os in half a second");
}

/// A run on a device that does one command a millisecond.
fn serial(jobs: &str) -> Bench {
    let mut bench = Bench::with(jobs, 64, |_| {});
    bench.is_serial = true;
    bench
}

/// When I/Os were issued, ms, to a device that ends one a millisecond.
fn issued_ms(options: &str) -> String {
    let jobs = format!(
        "[a]\ndirect=1\nrw=randread\nbs=4k\nsize=1g\nioengine=libaio\niodepth=4\nnumber_ios=12\n\
         {}\n",
        options.replace(' ', "\n")
    );
    let (_, log) = serial(&jobs).run();
    log.iter().map(|(time_ns, ..)| (time_ns / MS).to_string()).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_full_queue_is_reaped_as_the_options_say() {
    for (options, expected) in [
        ("", "0 0 0 0 1 2 3 4 5 6 7 8"),
        ("iodepth_batch_complete_min=1", "0 0 0 0 1 2 3 4 5 6 7 8"),
        ("iodepth_batch_complete_min=2", "0 0 0 0 2 2 4 4 6 6 8 8"),
        ("iodepth_batch_complete_min=4", "0 0 0 0 4 4 4 4 8 8 8 8"),
        ("iodepth_low=1", "0 0 0 0 3 3 3 6 6 6 9 9"),
        ("iodepth_low=2 iodepth_batch_complete_min=3", "0 0 0 0 3 3 3 6 6 6 9 9"),
    ] {
        assert_eq!(issued_ms(options), expected, "{options}");
    }
}

#[test]
fn ios_that_end_together_are_reaped_one_call_after_the_other() {
    // Four reads side by side are one request, and end together.
    for options in [
        "iodepth=4\niodepth_batch_complete_min=1",
        "iodepth=4\niodepth_batch_complete_min=0",
        "iodepth=4\niodepth_batch_complete_min=2",
        "iodepth=4\niodepth_batch_complete_min=1\niodepth_batch_complete_max=4",
        "iodepth=8\niodepth_batch_complete_max=1",
        "iodepth=8\niodepth_batch_complete_min=3\niodepth_low=2",
        "iodepth=8\niodepth_batch_complete_min=1\nserialize_overlap=1",
    ] {
        let jobs = format!("[a]\ndirect=1\nrw=read\nsize=1m\nbs=4k\nioengine=libaio\n{options}\n");
        let (run, log) = Bench::with(&jobs, 32, |_| {}).run();
        let job = &run.fio.jobs[0];
        assert_eq!((job.read.total_ios, job.read.io_bytes), (256, 1 << 20), "{options}");
        assert!(log.len() < 256, "{options}: {} requests, so none was merged", log.len());
        if options.ends_with("min=1") {
            let deep = job.iodepth_level.get("4").copied().unwrap_or(0.0);
            assert!(deep > 98.0, "{options}: {deep} % at depth 4");
        }
    }
    let timed = "[a]\ndirect=1\nrw=read\nsize=1m\nbs=4k\nioengine=libaio\niodepth=4\n\
                 iodepth_batch_complete_min=1\ntime_based\nruntime=1\n";
    let (run, _) = Bench::with(timed, 32, |_| {}).run();
    assert_eq!(run.fio.jobs[0].read.runtime, 1000);
}

#[test]
fn latencies_last_until_the_process_reaps() {
    let latency = |options: &str| {
        let jobs = format!(
            "[a]\ndirect=1\nrw=randread\nbs=4k\nsize=1g\nioengine=libaio\niodepth=4\nnumber_ios=4\n\
             {options}\n"
        );
        let (run, _) = serial(&jobs).run();
        let lat = &run.fio.jobs[0].read.lat_ns;
        (lat.min / MS, lat.max / MS)
    };
    assert_eq!(latency(""), (1, 4));
    assert_eq!(latency("iodepth_batch_complete_min=4"), (4, 4));
    assert_eq!(latency("iodepth_batch_complete_min=2"), (2, 4));
}

#[test]
fn a_call_of_submission_has_so_many_ios_at_most() {
    let calls = |options: &str| {
        let jobs = format!(
            "[a]\ndirect=1\nrw=read\nbs=4k\nsize=64k\nioengine=libaio\niodepth=16\n{options}\n"
        );
        let (run, _) = Bench::with(&jobs, 32, |_| {}).run();
        let submit = &run.fio.jobs[0].iodepth_submit;
        let percent = |key: &str| submit.iter().find(|(k, _)| *k == key).map_or(0.0, |(_, v)| *v);
        (percent("4"), percent("16"))
    };
    assert_eq!(calls(""), (0.0, 100.0));
    assert_eq!(calls("iodepth_batch=4"), (100.0, 0.0));
    assert_eq!(calls("iodepth_batch=1"), (100.0, 0.0));
    assert_eq!(calls("iodepth_batch=0"), (0.0, 100.0));
}

#[test]
fn the_result_tells_the_depth_that_keeps_the_latency_target() {
    let jobs = "[a]\ndirect=1\nrw=randread\nbs=4k\nsize=1g\nioengine=libaio\niodepth=32\n\
                latency_target=5ms\nlatency_window=200ms\n";
    let (run, _) = serial(jobs).run();
    let job = &run.fio.jobs[0];
    assert_eq!((job.latency_depth, job.latency_target), (5, 5_000_000));
    assert_eq!((job.latency_percentile, job.latency_window), (100.0, 200_000));
    // Only the last window counts.
    assert!(job.read.lat_ns.max <= 5 * MS, "{}", job.read.lat_ns.max);
    assert!((200..=210).contains(&job.read.runtime), "{}", job.read.runtime);
}

#[test]
fn trims_are_discards_and_have_results_of_their_own() {
    let jobs = "[a]\ndirect=1\nrw=trimwrite\nbs=8k\nsize=32k\nioengine=libaio\niodepth=4\n";
    let (run, log) = Bench::with(jobs, 32, |_| {}).run();
    let order: Vec<(Op, u64, u32)> =
        log.iter().map(|(_, op, sector, sectors)| (*op, sector / 16, *sectors)).collect();
    let pair = |place| [(Op::Discard, place, 16), (Op::Write, place, 16)];
    assert_eq!(order, [pair(0), pair(1), pair(2), pair(3)].concat());
    let job = &run.fio.jobs[0];
    assert_eq!((job.trim.total_ios, job.trim.io_bytes), (4, 32 << 10));
    assert_eq!((job.write.total_ios, job.write.io_bytes), (4, 32 << 10));
    assert_eq!(job.read.total_ios, 0);
}

#[test]
fn a_device_without_trims_is_told_before_the_run() {
    let jobs = "[a]\ndirect=1\nrw=randtrim\nsize=1m\n";
    let refused = Bench::try_with(jobs, 32, |config| config.limits.max_discard_sectors = 0);
    let error = refused.err().expect("it cannot run").to_string();
    assert!(error.starts_with("test.fio:1: job \"a\" has rw=randtrim, but the device"), "{error}");
}
