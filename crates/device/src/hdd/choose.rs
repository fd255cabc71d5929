//! What a free arm does next: shortest positioning time first, within bounds.
//!
//! Reads, writes past the cache, and dirty runs are all weighed by when the arm could begin with
//! them. Dirty runs take part only if there is a reason: a flush, a write that waits for room, a
//! cache filled past its mark, or nothing else to do for a while.
//!
//! A command that has waited for too long goes first, however far away it is. Yet only every few
//! jobs: where all of a long queue waits for longer than that, serving in order of arrival would
//! make everybody wait for longer still.

use super::arm::{Approach, Job};
use super::{HardDisk, Waiting};
use crate::command::Op;

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
            Some(Choice::Command(index, approach)) => self.begin_command(index, approach),
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
        let overdue = overdue.map(|oldest| self.needs_arm(oldest));
        if overdue.is_some() {
            self.jobs_since_overdue = 0;
            self.counters.overdue += 1;
        }
        let window = match overdue {
            None => self.parameters.queue_window as usize,
            Some(true) => 1,
            Some(false) => 0,
        };
        let candidates = self.waiting.iter().enumerate();
        let mut best = candidates
            .filter(|(_, waiting)| self.needs_arm(waiting))
            .take(window)
            .map(|(index, waiting)| self.approach_command(now_ns, index, waiting))
            .min_by_key(Choice::start_ns);
        if overdue != Some(true) && self.writes_back(now_ns, best.is_some()) {
            let runs = self.write_cache.runs().iter().enumerate();
            let run = runs
                .map(|(index, run)| Choice::Run(index, self.arm.approach(now_ns, run.start, true)))
                .min_by_key(Choice::start_ns);
            best = [best, run].into_iter().flatten().min_by_key(Choice::start_ns);
        }
        best
    }

    /// Whether a command waits for the arm, and not for room in the write-back cache.
    fn needs_arm(&self, waiting: &Waiting) -> bool {
        let command = &waiting.command;
        command.op == Op::Read || !self.write_cache.takes(u64::from(command.sectors))
    }

    fn approach_command(&self, now_ns: u64, index: usize, waiting: &Waiting) -> Choice {
        let command = &waiting.command;
        let approach = match command.op {
            Op::Read => self.arm.approach(now_ns, self.first_uncached(waiting), false),
            _ => self.arm.approach(now_ns.max(waiting.data_ns), command.sector, true),
        };
        Choice::Command(index, approach)
    }

    /// The first sector of a waiting read that isn't in the read cache.
    fn first_uncached(&self, waiting: &Waiting) -> u64 {
        let start = waiting.command.sector;
        self.read_cache.find(start).map_or(start, |segment| self.read_cache.get(segment).end)
    }

    fn writes_back(&self, now_ns: u64, others_wait: bool) -> bool {
        let high = self.write_cache.fill_share() >= self.parameters.write_cache_high;
        let due = self.write_back_due_ns().is_some_and(|due_ns| due_ns <= now_ns);
        let room_wanted = self.waiting.iter().any(|waiting| !self.needs_arm(waiting));
        self.flushing.is_some() || room_wanted || high || (due && !others_wait)
    }

    fn begin_command(&mut self, index: usize, approach: Approach) {
        let oldest = self.waiting.iter().position(|waiting| self.needs_arm(waiting));
        self.counters.reordered += u64::from(oldest != Some(index));
        let Waiting { command, since_ns, .. } = self.waiting.remove(index);
        let job = match command.op {
            Op::Read => {
                let segment = self.read_cache.find(approach.sector());
                let segment = segment.or_else(|| self.read_cache.begin(approach.sector()));
                let media_start_ns = approach.start_ns.max(since_ns);
                Job::Read { command, media_start_ns, segment }
            }
            _ => Job::Write { command },
        };
        self.arm.begin(approach, command.end_sector(), job);
    }

    /// Writes from the start of a dirty run up to the end of its track at most, so that a read
    /// never waits for more than a revolution of writing.
    fn begin_write_back(&mut self, index: usize, approach: Approach) {
        let run = self.write_cache.runs()[index];
        let end = run.end.min(self.arm.track_end(run.start));
        let sectors = end - run.start;
        self.counters.write_backs += 1;
        self.counters.sectors_written_back += sectors;
        self.write_cache.take(index, end);
        self.arm.begin(approach, end, Job::WriteBack { sectors });
    }

    /// With nothing else to do, goes on with the stream that the host read last.
    fn read_ahead(&mut self, now_ns: u64) {
        let Some(segment_id) = self.read_cache.latest() else { return };
        let segment = self.read_cache.get(segment_id);
        let ahead_sectors = self.parameters.read_ahead / crate::SECTOR_BYTES;
        let limit_sector = segment.wanted + ahead_sectors;
        self.arm.read_ahead(now_ns, segment_id, segment.end, limit_sector);
    }
}
