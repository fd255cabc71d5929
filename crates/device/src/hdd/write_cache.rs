// SPDX-License-Identifier: MIT OR Apache-2.0
//! The write-back cache: runs of sectors that the host believes written and
//! the platters don't have.

use super::geometry::PhysicalAddress;

/// Consecutive sectors that the platters do not have yet: `start..end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub start: u64,
    pub end: u64,
    /// The cylinder and angle at which `start` lies.
    pub place: PhysicalAddress,
}

/// All dirty runs, ordered, disjoint and not touching each other.
#[derive(Clone, Debug)]
pub(super) struct WriteCache {
    runs: Vec<Run>,
    runs_max: usize,
    capacity_sectors: u64,
    /// Sectors of the runs and of what the arm is writing just now.
    used_sectors: u64,
}

impl WriteCache {
    pub fn new(capacity_sectors: u64, runs_max: u64) -> Self {
        let runs_max = runs_max as usize;
        WriteCache {
            runs: Vec::with_capacity(runs_max),
            runs_max,
            capacity_sectors,
            used_sectors: 0,
        }
    }

    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Whether nothing is left to write, not even under the head.
    pub fn is_clean(&self) -> bool {
        self.used_sectors == 0
    }

    /// Whether writes of this length go through the cache at all.
    pub fn takes(&self, sectors: u64) -> bool {
        sectors <= self.capacity_sectors
    }

    /// Whether there is room for a write now.
    pub fn has_room(&self, start: u64, end: u64) -> bool {
        let fits = self.used_sectors + (end - start) <= self.capacity_sectors;
        fits && (self.runs.len() < self.runs_max || !self.touching(start, end).is_empty())
    }

    /// How full it is, by sectors or by runs, whichever is more, in millionths.
    pub fn fill_share(&self) -> u64 {
        let share = |used: u64, all: u64| used * 1_000_000 / all.max(1);
        share(self.used_sectors, self.capacity_sectors)
            .max(share(self.runs.len() as u64, self.runs_max as u64))
    }

    /// Whether all of the sectors are in it.
    pub fn has(&self, start: u64, end: u64) -> bool {
        let behind = self.runs.partition_point(|run| run.start <= start);
        behind > 0 && end <= self.runs[behind - 1].end
    }

    /// The runs that overlap with the sectors or touch them.
    fn touching(&self, start: u64, end: u64) -> std::ops::Range<usize> {
        let first = self.runs.partition_point(|run| run.end < start);
        let behind = self.runs.partition_point(|run| run.start <= end);
        first..behind.max(first)
    }

    /// Adds the sectors from a place up to `end`, for which there must be room.
    pub fn add(&mut self, place: PhysicalAddress, end: u64) {
        let start = place.sector;
        debug_assert!(self.has_room(start, end), "the caller asks for room first");
        let touching = self.touching(start, end);
        let (mut merged, mut replaced) = (Run { start, end, place }, 0);
        for run in &self.runs[touching.clone()] {
            replaced += run.end - run.start;
            if run.start < merged.start {
                (merged.start, merged.place) = (run.start, run.place);
            }
            merged.end = merged.end.max(run.end);
        }
        self.used_sectors += (merged.end - merged.start) - replaced;
        if touching.is_empty() {
            self.runs.insert(touching.start, merged);
        } else {
            self.runs[touching.start] = merged;
            self.runs.drain(touching.start + 1..touching.end);
        }
    }

    /// The most to write in one go. What is being written keeps its room; so that the host can go
    /// on filling the cache meanwhile, that must not be all of it.
    pub fn chunk_sectors(&self) -> u64 {
        (self.capacity_sectors / 4).max(1)
    }

    /// Takes the first sectors of a run, up to `rest`, out of it for writing; they keep their room
    /// until [`WriteCache::written`].
    pub fn take(&mut self, index: usize, rest: PhysicalAddress) {
        let run = &mut self.runs[index];
        debug_assert!(run.start < rest.sector && rest.sector <= run.end, "part of the run");
        (run.start, run.place) = (rest.sector, rest);
        if run.start == run.end {
            self.runs.remove(index);
        }
    }

    /// Frees the room of sectors that were written.
    pub fn written(&mut self, sectors: u64) {
        debug_assert!(sectors <= self.used_sectors);
        self.used_sectors -= sectors;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn place(sector: u64) -> PhysicalAddress {
        PhysicalAddress { sector, cylinder: sector / 10, angle_ns: sector % 10 }
    }

    fn dirty(cache: &WriteCache) -> BTreeSet<u64> {
        cache.runs.iter().flat_map(|run| run.start..run.end).collect()
    }

    #[test]
    fn neighbours_become_one_run() {
        let mut cache = WriteCache::new(100, 3);
        for (start, end) in [(10, 20), (30, 40), (50, 60)] {
            assert!(cache.has_room(start, end));
            cache.add(place(start), end);
        }
        assert!(!cache.has_room(70, 71), "three runs are all it keeps");
        assert!(cache.has_room(20, 30), "but this makes two runs one");
        cache.add(place(15), 35);
        let runs: Vec<_> = cache.runs.iter().map(|run| (run.start, run.end)).collect();
        assert_eq!(runs, [(10, 40), (50, 60)]);
        assert_eq!(cache.runs[0].place, place(10));
        assert!(cache.has(12, 40) && !cache.has(39, 51) && !cache.has(40, 41));
        assert_eq!(cache.used_sectors, 40);
    }

    #[test]
    fn what_is_being_written_keeps_its_room() {
        let mut cache = WriteCache::new(20, 8);
        cache.add(place(0), 20);
        cache.take(0, place(15));
        assert_eq!((dirty(&cache).len(), cache.has_room(40, 41)), (5, false));
        cache.written(15);
        assert!(cache.has_room(40, 55) && !cache.is_clean());
        cache.take(0, place(20));
        cache.written(5);
        assert!(cache.is_clean());
    }

    proptest! {
        /// Against a plain set of sectors.
        #[test]
        fn runs_are_the_set_of_dirty_sectors(
            steps in prop::collection::vec((any::<bool>(), 0u64..200, 1u64..20), 1..80),
        ) {
            let mut cache = WriteCache::new(150, 12);
            let mut expected = BTreeSet::new();
            for (write, start, sectors) in steps {
                let end = start + sectors;
                if write && cache.has_room(start, end) {
                    cache.add(place(start), end);
                    expected.extend(start..end);
                } else if !cache.runs.is_empty() {
                    let index = start as usize % cache.runs.len();
                    let run = cache.runs[index];
                    let rest = run.end.min(run.start + sectors);
                    cache.take(index, place(rest));
                    cache.written(rest - run.start);
                    expected.retain(|sector| !(run.start..rest).contains(sector));
                }
                prop_assert_eq!(&dirty(&cache), &expected);
                prop_assert_eq!(cache.used_sectors, expected.len() as u64);
                prop_assert!(cache.used_sectors <= 150 && cache.runs.len() <= 12);
                prop_assert!(cache.runs.windows(2).all(|pair| pair[0].end < pair[1].start));
                prop_assert!(cache.runs.iter().all(|run| run.place == place(run.start)));
                prop_assert_eq!(cache.has(start, end), (start..end).all(|s| expected.contains(&s)));
            }
        }
    }
}
