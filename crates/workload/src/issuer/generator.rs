// SPDX-License-Identifier: MIT OR Apache-2.0
//! The I/O that a job describes: the direction of the next one, and its place.

use super::files::Selector;
use super::limits::Limits;
use super::pace::Pace;
use super::places::{Places, Stretch};
use crate::job::{Direction, Job};
use crate::layout::Region;
use crate::random::{Stream, process_seed};
use base::random::Random;

/// Makes up the I/O of one process.
#[derive(Debug)]
pub(super) struct Generator {
    files: Vec<File>,
    selector: Selector,
    mix: Mix,
    /// How often the region has been gone through.
    pass: u64,
}

/// The part of a file in which a process works.
#[derive(Debug)]
struct File {
    start_bytes: u64,
    places: Places,
}

/// Which direction the next I/O has.
#[derive(Debug)]
enum Mix {
    Only(Direction),
    /// Each place is trimmed, and then written.
    TrimFirst {
        /// What was trimmed and is to be written.
        trimmed: Option<Stretch>,
    },
    Mixed {
        read_percent: u64,
        random: Random,
        /// Drawn, but not due yet.
        drawn: Option<Direction>,
    },
}

impl Generator {
    pub(super) fn new(job: &Job, regions: &[Region], seed: u64) -> Generator {
        let mix = match (job.rw.reads(), job.rw.writes(), job.rw.trims()) {
            (true, true, _) => Mix::Mixed {
                read_percent: u64::from(job.rw_mix_read_percent),
                random: Stream::Mix.of_process(seed),
                drawn: None,
            },
            (_, true, true) => Mix::TrimFirst { trimmed: None },
            (true, ..) => Mix::Only(Direction::Read),
            (_, true, _) => Mix::Only(Direction::Write),
            _ => Mix::Only(Direction::Trim),
        };
        let file = |(number, region): (usize, &Region)| {
            let seed = if number == 0 { seed } else { process_seed(seed, 0, number as u32) };
            let places = Places::new(job, region.length_bytes, seed);
            File { start_bytes: region.start_bytes, places }
        };
        let files: Vec<File> = regions.iter().enumerate().map(file).collect();
        let selector = Selector::new(job.file_service, files.len(), seed);
        Generator { files, selector, mix, pass: 0 }
    }

    /// The number of the present pass over the region, from 0.
    pub(super) fn pass(&self) -> u64 {
        self.pass
    }

    /// The direction of the next I/O, or when there will be one, ns.
    #[inline(always)]
    pub(super) fn direction(&mut self, pace: &Pace, now_ns: u64) -> Result<Direction, u64> {
        self.mix.direction(pace, now_ns)
    }

    /// Is all work done? If only the region has been gone through, it is begun again.
    #[inline]
    pub(super) fn is_over(&mut self, limits: &mut Limits) -> bool {
        if limits.are_reached() {
            return true;
        }
        // Of two directions the next is not known yet; see `Issuer::go_on_in_next_pass`.
        let direction = match self.mix {
            Mix::Only(direction) => direction,
            Mix::TrimFirst { trimmed: None } => Direction::Trim,
            Mix::TrimFirst { trimmed: Some(_) } | Mix::Mixed { .. } => return false,
        };
        // As long as the file in use has room, the others need not be asked.
        self.files[self.selector.current()].places.is_exhausted(direction)
            && self.ends_where_all_are_exhausted(direction, limits)
    }

    /// Is all work done where no file has room left? Begins the region again if it is not.
    #[inline(never)]
    fn ends_where_all_are_exhausted(&mut self, direction: Direction, limits: &mut Limits) -> bool {
        let are_exhausted = self.files.iter().all(|file| file.places.is_exhausted(direction));
        are_exhausted && !self.begin_again(direction, limits)
    }

    /// The place of the next I/O on the target; none once the region is gone through.
    #[inline(always)]
    pub(super) fn place(&mut self, direction: Direction) -> Option<Stretch> {
        if let Mix::TrimFirst { trimmed } = &mut self.mix
            && let Some(place) = trimmed.take()
        {
            return Some(place);
        }
        let place = self.next_place(direction);
        if let Mix::TrimFirst { trimmed } = &mut self.mix {
            *trimmed = place;
        }
        place
    }

    #[inline(always)]
    fn next_place(&mut self, direction: Direction) -> Option<Stretch> {
        let Generator { files, selector, .. } = self;
        let number = selector.next(|file| files[file].places.is_exhausted(direction))?;
        let File { start_bytes, places } = &mut files[number];
        let (offset_bytes, length_bytes) = places.next(direction)?;
        Some((*start_bytes + offset_bytes, length_bytes))
    }

    /// Goes through the region once more, if it is to be.
    pub(super) fn begin_again(&mut self, direction: Direction, limits: &mut Limits) -> bool {
        if limits.end_with_region() {
            return false;
        }
        self.files.iter_mut().for_each(|file| file.places.restart(direction));
        self.selector.restart();
        self.pass += 1;
        true
    }
}

impl Mix {
    /// The direction of the next I/O, or when there will be one, ns.
    ///
    /// As under fio, a direction ahead of its rate gives way to the other if that one is due.
    #[inline(always)]
    fn direction(&mut self, pace: &Pace, now_ns: u64) -> Result<Direction, u64> {
        let (chosen, is_mixed) = match self {
            Mix::Only(direction) => (*direction, false),
            Mix::TrimFirst { trimmed: None } => (Direction::Trim, false),
            Mix::TrimFirst { trimmed: Some(_) } => (Direction::Write, false),
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
        let other = match chosen {
            Direction::Read => Direction::Write,
            _ => Direction::Read,
        };
        let other_due_ns = if is_mixed { pace.due_ns(other) } else { u64::MAX };
        if other_due_ns <= now_ns {
            return Ok(other);
        }
        if let Mix::Mixed { drawn, .. } = self {
            *drawn = Some(chosen);
        }
        Err(due_ns.min(other_due_ns))
    }
}
