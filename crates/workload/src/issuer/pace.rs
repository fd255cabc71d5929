// SPDX-License-Identifier: MIT OR Apache-2.0
//! How fast I/O may be issued: `rate` and `rate_iops`.
//!
//! A direction's next I/O is due when all bytes that it has issued would have passed at the rate;
//! with `rate_process=poisson` when as many random times have passed as it has issued I/Os, each
//! drawn from an exponential distribution whose mean is what a smallest block takes at the rate.
//! After a pause, a process therefore catches up, unless `rate_ignore_thinktime` lets it forget
//! the time it thought.

use crate::job::{Direction, Job, PerDirection, Rate};
use crate::random::Stream;
use base::random::Random;

const NS_PER_S: u64 = 1_000_000_000;

/// Faster than this no rate is told apart from none, bytes per second.
const MOST_BYTES_PER_S: u64 = 1 << 62;

/// The timetable of one process.
#[derive(Debug)]
pub(super) struct Pace {
    lanes: PerDirection<Option<Lane>>,
    forgets_thinking: bool,
}

#[derive(Clone, Debug)]
struct Lane {
    rate_bytes_per_s: u64,
    /// The mean time between two I/Os, ns, and what it is drawn with; none: spread evenly.
    poisson: Option<(f64, Random)>,
    due_ns: u64,
    /// What the due time leaves out, in ns · bytes/s: less than a nanosecond.
    rest: u64,
}

impl Pace {
    pub(super) fn new(job: &Job, seed: u64) -> Pace {
        let lane = |direction: Direction| {
            let rate_bytes_per_s = match job.rate[direction]? {
                Rate::BytesPerS(bytes) => bytes,
                Rate::IosPerS(ios) => {
                    ios.saturating_mul(u64::from(job.block_sizes[direction].min_bytes()))
                }
            };
            let rate_bytes_per_s = rate_bytes_per_s.clamp(1, MOST_BYTES_PER_S);
            let poisson = job.poisson.then(|| {
                let block_bytes = f64::from(job.block_sizes[direction].min_bytes());
                let mean_ns = block_bytes * NS_PER_S as f64 / rate_bytes_per_s as f64;
                (mean_ns, Stream::Pace.of_process(seed ^ direction as u64))
            });
            Some(Lane { rate_bytes_per_s, poisson, due_ns: 0, rest: 0 })
        };
        Pace { lanes: PerDirection::of(lane), forgets_thinking: job.rate_ignore_think_time }
    }

    /// The process starts now.
    pub(super) fn start(&mut self, now_ns: u64) {
        for direction in Direction::ALL {
            if let Some(lane) = &mut self.lanes[direction] {
                lane.due_ns = now_ns;
            }
        }
    }

    /// When the next I/O in a direction is due, ns.
    pub(super) fn due_ns(&self, direction: Direction) -> u64 {
        self.lanes[direction].as_ref().map_or(0, |lane| lane.due_ns)
    }

    #[inline(always)]
    pub(super) fn issued(&mut self, direction: Direction, bytes: u32) {
        if let Some(lane) = &mut self.lanes[direction] {
            if let Some((mean_ns, random)) = &mut lane.poisson {
                // The same on every machine, unlike the standard library's logarithm.
                let gap_ns = *mean_ns * -libm::log(random.unit());
                lane.due_ns = lane.due_ns.saturating_add(gap_ns as u64);
                return;
            }
            // Below 2^32 · 2^30 + 2^62.
            let passed = u64::from(bytes) * NS_PER_S + lane.rest;
            lane.due_ns = lane.due_ns.saturating_add(passed / lane.rate_bytes_per_s);
            lane.rest = passed % lane.rate_bytes_per_s;
        }
    }

    /// The process has thought until now.
    pub(super) fn thought(&mut self, now_ns: u64) {
        if !self.forgets_thinking {
            return;
        }
        for direction in Direction::ALL {
            if let Some(lane) = &mut self.lanes[direction]
                && lane.due_ns < now_ns
            {
                lane.due_ns = now_ns;
                lane.rest = 0;
            }
        }
    }
}
