//! The write-back cache: runs of sectors that the host believes written and the platters don't have.

/// Consecutive dirty sectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub start: u64,
    pub end: u64,
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
        fits && (self.runs.len() < self.runs_max || self.touching(start, end).len() > 0)
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

    /// Adds sectors, for which there must be room.
    pub fn add(&mut self, start: u64, end: u64) {
        debug_assert!(self.has_room(start, end), "the caller asks for room first");
        let touching = self.touching(start, end);
        let (mut merged, mut replaced) = (Run { start, end }, 0);
        for run in &self.runs[touching.clone()] {
            replaced += run.end - run.start;
            merged.start = merged.start.min(run.start);
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

    /// Takes the first sectors of a run, up to `end`, out of it for writing; they keep their room
    /// until [`WriteCache::written`].
    pub fn take(&mut self, index: usize, end: u64) {
        let run = &mut self.runs[index];
        debug_assert!(run.start < end && end <= run.end, "part of the run");
        run.start = end;
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
