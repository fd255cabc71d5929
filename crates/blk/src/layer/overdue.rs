// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commands that the device does not give back in time: no other process waits for them.

use crate::bio::IoError;
use crate::ids::Tag;
use crate::layer::BlockLayer;
use crate::request::TagState;

impl BlockLayer {
    /// The device has had a command for longer than its host lets others wait for it. The elevator
    /// is told that it has ended, so that its service is charged, and its place on the device may
    /// be given to another one; a flush lets the next one begin. Its bios end when the host
    /// [completes](BlockLayer::complete) it, and not before that is its tag used again.
    ///
    /// From then on the device may be given its depth in other commands: how many may be overdue at
    /// a time is for the host to say, who knows what the device can hold.
    ///
    /// Returns whether the command is overdue now and was not before; false for a tag that is not
    /// on the device.
    pub fn set_overdue(&mut self, now_ns: u64, tag: Tag) -> bool {
        if !self.leaves_device(tag) {
            return false;
        }
        self.counters.overdue += 1;
        self.tell_end(now_ns, tag);
        self.pool[tag].state = TagState::Overdue;
        self.overdue += 1;
        self.fit_pool(now_ns);
        true
    }

    /// How many requests are overdue.
    pub fn overdue(&self) -> u32 {
        self.overdue
    }

    /// The device gives back what it had for too long; any other tag is ignored.
    #[cold]
    #[inline(never)]
    pub(super) fn complete_overdue(&mut self, now_ns: u64, tag: Tag, result: Result<(), IoError>) {
        if self.leaves_overdue(now_ns, tag) {
            self.end_request(now_ns, tag, result);
        }
    }

    /// Whether the request was overdue; it is no longer.
    #[cold]
    #[inline(never)]
    pub(super) fn leaves_overdue(&mut self, now_ns: u64, tag: Tag) -> bool {
        let was = self.pool.get(tag).is_some_and(|request| request.state == TagState::Overdue);
        if was {
            // On the device still, as far as places go, until its end says where it is.
            self.overdue -= 1;
            self.fit_pool(now_ns);
        }
        was
    }
}
