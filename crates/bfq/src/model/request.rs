// SPDX-License-Identifier: MIT OR Apache-2.0
//! Requests, as far as the scheduler looks at them, and the table that holds them.
//!
//! The table is indexed by the host's own request numbers (its tags), so that a request has one
//! name on both sides and nothing is allocated when one arrives.

use super::ids::{ProcessId, QueueId, RequestId};
use crate::{
    store::{
        arena::{Arena, OutOfMemory},
        list::{Hook, Hooked},
        tree::{Links, Node},
    },
    units::{Sector, Sectors, Time},
};

/// What a request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The device reads the sectors into memory.
    Read,
    /// The device writes memory to the sectors.
    Write,
    /// Tells the device that sectors are unused.
    Discard,
}

/// A request as the host hands it in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewRequest {
    /// Whether it reads, writes or discards.
    pub operation: Operation,
    /// A process waits for it: reads, direct writes, fsync writes.
    pub sync: bool,
    /// File-system metadata, preferred inside a queue.
    pub metadata: bool,
    /// The first of its sectors of 512 bytes, counted from the start of the device.
    pub sector: u64,
    /// How many sectors of 512 bytes it covers; 0 is refused.
    pub sectors: u32,
    /// Who issues it. `None`: it is served from the shared queue.
    pub process: Option<ProcessId>,
    /// When its place in the pool was allocated; read by statistics only.
    pub allocated_at: Time,
    /// When the process asked for it: earlier, if it had to wait for a place in the pool.
    pub asked_at: Time,
}

impl NewRequest {
    /// A read of a process.
    pub const fn read(process: ProcessId, sector: u64, sectors: u32, now: Time) -> Self {
        let operation = Operation::Read;
        let process = Some(process);
        let (sync, metadata, allocated_at, asked_at) = (true, false, now, now);
        NewRequest { operation, sync, metadata, sector, sectors, process, allocated_at, asked_at }
    }

    /// A write of a process; `sync` if the process waits for it.
    pub const fn write(
        process: ProcessId,
        sector: u64,
        sectors: u32,
        sync: bool,
        now: Time,
    ) -> Self {
        let read = NewRequest::read(process, sector, sectors, now);
        NewRequest { operation: Operation::Write, sync, ..read }
    }

    /// Its first sector, as a typed position on the device.
    #[inline]
    pub fn start(&self) -> Sector {
        Sector::at(self.sector)
    }

    /// Its length in sectors.
    #[inline]
    pub fn length(&self) -> Sectors {
        Sectors::from(self.sectors)
    }

    /// The sector behind its last one.
    #[inline]
    pub fn end(&self) -> Sector {
        self.start() + self.length()
    }
}

/// The side of a request on which something is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// In front: the request then starts earlier.
    Front,
    /// Behind the last sector.
    Back,
}

/// What a request is, as the table keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Content {
    pub sector: Sector,
    pub sectors: Sectors,
    pub process: Option<ProcessId>,
    pub operation: Operation,
    pub sync: bool,
    pub metadata: bool,
}

impl Content {
    /// Of a request handed in.
    #[inline]
    pub fn of(new: &NewRequest) -> Self {
        let NewRequest { operation, sync, metadata, process, .. } = *new;
        let (sector, sectors) = (new.start(), new.length());
        Content { sector, sectors, process, operation, sync, metadata }
    }

    /// Whether `other` may be added to this one: it moves data, by the same operation, and nothing
    /// that a process waits for joins what no process waits for.
    fn is_kin_of(&self, other: &NewRequest) -> bool {
        self.operation == other.operation && (self.sync || !other.sync) && other.sectors > 0
    }

    /// Whether `other` starts where this one ends and may be added to it.
    #[inline]
    pub fn is_continued_by(&self, other: &NewRequest) -> bool {
        self.end() == other.start() && self.is_kin_of(other)
    }

    /// Whether this one starts where `other` ends, which may be added to it.
    #[inline]
    pub fn continues(&self, other: &NewRequest) -> bool {
        self.sector == other.end() && self.is_kin_of(other)
    }

    /// Whether a range is this one with more on one side, or nothing more.
    pub fn grows_to(&self, side: Side, sector: Sector, sectors: Sectors) -> bool {
        sectors >= self.sectors
            && match side {
                Side::Front => sector + sectors == self.end(),
                Side::Back => sector == self.sector,
            }
    }

    /// The sector behind its last one.
    #[inline]
    pub fn end(&self) -> Sector {
        self.sector + self.sectors
    }
}

/// Where a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestState {
    /// The number is not in use.
    Absent,
    /// It waits in its queue.
    Waiting,
    /// It waits in the direct-dispatch list.
    Direct,
    /// The host has it.
    Dispatched,
}

/// A request in the table: one cache line, a test sees to it. So the parts of its [`Content`] are
/// fields of its own, without the padding of a struct in a struct.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Request {
    pub sector: Sector,
    /// Its length in sectors: hosts tell it in 32 bits.
    length: u32,
    pub process: Option<ProcessId>,
    pub operation: Operation,
    pub sync: bool,
    pub metadata: bool,
    pub state: RequestState,
    pub queue: Option<QueueId>,
    pub fifo_deadline: Time,
    fifo: Hook<RequestId>,
    /// Its place among the waiting requests of its queue, by sector.
    links: Links<RequestId>,
}

impl Request {
    /// A number that is not in use.
    const ABSENT: Request = Request {
        sector: Sector::FIRST,
        length: 0,
        process: None,
        operation: Operation::Read,
        sync: false,
        metadata: false,
        state: RequestState::Absent,
        queue: None,
        fifo_deadline: Time::ZERO,
        fifo: Hook::new(),
        links: Links::new(),
    };

    /// Everything that tells this request from another: range, process, operation and kind.
    #[inline(always)]
    pub fn what(&self) -> Content {
        let Request { sector, process, operation, sync, metadata, .. } = *self;
        Content { sector, sectors: self.sectors(), process, operation, sync, metadata }
    }

    /// Makes it a request of this kind.
    #[inline(always)]
    pub fn set_what(&mut self, what: &Content) {
        let Content { sector, sectors, process, operation, sync, metadata } = *what;
        (self.sector, self.process) = (sector, process);
        (self.operation, self.sync, self.metadata) = (operation, sync, metadata);
        self.resize(sectors);
    }

    /// Its length in sectors.
    #[inline(always)]
    pub fn sectors(&self) -> Sectors {
        Sectors::from(self.length)
    }

    /// Gives it another length.
    #[inline(always)]
    pub fn resize(&mut self, sectors: Sectors) {
        self.length = sectors.as_u32();
    }

    /// Gives up the number; returns what the request held.
    #[inline]
    pub fn leave(&mut self) -> Holds {
        self.state = RequestState::Absent;
        Holds { queue: self.queue.take(), process: self.process }
    }
}

/// What a request keeps alive until it is done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Holds {
    pub queue: Option<QueueId>,
    pub process: Option<ProcessId>,
}

impl Node<RequestId> for Request {
    fn links(&self) -> &Links<RequestId> {
        &self.links
    }

    fn links_mut(&mut self) -> &mut Links<RequestId> {
        &mut self.links
    }
}

/// The fifo list of a queue, or the direct-dispatch list: a request is in one of them.
pub(crate) const FIFO: usize = 0;

impl Hooked<RequestId, FIFO> for Request {
    fn hook(&self) -> &Hook<RequestId> {
        &self.fifo
    }

    fn hook_mut(&mut self) -> &mut Hook<RequestId> {
        &mut self.fifo
    }
}

/// All requests the host's pool can hold.
pub(crate) type Requests = Arena<RequestId, Request>;

/// Makes room for `count` requests in all.
pub(crate) fn grow(requests: &mut Requests, count: u32) -> Result<(), OutOfMemory> {
    while requests.len() < count as usize {
        requests.insert(Request::ABSENT)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_one_cache_line() {
        assert_eq!((size_of::<Request>(), align_of::<Request>()), (64, 64));
    }
}
