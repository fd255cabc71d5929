// SPDX-License-Identifier: MIT OR Apache-2.0
//! The flash disk: channels and dies in parallel, a write cache in memory, garbage collection.
//!
//! - A *read* passes the controller, then each of its pages is read by the die that its address
//!   falls on, moved over that die's channel, and over the interface to the host. A page that is in
//!   the write cache passes the interface only.
//! - A *write* passes the controller and, as soon as there is room, the interface into the write
//!   cache; there it ends. The cache gathers units and gives them to the dies that are free, in
//!   turn. A die lets reads go first (it suspends its program), up to a bound.
//! - A *flush* has everything programmed that is in the cache.
//!
//! Data is taken to lie where its address says, page after page over channels and dies, although
//! units are programmed on whichever die is free: no map of the flash is kept.

mod collection;
mod die;
mod extent;
mod pages;
mod path;
mod streams;
#[cfg(test)]
mod tests;
mod write_buffer;
mod writing;

use std::collections::VecDeque;

use crate::agenda::{Agenda, PlannedEvent};
use crate::command::{Command, CommandError, Completion, DeviceFull};
use crate::pending::Pending;
use crate::profile::FlashParameters;
use crate::statistics::{Statistic, Traffic};
use crate::time::{Rate, Resource, soonest_end_ns};
use crate::timing::{CommandTimings, Phase};
use crate::upcoming::Upcoming;
use base::{Op, SECTOR_BYTES};

use collection::Collection;
use die::{Die, PageTimes, Program};
use pages::Pages;
use path::Paths;
use write_buffer::WriteBuffer;

/// Units waiting for a die for which room is made beforehand; more of them are no mistake.
const UNITS_EXPECTED: usize = 1 << 14;

/// Where a page is when the host can have it.
#[derive(Clone, Copy, Debug)]
enum PageSource {
    /// In the register of a die of this channel.
    Channel(u16),
    /// In the write cache.
    WriteCache,
}

/// Something that happens inside the disk at a known time.
#[derive(Clone, Copy, Debug)]
enum What {
    /// A page is there; these sectors of it are wanted.
    PageRead { slot: u32, source: PageSource, sectors: u32 },
    /// The same, and no other page is wanted by the command of this tag.
    OnlyPageRead { tag: u32, source: PageSource, sectors: u32 },
    /// The controller is ready with a write.
    Write { slot: u32 },
    /// The controller is ready with a flush.
    Flush { slot: u32 },
    /// A die has programmed, unless reads have put that off.
    Programmed { die: u32 },
}

/// A command under way.
#[derive(Clone, Copy, Debug)]
struct Slot {
    command: Command,
    /// Pages of a read, or units of a flush, that it still waits for.
    parts: u32,
    /// The latest end of its parts so far.
    end_ns: u64,
}

/// A flush that waits for the units before `before_unit`.
#[derive(Clone, Copy, Debug)]
struct WaitingFlush {
    slot: u32,
    before_unit: u64,
}

/// A disk of channels and dies.
#[derive(Clone, Debug)]
pub struct FlashDisk {
    parameters: FlashParameters,
    pages: Box<Pages>,
    unit_sectors: u64,
    channel_rate: Rate,
    interface: Rate,
    controller: Resource,
    /// Whether the last command that moved data read or wrote.
    last_moved: Option<Op>,
    channels: Vec<Resource>,
    to_host: Resource,
    from_host: Resource,
    dies: Vec<Die>,
    idle_dies: VecDeque<u32>,
    buffer: WriteBuffer,
    /// Units that wait for a free die.
    waiting_units: VecDeque<Program>,
    /// Writes that wait for room in the cache, in order.
    waiting_writes: VecDeque<u32>,
    waiting_flushes: Vec<WaitingFlush>,
    /// Whether a flush has anything to make permanent.
    written_since_flush: bool,
    collection: Collection,
    slots: Vec<Slot>,
    free_slots: Vec<u32>,
    events: Box<Agenda<What>>,
    pending: Pending,
    in_flight: u32,
    now_ns: u64,
    traffic: Traffic,
    counters: Counters,
    pub(crate) timings: CommandTimings,
    /// The pages of reads under way, while timings are watched.
    paths: Paths,
}

#[derive(Clone, Debug, Default)]
struct Counters {
    pages_read: u64,
    buffer_hits: u64,
    units_programmed: u64,
    die_program_ns: u64,
    writes_held_up: u64,
}

impl FlashDisk {
    /// A disk that nothing has been asked of yet.
    pub fn new(parameters: FlashParameters) -> Self {
        let dies = (parameters.channels * parameters.dies) as u32;
        let depth = parameters.depth as u32;
        let units_cached = (parameters.write_cache / parameters.program_unit) as usize + 1;
        let nothing = Command { tag: 0, op: Op::Flush, sector: 0, sectors: 0 };
        FlashDisk {
            pages: Box::new(Pages::new(&parameters)),
            unit_sectors: parameters.program_unit / SECTOR_BYTES,
            channel_rate: Rate::new(parameters.channel_rate),
            interface: Rate::new(parameters.interface_rate),
            controller: Resource::default(),
            last_moved: None,
            channels: vec![Resource::default(); parameters.channels as usize],
            to_host: Resource::default(),
            from_host: Resource::default(),
            dies: (0..dies)
                .map(|die| Die::new((die % parameters.channels as u32) as u16))
                .collect(),
            idle_dies: (0..dies).collect(),
            buffer: WriteBuffer::new(parameters.write_cache / SECTOR_BYTES),
            waiting_units: VecDeque::with_capacity(units_cached.min(UNITS_EXPECTED)),
            waiting_writes: VecDeque::with_capacity(depth as usize),
            waiting_flushes: Vec::with_capacity(depth as usize),
            written_since_flush: false,
            collection: Collection::new(&parameters),
            slots: vec![Slot { command: nothing, parts: 0, end_ns: 0 }; depth as usize],
            free_slots: (0..depth).rev().collect(),
            events: Box::new(Agenda::new((4 * depth + dies) as usize)),
            pending: Pending::new(depth),
            in_flight: 0,
            now_ns: 0,
            traffic: Traffic::default(),
            counters: Counters::default(),
            timings: CommandTimings::default(),
            paths: Paths::default(),
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

    #[inline(always)]
    pub(crate) fn submit(&mut self, now_ns: u64, command: Command) -> Result<(), DeviceFull> {
        if self.in_flight >= self.depth() {
            return Err(DeviceFull { depth: self.depth() });
        }
        let now_ns = self.catch_up(now_ns);
        self.in_flight += 1;
        self.traffic.accepted(&command);
        self.timings.begin(command.tag, now_ns);
        if let Err(error) = command.check(self.capacity_sectors()) {
            self.fail(now_ns, command.tag, error);
            return Ok(());
        }
        let occupancy_ns = self.occupancy_ns(command.op);
        let ready_ns = self.controller.occupy(now_ns, occupancy_ns);
        self.timings.until(command.tag, Phase::Queue, ready_ns - occupancy_ns);
        self.timings.until(command.tag, Phase::Controller, ready_ns);
        match command.op {
            Op::Read => self.read(ready_ns, command),
            Op::Write => self.plan(ready_ns, command, |slot| What::Write { slot }),
            Op::Flush => {
                // It may have nothing to do.
                let ready_ns = ready_ns.max(soonest_end_ns(now_ns));
                self.plan(ready_ns, command, |slot| What::Flush { slot });
            }
            Op::Discard => self.discard(ready_ns, command),
        }
        Ok(())
    }

    /// Keeps a command in a slot until the controller is ready for it.
    #[inline(never)]
    fn plan(&mut self, ready_ns: u64, command: Command, what: fn(u32) -> What) {
        let slot = self.take_slot(command);
        self.events.add(ready_ns, what(slot));
    }

    #[inline(never)]
    fn discard(&mut self, ready_ns: u64, command: Command) {
        self.collection.discarded(u64::from(command.sectors));
        let end_ns = ready_ns + self.parameters.write_latency;
        let end_ns = end_ns.max(soonest_end_ns(self.now_ns));
        self.timings.until(command.tag, Phase::Controller, end_ns);
        self.pending.push(end_ns, command.tag, Ok(()));
    }

    /// A command that makes no sense ends with an error at once.
    #[cold]
    #[inline(never)]
    fn fail(&mut self, now_ns: u64, tag: u32, error: CommandError) {
        self.traffic.failed();
        self.pending.push(now_ns, tag, Err(error));
    }

    /// Time for which a command occupies the controller.
    fn occupancy_ns(&mut self, op: Op) -> u64 {
        let FlashParameters { read_occupancy, write_occupancy, turnaround_time, .. } =
            self.parameters;
        let turns = match op {
            Op::Read | Op::Write => self.last_moved.replace(op).is_some_and(|last| last != op),
            Op::Flush | Op::Discard => false,
        };
        let turnaround_ns = if turns { turnaround_time } else { 0 };
        turnaround_ns + if op == Op::Read { read_occupancy } else { write_occupancy }
    }

    #[inline]
    pub(crate) fn upcoming(&self) -> Upcoming {
        Upcoming { step_ns: self.events.next_ns(), end_ns: self.pending.next_ns() }
    }

    #[inline(always)]
    pub(crate) fn take_completion(&mut self) -> Option<Completion> {
        let completion = self.pending.take(self.now_ns)?;
        self.in_flight -= 1;
        Some(completion)
    }

    #[inline]
    fn take_slot(&mut self, command: Command) -> u32 {
        debug_assert!(!self.free_slots.is_empty(), "a slot for each command that is accepted");
        let slot = self.free_slots.pop().unwrap_or_default();
        self.slots[slot as usize] = Slot { command, parts: 0, end_ns: 0 };
        slot
    }

    /// Ends the command of a slot.
    #[inline(always)]
    fn end(&mut self, slot: u32, at_ns: u64) {
        self.free_slots.push(slot);
        self.pending.push(at_ns, self.slots[slot as usize].command.tag, Ok(()));
    }

    /// Lets everything happen that happens inside the disk up to `now_ns`. Returns the time that it
    /// is: a host that goes back in time is taken to have stood still.
    #[inline(always)]
    pub(crate) fn catch_up(&mut self, now_ns: u64) -> u64 {
        self.now_ns = self.now_ns.max(now_ns);
        if self.events.next_ns() <= self.now_ns {
            self.happen();
        }
        self.now_ns
    }

    /// The next event happens, whose time has come, and all others up to now.
    #[inline(never)]
    fn happen(&mut self) {
        debug_assert!(self.events.next_ns() <= self.now_ns, "an event of the future");
        while let Some(event) = self.events.take() {
            match event.what {
                What::PageRead { slot, source, sectors } => {
                    self.page_read(event, slot, source, sectors)
                }
                What::OnlyPageRead { tag, source, sectors } => {
                    let end_ns = self.move_out(event, tag, source, sectors);
                    self.pending.push(end_ns, tag, Ok(()));
                }
                What::Write { slot } => self.write(event.at_ns, slot),
                What::Flush { slot } => self.flush(event.at_ns, slot),
                What::Programmed { die } => self.programmed(event.at_ns, die),
            }
            if self.events.next_ns() > self.now_ns {
                break;
            }
        }
    }

    /// Gives the pages of a read to their dies. A read of one page needs no slot.
    #[inline(always)]
    fn read(&mut self, ready_ns: u64, command: Command) {
        let from_ns = ready_ns + self.parameters.read_latency;
        self.timings.until(command.tag, Phase::Controller, from_ns);
        let (page, page_end) = self.pages.page_of(command.sector);
        if command.end_sector() > page_end {
            return self.read_pages(from_ns, command);
        }
        let Command { tag, sectors, .. } = command;
        self.read_page(from_ns, page, command, |source| What::OnlyPageRead {
            tag,
            source,
            sectors,
        });
    }

    fn read_pages(&mut self, from_ns: u64, command: Command) {
        let slot = self.take_slot(command);
        let (mut sector, end, mut parts) = (command.sector, command.end_sector(), 0);
        while sector < end {
            let (page, page_end) = self.pages.page_of(sector);
            let page_end = page_end.min(end);
            let sectors = (page_end - sector) as u32;
            let part = Command { sector, sectors, ..command };
            self.read_page(from_ns, page, part, |source| What::PageRead { slot, source, sectors });
            (sector, parts) = (page_end, parts + 1);
        }
        self.slots[slot as usize].parts = parts;
    }

    /// Gives the part of a read that lies in this page to its die, unless it is in the write cache.
    /// `what` is the event that it is there.
    #[inline(always)]
    fn read_page(
        &mut self,
        from_ns: u64,
        page: u64,
        part: Command,
        what: impl Fn(PageSource) -> What,
    ) {
        let place = self.pages.place(page);
        let die = &mut self.dies[place.die as usize];
        let (times, source) = if self.buffer.has(part.sector, u64::from(part.sectors)) {
            self.counters.buffer_hits += 1;
            let at_once = PageTimes { free_ns: from_ns, start_ns: from_ns, end_ns: from_ns };
            (at_once, PageSource::WriteCache)
        } else {
            self.counters.pages_read += 1;
            let FlashParameters { suspend_time, page_register, .. } = self.parameters;
            let kept = (page_register != 0).then_some(page);
            let times = die.read(from_ns, kept, place.read_ns, suspend_time);
            (times, PageSource::Channel(die.channel()))
        };
        let event = self.events.add(times.end_ns, what(source));
        if let Some(timing) = self.timings.get(part.tag) {
            self.paths.page_begins(event, timing, times, die.program_time());
        }
    }

    #[inline]
    fn page_read(
        &mut self,
        event: PlannedEvent<What>,
        slot: u32,
        source: PageSource,
        sectors: u32,
    ) {
        let tag = self.slots[slot as usize].command.tag;
        let end_ns = self.move_out(event, tag, source, sectors);
        let state = &mut self.slots[slot as usize];
        state.end_ns = state.end_ns.max(end_ns);
        state.parts -= 1;
        if state.parts == 0 {
            let end_ns = state.end_ns;
            self.end(slot, end_ns);
        }
    }

    /// Moves sectors of a page to the host; returns when they are there.
    #[inline(always)]
    fn move_out(
        &mut self,
        event: PlannedEvent<What>,
        tag: u32,
        source: PageSource,
        sectors: u32,
    ) -> u64 {
        let own = self.pages.transfer_times(sectors);
        let (at_interface_ns, on_channel_ns) = match source {
            PageSource::Channel(channel) => {
                let channel = &mut self.channels[usize::from(channel)];
                (channel.occupy(event.at_ns, own.channel_ns), own.channel_ns)
            }
            PageSource::WriteCache => (event.at_ns, 0),
        };
        let end_ns = self.to_host.occupy(at_interface_ns, own.interface_ns);
        if let Some(timing) = self.timings.get(tag) {
            let busy = [(at_interface_ns, on_channel_ns), (end_ns, own.interface_ns)];
            self.paths.page_ends(event.number, timing, busy);
        }
        end_ns
    }

    pub(crate) fn statistics(&self) -> Vec<Statistic> {
        let counters = &self.counters;
        let busy = |resources: &[Resource]| resources.iter().map(|r| r.busy_ns).sum();
        let mut all = self.traffic.statistics();
        all.extend([
            Statistic::new("pages_read", "pages", "pages read for the host", counters.pages_read),
            Statistic::new(
                "buffer_hits",
                "pages",
                "pages served from the write cache",
                counters.buffer_hits,
            ),
            Statistic::new(
                "units_programmed",
                "units",
                "units programmed for the host",
                counters.units_programmed,
            ),
            Statistic::new(
                "sectors_copied",
                "sectors",
                "sectors copied by garbage collection",
                self.collection.copied_sectors(),
            ),
            Statistic::new(
                "collection_ns",
                "ns",
                "time of dies for garbage collection while the host waited",
                self.collection.collection_ns(),
            ),
            Statistic::new(
                "die_program_ns",
                "ns",
                "time of dies for programs, garbage collection included",
                counters.die_program_ns,
            ),
            Statistic::new(
                "channel_busy_ns",
                "ns",
                "time for which channels moved bytes, all added up",
                busy(&self.channels),
            ),
            Statistic::new(
                "interface_busy_ns",
                "ns",
                "time for which the interface moved bytes, both directions added up",
                busy(&[self.to_host, self.from_host]),
            ),
            Statistic::new(
                "writes_held_up",
                "commands",
                "writes that had to wait for room in the write cache",
                counters.writes_held_up,
            ),
        ]);
        all
    }
}
