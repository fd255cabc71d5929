// SPDX-License-Identifier: MIT OR Apache-2.0
//! Processes that do I/O, each after its pattern.

use crate::{
    dice::Dice,
    options::{Options, Pattern},
};
use bfq::{Class, Ioprio, NewRequest, Operation, ProcessAttributes, ProcessId, Time};

#[derive(Debug)]
pub struct Worker {
    /// Its name in the scheduler; none once it has ended.
    pub id: Option<ProcessId>,
    /// Its group, by position.
    pub group: usize,
    pub attributes: ProcessAttributes,
    pub pattern: Pattern,
    pub sectors: u64,
    pub position: u64,
    /// Pieces of I/O under way.
    pub outstanding: u64,
    pub max_outstanding: u64,
    /// When it goes on.
    pub next_ns: u64,
    /// It waits for a place in the request pool.
    pub sleeping: bool,
    /// When the scheduler last had nothing of its that waited.
    pub served_ns: u64,
    rounds: u64,
}

impl Worker {
    pub fn new(id: ProcessId, group: usize, attributes: ProcessAttributes, now: u64) -> Worker {
        Worker {
            id: Some(id),
            group,
            attributes,
            pattern: Pattern::Sequential,
            sectors: 8,
            position: 0,
            outstanding: 0,
            max_outstanding: 1,
            next_ns: now,
            sleeping: false,
            served_ns: now,
            rounds: 0,
        }
    }

    /// Gives it a way to do its I/O. `peer` is another worker.
    pub fn choose_pattern(&mut self, dice: &mut Dice, options: &Options, peer: usize) {
        let quarter = options.capacity_sectors / 4;
        let base = dice.below(4) * quarter;
        let of = dice.between(2, 4);
        self.pattern = match dice.weighted(&options.patterns).unwrap_or(0) {
            0 => Pattern::Sequential,
            1 => Pattern::Random,
            2 => Pattern::Interleaved { base, of, part: dice.below(of) },
            3 => Pattern::Periodic {
                period_ns: dice.between(15, 120) * 1_000_000,
                requests: dice.between(1, 4),
            },
            4 => Pattern::Woken { by: peer, after_ns: dice.scale(1000, 40_000_000) },
            5 => Pattern::Backwards,
            _ => Pattern::Near { base },
        };
        self.sectors = dice.scale(1, 512).min(options.max_sectors);
        self.position = dice.below(options.capacity_sectors);
        let one_at_a_time = matches!(self.pattern, Pattern::Woken { .. });
        self.max_outstanding = if one_at_a_time { 1 } else { dice.between(1, options.outstanding) };
        self.rounds = 0;
    }

    pub fn can_submit(&self) -> bool {
        self.id.is_some() && !self.sleeping && self.outstanding < self.max_outstanding
    }

    /// Its next piece of I/O, and when it goes on if it need not wait for a completion.
    pub fn next_io(&mut self, dice: &mut Dice, options: &Options, now: u64) -> NewRequest {
        self.rounds += 1;
        self.next_ns = now;
        let capacity = options.capacity_sectors.saturating_sub(self.sectors).max(1);
        let sector = match self.pattern {
            Pattern::Sequential | Pattern::Woken { .. } => self.forward(capacity),
            Pattern::Backwards => {
                self.position = self.position.checked_sub(self.sectors).unwrap_or(capacity);
                self.position
            }
            Pattern::Random => dice.below(capacity),
            Pattern::Interleaved { base, of, part } => {
                (base + (self.rounds * of + part) * self.sectors) % capacity
            }
            Pattern::Periodic { period_ns, requests } => {
                if self.rounds.is_multiple_of(requests) {
                    self.next_ns = now + period_ns;
                }
                self.forward(capacity)
            }
            Pattern::Near { base } => (base + dice.below(8192)) % capacity,
        };
        if matches!(self.pattern, Pattern::Woken { .. }) {
            self.next_ns = u64::MAX;
        }
        self.io(dice, options, sector, now)
    }

    fn forward(&mut self, capacity: u64) -> u64 {
        let sector = self.position % capacity;
        self.position = sector + self.sectors;
        sector
    }

    fn io(&self, dice: &mut Dice, options: &Options, sector: u64, now: u64) -> NewRequest {
        let (operation, sync) = if dice.per_mille(options.async_writes) {
            (Operation::Write, false)
        } else if dice.per_mille(options.sync_writes) {
            (Operation::Write, true)
        } else if dice.per_mille(options.discards) {
            (Operation::Discard, false)
        } else {
            (Operation::Read, true)
        };
        let mut io = NewRequest {
            operation,
            sync,
            metadata: dice.per_mille(options.metadata),
            sector,
            sectors: self.sectors as u32,
            process: self.id,
            allocated_at: Time::from_ns(now),
            asked_at: Time::from_ns(now.saturating_sub(dice.below(2) * dice.below(100_000_000))),
        };
        if options.extreme && dice.half() {
            let sector = dice.pick(&[0, 1, u64::MAX, u64::MAX - 1, u64::MAX / 2]);
            io.sectors = dice.pick(&[1, 2, u32::MAX, i32::MAX as u32, 1 << 24]);
            // What is no range is refused: that is tried out as misuse.
            io.sector = sector.min(u64::MAX - u64::from(io.sectors));
        }
        io
    }
}

/// A priority out of those that the scenario has.
pub fn draw_attributes(dice: &mut Dice, options: &Options) -> ProcessAttributes {
    if options.default_priority && dice.per_mille(900) {
        return ProcessAttributes::default();
    }
    let class = Class::ALL[dice.weighted(&options.classes).unwrap_or(1)];
    let mut attributes = ProcessAttributes::with_ioprio(Ioprio::new(class, dice.below(8) as u8));
    if dice.per_mille(300) && !options.calm {
        attributes.ioprio = None;
        attributes.nice = dice.between(0, 39) as i8 - 20;
    }
    attributes
}
