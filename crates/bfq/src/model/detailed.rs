// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the detailed statistics of groups need to know of requests: since when each one waits, or
//! is in the device (spec 6.7). These times lie apart from the requests, so that a host that does
//! not keep such statistics does not load them.

use super::ids::RequestId;
use crate::{
    store::arena::{Key, OutOfMemory, append},
    units::Time,
};
use alloc::vec::Vec;

/// In place of a time: the stage of this request does not count, or there is no such request.
const NOT_COUNTED: u64 = u64::MAX;
/// How many times there is room for at first; each time more is needed, at least twice as many.
const FIRST_ROOM: usize = 16;

/// Whether detailed statistics are kept, and the present stage of each request.
#[derive(Debug, Default)]
pub(crate) struct Detailed {
    /// For each number of a request the start of its present stage, in nanoseconds.
    begun_ns: Vec<u64>,
    /// Detailed statistics are kept.
    pub on: bool,
}

impl Detailed {
    /// Makes room for `count` requests in all.
    pub fn grow(&mut self, count: u32) -> Result<(), OutOfMemory> {
        let (len, count) = (self.begun_ns.len(), count as usize);
        if count > self.begun_ns.capacity() {
            let more = self.next_room(count) - len;
            self.begun_ns.try_reserve_exact(more).map_err(|_| OutOfMemory)?;
        }
        (len..count).for_each(|_| append(&mut self.begun_ns, NOT_COUNTED));
        Ok(())
    }

    fn next_room(&self, count: usize) -> usize {
        count.max(2 * self.begun_ns.capacity()).max(FIRST_ROOM)
    }

    /// The size of what is allocated in one piece for `more` requests, or 0.
    pub fn piece_bytes_for(&self, more: usize) -> usize {
        let count = self.begun_ns.len() + more;
        let room = if count > self.begun_ns.capacity() { self.next_room(count) } else { 0 };
        room * size_of::<u64>()
    }

    /// A stage of a request begins; returns when the one before did, if that counts.
    pub fn begin_stage(&mut self, id: RequestId, at: Time) -> Option<Time> {
        self.put(id, at.as_ns())
    }

    /// The stage of a request ends, and none follows that counts; returns when it began.
    pub fn end_stage(&mut self, id: RequestId) -> Option<Time> {
        self.put(id, NOT_COUNTED)
    }

    fn put(&mut self, id: RequestId, begun_ns: u64) -> Option<Time> {
        let place = self.begun_ns.get_mut(Key::index(id))?;
        let before = core::mem::replace(place, begun_ns);
        (before != NOT_COUNTED).then(|| Time::from_ns(before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_begins_and_ends() {
        let mut detailed = Detailed::default();
        detailed.grow(2).unwrap();
        let [first, second, unknown] = [0, 1, 2].map(RequestId::from_index);
        let [one, two] = [1, 2].map(Time::from_ns);
        assert_eq!(detailed.begin_stage(first, one), None);
        assert_eq!(detailed.begin_stage(first, two), Some(one), "it waited since then");
        assert_eq!(detailed.end_stage(second), None);
        assert_eq!(detailed.end_stage(first), Some(two));
        assert_eq!(detailed.end_stage(first), None);
        assert_eq!(detailed.begin_stage(unknown, one), None);
    }

    #[test]
    fn growth_is_announced() {
        let mut detailed = Detailed::default();
        for (count, more, bytes) in [(0, 1, 128), (16, 1, 256), (17, 15, 0), (32, 100, 1056)] {
            detailed.grow(count).unwrap();
            assert_eq!(detailed.piece_bytes_for(more), bytes, "{more} behind {count}");
        }
    }
}
