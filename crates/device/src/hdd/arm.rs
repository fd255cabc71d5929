// SPDX-License-Identifier: MIT OR Apache-2.0
//! The arm: where it is, what it is doing, and how soon it can begin something else.
//!
//! A seek for reading ahead gives way to any command, but not at once: an arm that is gathering
//! speed needs as long again, and as far, to lose it. So it comes to rest after twice the time that
//! it has been under way; after half of the seek that is where it was going. To a sector it takes
//! the way that is sooner there: it comes to rest and turns, or lets the seek end first.

use super::geometry::{Geometry, PhysicalAddress};
use super::read_cache::SegmentId;
use super::seek::SeekCurve;
use crate::command::Command;
use crate::profile::HardDiskParameters;
use crate::statistics::Statistic;
use base::random::Random;

/// What the arm does for a command; can't be broken off.
#[derive(Clone, Copy, Debug)]
pub(super) enum Job {
    /// Reads the rest of a command into a segment.
    Read { command: Command, media_start_ns: u64, segment: Option<SegmentId> },
    /// Writes a command that goes past the write-back cache.
    Write { command: Command },
    /// Writes sectors from the write-back cache.
    WriteBack { sectors: u64 },
}

/// Reading ahead; can be broken off at any time.
#[derive(Clone, Copy, Debug)]
struct Stream {
    segment: SegmentId,
    /// How the arm gets to the first sector.
    approach: Approach,
    /// The sector before which the stream stops.
    limit_sector: u64,
}

/// A cylinder over which the arm is at rest.
#[derive(Clone, Copy, Debug)]
struct Stand {
    cylinder: u64,
    /// From when on.
    since_ns: u64,
}

/// Where the arm is when it is asked to go somewhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Departure {
    now_ns: u64,
    /// Where it is soonest at rest.
    nearest: Stand,
    /// The end of the seek that it is on, if that is somewhere else.
    seek_end: Option<Stand>,
    /// The sector that it is reading just now, and since when: for a read from there on nothing has
    /// to be waited for.
    under_head: Option<(u64, u64)>,
}

impl Departure {
    /// The cylinders that it can leave from.
    pub fn cylinders(&self) -> impl Iterator<Item = u64> + use<> {
        self.stands().map(|stand| stand.cylinder)
    }

    fn stands(&self) -> impl Iterator<Item = Stand> + use<> {
        std::iter::once(self.nearest).chain(self.seek_end)
    }
}

/// How the arm gets to a sector.
#[derive(Clone, Copy, Debug)]
pub(super) struct Approach {
    sector: u64,
    cylinder: u64,
    from: Stand,
    /// Until the arm is there, from when it may leave.
    seek_ns: u64,
    rotation_ns: u64,
    /// When the sector begins to pass under the head.
    pub start_ns: u64,
}

impl Approach {
    /// The sector that the head is brought to.
    pub fn sector(&self) -> u64 {
        self.sector
    }

    /// When the arm is there; then it waits for the sector to come round.
    pub fn arrival_ns(&self) -> u64 {
        self.start_ns - self.rotation_ns
    }

    /// Where the arm is soonest at rest if it breaks off on its way.
    fn broken_off(&self, now_ns: u64) -> Stand {
        let under_way_ns = now_ns.saturating_sub(self.from.since_ns);
        let whole_ns = self.arrival_ns().saturating_sub(self.from.since_ns);
        if 2 * under_way_ns >= whole_ns {
            return Stand { cylinder: self.cylinder, since_ns: self.arrival_ns() };
        }
        let share = |cylinders: u64| {
            let (part, whole) = (u128::from(2 * under_way_ns), u128::from(whole_ns));
            (u128::from(cylinders) * (part * part) / (whole * whole)) as u64
        };
        let from = self.from.cylinder;
        let cylinder = match self.cylinder.checked_sub(from) {
            Some(outwards) => from + share(outwards),
            None => from - share(from - self.cylinder),
        };
        Stand { cylinder, since_ns: self.from.since_ns + 2 * under_way_ns }
    }
}

/// The arm of a hard disk.
#[derive(Clone, Debug)]
pub(super) struct Arm {
    geometry: Geometry,
    curve: SeekCurve,
    write_settle_ns: u64,
    /// Media time that passes under the head at time 0.
    pub(super) phase_ns: u64,
    /// Where it stands when it isn't reading ahead; where its job ends if it has one.
    stand: Stand,
    job: Option<(Job, u64)>,
    stream: Option<Stream>,
    seeks: u64,
    seek_ns: u64,
    rotation_ns: u64,
    media_ns: u64,
}

impl Arm {
    pub fn new(parameters: &HardDiskParameters, seed: u64) -> Self {
        let geometry = Geometry::new(parameters);
        Arm {
            curve: SeekCurve::new(parameters, geometry.cylinders()),
            write_settle_ns: parameters.write_settle,
            phase_ns: Random::new(seed).next() % geometry.revolution_ns(),
            stand: Stand { cylinder: 0, since_ns: 0 },
            job: None,
            stream: None,
            seeks: 0,
            seek_ns: 0,
            rotation_ns: 0,
            media_ns: 0,
            geometry,
        }
    }

    /// When its job ends; none if it is free (it may be reading ahead).
    pub fn job_end_ns(&self) -> Option<u64> {
        self.job.as_ref().map(|(_, end_ns)| *end_ns)
    }

    /// The segment that it is reading ahead into and the sector that it has come to.
    pub fn stream_progress(&self, now_ns: u64) -> Option<(SegmentId, u64)> {
        self.stream.map(|stream| (stream.segment, self.stream_sector(&stream, now_ns)))
    }

    fn stream_sector(&self, stream: &Stream, now_ns: u64) -> u64 {
        let Approach { sector, start_ns, .. } = stream.approach;
        let Some(passed_ns) = now_ns.checked_sub(start_ns) else {
            return sector;
        };
        let media_ns = self.geometry.media_ns(sector) + passed_ns;
        if media_ns >= self.geometry.media_ns(stream.limit_sector) {
            return stream.limit_sector;
        }
        self.geometry.sector_at(media_ns)
    }

    /// Where a sector is.
    pub fn place(&self, sector: u64) -> PhysicalAddress {
        self.geometry.place(sector)
    }

    /// From where it would go, starting now.
    pub fn departure(&self, now_ns: u64) -> Departure {
        let Some(stream) = &self.stream else {
            return Departure { now_ns, nearest: self.stand, seek_end: None, under_head: None };
        };
        let nearest = self.stream_stand(stream, now_ns);
        let end =
            Stand { cylinder: stream.approach.cylinder, since_ns: stream.approach.arrival_ns() };
        let seek_end = (nearest.since_ns < end.since_ns).then_some(end);
        Departure { now_ns, nearest, seek_end, under_head: self.under_head(stream, now_ns) }
    }

    /// Where it is soonest at rest if it stops reading ahead.
    fn stream_stand(&self, stream: &Stream, now_ns: u64) -> Stand {
        if now_ns < stream.approach.arrival_ns() {
            return stream.approach.broken_off(now_ns);
        }
        let cylinder = self.geometry.cylinder(self.stream_sector(stream, now_ns));
        Stand { cylinder, since_ns: now_ns }
    }

    /// The sector that it is reading ahead just now, and since when.
    fn under_head(&self, stream: &Stream, now_ns: u64) -> Option<(u64, u64)> {
        let Approach { sector: from_sector, start_ns, .. } = stream.approach;
        let sector = self.stream_sector(stream, now_ns);
        (start_ns <= now_ns && sector < stream.limit_sector).then(|| {
            let begun_ns = self.geometry.media_ns(sector) - self.geometry.media_ns(from_sector);
            (sector, start_ns + begun_ns)
        })
    }

    /// How it would get from there to a place, leaving at `leave_ns` at the earliest.
    pub fn approach(
        &self,
        departure: &Departure,
        leave_ns: u64,
        place: &PhysicalAddress,
        write: bool,
    ) -> Approach {
        if let Some((under_head, start_ns)) = departure.under_head
            && under_head == place.sector
            && !write
        {
            let PhysicalAddress { sector, cylinder, .. } = *place;
            let (from, seek_ns, rotation_ns) = (departure.nearest, 0, 0);
            return Approach { sector, cylinder, from, seek_ns, rotation_ns, start_ns };
        }
        let approach_from = |stand| self.approach_from(stand, departure, leave_ns, place, write);
        let nearest = approach_from(departure.nearest);
        match departure.seek_end.map(approach_from) {
            Some(behind_seek) if behind_seek.arrival_ns() < nearest.arrival_ns() => behind_seek,
            _ => nearest,
        }
    }

    fn approach_from(
        &self,
        stand: Stand,
        departure: &Departure,
        leave_ns: u64,
        place: &PhysicalAddress,
        write: bool,
    ) -> Approach {
        let PhysicalAddress { sector, cylinder, angle_ns, .. } = *place;
        let may_leave_ns = departure.now_ns.max(leave_ns);
        let from = Stand { since_ns: stand.since_ns.max(may_leave_ns), ..stand };
        let way_ns = self.curve.seek_ns(cylinder.abs_diff(stand.cylinder));
        let moves = way_ns > 0 || from.since_ns > may_leave_ns;
        let settle_ns = if write && moves { self.write_settle_ns } else { 0 };
        let arrival_ns = from.since_ns + way_ns + settle_ns;
        let revolution_ns = self.geometry.revolution_ns();
        let passed_ns = (arrival_ns + self.phase_ns) % revolution_ns;
        let mut rotation_ns = angle_ns + revolution_ns - passed_ns;
        if rotation_ns >= revolution_ns {
            rotation_ns -= revolution_ns;
        }
        let (seek_ns, start_ns) = (arrival_ns - may_leave_ns, arrival_ns + rotation_ns);
        Approach { sector, cylinder, from, seek_ns, rotation_ns, start_ns }
    }

    /// Begins a job on the sectors from the approached one up to `end`; returns when it ends.
    pub fn begin(&mut self, approach: Approach, end: u64, job: Job) -> u64 {
        debug_assert!(self.job.is_none(), "one job at a time");
        let Approach { sector, seek_ns, rotation_ns, start_ns, .. } = approach;
        let media_ns = self.geometry.media_ns(end) - self.geometry.media_ns(sector);
        self.seeks += u64::from(seek_ns > 0);
        self.seek_ns += seek_ns;
        self.rotation_ns += rotation_ns;
        self.media_ns += media_ns;
        let end_ns = start_ns + media_ns;
        // Skew is ideal: behind its last sector the arm is where the next one begins.
        self.stand = Stand { cylinder: self.geometry.cylinder(end), since_ns: end_ns };
        self.stream = None;
        self.job = Some((job, end_ns));
        end_ns
    }

    /// Ends the job under way and gives it back; none if there is none.
    pub fn finish(&mut self) -> Option<Job> {
        self.job.take().map(|(job, _)| job)
    }

    /// Reads ahead into a segment from `from_sector` up to `limit_sector`; goes on if that is what
    /// it is doing.
    pub fn read_ahead(
        &mut self,
        now_ns: u64,
        segment: SegmentId,
        from_sector: u64,
        limit_sector: u64,
    ) {
        let limit_sector = limit_sector.min(self.geometry.capacity_sectors());
        if from_sector >= limit_sector {
            return;
        }
        if let Some(stream) = &self.stream
            && stream.segment == segment
            && self.stream_sector(stream, now_ns) < stream.limit_sector
        {
            self.stream = Some(Stream { limit_sector, ..*stream });
            return;
        }
        let departure = self.departure(now_ns);
        let approach = self.approach(&departure, now_ns, &self.place(from_sector), false);
        self.stream = Some(Stream { segment, approach, limit_sector });
    }

    /// A segment was forgotten: it is filled no further, as it would seem to hold what came before,
    /// too. A read goes on for its command alone.
    pub fn forgotten(&mut self, now_ns: u64, forgotten: SegmentId) {
        if self.stream.is_some_and(|stream| stream.segment == forgotten) {
            self.stop_stream(now_ns);
        }
        if let Some((Job::Read { segment, .. }, _)) = &mut self.job {
            segment.take_if(|segment| *segment == forgotten);
        }
    }

    /// Sectors are being written: what it reads of them for a command is not kept.
    pub fn overwritten(&mut self, start: u64, end: u64) {
        if let Some((Job::Read { command, segment, .. }, _)) = &mut self.job
            && start < command.end_sector()
            && command.sector < end
        {
            *segment = None;
        }
    }

    /// Stops reading ahead; the arm stays over the cylinder that it has come to.
    fn stop_stream(&mut self, now_ns: u64) {
        if let Some(stream) = self.stream.take() {
            self.stand = self.stream_stand(&stream, now_ns);
        }
    }

    /// The sector after the last one of the track that `sector` is on.
    pub fn track_end(&self, sector: u64) -> u64 {
        self.geometry.track_end(sector)
    }

    pub fn statistics(&self) -> [Statistic; 4] {
        [
            Statistic::new("seeks", "seeks", "jobs for which the arm had to move", self.seeks),
            Statistic::new("seek_ns", "ns", "time for moving the arm, and settling", self.seek_ns),
            Statistic::new(
                "rotation_ns",
                "ns",
                "time for waiting until the sector came round",
                self.rotation_ns,
            ),
            Statistic::new(
                "media_ns",
                "ns",
                "time for reading and writing, without reading ahead",
                self.media_ns,
            ),
        ]
    }
}
