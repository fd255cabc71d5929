//! The I/O that a job describes: the direction of the next one, and its place.

use super::limits::Limits;
use super::pace::Pace;
use super::places::{Place, Places};
use crate::job::{Direction, Job};
use crate::random::{Random, Stream};

/// Makes up the I/O of one process.
#[derive(Debug)]
pub(super) struct Generator {
    places: Places,
    mix: Mix,
    /// How often the region has been gone through.
    pass: u64,
}

/// Which direction the next I/O has.
#[derive(Debug)]
enum Mix {
    Only(Direction),
    Mixed {
        read_percent: u64,
        random: Random,
        /// Drawn, but not due yet.
        drawn: Option<Direction>,
    },
}

impl Generator {
    pub(super) fn new(job: &Job, length_bytes: u64, seed: u64) -> Generator {
        let mix = match (job.rw.reads(), job.rw.writes()) {
            (true, true) => Mix::Mixed {
                read_percent: u64::from(job.rw_mix_read_percent),
                random: Random::new(seed, Stream::Mix),
                drawn: None,
            },
            (true, false) => Mix::Only(Direction::Read),
            _ => Mix::Only(Direction::Write),
        };
        Generator { places: Places::new(job, length_bytes, seed), mix, pass: 0 }
    }

    /// The number of the present pass over the region, from 0.
    pub(super) fn pass(&self) -> u64 {
        self.pass
    }

    /// The direction of the next I/O, or when there will be one, ns.
    pub(super) fn direction(&mut self, pace: &Pace, now_ns: u64) -> Result<Direction, u64> {
        self.mix.direction(pace, now_ns)
    }

    /// Is all work done? If only the region has been gone through, it is begun again.
    pub(super) fn is_over(&mut self, limits: &mut Limits) -> bool {
        if limits.are_reached() {
            return true;
        }
        // Of two directions the next is not known yet; see `place`.
        let Mix::Only(direction) = self.mix else { return false };
        self.places.is_exhausted(direction) && !self.begin_again(direction, limits)
    }

    /// The place of the next I/O; none if the work ends here.
    pub(super) fn place(&mut self, direction: Direction, limits: &mut Limits) -> Option<Place> {
        if let Some(place) = self.places.next(direction) {
            return Some(place);
        }
        if !self.begin_again(direction, limits) {
            return None;
        }
        self.places.next(direction)
    }

    /// Goes through the region once more, if it is to be.
    fn begin_again(&mut self, direction: Direction, limits: &mut Limits) -> bool {
        if limits.end_with_region() {
            return false;
        }
        self.places.restart(direction);
        self.pass += 1;
        true
    }
}

impl Mix {
    /// The direction of the next I/O, or when there will be one, ns.
    ///
    /// As under fio, a direction ahead of its rate gives way to the other if that one is due.
    fn direction(&mut self, pace: &Pace, now_ns: u64) -> Result<Direction, u64> {
        let (chosen, is_mixed) = match self {
            Mix::Only(direction) => (*direction, false),
            Mix::Mixed { read_percent, random, drawn } => {
                let chosen =
                    drawn.take().unwrap_or_else(|| match random.below(100) < *read_percent {
                        true => Direction::Read,
                        false => Direction::Write,
                    });
                // All or nothing is no mix.
                (chosen, (1..100).contains(read_percent))
            }
        };
        let due_ns = pace.due_ns(chosen);
        if due_ns <= now_ns {
            return Ok(chosen);
        }
        let other_due_ns = match is_mixed {
            true => pace.due_ns(chosen.other()),
            false => u64::MAX,
        };
        if other_due_ns <= now_ns {
            return Ok(chosen.other());
        }
        if let Mix::Mixed { drawn, .. } = self {
            *drawn = Some(chosen);
        }
        Err(due_ns.min(other_due_ns))
    }
}
