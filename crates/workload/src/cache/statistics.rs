// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the page cache counts, as one table.

/// Counts since the start of the run.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    pub read_pages: u64,
    pub read_hits: u64,
    pub read_waits: u64,
    pub read_ahead_pages: u64,
    pub read_ahead_used: u64,
    pub read_ahead_wasted: u64,
    pub write_pages: u64,
    pub dirtied_pages: u64,
    pub flusher_pages: u64,
    pub sync_pages: u64,
    pub background_starts: u64,
    pub syncs: u64,
    pub dirty_max_pages: u64,
    pub dirty_left_pages: u64,
    pub throttled: u64,
    pub throttled_ns: u64,
    pub cached_max_pages: u64,
    pub evicted_pages: u64,
    pub invalidated_pages: u64,
}

/// A figure of the page cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheStatistic {
    /// Name of the figure.
    pub name: &'static str,
    /// Unit of the figure.
    pub unit: &'static str,
    /// What is counted, as a phrase for documents.
    pub doc: &'static str,
    /// Value of the figure.
    pub value: u64,
}

macro_rules! table {
    ($($name:ident, $unit:literal, $doc:literal;)+) => {
        impl Counts {
            /// All figures, in the order of the table.
            pub(super) fn all(&self) -> Vec<CacheStatistic> {
                vec![$(CacheStatistic {
                    name: stringify!($name),
                    unit: $unit,
                    doc: $doc,
                    value: self.$name,
                }),+]
            }
        }
    };
}

table! {
    read_pages, "pages", "wanted by reads";
    read_hits, "pages", "of them, in the cache when the read began";
    read_waits, "pages", "of them, on their way when the read began: read ahead, but late";
    read_ahead_pages, "pages", "read before anybody wanted them";
    read_ahead_used, "pages", "of them, used later";
    read_ahead_wasted, "pages", "of them, gone from the cache unused";
    write_pages, "pages", "written to by processes";
    dirtied_pages, "pages", "of them, clean or not cached before";
    flusher_pages, "pages", "written to the device by the flusher, or because their file was \
        dropped";
    sync_pages, "pages", "written to the device because a process waits: fsync, fdatasync, sync";
    background_starts, "times", "the flusher found more dirty pages than the background limit";
    syncs, "times", "fsync, fdatasync and sync were called";
    dirty_max_pages, "pages", "the most that were dirty or being written at a time";
    dirty_left_pages, "pages", "dirty at the end of the run";
    throttled, "times", "a writer had to pause for dirty pages";
    throttled_ns, "ns", "the length of these pauses, of all writers together";
    cached_max_pages, "pages", "the most that were in the cache at a time";
    evicted_pages, "pages", "that left the cache to make room";
    invalidated_pages, "pages", "that left the cache because their file was dropped";
}
