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
    /// Whether a read from `sector` on begins in the segment or right behind it.
    fn serves(&self, sector: u64) -> bool {
        self.start < self.end && (self.start..=self.end).contains(&sector)
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

    /// The segment that has the sector, or whose end it is.
    pub fn find(&self, sector: u64) -> Option<SegmentId> {
        self.segments.iter().position(|segment| segment.serves(sector)).map(SegmentId)
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
