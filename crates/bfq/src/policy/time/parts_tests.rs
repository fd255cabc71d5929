// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is learnt of queues and of the device, from samples made by hand.

use super::{
    alone::{AloneCost, Probe, Probes},
    expected::Returns,
    kinds::Kind,
    learnt::Learnt,
    pattern::Pattern,
};
use crate::{
    NewRequest, ProcessId,
    model::request::{Content, Operation},
    units::{Sector, Sectors, Span, Time},
};
use core::num::NonZeroU64;

const US: u64 = 1000;
const MS: u64 = 1_000_000;
/// Whether requests write.
const READS: bool = false;
const WRITES: bool = true;

fn length(sectors: u32) -> Sectors {
    Sectors::from(sectors)
}

fn at(ns: u64) -> Time {
    Time::from_ns(ns)
}

/// Reads of one size, as many at a time.
fn reads(sectors: u32, depth: u32) -> Kind {
    Kind { sectors: length(sectors), depth, writes: READS }
}

/// A read of some process.
fn read(sectors: u32) -> Content {
    Content::of(&NewRequest::read(ProcessId::from_index(0), 0, sectors, at(0)))
}

/// A probe of a queue with such requests begins.
fn probe_at(now: Time, cost: &AloneCost, learnt: &Learnt) -> Probe {
    Probe::new(now, crate::QueueId::from_index(0), cost, learnt)
}

#[test]
fn two_sizes_tell_what_a_request_and_a_sector_take() {
    let mut learnt = Learnt::new(true);
    for _ in 0..200 {
        // 80 µs each, and 1 µs a sector.
        learnt.seen_alone(length(8), READS, Span::from_us(88));
        learnt.seen_alone(length(256), READS, Span::from_us(336));
    }
    let [small, large] = [8, 256].map(|sectors| learnt.alone(length(sectors), READS).as_us());
    // Within five percent, as sizes that differ little are not believed.
    assert!((84..=92).contains(&small) && (320..=352).contains(&large), "{small} {large} µs");
}

/// A write of 4 KiB that the cache of the device takes, and a read of 128 KiB: no line through both
/// tells what a small read takes, by which the device is filled.
#[test]
fn reads_and_writes_are_told_apart() {
    let mut learnt = Learnt::new(false);
    for _ in 0..64 {
        learnt.seen_alone(length(8), WRITES, Span::from_us(12));
    }
    // What was not seen is taken to be like the other.
    assert_eq!(learnt.alone(length(8), READS), learnt.alone(length(8), WRITES));
    for _ in 0..64 {
        learnt.seen_alone(length(256), READS, Span::from_us(130));
    }
    // 3 GB/s: 44 of the 130 µs are those of its sectors.
    learnt.dispatched(at(0));
    (1..=1000).for_each(|number| learnt.completed(at(number * 44 * US), length(256), READS, 1));
    let [read_us, write_us] = [READS, WRITES].map(|writes| learnt.alone(length(8), writes).as_us());
    assert!((85..=90).contains(&read_us) && (11..=13).contains(&write_us), "{read_us} {write_us}");
    assert_eq!(learnt.small(), learnt.alone(length(8), READS));
    assert!(learnt.enough() > length(2000), "{:?}", learnt.enough());
}

#[test]
fn one_size_is_split_by_the_rate() {
    let mut learnt = Learnt::new(true);
    // 100 MB in a second of 128 KiB each: 195,312 sectors a second, 5.12 µs a sector.
    learnt.dispatched(at(0));
    for number in 1..=763 {
        learnt.completed(at(number * 1_310_720), length(256), READS, 1);
    }
    (0..64).for_each(|_| learnt.seen_alone(length(256), READS, Span::from_ns(1_410_720)));
    let base_us = (learnt.alone(length(256), READS) - learnt.transfer(length(256))).as_us();
    assert!((95..=105).contains(&base_us), "{base_us} µs beside the transfer");
    // However long, however large: nothing overflows.
    learnt.seen_alone(length(u32::MAX), READS, Span::MAX);
    learnt.completed(at(u64::MAX), length(u32::MAX), READS, 0);
    assert!(learnt.alone(length(u32::MAX), READS) > Span::ZERO);
}

#[test]
fn a_fast_device_is_not_taken_for_the_usual_one() {
    // 2 µs for 4 KiB, and 8 µs for 128 KiB: less than their sectors take at 200 MB/s.
    for (sectors, took_us, small_us) in [(8, 2, 1..=2), (256, 8, 3..=5)] {
        let mut learnt = Learnt::new(false);
        (0..8).for_each(|_| learnt.seen_alone(length(sectors), READS, Span::from_us(took_us)));
        let small = learnt.small();
        assert!(small_us.contains(&small.as_us()), "{small:?}");
        assert!(learnt.answers_at_once() == (took_us == 2));
    }
}

/// Alone in the device a request takes longer than one after the other, so what it takes beside its
/// sectors is overestimated; and the device may not have shown its highest rate of late.
#[test]
fn sectors_are_charged_at_the_highest_rate_at_least() {
    // 256 sectors take 320 µs alone in the device and 250 one after the other; of late,
    // `of_late_us`.
    for (of_late_us, charged_us) in [(250, 495..=500), (1000, 495..=500), (200, 395..=440)] {
        let mut learnt = Learnt::new(false);
        (0..8).for_each(|_| learnt.seen_alone(length(256), READS, Span::from_us(320)));
        for number in 0..100 {
            learnt.dispatched(at(number * of_late_us * US));
            learnt.completed(at((number + 1) * of_late_us * US), length(256), READS, 1);
        }
        let mut cost = AloneCost::new();
        (0..20).for_each(|_| cost.came(length(256), 1));
        let mut probes = Probes::new(at(0));
        let mut probe = probe_at(at(0), &cost, &learnt);
        (1..=9).for_each(|number| _ = probe.completed(at(number * 250 * US), &read(256), true));
        probe.end(at(9 * 250 * US), &mut cost, &mut probes);
        let charged = cost.of(&read(512), &probes, &mut learnt).as_us();
        assert!(charged_us.contains(&charged), "{of_late_us} µs of late: {charged} µs");
    }
}

#[test]
fn a_queue_is_expected_as_long_as_its_think_times_are_short() {
    for (think_time_us, expected) in [(0, true), (50, true), (190, true), (300, false)] {
        let (longest, think_time) = (Span::from_us(200), Span::from_us(think_time_us));
        let mut returns = Returns::new();
        let mut now = at(0);
        for _ in 0..8 {
            returns.emptied(now, longest);
            now = now + think_time;
            assert_eq!(returns.came(now, longest), Some(think_time));
        }
        assert_eq!(returns.emptied(now, longest), expected, "{think_time_us} µs");
        let wait = returns.until().map(|until| until.since(now));
        let wanted = expected.then(|| Span::from_us((4 * think_time_us + 20).min(400)));
        assert_eq!(wait, wanted, "{think_time_us} µs");
        returns.given_up();
        assert_eq!(returns.until(), None);
    }
}

#[test]
fn a_probe_measures_what_a_request_takes() {
    let mut cost = AloneCost::new();
    (0..20).for_each(|_| cost.came(length(64), 4));
    assert_eq!((cost.mean_sectors(), cost.depth(), cost.is_measured()), (length(64), 4, false));
    let mut probes = Probes::new(at(0));
    let mut learnt = Learnt::new(true);
    assert!(probes.budget.allows(at(0), &cost, &learnt));
    // It fills the device with four, then one is complete each 30 µs.
    let mut probe = probe_at(at(0), &cost, &learnt);
    let mut completed = 0;
    while !probe.completed(at(100 * US + completed * 30 * US), &read(64), true) {
        completed += 1;
    }
    let end = at(100 * US + completed * 30 * US);
    probe.end(end, &mut cost, &mut probes);
    assert_eq!(cost.of(&read(64), &probes, &mut learnt), Span::from_us(30));
    assert!(
        cost.of(&read(128), &probes, &mut learnt) > Span::from_us(30),
        "larger ones take longer"
    );
    assert!(!probes.budget.allows(end, &cost, &learnt), "it was measured just now");
}

#[test]
fn who_was_not_measured_is_charged_like_others_of_its_kind() {
    let mut learnt = Learnt::new(false);
    (0..8).for_each(|_| learnt.seen_alone(length(64), READS, Span::from_us(320)));
    let queue_of = |sectors, depth| {
        let mut cost = AloneCost::new();
        (0..20).for_each(|_| cost.came(length(sectors), depth));
        cost
    };
    let (mut cost, mut probes) = (queue_of(64, 4), Probes::new(at(0)));
    let mut probe = probe_at(at(0), &cost, &learnt);
    let last = (1..).find(|&number| probe.completed(at(number * 30 * US), &read(64), true));
    probe.end(at(last.unwrap() * 30 * US), &mut cost, &mut probes);
    // (sectors, requests at a time, whether that is the kind that was measured)
    for (sectors, depth, known) in [(64, 4, true), (64, 2, true), (64, 1, false), (8, 4, false)] {
        let mut other = queue_of(sectors, depth);
        let charged = other.of(&read(sectors), &probes, &mut learnt);
        assert_eq!(charged == Span::from_us(30), known, "{sectors} sectors, {depth} at a time");
        assert_eq!(other.is_measured(), known);
        assert!(probes.budget.allows(at(1000 * MS), &other, &learnt), "it is to be measured");
    }
    // Writes of the same size are another kind, also once its reads are charged by theirs.
    let (mut mixed, mut written) = (queue_of(64, 4), read(64));
    written.operation = Operation::Write;
    let [of_read, of_write] = [read(64), written].map(|it| mixed.of(&it, &probes, &mut learnt));
    assert_eq!(of_read, Span::from_us(30));
    assert_eq!(of_write, Span::from_us(30), "no write was measured");
    probe_of_writes(&mut probes, &learnt, &written);
    let [of_read, of_write] = [read(64), written].map(|it| mixed.of(&it, &probes, &mut learnt));
    assert_eq!((of_read, of_write), (Span::from_us(30), Span::from_us(50)));
}

/// A queue that writes four at a time is measured: a write takes 50 µs.
fn probe_of_writes(probes: &mut Probes, learnt: &Learnt, written: &Content) {
    let mut cost = AloneCost::new();
    (0..20).for_each(|_| cost.came(length(64), 4));
    let mut probe = probe_at(at(0), &cost, learnt);
    let last = (1..).find(|&number| probe.completed(at(number * 50 * US), written, true));
    probe.end(at(last.unwrap() * 50 * US), &mut cost, probes);
}

#[test]
fn a_probe_of_large_requests_counts_when_they_keep_the_device_busy() {
    // A device of 100 µs for a request and 0.5 GB/s, which 512 KiB take a millisecond of.
    let mut learnt = Learnt::new(false);
    learnt.dispatched(at(0));
    for number in 0..64 {
        learnt.seen_alone(length(8), READS, Span::from_us(108));
        learnt.completed(at((number + 1) * MS), length(1024), READS, 1);
    }
    // (requests at a time, completions after which it counts)
    for (sectors, depth, ramp) in [(8, 1, 1), (8, 8, 9), (1024, 1, 1), (1024, 8, 2), (256, 32, 5)] {
        let (mut cost, probes) = (AloneCost::new(), Probes::new(at(0)));
        (0..20).for_each(|_| cost.came(length(sectors), depth));
        assert_eq!(cost.ramp(&learnt), ramp, "{depth} at a time of {sectors} sectors");
        let mut budget = probes.budget;
        assert!(budget.allows(at(0), &cost, &learnt), "it is short enough");
    }
}

#[test]
fn a_queue_that_ran_dry_is_not_measured() {
    let (mut cost, learnt) = (AloneCost::new(), Learnt::new(false));
    cost.came(length(8), 1);
    let mut probes = Probes::new(at(0));
    let mut probe = probe_at(at(0), &cost, &learnt);
    for number in 1..=6 {
        probe.completed(at(number * MS), &read(8), number != 3);
    }
    probe.end(at(6 * MS), &mut cost, &mut probes);
    assert!(!cost.is_measured());
}

#[test]
fn requests_are_not_charged_one_by_one_before_it_is_known_how_many_are_served_at_a_time() {
    // 2 ms for each of up to 32 requests: at first one at a time, which says nothing of others.
    let mut learnt = Learnt::new(true);
    for number in 0..8 {
        learnt.dispatched(at(number * 2 * MS));
        learnt.completed(at((number + 1) * 2 * MS), length(8), READS, 0);
        learnt.seen_alone(length(8), READS, Span::from_ms(2));
    }
    let deep_us = |learnt: &Learnt| learnt.beside(reads(8, 32)).as_us();
    assert!((60..=66).contains(&deep_us(&learnt)), "{} µs", deep_us(&learnt));
    // Then several, of which it turns out to serve four at a time. It is emptied now and then.
    for number in 0..100 {
        learnt.dispatched(at(20 * MS + number * 500 * US));
        let left = if number % 8 == 0 { 0 } else { 7 };
        learnt.completed(at(20 * MS + (number + 1) * 500 * US), length(8), READS, left);
    }
    assert!((490..=510).contains(&deep_us(&learnt)), "{} µs", deep_us(&learnt));
}

#[test]
fn what_is_kept_of_the_last_answer_is_forgotten_when_something_is_learnt() {
    let mut learnt = Learnt::new(false);
    let (mut last, mut changes) = (Span::ZERO, 0);
    for number in 0..400 {
        // Requests of several sizes, alone; then large ones, several at a time, at a rate that does
        // not change, while each takes longer and longer: the device works on more of them.
        let alone = number < 200;
        let sectors = if alone { length(8 << (number % 3)) } else { length(64) };
        learnt.dispatched(at(number * MS));
        if alone {
            learnt.seen_alone(sectors, READS, Span::from_us(100 + 10 * number));
        } else if number % 10 == 3 {
            learnt.seen_alone(sectors, READS, Span::from_ms(number));
        }
        learnt.completed(at((number + 1) * MS), sectors, READS, u32::from(!alone));
        let answer = learnt.beside_as_before(reads(8, 64));
        assert_eq!(answer, learnt.beside(reads(8, 64)), "after {number}");
        changes += u32::from(answer != last);
        last = answer;
    }
    assert!(changes > 10, "{changes} changes: nothing was learnt");
    let writes = Kind { writes: true, ..reads(64, 2) };
    for kind in [reads(64, 4), reads(64, 2), reads(64, 2), writes] {
        assert_eq!(learnt.beside_as_before(kind), learnt.beside(kind));
    }
    learnt.check();
}

#[test]
fn a_probe_that_began_before_the_queue_was_deep_finds_nothing() {
    let (mut cost, learnt) = (AloneCost::new(), Learnt::new(false));
    let mut probes = Probes::new(at(0));
    // The first of 32 requests goes out as soon as it comes; the others fill the device when it is
    // complete, and are complete nearly at once.
    cost.came(length(8), 1);
    let mut probe = probe_at(at(0), &cost, &learnt);
    (2..=32).for_each(|present| cost.came(length(8), present));
    assert!(!probe.completed(at(2 * MS), &read(8), true));
    let last = (1..32).find(|&number| probe.completed(at(4 * MS + number * US), &read(8), true));
    probe.end(at(4 * MS + last.unwrap() * US), &mut cost, &mut probes);
    assert!(!cost.is_measured());
}

#[test]
fn what_was_measured_when_a_queue_was_shallow_is_scaled_when_it_is_deep() {
    // A device that takes 2 ms for each of up to 32 requests.
    let mut learnt = Learnt::new(true);
    learnt.dispatched(at(0));
    for number in 1..=640 {
        learnt.completed(at(number * 62_500), length(8), READS, 31);
    }
    (0..64).for_each(|_| learnt.seen_alone(length(8), READS, Span::from_ms(2)));
    (0..640)
        .for_each(|number| learnt.completed(at(40 * MS + number * 62_500), length(8), READS, 31));
    let mut cost = AloneCost::new();
    cost.came(length(8), 1);
    let mut probe = probe_at(at(0), &cost, &learnt);
    let last = (1..).find(|&number| probe.completed(at(number * 2 * MS), &read(8), true));
    let mut probes = Probes::new(at(0));
    probe.end(at(last.unwrap() * 2 * MS), &mut cost, &mut probes);
    assert_eq!(cost.of(&read(8), &probes, &mut learnt), Span::from_ms(2));
    (0..32).for_each(|present| cost.came(length(8), present + 1));
    let deep_us = cost.of(&read(8), &probes, &mut learnt).as_us();
    assert!((60..=66).contains(&deep_us), "{deep_us} µs");
}

#[test]
fn probes_take_a_hundredth_of_the_time() {
    let learnt = Learnt::new(true);
    let mut probes = Probes::new(at(0));
    let mut spent_ns = 0;
    for step in 0..200_000 {
        let now = at(step * 100 * US);
        let mut cost = AloneCost::new();
        cost.came(length(8), 1);
        if probes.budget.allows(now, &cost, &learnt) {
            let probe = probe_at(now, &cost, &learnt);
            probe.end(now + Span::from_ms(5), &mut cost, &mut probes);
            spent_ns += 5 * MS;
        }
    }
    // Of 20 s, beside what is saved up at first.
    assert!((180 * MS..=240 * MS).contains(&spent_ns), "{spent_ns} ns");
}

#[test]
fn most_requests_jump_or_do_not() {
    for (jump_each, random) in [(1, true), (2, false), (3, false), (16, false)] {
        let mut pattern = Pattern::new();
        let mut sector = 0;
        for number in 1..40 {
            sector += if number % jump_each == 0 { 3000 } else { 0 };
            pattern.came(Sector::at(sector), length(8));
            sector += 8;
        }
        assert_eq!(pattern.is_random(), random, "a jump each {jump_each}");
    }
}

#[test]
fn who_leaves_something_out_on_the_way_does_not_seek() {
    // Sectors from the end of one request to the start of the next, and whether that is a seek.
    for (gap, random) in [(0, false), (256, false), (2048, false), (2049, true), (-16, true)] {
        let mut pattern = Pattern::new();
        let mut sector: i64 = 100_000;
        for _ in 1..40 {
            pattern.came(Sector::at(sector as u64), length(8));
            sector += 8 + gap;
        }
        assert_eq!(pattern.is_random(), random, "{gap} sectors are left out");
        let piece = if gap == 0 { 39 * 8 } else { 8 };
        assert_eq!(pattern.in_one_piece(), length(piece), "{gap} sectors are left out");
    }
}

#[test]
fn flash_is_filled_before_the_first_window_is_over() {
    // 16 at a time for a millisecond, a rate is known after 4 ms of a window of 10 ms.
    let completed = |rotational| {
        let mut learnt = Learnt::new(rotational);
        learnt.dispatched(at(0));
        (0..64)
            .for_each(|number| learnt.completed(at(number / 16 * MS + MS), length(8), READS, 16));
        learnt.rate_sectors_per_s().map(NonZeroU64::get)
    };
    assert_eq!((completed(false), completed(true)), (Some(128_000), None));
    // What the window as a whole says replaces it, though it be less.
    let mut learnt = Learnt::new(false);
    learnt.dispatched(at(0));
    (1..=64).for_each(|number| learnt.completed(at(number * 10 * US), length(8), READS, 16));
    assert_eq!(learnt.rate_sectors_per_s(), NonZeroU64::new(800_000));
    learnt.completed(at(20 * MS), length(8), READS, 16);
    assert_eq!(learnt.rate_sectors_per_s(), NonZeroU64::new(26_000));
}
