// SPDX-License-Identifier: MIT OR Apache-2.0
//! The read cache: a few segments, each of which follows one sequential stream.

/// Consecutive sectors in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Segment {
    pub start: u64,
    pub end: u64,
    /// The sector after the last one that the host has asked for.
    pub wanted: u64,
    used: u64,
}

impl Segment {
    /// Whether the sector is in memory.
    fn has(&self, sector: u64) -> bool {
        (self.start..self.end).contains(&sector)
    }

    /// Whether a read from `sector` on begins right behind the segment.
    fn ends_at(&self, sector: u64) -> bool {
        self.start < self.end && self.end == sector
    }
}

/// Names a segment by its place in the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SegmentId(usize);

/// The segments of the cache.
#[derive(Clone, Debug)]
pub(super) struct ReadCache {
    segments: Vec<Segment>,
    segment_sectors: u64,
    clock: u64,
}

impl ReadCache {
    pub fn new(segments: u64, segment_sectors: u64) -> Self {
        ReadCache {
            segments: vec![Segment::default(); segments as usize],
            segment_sectors,
            clock: 0,
        }
    }

    pub fn get(&self, id: SegmentId) -> &Segment {
        &self.segments[id.0]
    }

    /// The segment that has the sector; if none has, one whose end it is.
    pub fn find(&self, sector: u64) -> Option<SegmentId> {
        let find = |is_it: fn(&Segment, u64) -> bool| {
            self.segments.iter().position(|segment| is_it(segment, sector))
        };
        find(Segment::has).or_else(|| find(Segment::ends_at)).map(SegmentId)
    }

    /// The segment used last.
    pub fn latest(&self) -> Option<SegmentId> {
        let latest = (0..self.segments.len()).max_by_key(|index| self.segments[*index].used)?;
        (self.segments[latest].used > 0).then_some(SegmentId(latest))
    }

    /// Notes that the host has asked for the sectors up to `end` of a segment.
    pub fn touch(&mut self, id: SegmentId, end: u64) {
        self.clock += 1;
        let segment = &mut self.segments[id.0];
        segment.used = self.clock;
        segment.wanted = end;
    }

    /// Takes the segment that was not used for the longest time for a stream from `sector` on.
    pub fn begin(&mut self, sector: u64) -> Option<SegmentId> {
        let oldest = (0..self.segments.len()).min_by_key(|index| self.segments[*index].used)?;
        self.segments[oldest] = Segment { start: sector, end: sector, wanted: sector, used: 0 };
        let id = SegmentId(oldest);
        self.touch(id, sector);
        Some(id)
    }

    /// Notes that a segment is filled up to `end`; what doesn't fit any more drops out in front.
    pub fn fill(&mut self, id: SegmentId, end: u64) {
        let segment = &mut self.segments[id.0];
        segment.end = segment.end.max(end);
        segment.start = segment.start.max(segment.end.saturating_sub(self.segment_sectors));
    }

    /// Forgets the segments that overlap with sectors that are being written, and tells them.
    pub fn forget(&mut self, start: u64, end: u64, mut forgotten: impl FnMut(SegmentId)) {
        for (index, segment) in self.segments.iter_mut().enumerate() {
            if start < segment.end && segment.start < end {
                *segment = Segment::default();
                forgotten(SegmentId(index));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The older segment ends where the younger one goes on.
    #[test]
    fn a_segment_that_has_the_sector_goes_before_one_that_ends_there() {
        let mut cache = ReadCache::new(2, 1000);
        let older = cache.begin(0).unwrap();
        cache.fill(older, 100);
        let younger = cache.begin(90).unwrap();
        cache.fill(younger, 200);
        let found = [0, 95, 100, 199, 200, 201].map(|sector| cache.find(sector));
        let (older, younger) = (Some(older), Some(younger));
        assert_eq!(found, [older, older, younger, younger, younger, None]);
    }
}
