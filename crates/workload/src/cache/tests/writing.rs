// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes: dirty pages, the flusher, throttling, syncs.

use super::*;

#[test]
fn a_write_is_over_when_it_is_copied_and_stays_in_the_cache() {
    let mut bench = bench("", &[1000]);
    bench.write(0, 0..8).read(0, 0..8);
    assert_eq!((bench.submitted().as_str(), bench.now_ns), ("", 7_400));
    assert_eq!((bench.count("dirtied_pages"), bench.count("read_hits")), (8, 8));
    bench.write(0, 4..12);
    assert_eq!((bench.count("dirtied_pages"), bench.count("write_pages")), (12, 16));
    assert_eq!(bench.count("dirty_left_pages"), 12);
}

#[test]
fn above_the_background_limit_the_flusher_writes_as_nobody_waiting() {
    // Limits of 64 and 512 pages.
    let mut bench = bench("dirty_background_bytes=262144,dirty_bytes=2097152", &[1000]);
    bench.write(0, 0..64);
    assert_eq!(bench.submitted(), "");
    bench.write(0, 64..96);
    // Down to the limit, not below it; in as large pieces as there are.
    assert_eq!(bench.submitted(), "flusher W 0+96");
    bench.write(0, 96..128).write(0, 128..192);
    assert_eq!(bench.submitted(), "flusher W 96+96");
    assert_eq!((bench.count("background_starts"), bench.count("flusher_pages")), (2, 192));
    bench.run_until(20 * MS);
    assert_eq!(bench.count("dirty_left_pages"), 0);
}

#[test]
fn large_writes_are_pieces_of_a_mebibyte() {
    let mut bench = bench("dirty_background_bytes=4096,dirty_bytes=1073741824", &[1000]);
    bench.write(0, 0..600);
    // The flusher wakes after the first 32 pages are looked at, and runs when the write is made.
    assert_eq!(bench.submitted(), "flusher W 0+256, flusher W 256+256, flusher W 512+88");
}

#[test]
fn what_has_been_dirty_for_long_is_written_at_the_next_round() {
    let mut bench = bench("", &[1000, 1000]);
    bench.write(0, 0..4).run_until(12_000 * MS).write(1, 1000..1004);
    let mut lines = Vec::new();
    for second in 12..60 {
        bench.run_until(second * 1000 * MS);
        let submitted = bench.submitted();
        if !submitted.is_empty() {
            lines.push((second, submitted));
        }
    }
    // Rounds at 5, 10, … s; 30 s after 0 and after 12.
    let expected = [(30, "flusher W 0+4".to_owned()), (45, "flusher W 1000+4".to_owned())];
    assert_eq!(lines, expected);
}

#[test]
fn files_take_turns_of_at_least_four_mebibytes() {
    let settings = "memory_mb=1024,dirty_background_bytes=4096,dirty_bytes=1073741824";
    let mut bench = bench(settings, &[30_000, 30_000]);
    bench.ns_per_page = 1;
    bench.cache.flusher.is_woken = true; // it sleeps while they write
    bench.write(0, 0..30_000).write(1, 30_000..60_000);
    bench.cache.flusher.is_woken = false;
    bench.flusher_at_ns = bench.now_ns;
    bench.instant();
    let mut turns: Vec<(bool, u64)> = Vec::new();
    for line in bench.submitted().split(", ") {
        let (start, pages) = line.rsplit(' ').next().unwrap().split_once('+').unwrap();
        let second = start.parse::<u64>().unwrap() >= 30_000;
        match turns.last_mut() {
            Some(last) if last.0 == second => last.1 += pages.parse::<u64>().unwrap(),
            _ => turns.push((second, pages.parse().unwrap())),
        }
    }
    // Half a second of 100 MiB/s, in whole turns of 4 MiB, until nothing is above the limit.
    let expected =
        [(false, 12288), (true, 12288), (false, 12288), (true, 12288), (false, 5424), (true, 5424)];
    assert_eq!(turns, expected);
}

#[test]
fn a_page_made_dirty_again_while_it_is_written_is_written_again() {
    let mut bench = bench("dirty_background_bytes=4096,dirty_bytes=1073741824", &[1000]);
    bench.write(0, 0..40);
    assert_eq!(bench.submitted(), "flusher W 0+40");
    bench.write(0, 0..40);
    assert_eq!(bench.submitted(), "", "they are being written");
    bench.run_until(10 * MS);
    assert_eq!(bench.submitted(), "flusher W 0+40");
}

#[test]
fn a_writer_ahead_of_the_device_is_slowed_down_to_its_rate() {
    // 2,500 pages/s; limits of 1,000 and 3,000 pages.
    let settings = "dirty_background_bytes=4096000,dirty_bytes=12288000";
    let mut bench = bench(settings, &[1_000_000]);
    bench.ns_per_page = 400_000;
    let (mut page, mut at_20_s) = (0, 0);
    while bench.now_ns < 60_000 * MS {
        bench.write(0, page..page + 16);
        page += 16;
        if bench.now_ns < 20_000 * MS {
            at_20_s = page;
        }
    }
    let per_s = (page - at_20_s) / 40;
    assert!((2_300..=2_700).contains(&per_s), "{per_s} pages/s");
    assert!(bench.count("dirty_max_pages") <= 3_032, "{}", bench.count("dirty_max_pages"));
    assert!(bench.count("throttled_ns") > 50_000 * MS);
}

#[test]
fn up_to_half_way_between_the_limits_nobody_is_slowed_down() {
    let settings = "dirty_background_bytes=4096000,dirty_bytes=12288000";
    let mut bench = bench(settings, &[1_000_000]);
    bench.latency_ns = 1_000_000 * MS;
    bench.write(0, 0..2_000);
    assert_eq!(bench.now_ns, 800_500, "500 ns and 400 a page");
    bench.begin(0, IoKind::Write, 2_000..3_500);
    bench.run_until(10_000 * MS);
    // Nothing is ever written: it waits at the hard limit.
    let unclean = bench.count("dirty_max_pages");
    assert!((2_900..3_032).contains(&unclean), "{unclean}");
    assert_eq!(bench.running.len(), 1);
}

#[test]
fn fsync_writes_its_file_and_waits_for_data_and_device() {
    let mut bench = bench("", &[1000, 1000]);
    bench.write(0, 0..4).write(0, 10..20).write(1, 1000..1004);
    let begun_ns = bench.now_ns;
    bench.fsync(0);
    // As a process that waits: sync, its own; the other file stays dirty.
    assert_eq!(bench.submitted(), "p0 WS 0+4, p0 WS 10+10, p0 F");
    assert_eq!(bench.now_ns, begun_ns + 2 * MS, "the writes together, then the flush");
    assert_eq!((bench.count("dirty_left_pages"), bench.count("sync_pages")), (4, 14));
    bench.fsync(0);
    assert_eq!(bench.submitted(), "p0 F", "nothing is dirty, but the device may have a cache");
}

#[test]
fn fsync_waits_for_what_the_flusher_writes() {
    let mut bench = bench("dirty_background_bytes=4096,dirty_bytes=1073741824", &[1000]);
    bench.latency_ns = 50 * MS;
    bench.write(0, 0..40);
    bench.write(0, 10..12);
    bench.write(0, 100..101);
    assert_eq!(bench.submitted(), "flusher W 0+40");
    bench.fsync(0);
    // Pages 10 and 11 are dirty again: written once more when the flusher's write has ended.
    let submitted = bench.submitted();
    assert!(submitted.contains("10+2") && submitted.ends_with("p0 F"), "{submitted}");
    assert_eq!(bench.now_ns / MS, 150);
    assert_eq!(bench.cache.files.writeback, 0);
}

#[test]
fn sync_has_the_flusher_write_everything() {
    let mut bench = bench("", &[1000, 1000, 10]);
    bench.write(0, 0..4).write(1, 1000..1300);
    let operation = bench.cache.begin_sync(7);
    bench.running.push((operation, 7, bench.now_ns));
    bench.run();
    let expected = "flusher W 0+4, flusher W 1000+256, flusher W 1256+44, p7 F";
    assert_eq!(bench.submitted(), expected);
    assert_eq!((bench.count("syncs"), bench.count("dirty_left_pages")), (1, 0));
    assert_eq!(bench.ended.last().unwrap().0, 7);
}

#[test]
fn a_failed_write_is_told_to_the_next_sync_once() {
    let mut bench = bench("dirty_background_bytes=4096,dirty_bytes=1073741824", &[1000]);
    bench.failing = Some(0);
    bench.write(0, 0..40).run_until(10 * MS);
    bench.fsync(0).fsync(0);
    let results: Vec<_> = bench.ended.iter().map(|end| end.2).collect();
    assert_eq!(results, [Ok(()), Err(5), Ok(())]);
}

#[test]
fn dropping_a_file_begins_to_write_what_is_dirty_and_keeps_it() {
    let mut bench = bench("", &[1000]);
    bench.write(0, 0..4).read(0, 100..101);
    bench.submitted();
    bench.drop_pages(0, 0..1000);
    assert_eq!(bench.submitted(), "p0 W 0+4");
    assert_eq!(bench.count("invalidated_pages"), 1);
    bench.run_until(10 * MS).drop_pages(0, 0..1000);
    assert_eq!(bench.count("invalidated_pages"), 5);
}
