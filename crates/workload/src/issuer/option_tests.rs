// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time lines of files, zones, distributions, random rates and latency targets. Where orders are
//! given, they are those that fio 3.33 records of itself with `write_iolog`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::tests::{Run, TARGET_BYTES, job, order, region, run, run_process};
use super::{Failure, Issuer, IssuerStep};
use crate::io::{Io, IoKind};
use crate::layout::lay_out;

const MS: u64 = 1_000_000;

#[test]
fn files_are_served_in_the_order_asked_for() {
    // Files lie one behind the other: those of 48k in three begin at 0, 16 and 32.
    for (options, expected) in [
        ("size=48k nrfiles=3", "0 16 32 4 20 36 8 24 40 12 28 44"),
        // The block that is left over is dropped.
        ("size=40k nrfiles=3", "0 12 24 4 16 28 8 20 32"),
        // Half of 44k, not of the 36k of three files.
        ("size=44k nrfiles=3 io_size=50%", "0 12 24 4 16 28"),
        ("size=44k nrfiles=3 io_size=96%", "0 12 24 4 16 28 8 20 32"),
        ("size=48k nrfiles=3 file_service_type=sequential", "0 4 8 12 16 20 24 28 32 36 40 44"),
        ("size=48k nrfiles=3 file_service_type=roundrobin:2", "0 4 16 20 32 36 8 12 24 28 40 44"),
        ("size=48k filename=x:y", "0 24 4 28 8 32 12 36 16 40 20 44"),
        ("size=48k filename=x:y nrfiles=3", "0 24 4 28 8 32 12 36 16 40 20 44"),
        ("size=16k filename=x:y loops=2", "0 8 4 12 0 8 4 12"),
        ("size=16k filename=x:y io_size=24k", "0 8 4 12 0 8"),
        ("size=24k filename=x:y offset=8k", "8 28 12 32 16 36"),
    ] {
        assert_eq!(order(&run(&job(options), MS, 100)), expected, "{options}");
    }
}

#[test]
fn what_is_left_over_between_files_counts_where_blocks_may_come_again() {
    for (options, expected) in [
        ("nrfiles=4", 8),
        ("nrfiles=4 norandommap", 9),
        ("nrfiles=6 norandommap loops=2", 18),
        ("nrfiles=3 norandommap io_size=50%", 5),
        ("nrfiles=3 random_distribution=zipf:1.1", 9),
        ("norandommap", 9),
    ] {
        let job = job(&format!("rw=randread bs=8k size=70k {options}"));
        assert_eq!(run(&job, MS, 100).issued.len(), expected, "{options}");
    }
}

#[test]
fn trims_and_writes_come_in_turn_at_the_same_places() {
    for (options, expected) in [
        ("rw=trim size=16k", "t0 t4 t8 t12"),
        ("rw=trimwrite size=16k", "t0 w0 t4 w4 t8 w8 t12 w12"),
        ("rw=trimwrite size=8k loops=2", "t0 w0 t4 w4 t0 w0 t4 w4"),
        ("rw=trim size=16k bs=4k,4k,8k", "t0 t8"),
    ] {
        assert_eq!(order(&run(&job(options), MS, 100)), expected, "{options}");
    }
    let random = run(&job("rw=randtrimwrite size=4m"), 0, 5000);
    assert_eq!(random.issued.len(), 2048);
    let mut places = BTreeSet::new();
    for pair in random.issued.chunks(2) {
        let ((_, trim), (_, write)) = (&pair[0], &pair[1]);
        assert_eq!((trim.kind, write.kind), (IoKind::Trim, IoKind::Write));
        assert_eq!(trim.offset_bytes, write.offset_bytes);
        places.insert(trim.offset_bytes);
    }
    assert_eq!(places.len(), 1024);
}

/// The orders are those of fio 3.33, which does not record the sync.
#[test]
fn what_was_written_with_verify_is_read_back_when_all_is_written() {
    for (options, expected) in [
        ("rw=write size=12k verify=crc32c", "w0 w4 w8 sync 0 4 8"),
        ("rw=write size=12k verify=crc32c do_verify=0", "w0 w4 w8"),
        ("rw=write size=8k loops=2 verify=crc32c", "w0 w4 w0 w4 sync 0 4"),
        ("rw=write size=8k verify=crc32c end_fsync=1", "w0 w4 sync sync 0 4"),
        ("rw=read size=8k verify=crc32c", "0 4"),
        ("rw=trimwrite size=8k verify=crc32c", "t0 w0 t4 w4 sync 0 4"),
        ("rw=write size=40k bs=4k runtime=2ms verify=crc32c", "w0 w4 sync 0 4"),
        // What is trimmed and was not written again is not there to be read.
        (
            "rw=trimwrite size=16k loops=3 number_ios=3 verify=crc32c",
            "t0 w0 t4 w4 t8 w8 t12 w12 t0 sync 4 8 12",
        ),
        ("rw=trimwrite size=8k loops=2 number_ios=3 verify=crc32c", "t0 w0 t4 w4 t0 w0 sync 0 4"),
        ("rw=trimwrite size=4k loops=3 number_ios=1 verify=crc32c", "t0 w0 t0"),
    ] {
        assert_eq!(order(&run(&job(options), MS, 100)), expected, "{options}");
    }
    for (options, is_sorted) in [("", false), ("norandommap", true)] {
        let options = format!("rw=randwrite size=4m iodepth=8 verify=crc32c {options}");
        let run = run(&job(&options), MS, 10_000);
        let of = |kind| {
            let ios = run.issued.iter().filter(move |(_, io)| io.kind == kind);
            ios.map(|(_, io)| io.offset_bytes).collect::<Vec<_>>()
        };
        let (mut written, read) = (of(IoKind::Write), of(IoKind::Read));
        if is_sorted {
            written.sort_unstable();
            written.dedup();
        }
        assert_eq!(read, written, "{options}");
    }
}

/// Pairs of I/Os in flight together that overlap, of those that `counts` chooses.
fn overlapping(run: &Run, counts: impl Fn(&Io) -> bool) -> usize {
    let ios: Vec<_> = run.issued.iter().filter(|(_, io)| counts(io)).collect();
    let overlap = |one: &Io, other: &Io| {
        one.offset_bytes < other.offset_bytes + u64::from(other.length_bytes)
            && other.offset_bytes < one.offset_bytes + u64::from(one.length_bytes)
    };
    let pairs = ios.iter().enumerate().map(|(index, (at_ns, io))| {
        let later = ios[index + 1..].iter().take_while(|(other_ns, _)| *other_ns < at_ns + MS);
        later.filter(|(_, other)| overlap(io, other)).count()
    });
    pairs.sum()
}

#[test]
fn ios_wait_for_those_at_their_place_where_that_is_asked_for() {
    let is_write = |io: &Io| io.kind == IoKind::Write;
    let global = "ioengine=libaio iodepth=8 size=64k bssplit=4k/60:8k/40 norandommap io_size=2m";
    for (rw, options, reads_wait) in [
        ("randwrite", "verify=crc32c", true),
        ("randwrite", "serialize_overlap=1", true),
        ("randrw", "verify=crc32c", false),
        ("randrw", "serialize_overlap=1", true),
        ("randrw", "serialize_overlap=1 verify=crc32c", true),
    ] {
        let of = |options| run(&job(&format!("{global} rw={rw} do_verify=0 {options}")), MS, 9999);
        let (plain, ordered) = (of(""), of(options));
        // The same I/Os in the same order; only when is another matter.
        assert_eq!(order(&plain), order(&ordered), "{rw} {options}");
        assert!(overlapping(&plain, is_write) > 0);
        assert_eq!(overlapping(&ordered, is_write), 0, "{rw} {options}");
        assert_eq!(overlapping(&ordered, |_| true) == 0, reads_wait, "{rw} {options}");
        assert!(ordered.most_in_flight > 4, "{rw} {options}");
    }
    // What only reads, or goes through a small region over and over.
    let reads = "ioengine=libaio iodepth=8 rw=randread norandommap size=8k io_size=1m";
    let of = |options: &str| run(&job(&format!("{reads} {options}")), MS, 9999).ended_ns;
    assert_eq!(of(""), of("serialize_overlap=1"));
    let again = "ioengine=libaio iodepth=32 rw=write size=16k time_based runtime=20 verify=crc32c";
    let again = run(&job(again), MS, 9999);
    assert_eq!((overlapping(&again, is_write), again.most_in_flight), (0, 4));
}

#[test]
fn a_process_that_is_stopped_reads_nothing_back() {
    let job = job("rw=write size=1m verify=crc32c");
    let mut process = Issuer::new(&job, 0, region(&job), 1);
    let IssuerStep::Submit(io) = process.poll(0) else { panic!("it writes at once") };
    process.stop();
    assert_eq!(process.poll(0), IssuerStep::Wait);
    process.completed(MS, io.ticket);
    assert_eq!(process.poll(MS), IssuerStep::Done);
}

#[test]
fn a_trim_is_waited_for_whatever_the_depth() {
    let trims = run(&job("rw=randtrim size=1m ioengine=libaio iodepth=8"), MS, 1000);
    assert_eq!((trims.issued.len(), trims.most_in_flight), (256, 1));
    assert_eq!(trims.ended_ns, 256 * MS);
}

#[test]
fn random_files_each_get_so_many_ios_in_a_row_and_every_block_comes_once() {
    let job = job("size=4m nrfiles=4 file_service_type=random:4 rw=randread");
    let run = run(&job, 0, 2000);
    let blocks: BTreeSet<u64> = run.issued.iter().map(|(_, io)| io.offset_bytes / 4096).collect();
    assert_eq!((run.issued.len(), blocks.len()), (1024, 1024));
    let mut turns = BTreeMap::new();
    for four in run.issued.chunks(4) {
        let files: BTreeSet<u64> = four.iter().map(|(_, io)| io.offset_bytes >> 20).collect();
        assert_eq!(files.len(), 1, "{four:?}");
        *turns.entry(files.first().copied()).or_insert(0) += 1;
    }
    assert_eq!(turns.values().copied().collect::<Vec<_>>(), [64; 4]);
}

#[test]
fn sequential_zones_are_those_of_fio() {
    for (options, expected) in [
        ("size=64k zonesize=8k zonerange=16k zoneskip=4k", "0 4 20 24 40 44 60"),
        ("size=32k zonesize=8k zoneskip=8k", "0 4 16 20 0 4 16 20"),
        ("size=64k zonesize=32k zonerange=16k", "0 4 8 12 0 4 8 12 16 20 24 28 16 20 24 28"),
        ("size=32k zonesize=8k zonerange=16k io_size=40k", "0 4 16 20 0 4 16 20 0 4"),
        ("size=60k zonesize=10k zonerange=16k", "0 4 8 16 20 24 32 36 40 48 52 56 0 4 8"),
        ("size=32k zonesize=8k zonerange=16k loops=2", "0 4 16 20 0 4 16 20 0 4 16 20 0 4 16 20"),
        (
            "size=64k zonesize=8k zonerange=16k zoneskip=16k offset=16k",
            "16 20 48 52 16 20 48 52 16 20 48 52 16 20 48 52",
        ),
    ] {
        let job = job(&format!("zonemode=strided {options}"));
        assert_eq!(order(&run(&job, MS, 100)), expected, "{options}");
    }
}

#[test]
fn random_ios_stay_in_their_zone_and_use_each_of_its_blocks_once() {
    let options = "zonemode=strided zonesize=16k zoneskip=8k size=64k rw=randread io_size=480k";
    let run = run(&job(options), 0, 1000);
    assert_eq!(run.issued.len(), 120);
    for (number, zone) in run.issued.chunks(4).enumerate() {
        let blocks: BTreeSet<u64> = zone.iter().map(|(_, io)| io.offset_bytes >> 12).collect();
        let start = [0, 6, 12][number % 3];
        assert_eq!(blocks, (start..start + 4).collect(), "zone {number}");
    }
}

#[test]
fn random_distributions_keep_no_map_and_end_with_the_size() {
    for distribution in ["zipf:1.2", "pareto:0.1", "normal:5", "zoned:90/10:10/"] {
        let options = format!("rw=randread size=4m random_distribution={distribution}");
        let run = run(&job(&options), 0, 2000);
        let blocks: BTreeSet<u64> = run.issued.iter().map(|(_, io)| io.offset_bytes).collect();
        assert_eq!(run.issued.len(), 1024, "{distribution}");
        assert!(blocks.len() < 700, "{distribution}: {}", blocks.len());
    }
}

#[test]
fn poisson_ios_come_at_random_times_with_the_rate_as_their_mean() {
    let run = run(&job("size=1g rate_iops=1000 rate_process=poisson"), 0, 20_000);
    let times: Vec<u64> = run.issued.iter().map(|(ns, _)| *ns).collect();
    let gaps: Vec<f64> = times.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / 1e6).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
    assert!((0.95..1.05).contains(&mean), "{mean} ms");
    // Of an exponential distribution the standard deviation is the mean.
    assert!((0.9..1.1).contains(&(variance.sqrt() / mean)), "{variance}");
    let longer = gaps.iter().filter(|&&gap| gap > 1.0).count() as f64 / gaps.len() as f64;
    assert!((0.33..0.41).contains(&longer), "{longer}, not 1/e");
}

/// A process at a disk that takes `service_ns` for each I/O, one after the other.
struct AtDisk {
    process: Issuer,
    ended_ns: u64,
    restarts: u32,
    deepest: u32,
}

fn at_disk(options: &str, service_ns: u64) -> AtDisk {
    let job = job(&format!("rw=randread size=1g ioengine=libaio {options}"));
    let mut process = Issuer::new(&job, 0, region(&job), 1);
    let mut queue = VecDeque::new();
    let (mut now_ns, mut free_ns, mut restarts, mut deepest) = (0, 0, 0, 0);
    loop {
        let step = process.poll(now_ns);
        restarts += u32::from(process.takes_restart());
        deepest = deepest.max(process.in_flight());
        match step {
            IssuerStep::Submit(io) => {
                free_ns = now_ns.max(free_ns) + service_ns;
                queue.push_back((free_ns, io.ticket));
            }
            IssuerStep::Done => break,
            _ => {
                let (at_ns, ticket) = queue.pop_front().expect("it waits for something");
                now_ns = at_ns;
                process.completed(now_ns, ticket);
            }
        }
    }
    AtDisk { process, ended_ns: now_ns, restarts, deepest }
}

#[test]
fn the_depth_found_is_the_greatest_that_keeps_the_latency() {
    // At depth n an I/O takes n ms.
    for (target_ms, percentile, depth) in [(5, 100, 5), (5, 95, 5), (1, 100, 1), (99, 100, 32)] {
        let disk = at_disk(
            &format!(
                "iodepth=32 latency_target={target_ms}ms latency_window=200ms \
                 latency_percentile={percentile}"
            ),
            MS,
        );
        assert_eq!(disk.process.depth(), depth, "{target_ms} ms");
        assert_eq!((disk.restarts, disk.process.failure()), (1, None));
        assert!(disk.ended_ns < 4_000 * MS, "{target_ms} ms");
    }
}

#[test]
fn with_latency_run_it_goes_on_and_tries_more_now_and_then() {
    let options = "iodepth=32 latency_target=5ms latency_window=200ms latency_run=1 runtime=20";
    let disk = at_disk(options, MS);
    assert_eq!((disk.restarts, disk.process.failure()), (0, None));
    assert!(disk.ended_ns >= 20_000 * MS);
    assert!((5..=6).contains(&disk.process.depth()), "{}", disk.process.depth());
}

#[test]
fn a_target_that_one_io_at_a_time_misses_ends_the_process() {
    let disk = at_disk("iodepth=32 latency_target=900us latency_window=200ms", MS);
    assert_eq!(disk.process.failure(), Some(Failure::LatencyTarget));
    assert_eq!((disk.ended_ns, disk.deepest), (MS, 1));
}

#[test]
fn a_process_that_is_held_back_sleeps_with_nothing_in_flight() {
    let job = job("rw=read size=1g iodepth=2 ioengine=libaio runtime=10");
    let mut process = Issuer::new(&job, 0, region(&job), 1);
    let IssuerStep::Submit(io) = process.poll(0) else { panic!("it begins") };
    process.hold_back(Some(5 * MS));
    assert_eq!(process.poll(0), IssuerStep::Wait);
    process.completed(MS, io.ticket);
    assert_eq!(process.poll(MS), IssuerStep::Sleep { until_ns: 6 * MS });
    process.hold_back(Some(0));
    assert_eq!(process.poll(6 * MS), IssuerStep::Sleep { until_ns: 10_000 * MS });
    process.hold_back(None);
    assert!(matches!(process.poll(7 * MS), IssuerStep::Submit(_)));
}

#[test]
fn a_device_is_no_part_of_several_files() {
    let error = crate::parse("[a]\ndirect=1\nfilename=/dev/sda:/dev/sdb\n", "j").unwrap_err();
    assert!(error.to_string().starts_with("j:3: a device among several files"), "{error}");
    let jobs = crate::parse("[a]\ndirect=1\nsize=1m\nfilename=a\\:b\n", "j").unwrap();
    assert_eq!(jobs[0].filenames, ["a:b"]);
    assert_eq!(lay_out(&jobs, TARGET_BYTES).unwrap()[0].regions().len(), 1);
}

/// A process that has nothing besides reads and writes is not asked for the rest at each I/O. What
/// it issues would be the same if it were: for jobs without extras, and with each of them alone.
#[test]
fn what_is_left_out_for_plain_jobs_is_nothing_to_them() {
    for options in [
        "rw=randrw bs=4k size=1m",
        "rw=read bs=4k size=1m time_based runtime=1 startdelay=1 ramp_time=1",
        "rw=write bs=4k size=1m loops=2",
        "rw=trim bs=4k size=1m",
        "rw=trimwrite bs=4k size=1m",
        "rw=write bs=4k size=1m fsync=4",
        "rw=write bs=4k size=1m fdatasync=4",
        "rw=write bs=4k size=1m end_fsync=1",
        "rw=read bs=4k size=1m thinktime=3ms",
        "rw=read bs=4k size=1m rate=1m",
        "rw=read bs=4k size=1m rate_iops=500",
        "rw=write bs=4k size=1m verify=crc32c",
        "rw=write bs=4k size=1m serialize_overlap=1",
    ] {
        let job = job(&format!("ioengine=libaio iodepth=4 {options}"));
        let [as_found, asked] = [false, true].map(|is_asked| {
            let mut process = Issuer::new(&job, 0, region(&job), 1);
            process.has_extras |= is_asked;
            let run = run_process(process, MS, 600);
            (run.issued, run.ended_ns)
        });
        assert_eq!(as_found, asked, "{options}");
    }
}
