// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a free arm does next: shortest positioning time first, within bounds.
//!
//! Commands that need the arm are weighed by when it could begin with them. The cache is written
//! back for one of three reasons, as caches are described to be (idle, high-water and forced
//! flushing; what disks do exactly, their makers don't publish):
//!
//! | reason | dirty runs |
//! |---|---|
//! | the disk has been quiet for a while | wait for all commands |
//! | the cache is filled past its mark | the same, but not for quiet |
//! | a flush, or a write that waits for room | are weighed with the commands |
//!
//! Only the third lets them compete with a read: a process waits for them as well. Runs lie side by
//! side, so one that has begun is always the nearest, and competing for any lesser reason they
//! would keep every read waiting for as long as the cache takes.
//!
//! A command that has waited for too long goes first, however far away it is. Yet only every few
//! jobs: where all of a long queue waits for longer than that, serving in order of arrival would
//! make everybody wait for longer still.

use super::arm::{Approach, Departure, Job};
use super::{HardDisk, Waiting};
use crate::timing::Phase;
use base::Op;

/// Jobs from one overdue command to the next.
const OVERDUE_EVERY: u64 = 4;

/// What to do, and how to get there.
enum Choice {
    /// The command at this place of the queue.
    Command(usize, Approach),
    /// The dirty run of this number.
    Run(usize, Approach),
}

impl Choice {
    fn start_ns(&self) -> u64 {
        match self {
            Choice::Command(_, approach) | Choice::Run(_, approach) => approach.start_ns,
        }
    }
}

impl HardDisk {
    /// Gives a free arm something to do.
    pub(super) fn begin_job(&mut self, now_ns: u64) {
        self.fill_from_stream(now_ns);
        match self.choose(now_ns) {
            Some(Choice::Command(index, approach)) => self.begin_command(now_ns, index, approach),
            Some(Choice::Run(index, approach)) => self.begin_write_back(index, approach),
            None => self.read_ahead(now_ns),
        }
    }

    fn choose(&mut self, now_ns: u64) -> Option<Choice> {
        self.jobs_since_overdue += 1;
        let overdue = self.waiting.first().filter(|oldest| {
            let wait_ns = now_ns.saturating_sub(oldest.since_ns);
            wait_ns >= self.parameters.queue_wait_max && self.jobs_since_overdue >= OVERDUE_EVERY
        });
        let overdue = overdue.map(|oldest| oldest.needs_arm);
        if overdue.is_some() {
            self.jobs_since_overdue = 0;
            self.counters.overdue += 1;
        }
        let window = match overdue {
            None => self.parameters.queue_window as usize,
            Some(true) => 1,
            Some(false) => 0,
        };
        let departure = self.arm.departure(now_ns);
        let approach = |index: usize, waiting: &Waiting| {
            let write = waiting.command.op == Op::Write;
            let approach = self.arm.approach(&departure, waiting.data_ns, &waiting.place, write);
            Choice::Command(index, approach)
        };
        let candidates = self.waiting.iter().enumerate().filter(|(_, waiting)| waiting.needs_arm);
        let mut best = candidates
            .take(window)
            .map(|(index, waiting)| approach(index, waiting))
            .min_by_key(Choice::start_ns);
        if overdue != Some(true) && self.writes_back(now_ns, best.is_some()) {
            let run = self.soonest_run(&departure);
            best = [best, run].into_iter().flatten().min_by_key(Choice::start_ns);
        }
        best
    }

    /// The dirty run that the arm can begin soonest. Runs are ordered, and longer ways take longer;
    /// so the search goes outwards from the arm and ends where the way alone takes too long. If the
    /// arm can leave from two cylinders it goes outwards from both, as the way is longest to what
    /// lies between them.
    fn soonest_run(&self, departure: &Departure) -> Option<Choice> {
        let runs = self.write_cache.runs();
        let mut best: Option<(usize, Approach)> = None;
        let mut search = |indices: &mut dyn Iterator<Item = usize>| {
            for index in indices {
                let approach = self.arm.approach(departure, 0, &runs[index].place, true);
                match &best {
                    Some((_, best)) if best.start_ns <= approach.arrival_ns() => return,
                    Some((_, best)) if best.start_ns <= approach.start_ns => {}
                    _ => best = Some((index, approach)),
                }
            }
        };
        for cylinder in departure.cylinders() {
            let split = runs.partition_point(|run| run.place.cylinder < cylinder);
            search(&mut (split..runs.len()));
            search(&mut (0..split).rev());
        }
        best.map(|(index, approach)| Choice::Run(index, approach))
    }

    /// Whether dirty runs are to be weighed, with the commands that wait for the arm or alone.
    fn writes_back(&self, now_ns: u64, commands_wait: bool) -> bool {
        let forced =
            self.flushing.is_some() || self.waiting.iter().any(|waiting| !waiting.needs_arm);
        let high = self.write_cache.fill_share() >= self.parameters.write_cache_high;
        let quiet = self.write_back_due_ns().is_some_and(|due_ns| due_ns <= now_ns);
        forced || (high || quiet) && !commands_wait
    }

    fn begin_command(&mut self, now_ns: u64, index: usize, approach: Approach) {
        let oldest = self.waiting.iter().position(|waiting| waiting.needs_arm);
        self.counters.reordered += u64::from(oldest != Some(index));
        let Waiting { command, since_ns, data_ns, .. } = self.waiting.remove(index);
        let job = match command.op {
            Op::Read => {
                let segment = self.read_cache.find(approach.sector());
                let segment = segment.or_else(|| self.read_cache.begin(approach.sector()));
                let media_start_ns = approach.start_ns.max(since_ns);
                Job::Read { command, media_start_ns, segment }
            }
            _ => Job::Write { command },
        };
        let (arrival_ns, start_ns) = (approach.arrival_ns(), approach.start_ns);
        let end_ns = self.arm.begin(approach, command.end_sector(), job);
        if let Some(timing) = self.timings.get(command.tag) {
            timing.until(Phase::Queue, now_ns);
            timing.until(Phase::Interface, data_ns);
            timing.until(Phase::Seek, arrival_ns);
            timing.until(Phase::Rotation, start_ns);
            timing.until(Phase::Media, end_ns);
        }
    }

    /// Writes from the start of a dirty run up to the end of its track at most, so that a read
    /// never waits for more than a revolution of writing.
    fn begin_write_back(&mut self, index: usize, approach: Approach) {
        let run = self.write_cache.runs()[index];
        let chunk_end = run.start + self.write_cache.chunk_sectors();
        let end = run.end.min(chunk_end).min(self.arm.track_end(run.start));
        let sectors = end - run.start;
        self.counters.write_backs += 1;
        self.counters.sectors_written_back += sectors;
        self.write_cache.take(index, self.arm.place(end));
        self.arm.begin(approach, end, Job::WriteBack { sectors });
    }

    /// With nothing else to do, goes on with the stream that the host read last.
    fn read_ahead(&mut self, now_ns: u64) {
        let Some(segment_id) = self.read_cache.latest() else { return };
        let segment = self.read_cache.get(segment_id);
        let ahead_sectors = self.parameters.read_ahead / base::SECTOR_BYTES;
        let limit_sector = segment.wanted + ahead_sectors;
        self.arm.read_ahead(now_ns, segment_id, segment.end, limit_sector);
    }
}
