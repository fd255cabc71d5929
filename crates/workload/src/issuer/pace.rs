//! How fast I/O may be issued: `rate` and `rate_iops`, spread evenly (fio's `rate_process=linear`).
//!
//! A direction's next I/O is due when all bytes that it has issued would have passed at the rate.
//! After a pause, a process therefore catches up, unless `rate_ignore_thinktime` lets it forget
//! the time it thought.

use crate::job::{Direction, Job, PerDirection, Rate};

const NS_PER_S: u128 = 1_000_000_000;

/// The timetable of one process.
#[derive(Debug)]
pub(super) struct Pace {
    lanes: PerDirection<Option<Lane>>,
    forgets_thinking: bool,
}

#[derive(Clone, Debug)]
struct Lane {
    rate_bytes_per_s: u64,
    since_ns: u64,
    issued_bytes: u64,
    due_ns: u64,
}

impl Pace {
    pub(super) fn new(job: &Job) -> Pace {
        let lane = |direction: Direction| {
            let rate_bytes_per_s = match job.rate[direction]? {
                Rate::BytesPerS(bytes) => bytes,
                Rate::IosPerS(ios) => {
                    ios.saturating_mul(u64::from(job.block_sizes[direction].min_bytes()))
                }
            };
            Some(Lane { rate_bytes_per_s, since_ns: 0, issued_bytes: 0, due_ns: 0 })
        };
        Pace {
            lanes: PerDirection { read: lane(Direction::Read), write: lane(Direction::Write) },
            forgets_thinking: job.rate_ignore_think_time,
        }
    }

    /// The process starts now.
    pub(super) fn start(&mut self, now_ns: u64) {
        for direction in [Direction::Read, Direction::Write] {
            if let Some(lane) = &mut self.lanes[direction] {
                lane.since_ns = now_ns;
                lane.due_ns = now_ns;
            }
        }
    }

    /// When the next I/O in a direction is due, ns.
    pub(super) fn due_ns(&self, direction: Direction) -> u64 {
        self.lanes[direction].as_ref().map_or(0, |lane| lane.due_ns)
    }

    pub(super) fn issued(&mut self, direction: Direction, bytes: u32) {
        if let Some(lane) = &mut self.lanes[direction] {
            lane.issued_bytes += u64::from(bytes);
            let passed_ns =
                u128::from(lane.issued_bytes) * NS_PER_S / u128::from(lane.rate_bytes_per_s);
            lane.due_ns =
                lane.since_ns.saturating_add(u64::try_from(passed_ns).unwrap_or(u64::MAX));
        }
    }

    /// The process has thought until now.
    pub(super) fn thought(&mut self, now_ns: u64) {
        if !self.forgets_thinking {
            return;
        }
        for direction in [Direction::Read, Direction::Write] {
            if let Some(lane) = &mut self.lanes[direction]
                && lane.due_ns < now_ns
            {
                lane.since_ns = now_ns;
                lane.due_ns = now_ns;
                lane.issued_bytes = 0;
            }
        }
    }
}
