// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whatever processes do: no dirty page is lost, none is written twice for one dirtying, and the
//! counts are those of the bitmaps.

use super::*;
use proptest::prelude::*;

const PAGES: u64 = 600;

#[derive(Clone, Debug)]
enum Act {
    Read(u64, u64),
    Write(u64, u64),
    Fsync,
    Sync,
    Drop(u64, u64),
    Pass(u64),
}

fn act() -> impl Strategy<Value = Act> {
    let range = || (0..PAGES - 70, 1..70_u64);
    prop_oneof![
        4 => range().prop_map(|(start, pages)| Act::Read(start, pages)),
        6 => range().prop_map(|(start, pages)| Act::Write(start, pages)),
        1 => Just(Act::Fsync),
        1 => Just(Act::Sync),
        1 => range().prop_map(|(start, pages)| Act::Drop(start, pages)),
        3 => (1..40_u64).prop_map(Act::Pass),
    ]
}

impl Bench {
    fn check(&self) {
        let cache = &self.cache;
        let count = |flag| cache.pages.count(0..PAGES, |word| word.of(flag));
        assert_eq!(count(Flag::Dirty), cache.files.dirty);
        assert_eq!(count(Flag::Writeback), cache.files.writeback);
        assert_eq!(cache.files.dirty, cache.files[0].dirty);
        for flag in [Flag::Dirty, Flag::Writeback, Flag::Reading, Flag::Ahead, Flag::Marker] {
            let lost = |word: &pages::Word| word.of(flag) & !word.of(Flag::Cached);
            assert_eq!(cache.pages.first(0..PAGES, lost), None, "{flag:?} and not cached");
        }
        cache.memory.check(&cache.pages, 0..PAGES);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn every_dirty_page_is_written_once_for_each_dirtying(
        acts in prop::collection::vec((act(), 0..3_u32), 1..60),
        latency_ns in 1..5 * MS,
        background in 1..200_u64,
        memory_mb in 1..3_u32,
    ) {
        let file = OpenFile::new(Region { start_bytes: 0, length_bytes: PAGES * PAGE_BYTES });
        let settings = format!(
            "memory_mb={memory_mb},dirty_background_bytes={},dirty_bytes={}",
            background * PAGE_BYTES,
            background * PAGE_BYTES * 2
        );
        let mut bench = bench_of(&settings, &[file; 3]);
        bench.latency_ns = latency_ns;
        for (act, process) in acts {
            match act {
                Act::Read(start, pages) => bench.begin(process, IoKind::Read, start..start + pages),
                Act::Write(start, pages) => bench.begin(process, IoKind::Write, start..start + pages),
                Act::Fsync => bench.begin(process, IoKind::Fsync, 0..0),
                Act::Sync => {
                    let operation = bench.cache.begin_sync(process);
                    bench.running.push((operation, process, bench.now_ns));
                }
                Act::Drop(start, pages) => {
                    let region = Region {
                        start_bytes: start * PAGE_BYTES,
                        length_bytes: pages * PAGE_BYTES,
                    };
                    let operation = bench.cache.begin_drop(process, region);
                    bench.running.push((operation, process, bench.now_ns));
                }
                Act::Pass(ms) => {
                    bench.run_until(bench.now_ns + ms * MS);
                }
            }
            bench.instant();
            bench.check();
        }
        bench.run();
        bench.check();
        prop_assert!(bench.ended.iter().all(|end| end.2 == Ok(())));
        bench.fsync(0);
        prop_assert_eq!(bench.cache.files.dirty, 0);
        prop_assert_eq!(bench.cache.files.writeback, 0);
        let written = bench.count("flusher_pages") + bench.count("sync_pages");
        prop_assert_eq!(written, bench.count("dirtied_pages"));
        bench.run_until(bench.now_ns + 10 * latency_ns);
        bench.drop_pages(0, 0..PAGES);
        prop_assert_eq!(bench.cache.memory.cached(), 0);
        let (ahead, used, wasted) =
            (bench.count("read_ahead_pages"), bench.count("read_ahead_used"), bench.count("read_ahead_wasted"));
        prop_assert_eq!(ahead, used + wasted);
    }
}
