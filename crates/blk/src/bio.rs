// SPDX-License-Identifier: MIT OR Apache-2.0
//! What enters and leaves the layer: bios on the way in, their results on the way out.

use crate::ids::{ProcessId, Tag};
use base::Op;

/// One I/O as a process submits it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bio {
    /// The submitter's own name for this I/O; comes back in [`Done`], means nothing to the layer.
    pub token: u64,
    /// Whether to read, write, discard or flush.
    pub op: Op,
    /// Whether a process waits for it: reads, direct and fsync writes; background writeback not.
    pub sync: bool,
    /// Whether it is filesystem metadata.
    pub metadata: bool,
    /// Whether it reads ahead of what was requested (`RA` in block traces).
    pub read_ahead: bool,
    /// First sector (ignored for a flush).
    pub sector: u64,
    /// Number of sectors (ignored for a flush).
    pub sectors: u32,
    /// Who submits it; `None` for I/O without process context.
    pub process: Option<ProcessId>,
}

impl Bio {
    /// The sector after the last one.
    pub fn end_sector(&self) -> u64 {
        self.sector.saturating_add(u64::from(self.sectors))
    }
}

/// Why a bio failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IoError {
    /// The device reported an I/O error.
    #[error("input/output error")]
    Io,
    /// It reaches beyond the end of the device.
    #[error("beyond the end of the device")]
    BeyondEnd,
    /// The device did not answer in time.
    #[error("timed out")]
    TimedOut,
    /// The device is gone.
    #[error("no such device")]
    DeviceGone,
    /// The device cannot do this operation.
    #[error("operation not supported")]
    NotSupported,
    /// The device or the file system below it is full.
    #[error("no space left on device")]
    NoSpace,
    /// Any other error number of the operating system.
    #[error("error number {0}")]
    Os(i32),
}

impl IoError {
    /// The error number (Linux numbering) that a program would see.
    #[cold]
    #[inline(never)]
    pub fn errno(self) -> i32 {
        match self {
            IoError::Io | IoError::BeyondEnd => 5,
            IoError::TimedOut => 110,
            IoError::DeviceGone => 19,
            IoError::NotSupported => 95,
            IoError::NoSpace => 28,
            IoError::Os(number) => number,
        }
    }
}

/// The end of a bio. Each submitted bio has exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Done {
    /// The same as [`Bio::token`].
    pub token: u64,
    /// The same as [`Bio::process`].
    pub process: Option<ProcessId>,
    /// The same as [`Bio::op`].
    pub op: Op,
    /// The same as [`Bio::sector`].
    pub sector: u64,
    /// The same as [`Bio::sectors`].
    pub sectors: u32,
    /// Success, or the first error of its parts.
    pub result: Result<(), IoError>,
    /// When it was submitted, ns.
    pub submitted_ns: u64,
    /// When it got a request of its own or was merged into one, ns; later than `submitted_ns` if
    /// the submitter had to sleep. Of a bio that was split: when its last part did.
    pub queued_ns: u64,
    /// When its request was handed to the device, ns (of the part that ended last). Equal to
    /// `completed_ns` if it never got there.
    pub dispatched_ns: u64,
    /// When it ended, ns.
    pub completed_ns: u64,
}

/// A bio in a request, and how it came there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Journey {
    /// What was submitted; of a bio that was split, the whole of it.
    pub bio: Bio,
    /// Time of the submission, ns.
    pub submitted_ns: u64,
    /// When the bio, or the part of it that is in this request, got this request or was merged
    /// into it, ns.
    pub queued_ns: u64,
    /// Whether the bio ends when this part does: of a bio that was split, whether it is the last.
    pub last: bool,
}

/// What [`submit`](crate::BlockLayer::submit) did with a bio.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Submission {
    /// The bio has its place; the submitter may go on.
    Queued,
    /// No tag was free for it. The layer keeps the bio and gives it the first tag it may have; the
    /// submitter sleeps: it must not submit more until
    /// [`take_woken`](crate::BlockLayer::take_woken) names it. (A bio without process is kept in
    /// the same way; no process is named for it.)
    Sleeping,
}

/// A request on its way to the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Command {
    /// The request; to be named at its completion.
    pub tag: Tag,
    /// Whether the device is to read, write, discard or flush.
    pub op: Op,
    /// First sector (0 for a flush).
    pub sector: u64,
    /// Number of sectors (0 for a flush).
    pub sectors: u32,
}
