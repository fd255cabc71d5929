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
    Sequential { next_bytes: PerDirection<u64>, hole_bytes: u64 },
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
    taken: u64,
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
            Order::Sequential { next_bytes: PerDirection::both(0), hole_bytes }
        };
        Places { length_bytes, sizes, size_random: Random::new(seed, Stream::Size), order }
    }

    /// The place of the next I/O; none once the region is exhausted.
    pub(super) fn next(&mut self, direction: Direction) -> Option<Place> {
        let sizes = &self.sizes[direction];
        match &mut self.order {
            Order::Sequential { next_bytes, hole_bytes } => {
                let offset_bytes = next_bytes[direction];
                let room_bytes = self.length_bytes.saturating_sub(offset_bytes);
                let size = sizes.draw(&mut self.size_random, room_bytes)?;
                next_bytes[direction] =
                    offset_bytes.saturating_add(u64::from(size)).saturating_add(*hole_bytes);
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

    /// Does an exhausted region mean that all of it was done? Not so where holes, runs or two
    /// directions each with an order of its own leave some of it out.
    pub(super) fn covers_once(&self, is_mixed: bool) -> bool {
        match &self.order {
            Order::Sequential { hole_bytes, .. } => !is_mixed && *hole_bytes == 0,
            Order::Random(scattered) => {
                (!is_mixed || scattered.shared) && scattered.modifier == OffsetModifier::None
            }
        }
    }

    /// Is there no room for a further I/O in the direction?
    pub(super) fn is_exhausted(&self, direction: Direction) -> bool {
        match &self.order {
            Order::Sequential { next_bytes, .. } => {
                let room_bytes = self.length_bytes.saturating_sub(next_bytes[direction]);
                room_bytes < u64::from(self.sizes[direction].min_bytes())
            }
            Order::Random(scattered) => {
                scattered.keeps_map && {
                    let pass = scattered.pass(direction);
                    pass.taken >= pass.blocks
                }
            }
        }
    }

    /// Begins again: at the region's start, or with a new order of its blocks.
    pub(super) fn restart(&mut self, direction: Direction) {
        match &mut self.order {
            // fio takes both directions back when one has reached the end.
            Order::Sequential { next_bytes, .. } => *next_bytes = PerDirection::both(0),
            Order::Random(scattered) => scattered.restart(direction),
        }
    }
}

impl Scattered {
    fn new(job: &Job, sizes: &PerDirection<Sizes>, length_bytes: u64, seed: u64) -> Scattered {
        let pass = |direction: Direction| {
            let block_bytes = u64::from(sizes[direction].min_bytes().max(1));
            Pass { block_bytes, blocks: length_bytes / block_bytes, taken: 0, permutation: None }
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

    fn pass(&self, direction: Direction) -> &Pass {
        if self.shared { &self.passes.read } else { &self.passes[direction] }
    }

    fn restart(&mut self, direction: Direction) {
        let key = self.random.next();
        let pass = if self.shared { &mut self.passes.read } else { &mut self.passes[direction] };
        pass.taken = 0;
        pass.permutation =
            (self.keeps_map && pass.blocks > 0).then(|| Permutation::new(pass.blocks, key));
    }

    fn offset(&mut self, direction: Direction, sizes: &Sizes, length_bytes: u64) -> Option<u64> {
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
        self.draw(direction)
    }

    fn draw(&mut self, direction: Direction) -> Option<u64> {
        let pass = if self.shared { &mut self.passes.read } else { &mut self.passes[direction] };
        if pass.blocks == 0 {
            return None;
        }
        let block = match &pass.permutation {
            Some(_) if pass.taken >= pass.blocks => return None,
            Some(permutation) => permutation.at(pass.taken),
            None => self.random.below(pass.blocks),
        };
        pass.taken += 1;
        Some(block * pass.block_bytes)
    }
}
