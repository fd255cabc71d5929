// SPDX-License-Identifier: MIT OR Apache-2.0
//! Each option: values, and what they come to. Where a value's meaning is not obvious, fio
//! 3.33 was asked.

use super::parse;
use crate::job::*;
use base::Class;
use std::num::NonZeroU64;

/// A number of which 0 means that there is none.
fn or_zero(number: Option<NonZeroU64>) -> u64 {
    number.map_or(0, NonZeroU64::get)
}

/// The one job with these options, separated by blanks.
fn job(options: &str) -> Job {
    let text = format!("[a]\ndirect=1\n{}\n", options.replace(' ', "\n"));
    parse(&text, "t.fio").unwrap_or_else(|error| panic!("{options}: {error}")).remove(0)
}

/// A table of options and what a field of the job becomes.
macro_rules! table {
    ($($name:ident: $field:expr => { $($options:expr => $value:expr,)+ })+) => {
        $(#[test]
        fn $name() {
            let field = $field;
            $({
                let job = job($options);
                assert_eq!(field(&job), $value, "{}", $options);
            })+
        })+
    };
}

fn bytes(extent: u64) -> Extent {
    Extent::Bytes(extent)
}

fn both(size: u32) -> PerDirection<BlockSizes> {
    PerDirection::all(BlockSizes::Fixed(size))
}

fn fixed(read: u32, write: u32) -> PerDirection<BlockSizes> {
    PerDirection {
        read: BlockSizes::Fixed(read),
        write: BlockSizes::Fixed(write),
        trim: BlockSizes::Fixed(write),
    }
}

fn per_direction<T: Clone>(read: T, write: T) -> PerDirection<T> {
    PerDirection { read, trim: write.clone(), write }
}

fn verify(reads_back: bool, is_fatal: bool, interval_bytes: u32) -> Option<Verify> {
    Some(Verify { reads_back, is_fatal, interval_bytes })
}

const MS: u64 = 1_000_000;
const S: u64 = 1_000_000_000;

table! {
    sizes: |job: &Job| job.size => {
        "size=4096" => Some(bytes(4096)),
        "size=4k" => Some(bytes(4096)),
        "size=4K" => Some(bytes(4096)),
        "size=4kb" => Some(bytes(4096)),
        "size=4kB" => Some(bytes(4096)),
        "size=4ki" => Some(bytes(4096)),
        "size=4Ki" => Some(bytes(4096)),
        "size=4KiB" => Some(bytes(4000)),
        "size=4b" => Some(bytes(4)),
        "size=3m" => Some(bytes(3 << 20)),
        "size=3Mi" => Some(bytes(3 << 20)),
        "size=3MiB" => Some(bytes(3_000_000)),
        "size=3g" => Some(bytes(3 << 30)),
        "size=3t" => Some(bytes(3 << 40)),
        "size=3p" => Some(bytes(3 << 50)),
        "size=0x1000" => Some(bytes(4096)),
        "size=010" => Some(bytes(10)),
        "size=20%" => Some(Extent::Percent(20)),
        "size=100%" => Some(Extent::Percent(100)),
        "size=0" => None,
        "" => None,
    }

    verification: |job: &Job| job.verify => {
        "verify=none" => None,
        "verify=0 do_verify=0" => None,
        "verify=crc32c" => verify(true, false, 4096),
        "verify=crc32c do_verify=0 verify_fatal=1" => verify(false, true, 4096),
        "verify=crc32c rw=write bs=4k,64k" => verify(true, false, 64 << 10),
        "verify=crc32c rw=trimwrite bs=4k,8k,4k" => verify(true, false, 4 << 10),
        "verify=crc32c rw=rw bs=4k,64k" => verify(true, false, 64 << 10),
        "verify=crc32c rw=read bs=16k,64k" => verify(true, false, 16 << 10),
        "verify=crc32c rw=write bsrange=8k-64k" => verify(true, false, 8 << 10),
        "verify=crc32c rw=write bsrange=8k-60k" => verify(true, false, 4 << 10),
        "verify=crc32c rw=write bssplit=8k/50:12k/50" => verify(true, false, 4 << 10),
        "verify=crc32c bs=64k verify_interval=512" => verify(true, false, 512),
    }

    expressions: |job: &Job| job.size => {
        "size=(8*1024)" => Some(bytes(8192)),
        "size=(2+3*4)" => Some(bytes(14)),
        "size=((2+3)*4)" => Some(bytes(20)),
        "size=(10-2-3)" => Some(bytes(5)),
        "size=(7/2)" => Some(bytes(3)),
        "size=(7%4)" => Some(bytes(3)),
        "size=(2^3^2)" => Some(bytes(512)),
        "size=(-4+8)" => Some(bytes(4)),
        "size=(1.5*4k)" => Some(bytes(6144)),
        "size=(4k)*2" => Some(bytes(8192)),
        "size=8*$pagesize" => Some(bytes(32768)),
        "size=$pagesize" => Some(bytes(4096)),
        "size=($pagesize+1k)" => Some(bytes(5120)),
    }

    times_in_seconds: |job: &Job| job.runtime_ns => {
        "runtime=4" => Some(4 * S),
        "runtime=4s" => Some(4 * S),
        "runtime=4S" => Some(4 * S),
        "runtime=4sec" => Some(4 * S),
        "runtime=4ms" => Some(4 * MS),
        "runtime=4msec" => Some(4 * MS),
        "runtime=4us" => Some(4_000),
        "runtime=4usec" => Some(4_000),
        "runtime=4m" => Some(240 * S),
        "runtime=4M" => Some(240 * S),
        "runtime=4h" => Some(14_400 * S),
        "runtime=4d" => Some(345_600 * S),
        "runtime=(2*30s)" => Some(60 * S),
        "runtime=(1000)" => Some(MS),
        "timeout=5" => Some(5 * S),
        "runtime=0" => None,
        "" => None,
    }

    times_in_microseconds: |job: &Job| job.think_time.pause_ns => {
        "thinktime=4" => 4_000,
        "thinktime=4ms" => 4 * MS,
        "thinktime=4s" => 4 * S,
        "thinktime=1h" => 3_600 * S,
        "" => 0,
    }

    other_times: |job: &Job| (job.ramp_time_ns, job.start_delay_ns) => {
        "ramp_time=2" => (2 * S, (0, 0)),
        "ramp_time=500ms" => (500 * MS, (0, 0)),
        "startdelay=3" => (0, (3 * S, 3 * S)),
        "startdelay=1-3" => (0, (S, 3 * S)),
        "startdelay=3s:500ms" => (0, (500 * MS, 3 * S)),
    }

    block_sizes: |job: &Job| job.block_sizes.clone() => {
        "" => both(4096),
        "bs=256k" => both(256 << 10),
        "blocksize=8k" => both(8192),
        "bs=8k,32k" => fixed(8192, 32768),
        "bs=8k,32k," => PerDirection {
            trim: BlockSizes::Fixed(4096),
            ..fixed(8192, 32768)
        },
        "bs=8k,32k,64k" => PerDirection {
            trim: BlockSizes::Fixed(65_536),
            ..fixed(8192, 32768)
        },
        "bs=8k," => fixed(8192, 4096),
        "bs=,8k" => fixed(4096, 8192),
        "bs=16k bs=,8k" => fixed(16384, 8192),
    }

    block_size_ranges: |job: &Job| job.block_sizes.clone() => {
        "bsrange=4k-32k" => PerDirection::all(BlockSizes::Range(4096, 32768)),
        "bsrange=32k-4k" => PerDirection::all(BlockSizes::Range(4096, 32768)),
        "blocksize_range=4k:32k" => PerDirection::all(BlockSizes::Range(4096, 32768)),
        "bsrange=8k-8k" => both(8192),
        "bsrange=4k-8k,1k-2k"
            => per_direction(BlockSizes::Range(4096, 8192), BlockSizes::Range(1024, 2048)),
        "bsrange=4k:8k/1k:2k"
            => per_direction(BlockSizes::Range(4096, 8192), BlockSizes::Range(1024, 2048)),
        "bs=2k bsrange=,4k-8k"
            => per_direction(BlockSizes::Fixed(2048), BlockSizes::Range(4096, 8192)),
        "bsrange=4k-8k bs=2k" => PerDirection::all(BlockSizes::Range(4096, 8192)),
    }

    block_size_splits: |job: &Job| job.block_sizes.clone() => {
        "bssplit=4k/10:64k/50:32k/40"
            => PerDirection::all(BlockSizes::Split(vec![(4096, 10), (65536, 50), (32768, 40)])),
        "bssplit=4k/50:1k/:32k/"
            => PerDirection::all(BlockSizes::Split(vec![(4096, 50), (1024, 25), (32768, 25)])),
        "bssplit=4k:8k:16k"
            => PerDirection::all(BlockSizes::Split(vec![(4096, 34), (8192, 33), (16384, 33)])),
        "bssplit=2k/50:4k/50,4k/90:8k/10"
            => per_direction(
                BlockSizes::Split(vec![(2048, 50), (4096, 50)]),
                BlockSizes::Split(vec![(4096, 90), (8192, 10)]),
            ),
    }

    patterns: |job: &Job| (job.rw, job.offset_modifier) => {
        "" => (Rw::Read, OffsetModifier::None),
        "rw=read" => (Rw::Read, OffsetModifier::None),
        "rw=write" => (Rw::Write, OffsetModifier::None),
        "rw=rw" => (Rw::ReadWrite, OffsetModifier::None),
        "rw=readwrite" => (Rw::ReadWrite, OffsetModifier::None),
        "readwrite=randread" => (Rw::RandRead, OffsetModifier::None),
        "rw=randwrite" => (Rw::RandWrite, OffsetModifier::None),
        "rw=randrw" => (Rw::RandReadWrite, OffsetModifier::None),
        "rw=read:4k" => (Rw::Read, OffsetModifier::HoleBytes(4096)),
        "rw=randread:8" => (Rw::RandRead, OffsetModifier::RunOf(8)),
        "rw=randread:8 rw_sequencer=identical" => (Rw::RandRead, OffsetModifier::RepeatOf(8)),
        "rw=randread:8 rw_sequencer=sequential" => (Rw::RandRead, OffsetModifier::RunOf(8)),
    }

    mixes: |job: &Job| job.rw_mix_read_percent => {
        "" => 50,
        "rwmixread=70" => 70,
        "rwmixwrite=70" => 30,
        "rwmixread=70 rwmixwrite=40" => 60,
    }

    amounts: |job: &Job| (job.io_size, job.number_ios, job.loops) => {
        "" => (None, None, 1),
        "io_size=1m" => (Some(bytes(1 << 20)), None, 1),
        "io_limit=50%" => (Some(Extent::Percent(50)), None, 1),
        "number_ios=200" => (None, Some(200), 1),
        "number_ios=1k" => (None, Some(1024), 1),
        "number_ios=0" => (None, None, 1),
        "loops=3" => (None, None, 3),
        "loops=0" => (None, None, 1),
    }

    places: |job: &Job| (job.offset, job.offset_increment, job.offset_align_bytes) => {
        "" => (bytes(0), bytes(0), None),
        "offset=100000m" => (bytes(100_000 << 20), bytes(0), None),
        "offset=33% offset_increment=10% offset_align=8k"
            => (Extent::Percent(33), Extent::Percent(10), NonZeroU64::new(8192)),
        "offset_increment=1g" => (bytes(0), bytes(1 << 30), None),
    }

    depths: |job: &Job| (job.engine, job.iodepth, job.queue_depth()) => {
        "" => (Engine::Psync, 1, 1),
        "iodepth=16" => (Engine::Psync, 16, 1),
        "ioengine=sync iodepth=16" => (Engine::Sync, 16, 1),
        "ioengine=vsync iodepth=16" => (Engine::Vsync, 16, 1),
        "ioengine=pvsync iodepth=16" => (Engine::Pvsync, 16, 1),
        "ioengine=pvsync2 iodepth=16" => (Engine::Pvsync2, 16, 1),
        "ioengine=libaio iodepth=16" => (Engine::Libaio, 16, 16),
        "ioengine=io_uring iodepth=0x10" => (Engine::IoUring, 16, 16),
        "ioengine=posixaio iodepth=2" => (Engine::Posixaio, 2, 2),
    }

    thinking: |job: &Job| {
        let think = job.think_time;
        let [blocks, io_time_ns] = [think.blocks, think.io_time_ns].map(or_zero);
        (think.spin_ns, blocks, think.counts_issued, io_time_ns)
    } => {
        "thinktime=9" => (0, 1, false, 0),
        "thinktime=9 thinktime_spin=5" => (5_000, 1, false, 0),
        "thinktime=9 thinktime_blocks=4" => (0, 4, false, 0),
        "thinktime=9 thinktime_blocks_type=issue" => (0, 1, true, 0),
        "thinktime=9 thinktime_blocks_type=complete" => (0, 1, false, 0),
        "thinktime=9 thinktime_iotime=3" => (0, 0, false, 3 * S),
        "thinktime=9 thinktime_iotime=3ms thinktime_blocks=2" => (0, 2, false, 3 * MS),
    }

    rates: |job: &Job| (job.rate.read, job.rate.write) => {
        "" => (None, None),
        "rate=1m" => (Some(Rate::BytesPerS(1 << 20)), Some(Rate::BytesPerS(1 << 20))),
        "rate=1m,500k" => (Some(Rate::BytesPerS(1 << 20)), Some(Rate::BytesPerS(500 << 10))),
        "rate=,500k" => (None, Some(Rate::BytesPerS(500 << 10))),
        "rate=500k," => (Some(Rate::BytesPerS(500 << 10)), None),
        "rate=0" => (None, None),
        "rate_iops=100" => (Some(Rate::IosPerS(100)), Some(Rate::IosPerS(100))),
        "rate_iops=,200" => (None, Some(Rate::IosPerS(200))),
        "rate=1m rate_process=linear rate_ignore_thinktime=1"
            => (Some(Rate::BytesPerS(1 << 20)), Some(Rate::BytesPerS(1 << 20))),
    }

    priorities: |job: &Job| job.ioprio.map(|ioprio| (ioprio.class, ioprio.level)) => {
        "" => None,
        "prio=3" => Some((Some(Class::BestEffort), 3)),
        "prioclass=0 prio=3" => Some((Some(Class::BestEffort), 3)),
        "prioclass=2" => Some((Some(Class::BestEffort), 0)),
        "prioclass=2 prio=6" => Some((Some(Class::BestEffort), 6)),
        "prioclass=1 prio=4" => Some((Some(Class::RealTime), 4)),
        "prioclass=3" => Some((Some(Class::Idle), 0)),
    }

    groups: |job: &Job| (job.cgroup.clone(), job.cgroup_weight) => {
        "" => (None, None),
        "cgroup=a" => (Some("a".into()), None),
        "cgroup=a/x cgroup_weight=1" => (Some("a/x".into()), Some(1)),
        "cgroup=/a/x/ cgroup_weight=1000" => (Some("a/x".into()), Some(1000)),
        "cgroup=/" => (None, None),
    }

    syncs: |job: &Job| {
        let [fsync, fdatasync] = [job.fsync_every_writes, job.fdatasync_every_writes].map(or_zero);
        (fsync, fdatasync, job.end_fsync)
    } => {
        "" => (0, 0, false),
        "fsync=32" => (32, 0, false),
        "fdatasync=4 end_fsync=1" => (0, 4, true),
    }

    flags: |job: &Job| {
        (job.time_based, job.no_random_map, job.group_reporting, job.new_group, job.stonewall)
    } => {
        "" => (false, false, false, false, false),
        "time_based runtime=1" => (true, false, false, false, false),
        "time_based=1 runtime=1" => (true, false, false, false, false),
        "time_based=0" => (false, false, false, false, false),
        "norandommap" => (false, true, false, false, false),
        "group_reporting=1" => (false, false, true, false, false),
        "new_group" => (false, false, false, true, false),
        "stonewall" => (false, false, false, false, true),
        "wait_for_previous" => (false, false, false, false, true),
        "stonewall stonewall=0" => (false, false, false, false, false),
    }

    logs: |job: &Job| {
        (job.write_lat_log.clone(), job.write_bw_log.clone(), job.log_avg_msec)
    } => {
        "" => (None, None, 0),
        "write_lat_log=x write_bw_log=y/z log_avg_msec=500"
            => (Some("x".into()), Some("y/z".into()), 500),
        "write_lat_log write_bw_log" => (Some("a".into()), Some("a".into()), 0),
        "name=n write_lat_log" => (Some("n".into()), None, 0),
    }

    percentiles: |job: &Job| job.percentile_list.clone() => {
        "" => None,
        "percentile_list=99.5:50:99.9" => Some(vec![99.5, 50.0, 99.9]),
        "percentile_list=100" => Some(vec![100.0]),
    }

    reporting: |job: &Job| job.unified_rw_reporting => {
        "" => UnifiedReporting::Separate,
        "unified_rw_reporting=none" => UnifiedReporting::Separate,
        "unified_rw_reporting=0" => UnifiedReporting::Separate,
        "unified_rw_reporting=mixed" => UnifiedReporting::Mixed,
        "unified_rw_reporting=1" => UnifiedReporting::Mixed,
        "unified_rw_reporting=both" => UnifiedReporting::Both,
    }

    files: |job: &Job| (job.filenames.join(" "), job.filename_format.clone(), job.files()) => {
        "" => (String::new(), None, 1),
        "filename=/dev/sda" => ("/dev/sda".into(), None, 1),
        "filename=a\\:b" => ("a:b".into(), None, 1),
        "filename=a:b nrfiles=5" => ("a b".into(), None, 2),
        "directory=/mnt filename=a:/b" => ("/mnt/a /b".into(), None, 2),
        "directory=/mnt/ filename=a" => ("/mnt/a".into(), None, 1),
        "directory=/mnt filename=/dev/sda" => ("/dev/sda".into(), None, 1),
        "directory=/mnt" => (String::new(), None, 1),
        "filename_format=f.$jobnum nrfiles=3" => (String::new(), Some("f.$jobnum".into()), 3),
    }

    calls: |job: &Job| {
        let reap = job.batches.reap.map(|reap| (reap.least, reap.most, reap.low));
        (job.batches.submit, reap)
    } => {
        "iodepth=16" => (None, None),
        "iodepth=16 iodepth_batch=4" => (Some(4), None),
        "iodepth=16 iodepth_batch_submit=0" => (Some(16), None),
        "iodepth=16 iodepth_batch_complete=4" => (None, Some((4, 4, 16))),
        "iodepth=16 iodepth_batch_complete_min=0" => (None, Some((1, 1, 16))),
        "iodepth=16 iodepth_batch_complete_max=8" => (None, Some((1, 8, 16))),
        "iodepth=16 iodepth_batch_complete_min=8 iodepth_batch_complete_max=2"
            => (None, Some((8, 8, 16))),
        "iodepth=16 iodepth_low=4" => (None, Some((1, 1, 4))),
        "iodepth=4 iodepth_batch=16 iodepth_batch_complete_min=8 iodepth_low=9"
            => (Some(4), Some((4, 4, 4))),
        "iodepth_batch=8" => (Some(1), None),
    }

    distributions: |job: &Job| job.distribution.clone() => {
        "" => Distribution::Uniform,
        "random_distribution=random" => Distribution::Uniform,
        "random_distribution=zipf" => Distribution::Zipf { theta: 1.1, center: None },
        "random_distribution=zipf:0.9:0.25"
            => Distribution::Zipf { theta: 0.9, center: Some(0.25) },
        "random_distribution=pareto" => Distribution::Pareto { h: 0.2, center: None },
        "random_distribution=normal:15"
            => Distribution::Normal { deviation_percent: 15.0, center: 0.5 },
        "random_distribution=zoned:60/10:40/" => Distribution::Zoned(PerDirection::all(vec![
            Share { percent: 60, length: Extent::Percent(10) },
            Share { percent: 40, length: Extent::Percent(90) },
        ])),
        "random_distribution=zoned_abs:60/1g:40/" => Distribution::Zoned(PerDirection::all(vec![
            Share { percent: 60, length: Extent::Bytes(1 << 30) },
            Share { percent: 40, length: Extent::Bytes(u64::MAX) },
        ])),
    }

    others: |job: &Job| {
        let flow = job.flow.map(|flow| (flow.id, flow.weight, flow.sleep_ns));
        (job.exit_all, job.poisson, job.strides.map(|strides| strides.range_bytes), flow)
    } => {
        "" => (None, false, None, None),
        "exitall rate=1m rate_process=poisson" => (Some(ExitScope::Group), true, None, None),
        "exitall exit_what=all" => (Some(ExitScope::All), false, None, None),
        "zonemode=strided zonesize=1m" => (None, false, Some(1 << 20), None),
        "zonemode=strided zonesize=1m zonerange=8k" => (None, false, Some(8 << 10), None),
        "flow=7" => (None, false, None, Some((0, 7, 0))),
        "flow=7 flow_id=3 flow_sleep=5ms" => (None, false, None, Some((3, 7, 5_000_000))),
        "flow_id=3" => (None, false, None, None),
    }

    names_and_seeds: |job: &Job| {
        (job.name.clone(), job.description.clone(), job.numjobs, job.rand_seed)
    } => {
        "" => ("a".into(), None, 1, None),
        "name=b description=text numjobs=8 randseed=0x10 kb_base=1024"
            => ("b".into(), Some("text".into()), 8, Some(16)),
    }

    replays: |job: &Job| {
        let replay = &job.replay;
        (replay.no_stall, replay.time_scale_percent, replay.redirect.clone(), replay.skip_trims)
    } => {
        "" => (false, 100, None, false),
        "replay_no_stall=1 replay_time_scale=200" => (true, 200, None, false),
        "replay_redirect=/dev/sdb replay_skip=trim,sync" => (false, 100, Some("/dev/sdb".into()), true),
    }
}

#[test]
fn options_without_effect_leave_a_note_with_their_line() {
    let notes = |options: &str| -> Vec<(u32, String)> {
        job(options).notes.into_iter().map(|note| (note.line, note.text)).collect()
    };
    assert_eq!(notes("rw=randread size=1g"), []);
    for (options, remark) in [
        ("invalidate=1", "option \"invalidate\" has no effect: I/O is direct"),
        ("thread", "option \"thread\" has no effect: processes, clocks and memory"),
        ("randrepeat=0", "option \"randrepeat\" has no effect: random numbers come from"),
        ("refill_buffers", "option \"refill_buffers\" has no effect: what is written"),
        ("fallocate=none", "option \"fallocate\" has no effect: files are stretches"),
        ("iodepth=8", "engine psync is synchronous: the queue depth is 1"),
        ("iodepth_batch=8", "option \"iodepth_batch\" has no effect: the queue depth is 1"),
        ("time_based", "time_based has no effect without a runtime"),
        ("cgroup_weight=100", "cgroup_weight has no effect on the root group"),
        ("verify_fatal=1", "option \"verify_fatal\" has no effect without verify"),
        ("thinktime_blocks=4", "option \"thinktime_blocks\" has no effect without thinktime"),
    ] {
        let notes = notes(options);
        assert_eq!(notes.len(), 1, "{options}");
        assert_eq!(notes[0].0, 3, "{options}");
        assert!(notes[0].1.starts_with(remark), "{options}: {}", notes[0].1);
    }
}

#[test]
fn a_job_that_does_not_say_direct_leaves_a_note() {
    let job = parse("[a]\nsize=1g\n", "t.fio").unwrap().remove(0);
    assert_eq!(job.notes.len(), 1);
    assert!(job.notes[0].text.starts_with("direct=1 is not given"), "{}", job.notes[0].text);
    let job = parse("[a]\nbuffered=0\n", "t.fio").unwrap().remove(0);
    assert_eq!(job.notes, []);
}

#[test]
fn windows_of_logs_fit_into_nanoseconds() {
    let longest = u64::MAX / 1_000_000;
    assert_eq!(job(&format!("log_avg_msec={longest}")).log_avg_msec, longest);
    let error = parse("[a]\nlog_avg_msec=18446744073710\n", "t.fio").unwrap_err().to_string();
    assert!(error.contains("expected a whole number from 0 to 18446744073709"), "{error}");
}
