// SPDX-License-Identifier: MIT OR Apache-2.0
//! The hard disk: platters, one arm, a read cache, a write-back cache, and command queueing with
//! the disk's own reordering.
//!
//! A command passes three stages:
//!
//! 1. *incoming*: the controller works on it, one command after the other;
//! 2. *admission*: a read that is in a cache, and a write for which there is room, end with their
//!    transfer over the interface; all else is
//! 3. *waiting* for the arm (or for room in the write-back cache).
//!
//! Whenever the arm is free it takes what it can begin soonest (`choose.rs`); with nothing to do it
//! reads ahead. A flush is not queued, as in SATA: what comes behind it isn't admitted before all
//! that came before it has ended and the cache is clean.

mod arm;
mod choose;
mod geometry;
mod read_cache;
mod seek;
#[cfg(test)]
mod tests;
mod write_cache;

use std::collections::VecDeque;

use crate::command::{Command, CommandError, Completion, DeviceFull};
use crate::pending::Pending;
use crate::profile::HardDiskParameters;
use crate::statistics::{Statistic, Traffic};
use crate::time::{Rate, Resource, soonest_end_ns};
use crate::timing::{CommandTimings, Phase};
use crate::upcoming::Upcoming;
use base::{Op, SECTOR_BYTES};

use arm::{Arm, Job};
use geometry::PhysicalAddress;
use read_cache::{ReadCache, Segment, SegmentId};
use write_cache::WriteCache;

/// A command on which the controller works.
#[derive(Clone, Copy, Debug)]
struct Incoming {
    command: Command,
    ready_ns: u64,
}

/// A command that waits for the arm, or for room in the write-back cache.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    command: Command,
    since_ns: u64,
    /// When the data of a write is on the disk's side; the platters can't be written sooner.
    data_ns: u64,
    /// Whether it waits for the arm, and not for room.
    needs_arm: bool,
    /// The first sector that the arm has to go to: for a read, the first that isn't cached.
    place: PhysicalAddress,
}

/// A disk with zones, seeks, rotation, caches and native command queueing.
#[derive(Clone, Debug)]
pub struct HardDisk {
    parameters: HardDiskParameters,
    arm: Arm,
    interface: Rate,
    bus: Resource,
    controller: Resource,
    incoming: VecDeque<Incoming>,
    /// In the order of their arrival.
    waiting: Vec<Waiting>,
    /// The flush that holds up everything behind it.
    flushing: Option<Command>,
    read_cache: ReadCache,
    write_cache: WriteCache,
    /// When the disk was last busy with a read.
    last_read_ns: u64,
    jobs_since_overdue: u64,
    pending: Pending,
    in_flight: u32,
    now_ns: u64,
    traffic: Traffic,
    counters: Counters,
    pub(crate) timings: CommandTimings,
}

#[derive(Clone, Debug, Default)]
struct Counters {
    read_hits: u64,
    dirty_hits: u64,
    cached_writes: u64,
    write_backs: u64,
    sectors_written_back: u64,
    reordered: u64,
    overdue: u64,
}

impl HardDisk {
    /// A disk that nothing has been asked of yet. `seed` decides where the platters stand at time
    /// 0.
    pub fn new(parameters: HardDiskParameters, seed: u64) -> Self {
        let depth = parameters.depth as usize;
        let sectors = |bytes: u64| bytes / SECTOR_BYTES;
        HardDisk {
            arm: Arm::new(&parameters, seed),
            interface: Rate::new(parameters.interface_rate),
            bus: Resource::default(),
            controller: Resource::default(),
            incoming: VecDeque::with_capacity(depth),
            waiting: Vec::with_capacity(depth),
            flushing: None,
            read_cache: ReadCache::new(parameters.read_segments, sectors(parameters.read_segment)),
            write_cache: WriteCache::new(
                sectors(parameters.write_cache),
                parameters.write_segments,
            ),
            last_read_ns: 0,
            jobs_since_overdue: 0,
            pending: Pending::new(parameters.depth as u32),
            in_flight: 0,
            now_ns: 0,
            traffic: Traffic::default(),
            counters: Counters::default(),
            timings: CommandTimings::default(),
            parameters,
        }
    }

    pub(crate) fn depth(&self) -> u32 {
        self.parameters.depth as u32
    }

    pub(crate) fn rotational(&self) -> bool {
        self.parameters.rotational != 0
    }

    pub(crate) fn capacity_sectors(&self) -> u64 {
        self.parameters.capacity / SECTOR_BYTES
    }

    pub(crate) fn in_flight(&self) -> u32 {
        self.in_flight
    }

    pub(crate) fn submit(&mut self, now_ns: u64, command: Command) -> Result<(), DeviceFull> {
        if self.in_flight >= self.depth() {
            return Err(DeviceFull { depth: self.depth() });
        }
        let now_ns = self.catch_up(now_ns);
        self.in_flight += 1;
        self.traffic.accepted(&command);
        self.timings.begin(command.tag, now_ns);
        let checked = match command.op {
            Op::Discard => Err(CommandError::Unsupported),
            _ => command.check(self.capacity_sectors()),
        };
        if let Err(error) = checked {
            self.traffic.failed();
            self.pending.push(now_ns, command.tag, Err(error));
            return Ok(());
        }
        let overhead_ns = self.parameters.command_overhead;
        let ready_ns = self.controller.occupy(now_ns, overhead_ns);
        self.timings.until(command.tag, Phase::Queue, ready_ns - overhead_ns);
        self.timings.until(command.tag, Phase::Controller, ready_ns);
        // A flush may have nothing to do.
        let is_flush = command.op == Op::Flush;
        let ready_ns = if is_flush { ready_ns.max(soonest_end_ns(now_ns)) } else { ready_ns };
        self.incoming.push_back(Incoming { command, ready_ns });
        Ok(())
    }

    pub(crate) fn upcoming(&self) -> Upcoming {
        let step_ns = self.next_step_ns().unwrap_or(u64::MAX);
        Upcoming { step_ns, end_ns: self.pending.next_ns() }
    }

    pub(crate) fn take_completion(&mut self) -> Option<Completion> {
        let completion = self.pending.take(self.now_ns)?;
        self.in_flight -= 1;
        Some(completion)
    }

    /// Lets everything happen that happens inside the disk up to `now_ns`. Returns the time that it
    /// is: a host that goes back in time is taken to have stood still.
    pub(crate) fn catch_up(&mut self, now_ns: u64) -> u64 {
        self.now_ns = self.now_ns.max(now_ns);
        while let Some(step_ns) = self.next_step_ns().filter(|step_ns| *step_ns <= self.now_ns) {
            self.step(step_ns);
        }
        self.now_ns
    }

    /// When something happens inside the disk next.
    fn next_step_ns(&self) -> Option<u64> {
        let ready_ns = match self.flushing {
            None => self.incoming.front().map(|incoming| incoming.ready_ns),
            Some(_) => None,
        };
        let arm_ns = match self.arm.job_end_ns() {
            Some(end_ns) => Some(end_ns),
            None => self.write_back_due_ns(),
        };
        [ready_ns, arm_ns].into_iter().flatten().min()
    }

    /// When a free arm begins to write back by itself.
    fn write_back_due_ns(&self) -> Option<u64> {
        (!self.write_cache.runs().is_empty())
            .then(|| self.last_read_ns + self.parameters.write_back_delay)
    }

    fn step(&mut self, now_ns: u64) {
        if self.arm.job_end_ns().is_some_and(|end_ns| end_ns <= now_ns) {
            self.finish_job(now_ns);
        }
        self.admit_incoming(now_ns);
        if self.arm.job_end_ns().is_none() {
            self.begin_job(now_ns);
        }
    }

    /// Admits what the controller is ready with, up to a flush that can't end yet.
    fn admit_incoming(&mut self, now_ns: u64) {
        loop {
            self.finish_flush(now_ns);
            match self.incoming.front() {
                Some(Incoming { command, ready_ns })
                    if *ready_ns <= now_ns && self.flushing.is_none() =>
                {
                    let command = *command;
                    self.incoming.pop_front();
                    self.admit(now_ns, command);
                }
                _ => return,
            }
        }
    }

    fn admit(&mut self, now_ns: u64, command: Command) {
        self.timings.until(command.tag, Phase::Flush, now_ns);
        match command.op {
            Op::Read => self.admit_read(now_ns, command),
            Op::Write => self.admit_write(now_ns, command),
            Op::Flush => self.flushing = Some(command),
            Op::Discard => {}
        }
    }

    fn admit_read(&mut self, now_ns: u64, command: Command) {
        self.last_read_ns = now_ns;
        if self.write_cache.has(command.sector, command.end_sector()) {
            self.counters.dirty_hits += 1;
            self.end_with_transfer(now_ns, &command);
            return;
        }
        self.fill_from_stream(now_ns);
        if self.read_from_cache(now_ns, &command) {
            return;
        }
        let segment = self.read_cache.find(command.sector);
        let first = segment.map_or(command.sector, |segment| self.read_cache.get(segment).end);
        let place = self.arm.place(first);
        let (since_ns, data_ns) = (now_ns, now_ns);
        self.waiting.push(Waiting { command, since_ns, data_ns, needs_arm: true, place });
    }

    /// Serves a read from the read cache if all of it is there.
    fn read_from_cache(&mut self, now_ns: u64, command: &Command) -> bool {
        let end = command.end_sector();
        let segment = self.read_cache.find(command.sector);
        let Some(segment) = segment.filter(|segment| end <= self.read_cache.get(*segment).end)
        else {
            return false;
        };
        self.counters.read_hits += 1;
        self.read_cache.touch(segment, end);
        self.end_with_transfer(now_ns, command);
        true
    }

    fn admit_write(&mut self, now_ns: u64, command: Command) {
        self.fill_from_stream(now_ns);
        let (start, end) = (command.sector, command.end_sector());
        let arm = &mut self.arm;
        arm.overwritten(start, end);
        self.read_cache.forget(start, end, |segment| arm.forgotten(now_ns, segment));
        let needs_arm = !self.write_cache.takes(u64::from(command.sectors));
        let mut data_ns = now_ns;
        if needs_arm {
            data_ns = self.bus.occupy(now_ns, self.transfer_ns(&command));
        } else if self.cache_write(now_ns, &command) {
            return;
        }
        let place = self.arm.place(start);
        self.waiting.push(Waiting { command, since_ns: now_ns, data_ns, needs_arm, place });
    }

    /// Notes in the read cache how far reading ahead has come.
    fn fill_from_stream(&mut self, now_ns: u64) {
        if let Some((segment, end)) = self.arm.stream_progress(now_ns) {
            self.read_cache.fill(segment, end);
        }
    }

    /// Takes a write into the write-back cache if there is room.
    fn cache_write(&mut self, now_ns: u64, command: &Command) -> bool {
        let (start, end) = (command.sector, command.end_sector());
        if !self.write_cache.has_room(start, end) {
            return false;
        }
        self.timings.until(command.tag, Phase::CacheFull, now_ns);
        self.write_cache.add(self.arm.place(start), end);
        self.counters.cached_writes += 1;
        self.end_with_transfer(now_ns, command);
        true
    }

    /// A segment has been filled: waiting reads may be in it now, wholly or in part.
    fn admit_waiting_reads(&mut self, now_ns: u64, filled: SegmentId) {
        let mut index = 0;
        while index < self.waiting.len() {
            let Waiting { command, place, .. } = self.waiting[index];
            let Segment { start, end, .. } = *self.read_cache.get(filled);
            let begins_here = (start..end).contains(&place.sector);
            if command.op != Op::Read || !begins_here {
                index += 1;
            } else if command.end_sector() <= end {
                self.counters.read_hits += 1;
                self.read_cache.touch(filled, command.end_sector());
                self.end_with_transfer(now_ns, &command);
                self.waiting.remove(index);
            } else {
                self.waiting[index].place = self.arm.place(end);
                index += 1;
            }
        }
    }

    /// Room has become free: the writes that wait for it go on, in order.
    fn admit_waiting_writes(&mut self, now_ns: u64) {
        let mut index = 0;
        while index < self.waiting.len() {
            let Waiting { command, needs_arm, .. } = self.waiting[index];
            if needs_arm {
                index += 1;
            } else if self.cache_write(now_ns, &command) {
                self.waiting.remove(index);
            } else {
                return;
            }
        }
    }

    fn finish_flush(&mut self, now_ns: u64) {
        let Some(command) = self.flushing else { return };
        let resting = self.arm.job_end_ns().is_none();
        if self.waiting.is_empty() && resting && self.write_cache.is_clean() {
            self.flushing = None;
            let end_ns = now_ns.max(self.bus.free_ns);
            self.timings.until(command.tag, Phase::Flush, end_ns);
            self.pending.push(end_ns, command.tag, Ok(()));
        }
    }

    fn finish_job(&mut self, now_ns: u64) {
        let job = self.arm.finish();
        if self.timings.watched() {
            let writes_back = matches!(job, Some(Job::WriteBack { .. }));
            self.waited_for_arm(now_ns, if writes_back { Phase::WriteBack } else { Phase::Queue });
        }
        match job {
            Some(Job::Read { command, media_start_ns, segment }) => {
                self.last_read_ns = now_ns;
                let end = command.end_sector();
                if let Some(segment) = segment {
                    self.read_cache.fill(segment, end);
                    self.read_cache.touch(segment, end);
                }
                let transfer_ns = self.transfer_ns(&command);
                let data_ns = self.bus.occupy(media_start_ns, transfer_ns);
                self.timings.until(command.tag, Phase::InterfaceBusy, data_ns - transfer_ns);
                self.timings.until(command.tag, Phase::Interface, data_ns);
                self.pending.push(now_ns.max(data_ns), command.tag, Ok(()));
                if let Some(segment) = segment {
                    self.admit_waiting_reads(now_ns, segment);
                }
            }
            Some(Job::Write { command }) => self.pending.push(now_ns, command.tag, Ok(())),
            Some(Job::WriteBack { sectors }) => {
                self.write_cache.written(sectors);
                self.admit_waiting_writes(now_ns);
            }
            None => {}
        }
    }

    /// What the arm has done up to now kept all commands waiting that need it.
    fn waited_for_arm(&mut self, now_ns: u64, phase: Phase) {
        for waiting in self.waiting.iter().filter(|waiting| waiting.needs_arm) {
            self.timings.until(waiting.command.tag, phase, now_ns);
        }
    }

    fn end_with_transfer(&mut self, now_ns: u64, command: &Command) {
        let transfer_ns = self.transfer_ns(command);
        let end_ns = self.bus.occupy(now_ns, transfer_ns);
        self.timings.until(command.tag, Phase::InterfaceBusy, end_ns - transfer_ns);
        self.timings.until(command.tag, Phase::Interface, end_ns);
        self.pending.push(end_ns, command.tag, Ok(()));
    }

    fn transfer_ns(&self, command: &Command) -> u64 {
        self.interface.transfer_ns(u64::from(command.sectors) * SECTOR_BYTES)
    }

    pub(crate) fn statistics(&self) -> Vec<Statistic> {
        let mut all = self.traffic.statistics();
        let counters = &self.counters;
        all.extend(self.arm.statistics());
        all.extend([
            Statistic::new(
                "read_hits",
                "commands",
                "reads served from the read cache",
                counters.read_hits,
            ),
            Statistic::new(
                "dirty_hits",
                "commands",
                "reads served from the write-back cache",
                counters.dirty_hits,
            ),
            Statistic::new(
                "cached_writes",
                "commands",
                "writes taken into the write-back cache",
                counters.cached_writes,
            ),
            Statistic::new(
                "write_backs",
                "jobs",
                "times the arm wrote from the write-back cache",
                counters.write_backs,
            ),
            Statistic::new(
                "sectors_written_back",
                "sectors",
                "sectors written from the write-back cache",
                counters.sectors_written_back,
            ),
            Statistic::new(
                "reordered",
                "commands",
                "commands served before an older one",
                counters.reordered,
            ),
            Statistic::new(
                "overdue",
                "commands",
                "commands served because they had waited for too long",
                counters.overdue,
            ),
        ]);
        all
    }
}
