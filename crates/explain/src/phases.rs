// SPDX-License-Identifier: MIT OR Apache-2.0
//! The phases of a command in a modelled device: their names in results, and in words.

use device::Phase;

/// A row of the table of phases.
pub(crate) struct PhaseRow {
    /// The phase of a command in the disk.
    pub phase: Phase,
    /// The name in results, of causes and of steps.
    pub name: &'static str,
    /// What happens in it.
    pub words: &'static str,
    /// What the time goes to, as in "most of it for …".
    pub noun: &'static str,
    /// The term that a newcomer may not know.
    pub term: &'static str,
    /// What `term` means, in a phrase for a newcomer.
    pub meaning: &'static str,
}

/// One row each, in the order of [`Phase::ALL`].
const PHASES: [PhaseRow; Phase::ALL.len()] = [
    PhaseRow {
        phase: Phase::Queue,
        name: "device_queue",
        words: "in the disk's own queue",
        noun: "the disk's own queue",
        term: "the disk's own queue",
        meaning: "the disk has taken the request, but works on others; a later one may go first",
    },
    PhaseRow {
        phase: Phase::Controller,
        name: "device_controller",
        words: "the controller worked on it",
        noun: "the controller",
        term: "controller",
        meaning: "the processor of the disk: what a command costs, whatever it moves",
    },
    PhaseRow {
        phase: Phase::Seek,
        name: "device_seek",
        words: "seek: the arm went to its track",
        noun: "seeks",
        term: "seek",
        meaning: "the arm moves the heads to another track, and settles there",
    },
    PhaseRow {
        phase: Phase::Rotation,
        name: "device_rotation",
        words: "rotation: its first sector came round",
        noun: "the rotation of the platters",
        term: "rotation",
        meaning: "the head is on the track and waits until the platter has turned to the data",
    },
    PhaseRow {
        phase: Phase::Media,
        name: "device_media",
        words: "transfer: its sectors passed under the head",
        noun: "the transfer at the head",
        term: "under the head",
        meaning: "the data is read or written while it passes under the head",
    },
    PhaseRow {
        phase: Phase::WriteBack,
        name: "device_write_back",
        words: "the arm wrote back from the disk's write cache",
        noun: "writing back the disk's write cache",
        term: "write cache",
        meaning: "memory of the disk: a write ends once it is there, and gets to the medium later",
    },
    PhaseRow {
        phase: Phase::CacheFull,
        name: "device_cache_full",
        words: "the disk's write cache had no room for it",
        noun: "room in the disk's write cache",
        term: "write cache",
        meaning: "memory of the disk: a write ends once it is there, and gets to the medium later",
    },
    PhaseRow {
        phase: Phase::Flush,
        name: "device_flush",
        words: "a flush was under way",
        noun: "flushes",
        term: "flush",
        meaning: "the disk puts all of its write cache onto the medium, as fsync asks",
    },
    PhaseRow {
        phase: Phase::DieBusy,
        name: "device_die_busy",
        words: "its flash die read other pages",
        noun: "busy flash dies",
        term: "die",
        meaning: "a chip of flash, which reads or programs one page at a time",
    },
    PhaseRow {
        phase: Phase::Program,
        name: "device_program",
        words: "its flash die programmed pages",
        noun: "flash dies that program",
        term: "to program",
        meaning: "to write flash, which takes many times as long as to read it",
    },
    PhaseRow {
        phase: Phase::Collection,
        name: "device_collection",
        words: "flash dies collected garbage",
        noun: "garbage collection",
        term: "garbage collection",
        meaning: "flash is erased in large blocks; what is valid there is copied away before",
    },
    PhaseRow {
        phase: Phase::FlashRead,
        name: "device_flash_read",
        words: "its flash die read its page",
        noun: "reading flash",
        term: "die",
        meaning: "a chip of flash, which reads or programs one page at a time",
    },
    PhaseRow {
        phase: Phase::ChannelBusy,
        name: "device_channel_busy",
        words: "the channel of its die moved other bytes",
        noun: "busy channels",
        term: "channel",
        meaning: "the wires that some dies share, to the controller",
    },
    PhaseRow {
        phase: Phase::Channel,
        name: "device_channel",
        words: "transfer: its bytes came over the channel",
        noun: "transfers over channels",
        term: "channel",
        meaning: "the wires that some dies share, to the controller",
    },
    PhaseRow {
        phase: Phase::InterfaceBusy,
        name: "device_interface_busy",
        words: "the interface moved other bytes",
        noun: "the busy interface",
        term: "interface",
        meaning: "the wires between disk and computer, which all commands share",
    },
    PhaseRow {
        phase: Phase::Interface,
        name: "device_interface",
        words: "transfer: its bytes passed the interface",
        noun: "transfers over the interface",
        term: "interface",
        meaning: "the wires between disk and computer, which all commands share",
    },
];

/// The row of a phase.
pub(crate) fn row(phase: Phase) -> &'static PhaseRow {
    let place = PHASES.iter().position(|row| row.phase == phase);
    &PHASES[place.unwrap_or_default()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_phase_has_its_row() {
        assert_eq!(PHASES.map(|row| row.phase), Phase::ALL);
    }
}
