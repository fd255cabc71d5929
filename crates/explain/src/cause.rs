// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where a nanosecond of an I/O can go.

use crate::cast::ProcessNumber;
use crate::queues::Party;
use crate::record::{Doing, PoolLimit};
use crate::rule::Rule;
use device::Phase;

/// Exactly one of these holds at each moment between submission and end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cause {
    /// There is no request for it.
    Pool(PoolLimit),
    /// It is another queue's turn.
    Behind(Party, Doing),
    /// No queue has its turn: the scheduler was not asked yet.
    Nobody,
    /// It is its own queue's turn, and requests of the queue are before it.
    Own,
    /// It is its own queue's turn, and by that rule nothing goes to the device.
    OwnKept(Rule),
    /// It is its own queue's turn, and the device has only requests of others.
    OwnDeviceTaken(Option<ProcessNumber>),
    /// It was handed out, and the device has no room.
    DeviceFull,
    /// In the device, together with requests of that other process that came there before it.
    DeviceBehind(Option<ProcessNumber>),
    /// In the device, and no request of others there is older.
    Device,
    /// In a device that tells what it is doing for it, or for whom it lets it wait: the process
    /// that is known to have an older request there.
    Phase(Phase, Option<Option<ProcessNumber>>),
}

/// A [`Cause`] as results name it: processes of a job are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Reason {
    pub kind: CauseKind,
    pub who: Option<Who>,
    pub rule: Option<Rule>,
}

/// What kind of cause it is, in the order in which an I/O meets them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CauseKind {
    Pool(PoolLimit),
    BehindServed,
    BehindHeld,
    BehindIdling,
    BehindInjected,
    /// The disk is kept free for what another queue wrote.
    WriteCache,
    Nobody,
    Own,
    OwnKept,
    OwnDeviceTaken,
    DeviceFull,
    DeviceBehind,
    Device,
    Phase(Phase),
}

/// Whose fault it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Who {
    /// Another process of the same job.
    Sibling,
    Job(usize),
    /// Processes of several jobs, or something that is no process.
    Party(Party),
    Unknown,
}

impl CauseKind {
    /// The name in results.
    pub fn name(self) -> &'static str {
        match self {
            CauseKind::Pool(PoolLimit::Whole) => "pool_full",
            CauseKind::Pool(PoolLimit::Part) => "pool_part_full",
            CauseKind::Pool(PoolLimit::Share) => "pool_share_full",
            CauseKind::BehindServed => "behind_served",
            CauseKind::BehindHeld => "behind_held",
            CauseKind::BehindIdling => "behind_idling",
            CauseKind::BehindInjected => "behind_injected",
            CauseKind::WriteCache => "write_cache",
            CauseKind::Nobody => "nobody_in_service",
            CauseKind::Own => "own_turn",
            CauseKind::OwnKept => "own_turn_kept",
            CauseKind::OwnDeviceTaken => "own_turn_device_taken",
            CauseKind::DeviceFull => "device_full",
            CauseKind::DeviceBehind => "device_behind",
            CauseKind::Device => "device",
            CauseKind::Phase(phase) => crate::phases::row(phase).name,
        }
    }
}
