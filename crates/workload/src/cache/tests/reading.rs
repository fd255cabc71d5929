// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads: windows, markers, random reads, several streams, eviction, dropping.

use super::*;

#[test]
fn windows_double_up_to_the_setting_and_the_marker_asks_for_the_next() {
    let mut bench = bench("", &[1000]);
    let mut lines = Vec::new();
    for page in 0..61 {
        bench.read(0, page..page + 1);
        let submitted = bench.submitted();
        if !submitted.is_empty() {
            lines.push(format!("{page}: {submitted}"));
        }
    }
    // 16, 32, 64, then 128 KiB; each asked for when the reader comes to the window before.
    let expected = [
        "0: p0 RA 0+4",
        "1: p0 RA 4+8",
        "4: p0 RA 12+16",
        "12: p0 RA 28+32",
        "28: p0 RA 60+32",
        "60: p0 RA 92+32",
    ];
    assert_eq!(lines, expected);
    // It had to wait for pages 0, 4 and 28: the others came in the meantime.
    let hits = (bench.count("read_pages"), bench.count("read_hits"), bench.count("read_waits"));
    assert_eq!(hits, (61, 58, 2));
    assert_eq!((bench.count("read_ahead_pages"), bench.count("read_ahead_used")), (123, 60));
}

#[test]
fn a_reader_slower_than_the_device_waits_once() {
    let mut bench = bench("", &[2000]);
    for page in 0..2000 {
        bench.read(0, page..page + 1);
        bench.run_until(bench.now_ns + MS);
    }
    assert_eq!((bench.count("read_hits"), bench.count("read_waits")), (1999, 0));
    assert_eq!((bench.count("read_ahead_pages"), bench.count("read_ahead_used")), (1999, 1999));
}

#[test]
fn a_faster_one_waits_for_windows_on_their_way() {
    let mut bench = bench("", &[1000]);
    bench.ns_per_page = 10_000;
    for page in 0..1000 {
        bench.read(0, page..page + 1);
    }
    // 4 + 8 + 16 + 30·32 + 12 pages; the device is never idle.
    assert_eq!((bench.transfers, bench.count("read_waits")), (34, 33));
    assert_eq!(bench.now_ns / MS, 10);
}

#[test]
fn large_reads_take_the_largest_window_at_once() {
    let mut bench = bench("", &[1000]);
    bench.read(0, 0..32);
    assert_eq!(bench.submitted(), "p0 R 0+32, p0 RA 32+32");
    bench.read(0, 32..64);
    assert_eq!(bench.submitted(), "p0 RA 64+32");
}

#[test]
fn a_read_larger_than_the_window_is_asked_for_as_a_whole() {
    let mut bench = bench("", &[2000]);
    bench.read(0, 0..256);
    assert_eq!(bench.submitted(), "p0 R 0+256, p0 RA 256+128", "at its marker 128 are wanted");
}

#[test]
fn random_reads_do_not_read_ahead() {
    let mut bench = bench("", &[100_000]);
    for page in [500, 70, 9_000, 40, 80_000, 1_000, 3] {
        bench.read(0, page..page + 2);
    }
    let expected = "p0 R 500+2, p0 R 70+2, p0 R 9000+2, p0 R 40+2, p0 R 80000+2, p0 R 1000+2, \
                    p0 R 3+2";
    assert_eq!(bench.submitted(), expected);
    assert_eq!(bench.count("read_ahead_pages"), 0);
}

#[test]
fn a_second_read_on_the_spot_makes_a_stream() {
    let mut bench = bench("", &[100_000]);
    bench.read(0, 500..501).read(0, 501..502);
    assert_eq!(bench.submitted(), "p0 R 500+1, p0 RA 501+4");
    // A leap and a return: the window is still known.
    bench.read(0, 9_000..9_001).read(0, 502..503);
    assert_eq!(bench.submitted(), "p0 R 9000+1, p0 RA 505+8");
}

#[test]
fn two_streams_in_one_file_go_on_behind_what_is_cached() {
    let mut bench = bench("", &[100_000]);
    let mut lines = Vec::new();
    for step in 0..40 {
        for start in [0, 50_000] {
            bench.read(0, start + step..start + step + 1);
        }
        lines.push(bench.submitted());
    }
    lines.retain(|line| !line.is_empty());
    // The second stream is found by the run of pages before it; a marker whose window is forgotten
    // asks for twice what was ahead.
    let expected = [
        "p0 RA 0+4, p0 R 50000+1",
        "p0 RA 4+8, p0 R 50001+1",
        "p0 RA 50002+3",
        "p0 RA 12+18, p0 RA 50005+4",
        "p0 RA 50009+8",
        "p0 RA 50017+16",
        "p0 RA 30+32",
        "p0 RA 50033+32",
        "p0 RA 62+32",
        "p0 RA 50065+32",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn processes_with_a_file_of_their_own_have_windows_of_their_own() {
    let mut bench = bench("", &[64, 64]);
    bench.read(0, 0..1).read(1, 64..65).read(0, 1..2).read(1, 65..66);
    assert_eq!(bench.submitted(), "p0 RA 0+4, p1 RA 64+4, p0 RA 4+8, p1 RA 68+8");
}

#[test]
fn a_window_ends_with_the_file() {
    let mut bench = bench("", &[6, 100]);
    for page in 0..6 {
        bench.read(0, page..page + 1);
    }
    assert_eq!(bench.submitted(), "p0 RA 0+4, p0 RA 4+2");
    assert_eq!(bench.count("read_ahead_wasted"), 0);
}

#[test]
fn a_transfer_ends_where_the_last_sector_of_the_file_does() {
    let file = Region { start_bytes: 0, length_bytes: 3 * PAGE_BYTES + 512 };
    let mut bench = bench_of("", &[OpenFile::new(file)]);
    let io = Io::new(Ticket(0), IoKind::Read, 0, 512);
    let operation = bench.cache.begin(0, &io);
    let Progress::Transfer(transfer) = bench.cache.step(0, operation) else { panic!() };
    assert_eq!(transfer.length_bytes, file.length_bytes);
}

#[test]
fn advice_changes_the_window() {
    let file = Region { start_bytes: 0, length_bytes: 4000 * PAGE_BYTES };
    let of = |advice| bench_of("", &[OpenFile { advice, ..OpenFile::new(file) }]);
    let mut random = of(Advice::Random);
    random.read(0, 0..1).read(0, 1..2).read(0, 2..4);
    assert_eq!(random.submitted(), "p0 R 0+1, p0 R 1+1, p0 R 2+2");
    let mut sequential = of(Advice::Sequential);
    for page in 0..200 {
        sequential.read(0, page..page + 1);
    }
    let submitted = sequential.submitted();
    assert!(
        submitted.ends_with("p0 RA 60+64, p0 RA 124+64, p0 RA 188+64, p0 RA 252+64"),
        "{submitted}"
    );
}

#[test]
fn without_read_ahead_each_page_is_read_alone() {
    let file = Region { start_bytes: 0, length_bytes: 100 * PAGE_BYTES };
    let mut bench = bench("", &[100]);
    bench.cache = PageCache::new(&CacheSettings::default(), 0, 1280, &[OpenFile::new(file)]);
    bench.read(0, 0..3);
    assert_eq!(bench.submitted(), "p0 R 0+1, p0 R 1+1, p0 R 2+1");
}

#[test]
fn a_hit_costs_the_copy_and_nothing_else() {
    let mut bench = bench("", &[100]);
    bench.write(0, 0..10);
    assert_eq!(bench.now_ns, 4_500);
    bench.read(0, 0..10);
    assert_eq!((bench.now_ns, bench.submitted().as_str()), (9_000, ""));
}

#[test]
fn reads_of_parts_of_a_page_use_it_once() {
    let mut bench = bench("memory_mb=1", &[10_000]);
    for sector in 0..64 {
        bench.begin_bytes(0, IoKind::Read, sector * 512..(sector + 1) * 512);
        bench.run();
    }
    assert_eq!(bench.cache.pages.count(0..100, |word| word.of(Flag::Hot)), 0);
    bench.read(0, 2..3);
    assert_eq!(bench.cache.pages.count(0..100, |word| word.of(Flag::Hot)), 1);
}

#[test]
fn a_full_memory_gives_up_what_was_read_once() {
    // 256 pages. The first ten are used twice.
    let mut bench = bench("memory_mb=1", &[10_000, 100]);
    bench.read(1, 10_000..10_010).read(1, 10_000..10_010);
    for page in 0..300 {
        bench.read(0, page..page + 1);
    }
    bench.submitted();
    bench.read(1, 10_000..10_010);
    assert_eq!(bench.submitted(), "", "still there");
    bench.read(0, 1..2);
    assert_ne!(bench.submitted(), "", "gone");
    assert_eq!(bench.count("cached_max_pages"), 256);
    assert!(bench.count("evicted_pages") > 80);
}

#[test]
fn a_dropped_file_is_read_again_and_what_was_ahead_is_wasted() {
    let mut bench = bench("", &[100]);
    bench.read(0, 0..2);
    assert_eq!(bench.submitted(), "p0 RA 0+4");
    bench.run_until(10 * MS);
    bench.drop_pages(0, 0..100).read(0, 0..1);
    assert_eq!(bench.submitted(), "p0 RA 0+4");
    assert_eq!(bench.count("invalidated_pages"), 4);
    assert_eq!(bench.count("read_ahead_wasted"), 2);
}

#[test]
fn a_page_that_cannot_be_read_fails_who_waits_for_it_and_is_tried_again() {
    let mut bench = bench("", &[100]);
    bench.failing = Some(0);
    bench.read(0, 0..1);
    assert_eq!(bench.ended, [(0, MS, Err(5))]);
    bench.read(0, 0..1);
    assert_eq!(bench.ended[1].2, Ok(()));
    assert_eq!(bench.submitted(), "p0 RA 0+4, p0 RA 0+4");
}

#[test]
fn two_readers_of_a_page_share_its_transfer() {
    let file = OpenFile::new(Region { start_bytes: 0, length_bytes: 1 << 20 });
    let mut bench = bench_of("", &[file, file]);
    bench.begin(0, IoKind::Read, 0..1);
    bench.begin(1, IoKind::Read, 0..1);
    bench.run();
    assert_eq!(bench.transfers, 1);
    let ends: Vec<_> = bench.ended.iter().map(|end| end.1).collect();
    assert_eq!(ends, [MS + 900, MS + 900]);
}

#[test]
fn a_process_copies_for_one_read_after_the_other_and_waits_for_the_device_at_once() {
    let mut bench = bench("", &[1000, 1000]);
    bench.read(0, 0..8).read(1, 1000..1008);
    let read = |bench: &mut Bench, reads: &[(u32, Range<u64>)]| -> Vec<u64> {
        bench.ended.clear();
        let began_ns = bench.now_ns;
        for (process, pages) in reads {
            bench.begin(*process, IoKind::Read, pages.clone());
        }
        bench.run();
        let mut ends_ns: Vec<u64> = bench.ended.iter().map(|end| end.1 - began_ns).collect();
        ends_ns.sort_unstable();
        ends_ns
    };
    // A call takes 500 ns, and 400 for each page; what is not cached, 1 ms of the device.
    for (what, reads, expected) in [
        ("one", vec![(0, 0..1)], vec![900]),
        ("three", vec![(0, 0..1), (0, 1..2), (0, 2..3)], vec![900, 1_800, 2_700]),
        ("of two processes", vec![(0, 0..1), (1, 1000..1001)], vec![900, 900]),
        ("two misses", vec![(0, 300..301), (0, 500..501)], vec![MS + 900, MS + 1_800]),
    ] {
        assert_eq!(read(&mut bench, &reads), expected, "{what}");
    }
}
