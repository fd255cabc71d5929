// SPDX-License-Identifier: MIT OR Apache-2.0
//! The one kind of record that all formats are read into.

use crate::names::{DeviceId, ProcessId};
use base::Op;

/// Something that happened to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// When, ns, on the clock of the trace. Where that starts is the recorder's choice.
    pub time_ns: u64,
    /// What the record reports.
    pub event: RequestEvent,
    /// What the request does.
    pub op: Op,
    /// What else is known of it.
    pub flags: Flags,
    /// Which device, or file, it is for.
    pub device: DeviceId,
    /// Who issued it. Completions have none: who runs then has nothing to do with it.
    pub process: Option<ProcessId>,
    /// Where on the device, bytes; 0 for a flush. A completion of 0 bytes that is elsewhere is that
    /// of the write there, behind the flush that it needed.
    pub offset_bytes: u64,
    /// How much, bytes; 0 for a flush.
    pub length_bytes: u64,
    /// Of a request whose completion is recorded along with it: how long it took, ns.
    pub response_ns: Option<u64>,
}

/// What happened to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RequestEvent {
    /// A process handed it to the block layer. The one event that every format has.
    Queued,
    /// It was issued to the device.
    Issued,
    /// The device has done it.
    Completed,
}

/// What is known of a request beside its operation and place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// A process waits for it: reads, and direct or fsync writes. Formats that don't say it are
    /// taken to have nothing else.
    pub sync: bool,
    /// Read ahead of what was asked for.
    pub read_ahead: bool,
    /// Of the file system itself.
    pub metadata: bool,
    /// To be durable when it ends.
    pub fua: bool,
    /// A flush comes before it.
    pub preflush: bool,
    /// Its process takes over from another one (`START` in start-up traces).
    pub takes_over: bool,
}

impl Flags {
    /// Those of a request of which nothing is known but its direction.
    pub const PLAIN: Flags = Flags {
        sync: true,
        read_ahead: false,
        metadata: false,
        fua: false,
        preflush: false,
        takes_over: false,
    };
}
