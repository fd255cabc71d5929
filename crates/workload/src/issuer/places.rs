// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where each I/O goes within the region: one after the other, or at random.
//!
//! Random offsets are multiples of the smallest block size. Without `norandommap` every such block
//! begins exactly one I/O in a pass over the region, in an order computed by a [`Permutation`];
//! reads and writes share the order if their smallest blocks are alike. With several block sizes an
//! I/O may reach over blocks that others begin at, as under fio with `random_generator=lfsr`.

use super::likely::Likely;
use super::sizes::Sizes;
use super::zones::{ZoneEntry, Zones};
use crate::job::{Direction, Distribution, Job, OffsetModifier, PerDirection};
use crate::permutation::Permutation;
use crate::random::Stream;
use base::random::Random;

/// A stretch of the region: first byte and length.
pub(super) type Stretch = (u64, u32);

/// The source of places of one process.
#[derive(Debug)]
pub(super) struct Places {
    length_bytes: u64,
    sizes: PerDirection<Sizes>,
    size_random: Random,
    order: Order,
    /// The region is gone through zone by zone.
    zones: Option<Zones>,
}

#[derive(Debug)]
enum Order {
    /// Where the last I/O of each direction ended; 0 at the start of the region.
    Sequential {
        ends: PerDirection<u64>,
        hole_bytes: u64,
    },
    Random(Box<Scattered>),
}

#[derive(Debug)]
struct Scattered {
    random: Random,
    /// Reads and writes (both in the first where they share one), and trims.
    passes: PerDirection<Pass>,
    shared: bool,
    keeps_map: bool,
    distribution: Distribution,
    likely_random: Random,
    modifier: OffsetModifier,
    run: Run,
}

/// One pass over the blocks of the region.
#[derive(Debug)]
struct Pass {
    block_bytes: u64,
    blocks: u64,
    /// How many random offsets were drawn in the pass so far.
    drawn: u64,
    /// I/Os left, with those that go on from a random offset; `u64::MAX` if they are not counted.
    left: u64,
    permutation: Option<Permutation>,
    /// Which blocks are likely, if not all alike.
    likely: Option<Likely>,
}

/// The rest of a run of I/Os that follow from one random offset (`rw=randread:8`).
#[derive(Debug, Default)]
struct Run {
    left: u32,
    offset_bytes: u64,
}

impl Places {
    pub(super) fn new(job: &Job, length_bytes: u64, seed: u64) -> Places {
        let sizes = PerDirection::of(|way| Sizes::new(job.block_sizes[way].clone()));
        let zones = job.strides.map(Zones::new);
        let order = if job.rw.is_random() {
            let spread_bytes = zones.as_ref().map_or(length_bytes, |z| z.window(length_bytes).1);
            Order::Random(Box::new(Scattered::new(job, &sizes, spread_bytes, seed)))
        } else {
            let hole_bytes = match job.offset_modifier {
                OffsetModifier::HoleBytes(bytes) => bytes,
                _ => 0,
            };
            Order::Sequential { ends: PerDirection::all(0), hole_bytes }
        };
        let size_random = Stream::Size.of_process(seed);
        Places { length_bytes, sizes, size_random, order, zones }
    }

    /// The place of the next I/O; none once the region is exhausted.
    #[inline(always)]
    pub(super) fn next(&mut self, direction: Direction) -> Option<Stretch> {
        match self.zones {
            Some(_) => self.next_in_zone(direction),
            None => self.next_within(direction, 0),
        }
    }

    /// The same where the region is gone through zone by zone.
    #[inline(never)]
    fn next_in_zone(&mut self, direction: Direction) -> Option<Stretch> {
        if self.is_exhausted(direction) {
            return None;
        }
        let zones = self.zones.as_mut()?;
        let min_bytes = u64::from(self.sizes[direction].min_bytes());
        let entry = zones.enter(self.length_bytes, min_bytes);
        let (start_bytes, range_bytes) = zones.window(self.length_bytes);
        match &mut self.order {
            Order::Sequential { ends, .. } => {
                if entry == ZoneEntry::Begin || ends[direction] >= start_bytes + range_bytes {
                    let goes_on =
                        start_bytes + range_bytes >= self.length_bytes && entry == ZoneEntry::GoOn;
                    if !goes_on {
                        *ends = PerDirection::all(start_bytes);
                    }
                }
            }
            Order::Random(scattered) => {
                if entry == ZoneEntry::Begin || scattered.is_exhausted(direction) {
                    scattered.spread_over(range_bytes, direction);
                }
            }
        }
        let place = self.next_within(direction, start_bytes)?;
        if let Some(zones) = &mut self.zones {
            zones.moved(place.1);
        }
        Some(place)
    }

    /// The place of the next I/O, where random ones are behind `start_bytes`.
    #[inline(always)]
    fn next_within(&mut self, direction: Direction, start_bytes: u64) -> Option<Stretch> {
        let sizes = &self.sizes[direction];
        match &mut self.order {
            Order::Sequential { ends, hole_bytes } => {
                let offset_bytes = behind_hole(ends[direction], *hole_bytes, self.length_bytes);
                let room_bytes = self.length_bytes.saturating_sub(offset_bytes);
                let size = sizes.draw(&mut self.size_random, room_bytes)?;
                ends[direction] = offset_bytes + u64::from(size);
                Some((offset_bytes, size))
            }
            Order::Random(scattered) => {
                let length_bytes = self.length_bytes - start_bytes;
                let offset_bytes = scattered.offset(direction, sizes, length_bytes)?;
                let size = sizes.draw(&mut self.size_random, length_bytes - offset_bytes)?;
                scattered.run.offset_bytes = match scattered.modifier {
                    OffsetModifier::RepeatOf(_) => offset_bytes,
                    _ => offset_bytes + u64::from(size),
                };
                Some((start_bytes + offset_bytes, size))
            }
        }
    }

    /// Is there no room for a further I/O in the direction?
    #[inline]
    pub(super) fn is_exhausted(&self, direction: Direction) -> bool {
        match &self.order {
            Order::Sequential { ends, .. } if self.zones.is_some() => {
                let min_bytes = u64::from(self.sizes[direction].min_bytes());
                let is_at_end = ends[direction].saturating_add(min_bytes) > self.length_bytes;
                is_at_end && self.zones.as_ref().is_some_and(Zones::goes_on)
            }
            Order::Sequential { ends, hole_bytes } => {
                let offset_bytes = behind_hole(ends[direction], *hole_bytes, self.length_bytes);
                let room_bytes = self.length_bytes.saturating_sub(offset_bytes);
                room_bytes < u64::from(self.sizes[direction].min_bytes())
            }
            // A zone is begun again as often as it takes.
            Order::Random(_) if self.zones.is_some() => false,
            Order::Random(scattered) => scattered.is_exhausted(direction),
        }
    }

    /// Begins again: at the region's start, or with a new order of its blocks.
    pub(super) fn restart(&mut self, direction: Direction) {
        if let Some(zones) = &mut self.zones {
            zones.restart();
        }
        match &mut self.order {
            // fio takes both directions back when one has reached the end.
            Order::Sequential { ends, .. } => *ends = PerDirection::all(0),
            Order::Random(scattered) => scattered.restart(direction),
        }
    }
}

/// Where an I/O goes that leaves a hole behind the last one. As under fio, a hole that reaches the
/// end of the region leads back to its start, unless the last I/O reached it already.
fn behind_hole(end_bytes: u64, hole_bytes: u64, length_bytes: u64) -> u64 {
    if end_bytes == 0 || hole_bytes == 0 || end_bytes >= length_bytes {
        return end_bytes;
    }
    match end_bytes.saturating_add(hole_bytes) {
        offset_bytes if offset_bytes < length_bytes => offset_bytes,
        _ => 0,
    }
}

impl Scattered {
    fn new(job: &Job, sizes: &PerDirection<Sizes>, length_bytes: u64, seed: u64) -> Scattered {
        let pass = |direction: Direction| {
            let block_bytes = u64::from(sizes[direction].min_bytes().max(1));
            Pass {
                block_bytes,
                blocks: length_bytes / block_bytes,
                drawn: 0,
                left: 0,
                permutation: None,
                likely: None,
            }
        };
        let mut scattered = Scattered {
            random: Stream::Offset.of_process(seed),
            passes: PerDirection::of(pass),
            shared: sizes.read.min_bytes() == sizes.write.min_bytes(),
            keeps_map: job.keeps_map(),
            distribution: job.distribution.clone(),
            likely_random: Stream::Distribution.of_process(seed),
            modifier: job.offset_modifier,
            run: Run::default(),
        };
        scattered.make_likely();
        scattered.restart(Direction::Read);
        if !scattered.shared {
            scattered.restart(Direction::Write);
        }
        if job.rw.trims() {
            scattered.restart(Direction::Trim);
        }
        scattered
    }

    /// Looks up which blocks are likely.
    fn make_likely(&mut self) {
        for direction in Direction::ALL {
            let (random, pass) = (self.likely_random.clone(), &mut self.passes[direction]);
            let Pass { blocks, block_bytes, .. } = *pass;
            pass.likely = Likely::new(&self.distribution, direction, blocks, block_bytes, random);
        }
    }

    /// Begins again, in a stretch of this length.
    fn spread_over(&mut self, length_bytes: u64, direction: Direction) {
        for direction in Direction::ALL {
            let pass = &mut self.passes[direction];
            pass.blocks = length_bytes / pass.block_bytes;
        }
        self.make_likely();
        for other in Direction::ALL {
            if other == direction || self.pass_of(other) != self.pass_of(direction) {
                self.restart(other);
            }
        }
        self.run = Run::default();
    }

    /// The direction whose pass a direction's I/Os are part of.
    fn pass_of(&self, direction: Direction) -> Direction {
        match direction {
            Direction::Write if self.shared => Direction::Read,
            direction => direction,
        }
    }

    #[inline]
    fn is_exhausted(&self, direction: Direction) -> bool {
        self.passes[self.pass_of(direction)].left == 0
    }

    fn restart(&mut self, direction: Direction) {
        let key = self.random.next();
        let pass_of = self.pass_of(direction);
        // fio ends a pass over runs by their count even where it keeps no map.
        let is_counted = self.keeps_map || self.modifier != OffsetModifier::None;
        let pass = &mut self.passes[pass_of];
        pass.drawn = 0;
        pass.left = if is_counted || pass.blocks == 0 { pass.blocks } else { u64::MAX };
        pass.permutation =
            (self.keeps_map && pass.blocks > 0).then(|| Permutation::new(pass.blocks, key));
    }

    #[inline(always)]
    fn offset(&mut self, direction: Direction, sizes: &Sizes, length_bytes: u64) -> Option<u64> {
        let pass_of = self.pass_of(direction);
        let pass = &mut self.passes[pass_of];
        if pass.left == 0 {
            return None;
        }
        pass.left -= 1;
        let run_length = match self.modifier {
            OffsetModifier::RunOf(length) | OffsetModifier::RepeatOf(length) => length,
            _ => 1,
        };
        let in_run = self.run.left > 0;
        self.run.left = if in_run { self.run.left - 1 } else { run_length - 1 };
        let room_bytes = length_bytes.saturating_sub(self.run.offset_bytes);
        if in_run && room_bytes >= u64::from(sizes.min_bytes()) {
            return Some(self.run.offset_bytes);
        }
        let block = match (&mut pass.likely, &pass.permutation) {
            (Some(likely), _) => likely.draw(),
            (None, Some(permutation)) => permutation.at(pass.drawn),
            (None, None) => self.random.below(pass.blocks),
        };
        pass.drawn += 1;
        Some(block * pass.block_bytes)
    }
}
