// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time lines of whole runs against a device made for the purpose.

use super::*;
use crate::SimultaneousOrder;
use base::Class;
use base::Op;
use blk::{DeviceLimits, QueueSettings};
use report::Run;
use std::collections::BTreeMap;

const MS: u64 = 1_000_000;
const KIB: u64 = 1024;

/// A device that takes `depth` commands and ends each after `latency_ns` (a flush after 1 ms), and
/// what it was told.
pub(super) struct Bench {
    pub(super) runner: Runner,
    pub(super) latency_ns: u64,
    /// It does one command after the other, rather than all at a time.
    pub(super) is_serial: bool,
    free_ns: u64,
    on_device: BTreeMap<(u64, u32), Command>,
    /// Every command: when, what, first sector, sectors.
    pub(super) log: Vec<(u64, Op, u64, u32)>,
    /// The request of each, as it was then.
    pub(super) requests: Vec<blk::Request>,
    /// The n-th command (from 0) fails.
    pub(super) failing: Option<usize>,
    pub(super) now_ns: u64,
}

impl Bench {
    fn new(jobs: &str) -> Self {
        Self::with(jobs, 32, |_| {})
    }

    pub(super) fn with(jobs: &str, depth: u32, change: impl FnOnce(&mut Config)) -> Self {
        Self::try_with(jobs, depth, change).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The same, with what a run is refused for.
    pub(super) fn try_with(
        jobs: &str,
        depth: u32,
        change: impl FnOnce(&mut Config),
    ) -> Result<Self, RunnerError> {
        let jobs = workload::parse(jobs, "test.fio").unwrap();
        let limits = DeviceLimits { capacity_sectors: 1 << 31, ..DeviceLimits::new(depth, false) };
        let mut config = Config {
            jobs: &jobs,
            group_weights: &[],
            settings: QueueSettings::default(),
            page_cache: Some(Default::default()),
            limits,
            seed: 1,
            order: SimultaneousOrder::AsCreated,
        };
        change(&mut config);
        let elevator = elevators::build("none", 0, &config.limits).unwrap();
        Ok(Self {
            runner: Runner::new(&config, elevator)?,
            latency_ns: MS,
            is_serial: false,
            free_ns: 0,
            on_device: BTreeMap::new(),
            log: Vec::new(),
            requests: Vec::new(),
            failing: None,
            now_ns: 0,
        })
    }

    /// All that happens at the present instant.
    fn instant(&mut self) {
        let now_ns = self.now_ns;
        while let Some((&(at_ns, number), &command)) = self.on_device.first_key_value() {
            if at_ns > now_ns {
                break;
            }
            self.on_device.remove(&(at_ns, number));
            let fails = self.failing == Some(number as usize);
            let result = if fails { Err(IoError::Io) } else { Ok(()) };
            self.runner.complete(now_ns, command.tag, result);
        }
        self.runner.advance(now_ns);
        while let Some(command) = self.runner.next_command(now_ns) {
            let number = self.log.len() as u32;
            self.log.push((now_ns, command.op, command.sector, command.sectors));
            self.requests.push(self.runner.layer().pool()[command.tag].clone());
            let begin_ns = if self.is_serial { self.free_ns.max(now_ns) } else { now_ns };
            self.free_ns = begin_ns + if command.op == Op::Flush { MS } else { self.latency_ns };
            self.on_device.insert((self.free_ns, number), command);
        }
        self.runner.layer().check();
    }

    /// Goes on to `end_ns`, or to the end of the run.
    pub(super) fn run_until(&mut self, end_ns: u64) {
        loop {
            self.instant();
            if self.runner.finished() {
                return;
            }
            let wake_ns = self.runner.next_wake_ns();
            let device_ns = self.on_device.first_key_value().map(|((at_ns, _), _)| *at_ns);
            let next_ns = wake_ns.into_iter().chain(device_ns).min().expect("the run stands still");
            if next_ns > end_ns {
                return;
            }
            self.now_ns = next_ns.max(self.now_ns);
        }
    }

    pub(super) fn run(mut self) -> (Run, Vec<(u64, Op, u64, u32)>) {
        self.run_until(u64::MAX);
        (
            self.runner.into_outcome(self.now_ns).into_run(Default::default(), Default::default()),
            self.log,
        )
    }

    fn times_ms(&self) -> Vec<u64> {
        self.log.iter().map(|(time_ns, ..)| time_ns / MS).collect()
    }
}

#[test]
fn a_synchronous_reader_has_one_io_at_a_time() {
    let (run, log) = Bench::new("[a]\nrw=read\nbs=4k\nsize=16k\n").run();
    let expected: Vec<_> = (0..4).map(|n| (n * MS, Op::Read, n * 8, 8)).collect();
    assert_eq!(log, expected);
    let read = &run.fio.jobs[0].read;
    assert_eq!((read.total_ios, read.runtime, read.clat_ns.min), (4, 4, MS));
    assert_eq!((run.fio.disk_util[0].read_ios, run.fio.disk_util[0].util), (4, 100.0));
    assert_eq!(run.scheduler, "none");
}

#[test]
fn a_stonewall_waits_for_all_before_it() {
    let mut bench = Bench::new(
        "[global]\nrw=read\nbs=4k\nsize=1m\n[a]\nnumber_ios=1\n[b]\nnumber_ios=3\n\
         [c]\nstonewall\nnumber_ios=1\nstartdelay=1\n",
    );
    bench.run_until(u64::MAX);
    // a and b at 0, b until 3 ms; c's delay counts from the start of the run.
    assert_eq!(bench.times_ms(), [0, 0, 1, 2, 1000]);
    let run =
        bench.runner.into_outcome(bench.now_ns).into_run(Default::default(), Default::default());
    let shares: Vec<_> = run.summary.jobs.iter().map(|job| (job.phase, job.share)).collect();
    assert_eq!(shares, [(0, 0.25), (0, 0.75), (1, 1.0)]);
}

#[test]
fn delay_and_ramp_do_not_count() {
    let (run, log) = Bench::new(
        "[a]\nrw=read\nbs=4k\nsize=1m\ntime_based\nruntime=10ms\nstartdelay=20ms\nramp_time=5ms\n",
    )
    .run();
    assert_eq!((log.first().unwrap().0, log.len()), (20 * MS, 15));
    let read = &run.fio.jobs[0].read;
    // I/Os that end from 25 ms on count.
    assert_eq!((read.total_ios, read.runtime), (11, 10));
}

#[test]
fn a_flush_does_not_wait_for_what_its_process_has_outstanding() {
    let mut bench = Bench::new(
        "[a]\nrw=randwrite\nbs=4k\nsize=16m\nnorandommap\nnumber_ios=6\nioengine=libaio\n\
         iodepth=4\nfsync=3\n",
    );
    bench.is_serial = true;
    let (run, log) = bench.run();
    let ops: Vec<_> = log.iter().map(|(time_ns, op, ..)| (time_ns / MS, *op)).collect();
    // The flush passes the writes that wait in the layer, and only what follows waits for it.
    let writes = [(0, Op::Write); 3];
    assert_eq!(ops[0], (0, Op::Flush));
    assert_eq!(ops[1..4], writes);
    assert_eq!(ops[4..], [(1, Op::Write), (2, Op::Write), (3, Op::Write)]);
    let job = &run.fio.jobs[0];
    assert_eq!((job.write.total_ios, job.sync.total_ios), (6, 1));
    assert_eq!(job.sync.lat_ns.max, MS);
}

#[test]
fn the_queue_is_as_deep_with_syncs_as_without() {
    for sync in ["fsync=4", "fdatasync=4"] {
        let mut bench = Bench::new(&format!(
            "[a]\nrw=randwrite\nbs=4k\nsize=8m\nioengine=libaio\niodepth=32\n{sync}\n"
        ));
        // Eight times four writes begin, each with a sync after them, before the first ends.
        bench.latency_ns = 10 * MS;
        let (run, _) = bench.run();
        let job = &run.fio.jobs[0];
        // Nearly all find 15 others or more in flight; fio 3.33 keeps its queue full, too.
        let deep = ["16", "32"].iter().filter_map(|key| job.iodepth_level.get(key)).sum::<f64>();
        assert!(deep > 95.0, "{sync}: {deep}");
    }
}

#[test]
fn a_large_io_is_one_io_of_several_commands() {
    let (run, log) = Bench::with("[a]\nrw=read\nbs=1m\nsize=1m\n", 2, |config| {
        config.settings.max_sectors_kb = 256;
    })
    .run();
    let lengths: Vec<_> =
        log.iter().map(|(time_ns, _, _, sectors)| (time_ns / MS, *sectors)).collect();
    // Two fit on the device at a time.
    assert_eq!(lengths, [(0, 512), (0, 512), (1, 512), (1, 512)]);
    let read = &run.fio.jobs[0].read;
    assert_eq!((read.total_ios, read.io_bytes, read.lat_ns.max), (1, 1024 * KIB, 2 * MS));
}

#[test]
fn an_error_stops_its_job_and_no_other() {
    let mut bench = Bench::new("[a]\nrw=read\nbs=4k\nsize=40k\n[b]\nrw=read\nbs=4k\nsize=40k\n");
    bench.failing = Some(4); // the third of a
    let (run, _) = bench.run();
    let jobs: Vec<_> = run.fio.jobs.iter().map(|job| (job.error, job.read.total_ios)).collect();
    assert_eq!(jobs, [(5, 2), (0, 10)]);
    assert_eq!(run.summary.jobs[0].error, 5);
}

#[test]
fn requests_carry_group_and_ioprio() {
    let jobs = "[a]\nrw=read\nbs=4k\nsize=4k\ncgroup=g/x\nprioclass=1\nprio=2\n\
                [b]\nrw=read\nbs=4k\nsize=4k\n";
    let mut bench = Bench::new(jobs);
    bench.instant();
    let stamps: Vec<_> = bench
        .runner
        .layer()
        .pool()
        .iter()
        .map(|request| (request.group, request.ioprio.class, request.ioprio.level))
        .collect();
    assert_eq!(stamps, [(GroupId(2), Some(Class::RealTime), 2), (GroupId::ROOT, None, 4)]);
}

#[test]
fn several_ios_at_once_go_through_a_plug_and_merge() {
    let (run, log) =
        Bench::new("[a]\nrw=read\nbs=4k\nsize=16k\nioengine=libaio\niodepth=4\n").run();
    assert_eq!(log, [(0, Op::Read, 0, 32)]);
    let disk = &run.fio.disk_util[0];
    assert_eq!((disk.read_ios, disk.read_merges), (1, 3));
    let job = &run.fio.jobs[0];
    assert_eq!((job.read.total_ios, job.iodepth_submit.get("4")), (4, Some(&100.0)));
}

#[test]
fn without_a_free_request_a_process_sleeps_in_its_submission() {
    let (run, _) = Bench::with(
        "[a]\nrw=randread\nbs=4k\nsize=16m\nnorandommap\nnumber_ios=12\nioengine=libaio\n\
         iodepth=4\n",
        1,
        |_| {},
    )
    .run();
    let read = &run.fio.jobs[0].read;
    assert_eq!((read.total_ios, read.runtime), (12, 12));
    assert_eq!((read.slat_ns.n, read.slat_ns.min, read.slat_ns.max), (12, 0, MS));
}

#[test]
fn an_interrupted_run_ends_what_is_under_way() {
    let mut bench = Bench::new(
        "[a]\nrw=randread\nbs=4k\nsize=16m\nioengine=libaio\niodepth=4\ntime_based\nruntime=10\n\
         [b]\nrw=read\nbs=4k\nsize=16m\nstartdelay=1\n[c]\nstonewall\nrw=read\nsize=1m\n",
    );
    bench.run_until(5 * MS);
    assert!(!bench.runner.finished());
    bench.runner.interrupt(bench.now_ns);
    bench.run_until(u64::MAX);
    assert!(bench.runner.finished());
    assert_eq!(bench.now_ns, 6 * MS);
    let run = bench.runner.into_outcome(6 * MS).into_run(Default::default(), Default::default());
    let ios: Vec<_> = run.fio.jobs.iter().map(|job| job.read.total_ios).collect();
    assert_eq!(ios, [24, 0, 0]);
}

#[test]
fn work_that_is_left_is_told() {
    // What ends at 5 ms, and whether it has done all that it was to do: a read takes 1 ms.
    let reads = "[a]\nrw=randread\nbs=4k\nsize=1m\n";
    for (options, is_interrupted, left) in [
        ("number_ios=5\nruntime=5ms", false, false),
        ("number_ios=6\nruntime=5ms", false, true),
        ("number_ios=5", true, false),
        ("number_ios=6", true, true),
        ("startdelay=1", true, true),
        ("number_ios=6\nruntime=5ms\ntime_based", false, false),
        ("number_ios=6\nruntime=1\ntime_based", true, false),
    ] {
        let mut bench = Bench::new(&format!("{reads}{options}\n"));
        bench.run_until(5 * MS - 1);
        if is_interrupted {
            bench.runner.interrupt(bench.now_ns);
        }
        bench.run_until(u64::MAX);
        let run = bench.runner.into_outcome(bench.now_ns);
        let run = run.into_run(Default::default(), Default::default());
        assert_eq!(run.summary.jobs[0].unfinished, left, "{options}");
    }
}

#[test]
fn results_in_mid_run_count_up_to_now() {
    let mut bench = Bench::new("[a]\nrw=read\nbs=4k\nsize=1m\n");
    bench.run_until(10 * MS);
    let outcome = bench.runner.into_outcome(bench.now_ns);
    let run = outcome.into_run(Default::default(), Default::default());
    assert_eq!((run.fio.jobs[0].read.total_ios, run.fio.jobs[0].read.runtime), (10, 10));
}

#[test]
fn a_command_given_back_is_handed_out_again() {
    let mut bench = Bench::new("[a]\nrw=read\nbs=4k\nsize=4k\n");
    bench.runner.advance(0);
    let first = bench.runner.next_command(0).unwrap();
    bench.runner.requeue(MS, first.tag);
    bench.now_ns = MS;
    let (run, log) = bench.run();
    assert_eq!(log, [(MS, Op::Read, 0, 8)]);
    assert_eq!(run.fio.jobs[0].read.clat_ns.max, 2 * MS);
}

#[test]
fn who_is_first_at_one_instant() {
    let jobs = "[a]\nrw=read\nbs=4k\nsize=4k\nnumjobs=6\n";
    let sectors = |order| {
        let (_, log) = Bench::with(jobs, 32, |config| config.order = order).run();
        log.iter().map(|(_, _, sector, _)| *sector).collect::<Vec<_>>()
    };
    let created = sectors(SimultaneousOrder::AsCreated);
    assert!(created.is_sorted(), "regions lie in order of creation: {created:?}");
    let shuffled = sectors(SimultaneousOrder::Shuffled { seed: 1 });
    assert_ne!(shuffled, created);
    assert_eq!(shuffled, sectors(SimultaneousOrder::Shuffled { seed: 1 }));
}

#[test]
fn the_planned_time_is_the_longest_job_of_each_phase() {
    let planned = |jobs: &str| Bench::new(jobs).runner.planned_ns();
    let timed = "[a]\nrw=read\nsize=1m\nruntime=3\nramp_time=1\n[b]\nrw=read\nsize=1m\n";
    assert_eq!(planned(timed), Some(4_000 * MS));
    let wall = format!("{timed}[c]\nstonewall\nrw=read\nsize=1m\n");
    assert_eq!(planned(&wall), None);
    assert_eq!(planned(&format!("{wall}runtime=1\nstartdelay=2\n")), Some(5_000 * MS));
    assert_eq!(planned(&format!("{wall}runtime=1\nstartdelay=6\n")), Some(7_000 * MS));
}

#[test]
fn a_job_that_ends_within_its_ramp_time_has_a_note() {
    let note = |options: &str| {
        let jobs = format!("[a]\nrw=read\nbs=4k\nsize=8k\n[b]\nrw=read\nbs=4k\n{options}\n");
        Bench::new(&jobs).run().0.note
    };
    let expected = "job b ended within its ramp time; nothing of it was measured";
    assert_eq!(note("size=16k\nramp_time=1s\nstartdelay=1s\nnumjobs=2").as_deref(), Some(expected));
    assert_eq!(note("size=16k\nramp_time=2ms"), None);
    assert_eq!(note("size=16k\nstartdelay=1s"), None);
}
