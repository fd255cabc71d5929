// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a host says to a disk, and what the disk answers.

use base::Op;

/// One command of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Command {
    /// The host's own number for it, given back in its [`Completion`]. The device doesn't read it.
    pub tag: u32,
    /// Whether to read, write, discard or flush.
    pub op: Op,
    /// The first of its sectors of 512 bytes, from the start of the device.
    pub sector: u64,
    /// Length in sectors. Zero for a flush, at least one for all else.
    pub sectors: u32,
}

impl Command {
    /// The sector after the last one.
    pub(crate) fn end_sector(&self) -> u64 {
        self.sector + u64::from(self.sectors)
    }

    /// Whether the command makes sense on a disk of `capacity_sectors`.
    pub(crate) fn check(&self, capacity_sectors: u64) -> Result<(), CommandError> {
        if self.op == Op::Flush {
            return Ok(());
        }
        match self.sector.checked_add(u64::from(self.sectors)) {
            _ if self.sectors == 0 => Err(CommandError::Empty),
            Some(end) if end <= capacity_sectors => Ok(()),
            _ => Err(CommandError::OutOfRange),
        }
    }
}

/// Why a command failed. Such a command ends at the instant of its submission and costs nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum CommandError {
    /// It reaches past the last sector.
    #[error("the command reaches past the end of the disk")]
    OutOfRange,
    /// It moves no sectors, though it isn't a flush.
    #[error("the command has no sectors")]
    Empty,
    /// The disk doesn't know the operation (a discard on a hard disk).
    #[error("the disk doesn't support this command")]
    Unsupported,
}

/// The end of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Completion {
    /// The tag of the command.
    pub tag: u32,
    /// When it ended, in nanoseconds since the start of the run.
    pub at_ns: u64,
    /// Whether it did what it was asked.
    pub result: Result<(), CommandError>,
}

/// The device already holds as many commands as it accepts; nothing was changed. The host has to
/// wait for a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the device already holds {depth} commands, all that it accepts")]
pub struct DeviceFull {
    /// Commands that the device accepts at once.
    pub depth: u32,
}
