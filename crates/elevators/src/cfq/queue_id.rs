// SPDX-License-Identifier: MIT OR Apache-2.0
//! The position of a queue in the table of queues, as a type of its own.

/// Names a queue by its slot in the table of queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct QueueId(u32);

impl QueueId {
    /// The queue in that slot of the table.
    pub fn at(index: usize) -> QueueId {
        QueueId(index as u32)
    }

    /// Its slot in the table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
