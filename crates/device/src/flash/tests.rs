// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time lines of a flash disk small enough to work out by hand.
//!
//! 2 channels of 2 dies, so page n lies on die n mod 4 and channel n mod 2. A page of 16 KiB (32
//! sectors) is read in 50 µs. 4 KiB take 10 µs over a channel and 5 µs over the interface. A read
//! costs 1 µs of the controller and 3 µs of latency, a write 1 µs and 2 µs. A unit of 32 KiB takes
//! 80 µs over its channel, 200 µs to program in the fast mode, 1 ms in the lasting one.

use super::FlashDisk;
use crate::device::Device;
use crate::profile::FlashParameters;
use crate::tests::timeline::Timeline;
use crate::timing::Phase;
use base::Op;

const US: u64 = 1_000;
const MS: u64 = 1_000_000;
const PAGE: u64 = 32;

fn parameters() -> FlashParameters {
    FlashParameters {
        depth: 32,
        rotational: 0,
        capacity: 64 << 20,
        spare: 100_000,
        channels: 2,
        dies: 2,
        page: 16 << 10,
        program_unit: 32 << 10,
        erase_unit: 1 << 20,
        read_time: 50 * US,
        read_time_spread: 0,
        page_register: 1,
        program_time_fast: 200 * US,
        program_time: MS,
        erase_time: 3 * MS,
        suspend_time: 7 * US,
        channel_rate: 409_600_000,
        interface_rate: 819_200_000,
        interface_duplex: 1,
        read_latency: 3 * US,
        write_latency: 2 * US,
        read_occupancy: US,
        write_occupancy: US,
        turnaround_time: 0,
        write_cache: 256 << 10,
        fast_cache: 1 << 20,
        gc_ramp: 64 << 20,
        flush_time: 30 * US,
        power_loss_protection: 0,
    }
}

fn disk(parameters: FlashParameters) -> Timeline {
    Timeline::new(Device::Flash(FlashDisk::new(parameters)))
}

#[test]
fn what_costs_nothing_takes_a_nanosecond() {
    let (write_occupancy, write_latency, flush_time) = (0, 0, 0);
    let mut line =
        disk(FlashParameters { write_occupancy, write_latency, flush_time, ..parameters() });
    let discard = line.submit(US, Op::Discard, 0, 8);
    let flush = line.flush(2 * US);
    let write = line.write(3 * US, 0, 8);
    let ends = [discard, flush, write].map(|tag| line.end_ns(tag));
    assert_eq!(ends, [US + 1, 2 * US + 1, 8 * US], "a write takes the interface");
}

#[test]
fn a_read_passes_controller_die_channel_and_interface() {
    let mut line = disk(parameters());
    let tag = line.read(0, 0, 8);
    assert_eq!(line.end_ns(tag), (1 + 3 + 50 + 10 + 5) * US);
}

#[test]
fn reads_share_what_they_have_in_common_and_nothing_else() {
    for (second_page, second_end_us, what) in [
        (1, 74, "other die and channel: waits for the interface, 69 to 74"),
        (2, 79, "other die, same channel: 64 to 74, 74 to 79"),
        (4, 119, "same die: read 54 to 104, then 10 and 5"),
        (0, 79, "same page, still in the register: channel 64 to 74, 74 to 79"),
    ] {
        let mut line = disk(parameters());
        line.read(0, 0, 8);
        line.read(0, second_page * PAGE, 8);
        assert_eq!(line.ends_ns(), [69 * US, second_end_us * US], "page {second_page}: {what}");
    }
}

#[test]
fn a_die_without_a_register_reads_the_same_page_again() {
    let mut line = disk(FlashParameters { page_register: 0, ..parameters() });
    line.read(0, 0, 8);
    line.read(0, 8, 8);
    // The next sectors of the page: read from 54 to 104, then 10 and 5.
    assert_eq!(line.ends_ns(), [69 * US, 119 * US]);
    assert_eq!(line.statistic("pages_read"), 2);
}

#[test]
fn pages_of_a_die_differ_by_turns() {
    let mut line = disk(FlashParameters { read_time_spread: 400_000, ..parameters() });
    for (row, read_us) in [50, 30, 70, 50].into_iter().enumerate() {
        let at_ns = row as u64 * MS;
        let tag = line.read(at_ns, 4 * row as u64 * PAGE, 8);
        assert_eq!(line.end_ns(tag), at_ns + (1 + 3 + read_us + 10 + 5) * US, "row {row}");
    }
}

#[test]
fn a_long_read_is_spread_over_the_dies() {
    let mut line = disk(parameters());
    // 64 KiB on four dies: all read by 54, the first two pages over their channels by 94; from then
    // on the interface is the bound, a page in 20.
    let tag = line.read(0, 0, 128);
    assert_eq!(line.end_ns(tag), (94 + 4 * 20) * US);
    assert_eq!(line.statistic("pages_read"), 4);
    // Not at a page's border: 2 + 32 + 6 sectors of three pages.
    let tag = line.read(MS, 5 * PAGE + 30, 40);
    line.end_ns(tag);
    assert_eq!(line.statistic("pages_read"), 7);
}

#[test]
fn a_write_ends_in_the_cache() {
    let mut line = disk(parameters());
    let write = line.write(0, 0, 8);
    assert_eq!(line.end_ns(write), (1 + 5 + 2) * US);
    assert_eq!(line.statistic("units_programmed"), 0, "not a full unit yet");
    let read = line.read(100 * US, 0, 8);
    assert_eq!(line.end_ns(read), (100 + 1 + 3 + 5) * US);
    assert_eq!(line.statistic("buffer_hits"), 1);
    assert_eq!(line.statistic("channel_busy_ns"), 0, "it does not come from a die");
    let elsewhere = line.read(200 * US, 8, 8);
    assert_eq!(line.end_ns(elsewhere), (200 + 69) * US, "next to it, but not it");
}

#[test]
fn one_direction_at_a_time_holds_a_write_up() {
    for (duplex, write_end_us) in [(1, 65 + 40 + 2), (0, 104 + 40 + 2)] {
        let mut line = disk(FlashParameters { interface_duplex: duplex, ..parameters() });
        // The page is in the register at 54 and on the interface from 94 to 114, the write ready at
        // 65. With one direction the write follows when the page has taken the interface.
        line.read(0, 0, 8);
        line.read(0, PAGE, 8);
        let write = line.write(64 * US, 1000, 64);
        let expected_us = if duplex == 1 { write_end_us } else { 79 + 40 + 2 - 5 };
        assert_eq!(line.end_ns(write), expected_us * US, "duplex {duplex}");
    }
}

#[test]
fn the_controller_takes_its_time_to_turn_from_reading_to_writing_and_back() {
    let mut line = disk(FlashParameters { turnaround_time: 4 * US, ..parameters() });
    let first = line.write(0, 1000, 8);
    assert_eq!(line.end_ns(first), (1 + 5 + 2) * US, "nothing to turn from");
    let read = line.read(100 * US, 0, 8);
    assert_eq!(line.end_ns(read), (100 + 4 + 69) * US);
    let flush = line.flush(MS);
    line.end_ns(flush);
    let same = line.read(2 * MS, PAGE, 8);
    assert_eq!(line.end_ns(same), 2 * MS + 69 * US, "a flush between them is neither");
    let back = line.write(3 * MS, 1000, 8);
    assert_eq!(line.end_ns(back), 3 * MS + (4 + 1 + 5 + 2) * US);
}

#[test]
fn a_flush_programs_what_is_in_the_cache() {
    let mut line = disk(parameters());
    let idle = line.flush(0);
    assert_eq!(line.end_ns(idle), US, "nothing was written");
    line.write(10 * US, 0, 8);
    let flush = line.flush(20 * US);
    assert_eq!(line.end_ns(flush), (20 + 1 + 80 + 200 + 30) * US);
    let again = line.flush(MS);
    assert_eq!(line.end_ns(again), MS + US, "nothing was written since");
    assert_eq!(line.statistic("units_programmed"), 1);
}

#[test]
fn a_flush_waits_for_the_programs_before_it_only() {
    let mut line = disk(parameters());
    // Eight units on four dies: two rounds of 200; on each channel four transfers of 80.
    for unit in 0..8 {
        line.write(0, unit * 64, 64);
    }
    let flush = line.flush(10 * US);
    for unit in 8..16 {
        line.write(11 * US, unit * 64, 64);
    }
    let all = line.flush(700 * US);
    // Of each round the last transfer ends 160 after the first, and 200 later the program: at 363
    // or so, at 643, and at 1203 those that came into the cache when there was room.
    let flush_end_ns = line.end_ns(flush);
    assert!((600 * US..700 * US).contains(&flush_end_ns), "{flush_end_ns}");
    let all_end_ns = line.end_ns(all);
    assert!((1_150 * US..1_300 * US).contains(&all_end_ns), "{all_end_ns}");
}

#[test]
fn a_flush_does_not_wait_for_what_came_after_it() {
    let mut line = disk(parameters());
    // Unit 0 goes to die 0, up to 281; two reads of that die put it off to 381. Unit 1 comes later,
    // to die 1, and is done at 301.
    line.write(0, 1000, 64);
    let flush = line.flush(10 * US);
    line.write(20 * US, 2000, 64);
    line.read(100 * US, 4 * PAGE, 8);
    line.read(200 * US, 8 * PAGE, 8);
    assert_eq!(line.end_ns(flush), (381 + 30) * US);
}

/// Time that a unit takes from its submission to the end of a flush.
fn synced_unit_ns(line: &mut Timeline, now_ns: u64) -> u64 {
    line.write(now_ns, 0, 64);
    let flush = line.flush(now_ns);
    line.end_ns(flush) - now_ns
}

#[test]
fn rest_empties_the_fast_cache() {
    let mut line = disk(parameters());
    let mut now_ns = 0;
    for _ in 0..32 {
        let unit_ns = synced_unit_ns(&mut line, now_ns);
        assert_eq!(unit_ns, (1 + 80 + 200 + 30) * US);
        now_ns += unit_ns;
    }
    // 1 MiB is in the fast cache.
    let full_ns = synced_unit_ns(&mut line, now_ns);
    assert_eq!(full_ns, (1 + 80 + 1_000 + 30) * US);
    // Four dies empty it by 32 units of 1.05 ms each, in 8.4 ms.
    now_ns += full_ns + 9 * MS;
    assert_eq!(synced_unit_ns(&mut line, now_ns), (1 + 80 + 200 + 30) * US);
}

#[test]
fn with_power_loss_protection_a_flush_has_nothing_to_do() {
    let mut line = disk(FlashParameters { power_loss_protection: 1, ..parameters() });
    line.write(0, 0, 8);
    let flush = line.flush(20 * US);
    assert_eq!(line.end_ns(flush), 21 * US);
}

#[test]
fn a_read_suspends_the_program_of_its_die() {
    let mut line = disk(parameters());
    // The unit goes to die 0: transfer from 1 to 81, program to 281.
    line.write(0, 1000, 64);
    let other_die = line.read(100 * US, PAGE, 8);
    assert_eq!(line.end_ns(other_die), 169 * US);
    let suspends = line.read(200 * US, 0, 8);
    assert_eq!(line.end_ns(suspends), (200 + 69 + 7) * US);
    // The program ends at 331 now, a flush 30 later.
    let flush = line.flush(300 * US);
    assert_eq!(line.end_ns(flush), (331 + 30) * US);
}

#[test]
fn a_program_that_ends_soon_is_not_suspended() {
    let mut line = disk(parameters());
    line.write(0, 1000, 64);
    let read = line.read(272 * US, 0, 8);
    // On the die at 276, 5 before the end at 281.
    assert_eq!(line.end_ns(read), (281 + 50 + 10 + 5) * US);
}

#[test]
fn reads_put_a_program_off_by_its_own_length_at_most() {
    let mut line = disk(parameters());
    line.write(0, 1000, 64);
    let flush = line.flush(10 * US);
    // A read of the same die all the time, each of another page.
    let mut now_ns = 90 * US;
    for page in 1..40 {
        let read = line.read(now_ns, page * 4 * PAGE, 8);
        now_ns = line.end_ns(read);
    }
    // 281 and four times 50; then the reads wait.
    assert_eq!(line.end_ns(flush), (481 + 30) * US);
}

#[test]
fn writes_wait_for_room_in_order() {
    let mut line = disk(parameters());
    // 256 KiB fill the cache; units are programmed by fours, 281 to 481 and so on.
    let first: Vec<_> = (0..4).map(|n| line.write(0, n * 128, 128)).collect();
    let held_up = line.write(0, 5000, 64);
    let behind = line.write(0, 6000, 8);
    let first_end_ns = first.iter().map(|tag| line.end_ns(*tag)).max();
    assert!(first_end_ns < Some(340 * US), "{first_end_ns:?}");
    // Room for 32 KiB at 281, when die 0 is done; the interface is free at 321.
    assert_eq!(line.end_ns(held_up), (321 + 40 + 2) * US);
    assert!(line.end_ns(behind) > line.end_ns(held_up));
    assert_eq!(line.statistic("writes_held_up"), 2);
}

#[test]
fn a_write_longer_than_the_cache_has_it_alone() {
    let mut line = disk(parameters());
    let small = line.write(0, 0, 8);
    let huge = line.write(0, 1000, 1024);
    let small_end_ns = line.end_ns(small);
    let flush = line.flush(10 * US);
    let flush_end_ns = line.end_ns(flush);
    assert!(small_end_ns < line.end_ns(huge));
    assert!(line.end_ns(huge) > flush_end_ns - 30 * US, "only once the small one is programmed");
}

#[test]
fn half_a_unit_is_programmed_if_a_write_waits_for_its_room() {
    let mut line = disk(FlashParameters { write_cache: 40 << 10, ..parameters() });
    let half = line.write(0, 0, 56);
    let waits = line.write(0, 1000, 40);
    assert_eq!(line.end_ns(half), (1 + 35 + 2) * US);
    // No full unit is there to make room: the half one is programmed from 2 to 282.
    assert_eq!(line.end_ns(waits), (282 + 25 + 2) * US);
}

#[test]
fn a_read_is_told_by_what_it_waited_for() {
    let mut line = disk(parameters());
    line.write(0, 1000, 64);
    let behind_program = line.read(272 * US, 0, 8);
    let same_die = line.read(272 * US, 4 * PAGE, 8);
    let own = [(Phase::FlashRead, 50 * US), (Phase::Channel, 10 * US), (Phase::Interface, 5 * US)];
    let mut parts = vec![(Phase::Controller, 4 * US), (Phase::Program, 5 * US)];
    parts.extend(own);
    assert_eq!(line.parts_ns(behind_program), parts);
    // The controller is free at 273; then the die has 54 left of the other read.
    let mut parts = vec![(Phase::Queue, US), (Phase::Controller, 4 * US)];
    parts.push((Phase::DieBusy, 54 * US));
    parts.extend(own);
    assert_eq!(line.parts_ns(same_die), parts);
}

#[test]
fn a_wait_for_room_is_shared_out_as_the_unit_that_made_it() {
    // No spare flash and no fast cache: each unit of 1 ms is collected for, too.
    let parameters = FlashParameters { spare: 1, fast_cache: 0, ..parameters() };
    let collecting = FlashParameters { erase_time: 32 * MS, ..parameters };
    for (parameters, collects) in [(parameters, false), (collecting, true)] {
        let mut line = disk(parameters);
        (0..4).for_each(|n| {
            line.write(0, n * 128, 128);
        });
        let held_up = line.write(0, 5000, 64);
        let of = |wanted: Phase, parts: &[(Phase, u64)]| -> u64 {
            parts.iter().filter(|part| part.0 == wanted).map(|part| part.1).sum()
        };
        let parts = line.parts_ns(held_up);
        let (collection_ns, full_ns) =
            (of(Phase::Collection, &parts), of(Phase::CacheFull, &parts));
        assert!(collection_ns > 0 && full_ns > 0, "{parts:?}");
        assert_eq!(collection_ns > full_ns / 2, collects, "{parts:?}");
    }
}
