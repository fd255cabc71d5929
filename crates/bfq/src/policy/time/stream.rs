// SPDX-License-Identifier: MIT OR Apache-2.0
//! Disks with moving parts: the names of streams that several queues read.

/// A stream that several queues read: each was served in a slot of one of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StreamId(u32);

/// The streams of a disk.
#[derive(Debug)]
pub(super) struct Streams {
    begun: u32,
}

impl Streams {
    pub const fn new() -> Self {
        Streams { begun: 0 }
    }

    /// A stream that no queue reads yet. After 2³² of them one may be begun anew that a queue
    /// remembers: to the others it is a reader like those, if it is near to them.
    pub fn begin(&mut self) -> StreamId {
        self.begun = self.begun.wrapping_add(1);
        StreamId(self.begun)
    }
}
