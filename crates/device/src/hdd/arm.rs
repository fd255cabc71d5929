// SPDX-License-Identifier: MIT OR Apache-2.0
//! The arm: where it is, what it is doing, and how soon it can begin something else.

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
    from_sector: u64,
    /// When `from_sector` begins to pass under the head.
    since_ns: u64,
    /// The sector before which the stream stops.
    limit_sector: u64,
}

/// Where the arm is when it is asked to go somewhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Departure {
    now_ns: u64,
    cylinder: u64,
    /// The sector that it is reading just now, and since when: for a read from there on nothing has
    /// to be waited for.
    under_head: Option<(u64, u64)>,
}

impl Departure {
    pub fn cylinder(&self) -> u64 {
        self.cylinder
    }
}

/// How the arm gets to a sector.
#[derive(Clone, Copy, Debug)]
pub(super) struct Approach {
    sector: u64,
    cylinders: u64,
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
    cylinder: u64,
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
            cylinder: 0,
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
        let Some(passed_ns) = now_ns.checked_sub(stream.since_ns) else {
            return stream.from_sector;
        };
        let media_ns = self.geometry.media_ns(stream.from_sector) + passed_ns;
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
            return Departure { now_ns, cylinder: self.cylinder, under_head: None };
        };
        let sector = self.stream_sector(stream, now_ns);
        let reading = stream.since_ns <= now_ns && sector < stream.limit_sector;
        let under_head = reading.then(|| {
            let begun_ns =
                self.geometry.media_ns(sector) - self.geometry.media_ns(stream.from_sector);
            (sector, stream.since_ns + begun_ns)
        });
        Departure { now_ns, cylinder: self.geometry.cylinder(sector), under_head }
    }

    /// How it would get from there to a place, leaving at `leave_ns` at the earliest.
    pub fn approach(
        &self,
        departure: &Departure,
        leave_ns: u64,
        place: &PhysicalAddress,
        write: bool,
    ) -> Approach {
        let sector = place.sector;
        if let Some((under_head, start_ns)) = departure.under_head
            && under_head == sector
            && !write
        {
            return Approach { sector, cylinders: 0, seek_ns: 0, rotation_ns: 0, start_ns };
        }
        let cylinders = place.cylinder.abs_diff(departure.cylinder);
        let settle_ns = if write && cylinders > 0 { self.write_settle_ns } else { 0 };
        let seek_ns = self.curve.seek_ns(cylinders) + settle_ns;
        let arrival_ns = departure.now_ns.max(leave_ns) + seek_ns;
        let revolution_ns = self.geometry.revolution_ns();
        let angle_ns = (arrival_ns + self.phase_ns) % revolution_ns;
        let mut rotation_ns = place.angle_ns + revolution_ns - angle_ns;
        if rotation_ns >= revolution_ns {
            rotation_ns -= revolution_ns;
        }
        Approach { sector, cylinders, seek_ns, rotation_ns, start_ns: arrival_ns + rotation_ns }
    }

    /// Begins a job on the sectors from the approached one up to `end`; returns when it ends.
    pub fn begin(&mut self, approach: Approach, end: u64, job: Job) -> u64 {
        debug_assert!(self.job.is_none(), "one job at a time");
        let Approach { sector, cylinders, seek_ns, rotation_ns, start_ns } = approach;
        let media_ns = self.geometry.media_ns(end) - self.geometry.media_ns(sector);
        self.seeks += u64::from(cylinders > 0);
        self.seek_ns += seek_ns;
        self.rotation_ns += rotation_ns;
        self.media_ns += media_ns;
        // Skew is ideal: behind its last sector the arm is where the next one begins.
        self.cylinder = self.geometry.cylinder(end);
        self.stream = None;
        self.job = Some((job, start_ns + media_ns));
        start_ns + media_ns
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
        let place = self.place(from_sector);
        let since_ns = self.approach(&departure, now_ns, &place, false).start_ns;
        self.stream = Some(Stream { segment, from_sector, since_ns, limit_sector });
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

    /// Stops reading ahead; the arm stays over the cylinder that the stream has come to.
    fn stop_stream(&mut self, now_ns: u64) {
        if let Some(stream) = self.stream.take() {
            self.cylinder = self.geometry.cylinder(self.stream_sector(&stream, now_ns));
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
