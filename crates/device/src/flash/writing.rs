// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes and flushes: into the buffer, from there onto the dies.

use super::die::Program;
use super::{FlashDisk, WaitingFlush, What, path};
use crate::command::Command;
use crate::timing::Phase;
use base::SECTOR_BYTES;

impl FlashDisk {
    pub(super) fn write(&mut self, now_ns: u64, slot: u32) {
        let sectors = u64::from(self.slots[slot as usize].command.sectors);
        if self.waiting_writes.is_empty() && self.buffer.has_room(sectors) {
            self.take_in(now_ns, slot);
        } else {
            self.counters.writes_held_up += 1;
            self.waiting_writes.push_back(slot);
            self.make_room(now_ns);
        }
    }

    /// Where a write waits for room and no die makes any, all that fills the cache is a unit that
    /// isn't full: it has to be programmed as it is.
    pub(super) fn make_room(&mut self, now_ns: u64) {
        if !self.waiting_writes.is_empty() && self.idle_dies.len() == self.dies.len() {
            self.program_open_unit(now_ns);
        }
    }

    pub(super) fn program_open_unit(&mut self, now_ns: u64) {
        if let Some((unit, sectors)) = self.buffer.take_open_unit() {
            self.program(now_ns, Program { unit, sectors: sectors as u32 });
        }
    }

    /// Takes a write into the cache, where it ends.
    pub(super) fn take_in(&mut self, now_ns: u64, slot: u32) {
        let Command { sector, sectors, .. } = self.slots[slot as usize].command;
        let sectors = u64::from(sectors);
        let transfer_ns = self.interface.transfer_ns(sectors * SECTOR_BYTES);
        let link = match self.parameters.interface_duplex {
            0 => &mut self.to_host,
            _ => &mut self.from_host,
        };
        let moved_ns = link.occupy(now_ns, transfer_ns);
        let end_ns = moved_ns + self.parameters.write_latency;
        if let Some(timing) = self.timings.get(self.slots[slot as usize].command.tag) {
            timing.until(Phase::InterfaceBusy, moved_ns - transfer_ns);
            timing.until(Phase::Interface, moved_ns);
            timing.until(Phase::Controller, end_ns);
        }
        self.end(slot, end_ns);
        self.written_since_flush = true;
        self.collection.written(sector, sectors);
        self.buffer.add(sector, sectors);
        while let Some(unit) = self.buffer.take_full_unit(self.unit_sectors) {
            self.program(now_ns, Program { unit, sectors: self.unit_sectors as u32 });
        }
    }

    /// Programs a unit on the die that has been free for the longest time, or lets it wait.
    pub(super) fn program(&mut self, now_ns: u64, program: Program) {
        match self.idle_dies.pop_front() {
            Some(die) => self.begin_program(now_ns, die, program),
            None => self.waiting_units.push_back(program),
        }
    }

    pub(super) fn begin_program(&mut self, now_ns: u64, die: u32, program: Program) {
        let channel = self.dies[die as usize].channel() as usize;
        let transfer_ns = self.channel_rate.transfer_ns(self.parameters.program_unit);
        let arrival_ns = self.channels[channel].occupy(now_ns, transfer_ns);
        let time = self.collection.begin_program(now_ns);
        self.counters.units_programmed += 1;
        self.counters.die_program_ns += time.whole_ns;
        let end_ns = self.dies[die as usize].begin_program(arrival_ns, program, time);
        self.events.add(end_ns, What::Programmed { die });
    }

    pub(super) fn programmed(&mut self, now_ns: u64, die: u32) {
        let end_ns = self.dies[die as usize].program_end_ns();
        if end_ns > now_ns {
            self.events.add(end_ns, What::Programmed { die });
            return;
        }
        let time = self.dies[die as usize].program_time();
        let Some(program) = self.dies[die as usize].finish_program() else { return };
        self.buffer.programmed(u64::from(program.sectors));
        match self.waiting_units.pop_front() {
            Some(next) => self.begin_program(now_ns, die, next),
            None => {
                self.idle_dies.push_back(die);
                if self.idle_dies.len() == self.dies.len() {
                    self.collection.begin_rest(now_ns);
                }
            }
        }
        self.finish_flushes(now_ns, program.unit);
        while let Some(slot) = self.waiting_writes.front().copied() {
            let sectors = u64::from(self.slots[slot as usize].command.sectors);
            if !self.buffer.has_room(sectors) {
                break;
            }
            self.waiting_writes.pop_front();
            if let Some(timing) = self.timings.get(self.slots[slot as usize].command.tag) {
                path::waited_for_room(timing, now_ns, time);
            }
            self.take_in(now_ns, slot);
        }
        self.make_room(now_ns);
    }

    pub(super) fn flush(&mut self, now_ns: u64, slot: u32) {
        if self.parameters.power_loss_protection != 0 {
            self.end_flush(slot, now_ns);
            return;
        }
        self.program_open_unit(now_ns);
        let programming = self.dies.len() - self.idle_dies.len();
        let parts = (programming + self.waiting_units.len()) as u32;
        let written = std::mem::take(&mut self.written_since_flush);
        if parts == 0 {
            let flush_ns = if written { self.parameters.flush_time } else { 0 };
            self.end_flush(slot, now_ns + flush_ns);
            return;
        }
        self.slots[slot as usize].parts = parts;
        self.waiting_flushes.push(WaitingFlush { slot, before_unit: self.buffer.next_unit() });
    }

    pub(super) fn end_flush(&mut self, slot: u32, at_ns: u64) {
        self.timings.until(self.slots[slot as usize].command.tag, Phase::Flush, at_ns);
        self.end(slot, at_ns);
    }

    /// A unit is programmed: flushes that wait for it have one less to wait for.
    pub(super) fn finish_flushes(&mut self, now_ns: u64, unit: u64) {
        let mut index = 0;
        while index < self.waiting_flushes.len() {
            let WaitingFlush { slot, before_unit } = self.waiting_flushes[index];
            let state = &mut self.slots[slot as usize];
            state.parts -= u32::from(unit < before_unit);
            if state.parts == 0 {
                self.waiting_flushes.remove(index);
                self.end_flush(slot, now_ns + self.parameters.flush_time);
            } else {
                index += 1;
            }
        }
    }
}
