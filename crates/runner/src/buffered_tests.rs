// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time lines of jobs with `direct=0`: what reaches the device, whose it is, and who waits.

use super::tests::Bench;
use super::*;
use base::Op;
use blk::Request;
use report::Run;
use workload::cache::CacheSettings;

const MS: u64 = 1_000_000;

fn bench(options: &str) -> Bench {
    bench_with(options, "")
}

fn bench_with(options: &str, cache: &str) -> Bench {
    let text = format!("[a]\ndirect=0\nbs=4k\n{}\n", options.replace(' ', "\n"));
    bench_of(&text, cache)
}

fn bench_of(jobs: &str, cache: &str) -> Bench {
    Bench::with(jobs, 32, |config| {
        config.page_cache = Some(CacheSettings::parse(cache).unwrap());
    })
}

/// The letters of block traces.
fn letters(request: &Request) -> &'static str {
    match (request.op, request.sync, request.read_ahead) {
        (Op::Read, _, true) => "RA",
        (Op::Read, ..) => "R",
        (Op::Write, true, _) => "WS",
        (Op::Write, ..) => "W",
        (Op::Flush, ..) => "F",
        (Op::Discard, ..) => "D",
    }
}

/// The commands so far: when (ms), what, first page and pages.
fn commands(bench: &Ended) -> String {
    let commands =
        bench.log.iter().zip(&bench.requests).map(|((time_ns, _, sector, sectors), r)| {
            format!("{} {} {}+{}", time_ns / MS, letters(r), sector / 8, sectors / 8)
        });
    commands.collect::<Vec<_>>().join(", ")
}

/// A bench whose run is over.
struct Ended {
    now_ns: u64,
    log: Vec<(u64, Op, u64, u32)>,
    requests: Vec<Request>,
}

fn finish(mut bench: Bench) -> (Run, Ended) {
    bench.run_until(u64::MAX);
    let Bench { runner, now_ns, log, requests, .. } = bench;
    let run = runner.into_outcome(now_ns).into_run(Default::default(), Default::default());
    (run, Ended { now_ns, log, requests })
}

#[test]
fn a_sequential_reader_has_windows_read_ahead_of_it() {
    let (run, bench) = finish(bench("rw=read size=256k"));
    let expected = "0 RA 0+4, 1 RA 4+8, 1 RA 12+16, 2 RA 28+32, 2 RA 60+4";
    assert_eq!(commands(&bench), expected);
    let read = &run.fio.jobs[0].read;
    assert_eq!((read.total_ios, read.io_bytes), (64, 256 << 10));
    // A hit is a call and a copy.
    assert_eq!((read.clat_ns.min, read.clat_ns.max / MS), (900, 1));
    assert_eq!(run.page_cache.get("read_hits"), Some(&61));
    assert!(bench.requests.iter().all(|request| request.process.is_some() && request.sync));
}

#[test]
fn random_reads_wait_for_one_block_each() {
    let (run, bench) = finish(bench("rw=randread size=4g number_ios=5"));
    assert_eq!(bench.requests.iter().map(letters).collect::<Vec<_>>(), ["R"; 5]);
    assert_eq!(run.fio.jobs[0].read.clat_ns.min, MS + 900);
    assert_eq!(run.page_cache.get("read_ahead_pages"), Some(&0));
}

#[test]
fn libaio_waits_for_each_read_and_io_uring_does_not() {
    let job = "rw=randread size=4g number_ios=8 iodepth=4";
    let (run, _) = finish(bench(&format!("{job} ioengine=libaio")));
    let read = &run.fio.jobs[0].read;
    assert_eq!(read.runtime, 8, "one after the other");
    assert_eq!((read.slat_ns.min, read.clat_ns.max), (MS + 900, 0), "in the submission");
    let (run, _) = finish(bench(&format!("{job} ioengine=io_uring")));
    let read = &run.fio.jobs[0].read;
    assert_eq!((read.runtime, read.slat_ns.max), (2, 0), "four at a time");
    assert_eq!((read.clat_ns.min, read.clat_ns.max), (MS + 900, MS + 4 * 900), "copies in turn");
}

#[test]
fn each_pass_begins_with_an_empty_cache_unless_invalidate_is_0() {
    let pages = |options: &str| {
        let (_, bench) = finish(bench(&format!("rw=read size=64k loops=3 {options}")));
        bench.requests.iter().map(|request| request.sectors / 8).sum::<u32>()
    };
    assert_eq!((pages(""), pages("invalidate=0")), (48, 16));
}

#[test]
fn a_job_that_drops_its_file_leaves_that_of_others() {
    let text = "[global]\ndirect=0\nbs=4k\nfilename=f\nrw=read\nsize=64k\n[a]\n[b]\nstonewall\n\
                invalidate=0\n[c]\nstonewall\noffset=32k\nsize=32k\n[d]\nstonewall\ninvalidate=0\n";
    let (_, bench) = finish(bench_of(text, ""));
    let pages: Vec<_> =
        bench.requests.iter().map(|r| (r.process.unwrap().index(), r.sectors)).collect();
    let of = |job: usize| pages.iter().filter(|p| p.0 == job).map(|p| p.1 / 8).sum::<u32>();
    // b finds all, c drops and reads the second half, d finds all again.
    assert_eq!([of(0), of(1), of(2), of(3)], [16, 0, 8, 0]);
}

#[test]
fn writes_go_at_the_speed_of_memory_and_the_run_ends_with_pages_dirty() {
    let (run, bench) = finish(bench("rw=write size=1m"));
    assert_eq!(commands(&bench), "");
    assert_eq!(bench.now_ns, 256 * 900);
    assert_eq!(run.page_cache.get("dirty_left_pages"), Some(&256));
}

#[test]
fn the_flusher_writes_async_for_no_process_of_a_job_in_the_root_group() {
    let text = "[a]\ndirect=0\nrw=write\nbs=64k\nsize=4m\ncgroup=g\ncgroup_weight=300\nprio=0\n\
                thinktime=2ms\n";
    let (run, bench) =
        finish(bench_of(text, "dirty_background_bytes=65536,dirty_bytes=1073741824"));
    assert!(!bench.requests.is_empty());
    for request in &bench.requests {
        assert_eq!((letters(request), request.group), ("W", GroupId::ROOT));
        assert_eq!(
            (request.process.unwrap().index(), request.ioprio),
            (1, base::IoprioValue::default())
        );
    }
    assert_eq!(run.fio.jobs[0].write.clat_ns.max, 500 + 16 * 400, "the writer never waits");
}

#[test]
fn fsync_writes_in_the_name_of_its_process_and_waits_for_data_and_flush() {
    let (run, bench) = finish(bench("rw=write size=32k fsync=4 end_fsync=1 cgroup=g"));
    assert_eq!(commands(&bench), "0 WS 0+4, 1 F 0+0, 2 WS 4+4, 3 F 0+0");
    assert!(bench.requests.iter().all(|request| request.process.unwrap().index() == 0));
    assert!(bench.requests.iter().filter(|r| r.op == Op::Write).all(|r| r.group == GroupId(1)));
    let sync = &run.fio.jobs[0].sync;
    assert_eq!((sync.total_ios, sync.lat_ns.min), (2, 2 * MS));
}

#[test]
fn with_io_uring_a_sync_writes_what_the_writes_before_it_have_made_dirty() {
    let (_, bench) =
        finish(bench("rw=write size=64k fdatasync=8 ioengine=io_uring iodepth=8 bs=4k"));
    assert_eq!(commands(&bench), "0 WS 0+8, 1 F 0+0");
}

#[test]
fn a_writer_faster_than_the_device_is_slowed_down_to_it() {
    // The device takes 32 writes at a time, 20 ms each: 1600 a second of 64 KiB at most.
    let limits = "dirty_background_bytes=16777216,dirty_bytes=67108864";
    let mut bench = bench_with("rw=write bs=64k size=4g runtime=2 time_based", limits);
    bench.latency_ns = 20 * MS;
    let (run, _) = finish(bench);
    let get = |name| *run.page_cache.get(name).unwrap();
    assert!(get("dirty_max_pages") <= (64 << 20) / 4096 + 32, "{}", get("dirty_max_pages"));
    assert!(get("throttled") > 0 && get("background_starts") > 0);
    let written = run.fio.jobs[0].write.io_bytes / 4096;
    let reached = get("flusher_pages") + get("sync_pages");
    assert!(written - reached <= (64 << 20) / 4096, "{written} written, {reached} on the device");
}

#[test]
fn sync_is_called_again_and_again() {
    let job = "rw=write size=1g rate_iops=100 runtime=1 time_based";
    let (run, bench) = finish(bench_with(job, "sync_interval_ms=200"));
    let commands = commands(&bench);
    assert!(commands.starts_with("200 W 0+21, 201 F 0+0, 402 W 21+20,"), "{commands}");
    assert_eq!(run.page_cache.get("syncs"), Some(&4));
}

#[test]
fn without_a_free_request_flusher_and_readers_sleep_and_go_on() {
    let text = "[global]\ndirect=0\nbs=4k\n[r]\nrw=randread\nsize=1g\nnumber_ios=50\nnumjobs=8\n\
                [w]\nrw=randwrite\nsize=1g\nnumber_ios=500\nend_fsync=1\n";
    let bench = Bench::with(text, 1, |config| {
        let settings = "dirty_background_bytes=40960,dirty_bytes=1048576";
        config.page_cache = Some(CacheSettings::parse(settings).unwrap());
    });
    let (run, bench) = finish(bench);
    let ios: Vec<_> =
        run.fio.jobs.iter().map(|job| job.read.total_ios + job.write.total_ios).collect();
    assert_eq!(ios.iter().sum::<u64>(), 900);
    assert_eq!(run.page_cache.get("dirty_left_pages"), Some(&0));
    assert!((890..1_000).contains(&(bench.now_ns / MS)), "{} ms", bench.now_ns / MS);
}

#[test]
fn an_error_stops_the_process_that_waits_for_the_page() {
    let mut bench = bench("rw=read size=1m");
    bench.failing = Some(1);
    let (run, _) = finish(bench);
    assert_eq!((run.fio.jobs[0].error, run.fio.jobs[0].read.total_ios), (5, 4));
}

#[test]
fn an_interrupted_writer_ends_after_its_pause() {
    let limits = "dirty_background_bytes=4096,dirty_bytes=8192";
    let mut bench = bench_with("rw=write bs=1m size=1g", limits);
    bench.latency_ns = 100 * MS;
    bench.run_until(500 * MS);
    bench.runner.interrupt(500 * MS);
    bench.now_ns = 500 * MS;
    let (run, _) = finish(bench);
    assert!(run.fio.jobs[0].write.total_ios > 0);
}

#[test]
fn without_a_page_cache_buffered_jobs_are_refused() {
    let refused = Bench::try_with("[x]\ndirect=0\nsize=1m\n", 1, |config| config.page_cache = None);
    let error = refused.err().expect("it cannot run");
    let text = error.to_string();
    assert!(text.starts_with("test.fio:1: job \"x\" has direct=0"), "{text}");
    assert!(text.ends_with("expected direct=1"), "{text}");
}
