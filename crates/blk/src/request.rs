// SPDX-License-Identifier: MIT OR Apache-2.0
//! A request: one or more bios that go to the device as a whole.

use crate::bio::Bio;
use crate::bios::BioSlot;
use crate::ids::{GroupId, ProcessId, Tag};
use base::{IoprioValue, Op};

/// Where a request is. Each tag is in exactly one of these places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagState {
    /// Nowhere: the tag may be allocated.
    Free,
    /// Made, and not yet given to the elevator: in the plug of its process.
    Plugged,
    /// The elevator has it and has not handed it out.
    Waiting,
    /// A flush that waits for the flush before it.
    FlushWaiting,
    /// Obtained from the elevator (or bypassing it), and waiting for a place on the device.
    Listed,
    /// The device has it and has not completed it.
    Issued,
    /// On the device for too long: its place there is another one's, and for the elevator it has
    /// ended.
    Overdue,
}

/// A request of the [`Pool`](crate::Pool). Elevators read it; only the layer changes it.
#[derive(Debug, Clone)]
pub struct Request {
    /// Number of the request.
    pub tag: Tag,
    /// What to do; the same for all its bios.
    pub op: Op,
    /// Whether the bio it was made for is synchronous.
    pub sync: bool,
    /// Whether the bio it was made for is metadata.
    pub metadata: bool,
    /// Whether the bio it was made for reads ahead.
    pub read_ahead: bool,
    /// The first of its sectors of 512 bytes on the device; it moves when a bio joins at the front.
    pub sector: u64,
    /// How many sectors of 512 bytes it covers, with the bios that joined it.
    pub sectors: u32,
    /// Who submitted the bio it was made for.
    pub process: Option<ProcessId>,
    /// The group of that process when the request was made; the root if it has none.
    pub group: GroupId,
    /// The ioprio of that process when the request was made.
    pub ioprio: IoprioValue,
    /// When the tag was allocated, ns; the earliest one after requests were merged.
    pub allocated_ns: u64,
    /// When the bio it was made for was submitted, ns: earlier, if no tag was free then.
    pub asked_ns: u64,
    /// When it was last given to an elevator, ns.
    pub inserted_ns: u64,
    /// When it was last handed to the device, ns.
    pub dispatched_ns: u64,
    pub(crate) state: TagState,
    /// Set at the first dispatch: a request that was on its way once is merged with nothing.
    pub(crate) started: bool,
    /// The number of the elevator that holds or held it; 0: none yet.
    pub(crate) epoch: u32,
    /// Its place in the order of insertions.
    pub(crate) sequence: u64,
    /// Whether its last insertion was at the head.
    pub(crate) at_head: bool,
    pub(crate) first_bio: BioSlot,
    pub(crate) last_bio: BioSlot,
    /// The next request of the same plug.
    pub(crate) next: Option<Tag>,
}

impl Request {
    pub(crate) fn unused(tag: Tag) -> Request {
        Request {
            tag,
            op: Op::Read,
            sync: false,
            metadata: false,
            read_ahead: false,
            sector: 0,
            sectors: 0,
            process: None,
            group: GroupId::ROOT,
            ioprio: IoprioValue::default(),
            allocated_ns: 0,
            asked_ns: 0,
            inserted_ns: 0,
            dispatched_ns: 0,
            state: TagState::Free,
            started: false,
            epoch: 0,
            sequence: 0,
            at_head: false,
            first_bio: BioSlot::NONE,
            last_bio: BioSlot::NONE,
            next: None,
        }
    }

    /// The sector after the last one.
    pub fn end_sector(&self) -> u64 {
        self.sector.saturating_add(u64::from(self.sectors))
    }

    /// Where the request is between its allocation and its completion.
    pub fn state(&self) -> TagState {
        self.state
    }

    /// Whether other bios or requests may join it: not a flush, and never dispatched so far.
    pub fn mergeable(&self) -> bool {
        self.op != Op::Flush && !self.started
    }

    /// How `bio` touches this request, if it does: at its end (back) or at its start (front).
    pub fn adjacency(&self, bio: &Bio) -> Option<MergeKind> {
        if self.end_sector() == bio.sector {
            Some(MergeKind::Back)
        } else if bio.end_sector() == self.sector {
            Some(MergeKind::Front)
        } else {
            None
        }
    }
}

/// The end of a request at which something joins it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MergeKind {
    /// At its end: what joins starts where the request ends.
    Back,
    /// At its start: what joins ends where the request starts.
    Front,
}

/// A place for a bio: the end `kind` of the waiting request `tag`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Merge {
    /// The request to grow.
    pub tag: Tag,
    /// The front (the bio ends where the request begins) or the back.
    pub kind: MergeKind,
}
