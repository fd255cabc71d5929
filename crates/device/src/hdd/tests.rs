// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time lines of a hard disk small enough to work out by hand.
//!
//! A revolution takes 10 ms. There are 2 heads and 2 zones of 100 cylinders: tracks of 100 sectors
//! (0.1 ms each) in the outer zone, which ends at sector 20,000, and of 50 (0.2 ms) in the inner.
//! Angle 0 passes under the head at time 0. A seek takes 1 ms to the next cylinder, 4 ms over all;
//! the controller takes 0.5 ms, the interface 10 µs a sector.

use super::HardDisk;
use crate::command::{Command, CommandError};
use crate::device::Device;
use crate::profile::HardDiskParameters;
use crate::tests::timeline::Timeline;
use crate::timing::Phase;
use base::Op;

const US: u64 = 1_000;
const MS: u64 = 1_000_000;

fn parameters() -> HardDiskParameters {
    HardDiskParameters {
        depth: 32,
        rotational: 1,
        capacity: 30_000 * 512,
        rotation: 6000,
        heads: 2,
        zones: 2,
        media_rate_outer: 5_120_000,
        media_rate_inner: 2_560_000,
        seek_track: MS,
        seek_average: 2_600 * US,
        seek_full: 4 * MS,
        write_settle: 300 * US,
        command_overhead: 500 * US,
        interface_rate: 51_200_000,
        read_segments: 2,
        read_segment: 64 * 512,
        read_ahead: 32 * 512,
        write_cache: 40 * 512,
        write_cache_high: 750_000,
        write_segments: 8,
        write_back_delay: 20 * MS,
        queue_window: 32,
        queue_wait_max: 100 * MS,
    }
}

fn disk(parameters: HardDiskParameters) -> Timeline {
    let mut disk = HardDisk::new(parameters, 1);
    disk.arm.phase_ns = 0;
    Timeline::new(Device::HardDisk(disk))
}

#[test]
fn a_read_seeks_waits_for_its_sector_and_passes_it() {
    // Sector 100 lies at angle 0 of the other head, sector 200 of the next cylinder.
    for (sector, start_ns, end_ns, what) in [
        (100, 0, 10 * MS + 800 * US, "0.5 controller, the sector comes round at 10"),
        (100, 9_500 * US, 10 * MS + 800 * US, "ready at 10, just in time"),
        (100, 9_501 * US, 20 * MS + 800 * US, "ready at 10.001, just missed"),
        (130, 0, 3 * MS + 800 * US, "angle 3 ms"),
        (210, 0, 11 * MS + 800 * US, "0.5 + 1 seek, angle 1 ms missed"),
        (217, 0, 2 * MS + 500 * US, "0.5 + 1 seek and no settling, angle 1.7 ms"),
        (29_950, 0, 10 * MS + 1_600 * US, "full stroke, inner track: 0.2 ms a sector"),
    ] {
        let mut line = disk(parameters());
        let tag = line.read(start_ns, sector, 8);
        assert_eq!(line.end_ns(tag), end_ns, "read of {sector} at {start_ns}: {what}");
    }
}

#[test]
fn a_stream_loses_nothing_at_the_ends_of_tracks_cylinders_and_zones() {
    // 40 sectors around the ends of a track, of a cylinder and of the outer zone, in two commands.
    for (sector, media_ns) in [(80, 4 * MS), (180, 4 * MS), (19_980, 2 * MS + 4 * MS)] {
        let mut line = disk(parameters());
        let first = line.read(0, sector, 20);
        let first_end_ns = line.end_ns(first);
        let second = line.read(first_end_ns, sector + 20, 20);
        let start_ns = first_end_ns - 2 * MS;
        assert_eq!(line.end_ns(second) - start_ns, media_ns, "from sector {sector}");
    }
}

#[test]
fn reading_ahead_makes_the_next_read_a_hit() {
    let mut line = disk(parameters());
    let first = line.read(0, 100, 8);
    assert_eq!(line.end_ns(first), 10_800 * US);
    // At 11.3 the head is at sector 113: it goes on to 116 for this one.
    let streamed = line.read(10_800 * US, 108, 8);
    assert_eq!(line.end_ns(streamed), 11_600 * US);
    // By then all of it is in the segment: controller and interface only.
    let hit = line.read(20 * MS, 116, 8);
    assert_eq!(line.end_ns(hit), 20 * MS + 500 * US + 80 * US);
    assert_eq!((line.statistic("read_hits"), line.statistic("seeks")), (1, 0));
}

#[test]
fn a_seek_for_reading_ahead_is_ended_or_broken_off_but_not_skipped() {
    // The arm writes on the last cylinder, where sector 29,900 begins. Then it leaves for sector
    // 112 of the first one, 4 ms away, to go on reading ahead, and 0.55 ms later is asked for this:
    for (op, sector, seek_us, what) in [
        (Op::Read, 130, 4_000 - 550, "the rest of the way"),
        (Op::Write, 130, 4_000 - 630 + 300, "as soon as its data is there; and settling"),
        (Op::Read, 29_920, 550 + 1_798, "it is at rest after 1.1 ms, 15 of 199 cylinders away"),
    ] {
        let mut line = disk(HardDiskParameters { write_cache: 0, ..parameters() });
        let read = line.read(0, 100, 8);
        let read_end_ns = line.end_ns(read);
        let write = line.write(read_end_ns, 29_950, 8);
        let write_end_ns = line.end_ns(write);
        let tag = line.submit(write_end_ns + 50 * US, op, sector, 8);
        let parts = line.parts_ns(tag);
        let seek = parts.iter().find(|(phase, _)| *phase == Phase::Seek);
        assert!(seek.is_some_and(|(_, ns)| ns.abs_diff(seek_us * US) < US), "{what}: {parts:?}");
    }
}

#[test]
fn reading_ahead_stops_at_its_limit_and_goes_on_after_a_hit() {
    let mut line = disk(parameters());
    line.read(0, 100, 8);
    // 32 sectors ahead of 108 were read by 14.0; a hit there moves the limit on to 172, and the
    // sectors from 140 on come round at 24.0.
    let hit = line.read(15 * MS, 132, 8);
    assert_eq!(line.end_ns(hit), 15_580 * US);
    let ahead = line.read(40 * MS, 164, 8);
    assert_eq!(line.end_ns(ahead), 40_580 * US);
    let behind = line.read(50 * MS, 100, 8);
    assert_eq!(line.end_ns(behind), 60_800 * US, "dropped out of the segment of 64 sectors");
}

#[test]
fn a_read_is_partly_served_from_its_segment() {
    let mut line = disk(parameters());
    let first = line.read(0, 100, 8);
    line.end_ns(first);
    // Sectors 100 to 140 are in memory; the arm goes for 140 to 150, which come round at 24.0.
    let partial = line.read(19_000 * US, 130, 20);
    assert_eq!(line.end_ns(partial), 25 * MS);
    assert_eq!(line.statistic("media_ns"), 800 * US + 1_000 * US);
}

#[test]
fn two_streams_keep_a_segment_each() {
    let mut line = disk(parameters());
    for (sector, at_ns) in [(100, 0), (5_000, 20 * MS), (9_000, 40 * MS)] {
        let tag = line.read(at_ns, sector, 8);
        line.end_ns(tag);
    }
    for (sector, hit) in [(5_008, true), (9_008, true), (108, false)] {
        let before = line.statistic("read_hits");
        let tag = line.read(line.disk.next_event_ns().unwrap_or(0).max(100 * MS), sector, 8);
        line.end_ns(tag);
        assert_eq!(line.statistic("read_hits") > before, hit, "sector {sector}");
    }
}

#[test]
fn a_hit_takes_the_interface_its_time() {
    // An interface slower than the platters bounds media reads and hits alike.
    let mut line = disk(HardDiskParameters { interface_rate: 2_560_000, ..parameters() });
    let first = line.read(0, 100, 8);
    assert_eq!(line.end_ns(first), 10 * MS + 8 * 200 * US);
    let hit = line.read(20 * MS, 108, 8);
    assert_eq!(line.end_ns(hit), 20_500 * US + 1_600 * US);
}

#[test]
fn a_write_ends_in_the_cache_and_is_written_back_after_a_quiet_time() {
    let mut line = disk(parameters());
    let write = line.write(0, 200, 8);
    assert_eq!(line.end_ns(write), 580 * US);
    assert_eq!(line.disk.next_event_ns(), Some(20 * MS), "20 ms after the last read");
    line.disk.advance(20 * MS, &mut Vec::new());
    assert_eq!(line.statistic("write_backs"), 1);
    // 1 ms seek and 0.3 ms settle, sector 200 comes round at 30.0.
    assert_eq!(line.disk.next_event_ns(), Some(30_800 * US));
    line.disk.advance(30_800 * US, &mut Vec::new());
    assert_eq!(line.disk.next_event_ns(), None, "the disk rests");
}

#[test]
fn dirty_sectors_are_read_from_memory() {
    let mut line = disk(parameters());
    line.write(0, 200, 8);
    let read = line.read(MS, 204, 4);
    assert_eq!(line.end_ns(read), 1_540 * US);
    let beyond = line.read(2 * MS, 204, 8);
    assert!(line.end_ns(beyond) > 10 * MS, "half of it is on the platters only");
    assert_eq!(line.statistic("dirty_hits"), 1);
}

#[test]
fn a_write_makes_what_was_read_ahead_stale() {
    let mut line = disk(parameters());
    line.read(0, 100, 8);
    line.write(20 * MS, 120, 4);
    let read = line.read(21 * MS, 108, 8);
    assert_eq!(line.end_ns(read), 31_600 * US);
}

#[test]
fn a_write_during_a_read_leaves_nothing_in_the_segment_that_was_not_read() {
    // The segment has 100 to 140 when the arm goes for 140 to 150, which come round at 24.0.
    for (at_us, written, again, what) in [
        (20_000, 120, (88, 2), "the segment is forgotten, and 86 to 100 were never read"),
        (24_200, 145, (140, 8), "what was read of these is older than what is written"),
    ] {
        let (read_ahead, write_back_delay) = (0, 1_000 * MS);
        let mut line = disk(HardDiskParameters { read_ahead, write_back_delay, ..parameters() });
        line.read(0, 100, 40);
        let partial = line.read(19 * MS, 130, 20);
        line.write(at_us * US, written, 4);
        assert_eq!(line.end_ns(partial), 25 * MS, "{what}");
        let again = line.read(40 * MS, again.0, again.1);
        assert!(line.end_ns(again) > 41 * MS, "{what}");
        assert_eq!(line.statistic("read_hits"), 0, "{what}");
    }
}

#[test]
fn a_flush_writes_everything_back_and_holds_up_what_is_behind_it() {
    let mut line = disk(parameters());
    line.write(0, 200, 8);
    let flush = line.flush(MS);
    let read = line.read(2 * MS, 130, 8);
    // Ready at 1.5, 1.3 for seek and settle, sector 200 comes round at 10.
    assert_eq!(line.end_ns(flush), 10_800 * US);
    // Only then the read: 1 ms back, angle 3 ms.
    assert_eq!(line.end_ns(read), 13_800 * US);
    let idle_flush = line.flush(20 * MS);
    assert_eq!(line.end_ns(idle_flush), 20_500 * US, "nothing to do but to answer");
}

#[test]
fn a_flush_with_nothing_to_do_takes_a_nanosecond() {
    let mut line = disk(HardDiskParameters { command_overhead: 0, ..parameters() });
    let flush = line.flush(MS);
    assert_eq!(line.end_ns(flush), MS + 1);
}

#[test]
fn a_flush_waits_for_the_commands_before_it() {
    let mut line = disk(parameters());
    let read = line.read(0, 100, 8);
    let flush = line.flush(0);
    assert_eq!((line.end_ns(read), line.end_ns(flush)), (10_800 * US, 10_800 * US));
}

#[test]
fn writes_wait_for_room() {
    let mut line = disk(parameters());
    let first = line.write(0, 100, 30);
    let second = line.write(0, 300, 8);
    let third = line.write(0, 310, 10);
    assert_eq!(line.end_ns(first), 800 * US);
    assert_eq!(line.end_ns(second), 1_080 * US);
    // 38 of 40 sectors are used. The arm begins with the nearer run, at 10.0, a quarter of the
    // cache at a time: 10 sectors are free again at 11.0.
    assert_eq!(line.end_ns(third), 11_100 * US);
}

#[test]
fn writes_wait_for_a_free_run() {
    let mut line = disk(HardDiskParameters { write_segments: 2, ..parameters() });
    line.read(0, 100, 8);
    line.write(0, 110, 1);
    line.write(0, 130, 1);
    let third = line.write(0, 150, 1);
    // The arm reads up to 10.8 and then writes sector 110, which comes round at 11.0.
    assert_eq!(line.end_ns(third), 11_100 * US + 10 * US);
}

#[test]
fn reads_go_before_write_backs_unless_a_write_waits_for_room() {
    // The arm writes sectors 100 to 110 of the run from 10.0 to 11.0 and could go on with it at
    // once. The read is 4 ms away, at angle 5.4 ms, and takes 1.6 ms.
    let parameters = HardDiskParameters { write_cache_high: 500_000, ..parameters() };
    for (write_at_6_ms, end_ns, what) in [
        (None, 17 * MS, "the read, though the cache is half full"),
        (Some(20), 17 * MS, "the read: there is room for the write"),
        (Some(21), 27 * MS, "the next ten sectors of the run, then the read"),
    ] {
        let mut line = disk(parameters);
        line.write(0, 100, 30);
        let read = line.read(5 * MS, 29_027, 8);
        if let Some(sectors) = write_at_6_ms {
            line.write(6 * MS, 300, sectors);
        }
        assert_eq!(line.end_ns(read), end_ns, "{what}");
    }
}

#[test]
fn past_its_mark_the_cache_is_written_back_without_waiting_for_quiet() {
    for (sectors, write_backs) in [(29, 0), (30, 1)] {
        let mut line = disk(parameters());
        line.write(0, 100, sectors);
        line.disk.advance(15 * MS, &mut Vec::new());
        assert_eq!(line.statistic("write_backs"), write_backs, "{sectors} of 40 sectors");
    }
}

#[test]
fn without_a_cache_writes_go_to_the_platters() {
    let mut line = disk(HardDiskParameters { write_cache: 0, ..parameters() });
    let write = line.write(0, 220, 8);
    // Controller 0.5, data 0.08 by 0.58, 1.3 for seek and settle, angle 2 ms.
    assert_eq!(line.end_ns(write), 2_800 * US);
    let flush = line.flush(3 * MS);
    assert_eq!(line.end_ns(flush), 3_500 * US);
}

#[test]
fn a_sequential_writer_gets_the_media_rate() {
    let mut line = disk(parameters());
    let mut now_ns = 0;
    for command in 0..200 {
        let tag = line.write(now_ns, command * 8, 8);
        now_ns = line.end_ns(tag);
    }
    // 1600 sectors at 0.1 ms, less the 40 that are left in the cache, and up to two revolutions to
    // get going.
    let media_ns = 1_560 * 100 * US;
    assert!((media_ns..media_ns + 20 * MS).contains(&now_ns), "{now_ns}");
}

#[test]
fn the_queue_is_served_by_positioning_time() {
    let mut line = disk(parameters());
    let far = line.read(0, 15_000, 8);
    let late_angle = line.read(0, 190, 8);
    let early_angle = line.read(0, 140, 8);
    let near = line.read(0, 120, 8);
    // The controller is ready with `far` first and the arm goes there; of the others the one whose
    // sector comes round first is next. It is back on cylinder 0 between 12.0 and 14.0.
    let [far, near, early, late] = [far, near, early_angle, late_angle].map(|tag| line.end_ns(tag));
    assert!(far < near.min(early).min(late));
    let mut order = [(near, "near"), (early, "early"), (late, "late")];
    order.sort();
    assert_eq!(order.map(|(_, name)| name), ["early", "late", "near"]);
    assert_eq!(line.statistic("reordered"), 1, "the early angle before the late one");
}

/// When a read far away ends that is queued behind 24 readers close to the arm, each of which
/// always comes back; at most a second after.
fn far_read_among_near_ones(parameters: HardDiskParameters) -> u64 {
    const FAR: u32 = 1;
    let mut disk = HardDisk::new(parameters, 1);
    let mut number = 0;
    let mut near = || {
        number += 37;
        Command { tag: 0, op: Op::Read, sector: 400 + number % 400, sectors: 1 }
    };
    for _ in 0..24 {
        disk.submit(0, near()).expect("room");
    }
    disk.submit(0, Command { tag: FAR, op: Op::Read, sector: 29_000, sectors: 1 }).expect("room");
    loop {
        let now_ns = disk.upcoming().next_ns().expect("there are always readers");
        disk.catch_up(now_ns);
        while let Some(completion) = disk.take_completion() {
            if completion.tag == FAR || now_ns > 1_000 * MS {
                return now_ns;
            }
            disk.submit(now_ns, near()).expect("one has just ended");
        }
    }
}

#[test]
fn no_read_starves() {
    // 12.5 ms for the controller, 100 ms of waiting, then at most three other jobs and its own.
    let bounded_ns = far_read_among_near_ones(parameters());
    assert!(bounded_ns < 12_500 * US + 100 * MS + 4 * 14 * MS, "{bounded_ns}");
    let patient = HardDiskParameters { queue_wait_max: 10_000 * MS, ..parameters() };
    let unbounded_ns = far_read_among_near_ones(patient);
    assert!(unbounded_ns > 1_000 * MS, "without the bound it ends at {unbounded_ns} already");
}

#[test]
fn a_discard_is_not_known() {
    let mut disk = HardDisk::new(parameters(), 1);
    let command = Command { tag: 1, op: Op::Discard, sector: 0, sectors: 8 };
    assert_eq!(disk.submit(5, command), Ok(()));
    let completion = disk.take_completion().expect("it ends at once");
    assert_eq!(completion.result, Err(CommandError::Unsupported));
}

#[test]
fn the_seed_turns_the_platters_and_nothing_else() {
    let end_ns = |seed| {
        let mut line = Timeline::new(Device::HardDisk(HardDisk::new(parameters(), seed)));
        let tag = line.read(0, 100, 8);
        line.end_ns(tag)
    };
    assert_eq!(end_ns(1), end_ns(1));
    assert_ne!(end_ns(1), end_ns(2));
    for seed in 0..100 {
        let end_ns = end_ns(seed);
        assert!((1_300 * US..11_300 * US).contains(&end_ns), "within a revolution: {end_ns}");
    }
}

#[test]
fn a_timing_tells_the_way_of_the_arm() {
    let mut line = disk(parameters());
    // To the next cylinder: there at 1.5, its sector (angle 1.7 ms) comes at 1.7.
    let read = line.read(0, 217, 8);
    let own = [
        (Phase::Controller, 500 * US),
        (Phase::Seek, MS),
        (Phase::Rotation, 200 * US),
        (Phase::Media, 800 * US),
    ];
    assert_eq!(line.parts_ns(read), own);
}

#[test]
fn a_timing_tells_who_had_the_arm() {
    let mut line = disk(parameters());
    let first = line.read(0, 217, 8);
    let queued = line.read(0, 130, 8);
    assert_eq!(line.end_ns(first), 2_500 * US);
    // The controller has it from 0.5 to 1, the arm from 2.5: back at 3.5, 130 comes round at 13.
    let parts = [
        (Phase::Queue, 500 * US),
        (Phase::Controller, 500 * US),
        (Phase::Queue, 1_500 * US),
        (Phase::Seek, MS),
        (Phase::Rotation, 9_500 * US),
        (Phase::Media, 800 * US),
    ];
    assert_eq!(line.parts_ns(queued), parts);
}

#[test]
fn a_timing_tells_of_the_write_cache() {
    let mut line = disk(parameters());
    let cached = line.write(0, 0, 40);
    assert_eq!(
        line.parts_ns(cached),
        [(Phase::Controller, 500 * US), (Phase::Interface, 400 * US)]
    );
    let no_room = line.write(MS, 5_000, 8);
    let parts = line.parts_ns(no_room);
    assert_eq!(parts[0], (Phase::Controller, 500 * US));
    assert_eq!(parts[1].0, Phase::CacheFull);
    assert_eq!(parts[2], (Phase::Interface, 80 * US));
    // What is left of the 40 is being written when this read comes.
    let mut line = disk(parameters());
    line.write(0, 0, 40);
    let read = line.read(21 * MS, 20_000, 8);
    let phases: Vec<Phase> = line.parts_ns(read).iter().map(|part| part.0).collect();
    assert_eq!(phases[..2], [Phase::Controller, Phase::WriteBack]);
}
