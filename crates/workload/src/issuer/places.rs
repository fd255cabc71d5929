//! Where each I/O goes within the region: one after the other, or at random.
//!
//! Random offsets are multiples of the smallest block size. Without `norandommap` every such block
//! begins exactly one I/O in a pass over the region, in an order computed by a [`Permutation`];
//! reads and writes share the order if their smallest blocks are alike. With several block sizes
//! an I/O may reach over blocks that others begin at, as under fio with
//! `random_generator=lfsr`.

use super::sizes::Sizes;
use crate::job::{Direction, Job, OffsetModifier, PerDirection};
use crate::permutation::Permutation;
use crate::random::{Random, Stream};

/// A stretch of the region: first byte and length.
pub(super) type Place = (u64, u32);

/// The source of places of one process.
#[derive(Debug)]
pub(super) struct Places {
    length_bytes: u64,
    sizes: PerDirection<Sizes>,
    size_random: Random,
    order: Order,
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
    /// Reads and writes, or both in the first where they share one.
    passes: PerDirection<Pass>,
    shared: bool,
    keeps_map: bool,
    modifier: OffsetModifier,
    run: Run,
}

/// One pass over the blocks of the region.
#[derive(Debug)]
struct Pass {
    block_bytes: u64,
    blocks: u64,
    /// Random offsets drawn.
    drawn: u64,
    /// I/Os issued, including those that go on from a random offset.
    issued: u64,
    permutation: Option<Permutation>,
}

/// The rest of a run of I/Os that follow from one random offset (`rw=randread:8`).
#[derive(Debug, Default)]
struct Run {
    left: u32,
    offset_bytes: u64,
}

impl Places {
    pub(super) fn new(job: &Job, length_bytes: u64, seed: u64) -> Places {
        let sizes = PerDirection {
            read: Sizes::new(job.block_sizes.read.clone()),
            write: Sizes::new(job.block_sizes.write.clone()),
        };
        let order = if job.rw.is_random() {
            Order::Random(Box::new(Scattered::new(job, &sizes, length_bytes, seed)))
        } else {
            let hole_bytes = match job.offset_modifier {
                OffsetModifier::HoleBytes(bytes) => bytes,
                _ => 0,
            };
            Order::Sequential { ends: PerDirection::both(0), hole_bytes }
        };
        Places { length_bytes, sizes, size_random: Random::new(seed, Stream::Size), order }
    }

    /// The place of the next I/O; none once the region is exhausted.
    pub(super) fn next(&mut self, direction: Direction) -> Option<Place> {
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
                let offset_bytes = scattered.offset(direction, sizes, self.length_bytes)?;
                let size = sizes.draw(&mut self.size_random, self.length_bytes - offset_bytes)?;
                scattered.run.offset_bytes = match scattered.modifier {
                    OffsetModifier::RepeatOf(_) => offset_bytes,
                    _ => offset_bytes + u64::from(size),
                };
                Some((offset_bytes, size))
            }
        }
    }

    /// Is there no room for a further I/O in the direction?
    pub(super) fn is_exhausted(&self, direction: Direction) -> bool {
        match &self.order {
            Order::Sequential { ends, hole_bytes } => {
                let offset_bytes = behind_hole(ends[direction], *hole_bytes, self.length_bytes);
                let room_bytes = self.length_bytes.saturating_sub(offset_bytes);
                room_bytes < u64::from(self.sizes[direction].min_bytes())
            }
            Order::Random(scattered) => scattered.is_exhausted(direction),
        }
    }

    /// Begins again: at the region's start, or with a new order of its blocks.
    pub(super) fn restart(&mut self, direction: Direction) {
        match &mut self.order {
            // fio takes both directions back when one has reached the end.
            Order::Sequential { ends, .. } => *ends = PerDirection::both(0),
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
                issued: 0,
                permutation: None,
            }
        };
        let mut scattered = Scattered {
            random: Random::new(seed, Stream::Offset),
            passes: PerDirection { read: pass(Direction::Read), write: pass(Direction::Write) },
            shared: sizes.read.min_bytes() == sizes.write.min_bytes(),
            keeps_map: !job.no_random_map,
            modifier: job.offset_modifier,
            run: Run::default(),
        };
        scattered.restart(Direction::Read);
        if !scattered.shared {
            scattered.restart(Direction::Write);
        }
        scattered
    }

    /// fio ends a pass over runs by their count even where it keeps no map.
    fn is_exhausted(&self, direction: Direction) -> bool {
        let pass = if self.shared { &self.passes.read } else { &self.passes[direction] };
        let is_counted = self.keeps_map || self.modifier != OffsetModifier::None;
        pass.blocks == 0 || (is_counted && pass.issued >= pass.blocks)
    }

    fn restart(&mut self, direction: Direction) {
        let key = self.random.next();
        let pass = if self.shared { &mut self.passes.read } else { &mut self.passes[direction] };
        pass.drawn = 0;
        pass.issued = 0;
        pass.permutation =
            (self.keeps_map && pass.blocks > 0).then(|| Permutation::new(pass.blocks, key));
    }

    fn offset(&mut self, direction: Direction, sizes: &Sizes, length_bytes: u64) -> Option<u64> {
        if self.is_exhausted(direction) {
            return None;
        }
        let pass = if self.shared { &mut self.passes.read } else { &mut self.passes[direction] };
        pass.issued += 1;
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
        let block = match &pass.permutation {
            Some(permutation) => permutation.at(pass.drawn),
            None => self.random.below(pass.blocks),
        };
        pass.drawn += 1;
        Some(block * pass.block_bytes)
    }
}
