// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the device has, and whether there is room for more beside it: the sectors of all requests
//! are counted, up to as many as fill it.
//!
//! A plug merges sequential writes to requests of more than a MiB, nearly all that fills a fast
//! disk. Such a request, counted in full, would not go to the device beside others. On its turn it
//! would wait until the device has nothing left, and then all others would wait until it is done.
//! So it counts as a part of what fills the device. Of several such requests only one does: two
//! would leave the others no room.

use crate::{
    model::ids::RequestId,
    units::{Sectors, Time},
};

use super::learnt::SMALL;

/// A large request has more than one part in this number of what fills the device, and counts as
/// that.
const PARTS: u64 = 2;

/// What is in the device.
#[derive(Debug)]
pub(super) struct InDevice {
    /// The sectors of all requests, but for what `large` does not count.
    counted: Sectors,
    /// The request that counts as less than its sectors, and how many of them are left out.
    large: Option<(RequestId, Sectors)>,
    /// The one request that nothing was beside since its dispatch.
    pub alone: Option<(RequestId, Time)>,
    /// Requests that were sent as random ones, on disks with moving parts.
    pub random: u32,
}

impl InDevice {
    pub const EMPTY: InDevice =
        InDevice { counted: Sectors::NONE, large: None, alone: None, random: 0 };

    /// Whether nothing is counted.
    pub fn is_empty(&self) -> bool {
        self.counted == Sectors::NONE && self.large.is_none()
    }

    /// Whether so many sectors go in beside the others, if `enough` fill the device.
    pub fn has_room(&self, sectors: Sectors, enough: Sectors) -> bool {
        self.counted + sectors <= enough
    }

    /// The same, for a request whose turn it is: if it is a large one, and there is no other, it
    /// needs no more room than it will count for.
    #[inline]
    pub fn has_room_in_turn(&self, sectors: Sectors, enough: Sectors) -> bool {
        // Most requests are small, and have room or not for what they are.
        let most = most_counted(enough);
        self.has_room(sectors, enough)
            || sectors > most && self.large.is_none() && self.has_room(most, enough)
    }

    /// A request went to a flash disk that `enough` sectors fill, and was [added](Self::add): if it
    /// is the only large one, it counts as a part of that from now on. None up to [`SMALL`] is
    /// large.
    pub fn count_in_part(&mut self, id: RequestId, sectors: Sectors, enough: Sectors) {
        let most = most_counted(enough);
        if sectors > most {
            self.leave_out(id, sectors - most);
        }
    }

    /// A request counts as so much less than its sectors, if it is the only large one.
    // Out of line: most requests are small.
    #[inline(never)]
    fn leave_out(&mut self, id: RequestId, left_out: Sectors) {
        if self.large.is_none() {
            self.large = Some((id, left_out));
            self.counted = self.counted - left_out;
        }
    }

    /// A request goes to the device and is counted in full.
    #[inline]
    pub fn add(&mut self, sectors: Sectors) {
        self.counted += sectors;
    }

    /// A request is complete.
    #[inline]
    pub fn completed(&mut self, id: RequestId, sectors: Sectors) {
        if self.large.is_some() {
            self.count_in_full(id);
        }
        debug_assert!(sectors <= self.counted, "{id:?} was not counted");
        self.counted = self.counted - sectors;
    }

    /// A request is counted in full, if it is the one that was not.
    // Out of line: mostly there is none.
    #[inline(never)]
    fn count_in_full(&mut self, id: RequestId) {
        if let Some((_, left_out)) = self.large.take_if(|(large, _)| *large == id) {
            self.counted += left_out;
        }
    }
}

/// What a request counts as at most, if `enough` sectors fill the device. Even where that is next
/// to nothing a small request is taken for what it is.
#[inline]
fn most_counted(enough: Sectors) -> Sectors {
    Sectors::of(enough.count() / PARTS).max(SMALL)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn sectors(count: u64) -> Sectors {
        Sectors::of(count)
    }

    #[test]
    fn one_large_request_leaves_room_for_small_ones() {
        let enough = sectors(1000);
        let [large, other, small] = [0, 1, 2].map(RequestId::from_index);
        let mut device = InDevice::EMPTY;
        device.add(sectors(400));
        // In its turn it goes in beside what would leave it no room otherwise.
        assert!(device.has_room_in_turn(sectors(2560), enough));
        assert!(!device.has_room(sectors(2560), enough));
        device.add(sectors(2560));
        device.count_in_part(large, sectors(2560), enough);
        // A second one has to wait, and so do more small ones than have room.
        assert!(!device.has_room_in_turn(sectors(2560), enough));
        assert!(device.has_room(sectors(100), enough) && !device.has_room(sectors(101), enough));
        device.add(sectors(100));
        device.count_in_part(small, sectors(100), enough);
        device.completed(small, sectors(100));
        // Where the second one goes in all the same, it is counted in full.
        device.add(sectors(2560));
        device.count_in_part(other, sectors(2560), enough);
        device.completed(large, sectors(2560));
        assert!(!device.has_room(sectors(1), enough));
        device.completed(other, sectors(2560));
        assert!(device.has_room(sectors(600), enough));
        device.completed(small, sectors(400));
        assert!(device.is_empty());
    }

    #[test]
    fn what_fills_the_device_may_change_while_a_large_request_is_there() {
        let large = RequestId::from_index(0);
        for (before, after, room) in
            [(0, 1000, Some(992)), (7, 1000, Some(992)), (1000, 4000, Some(3500)), (1000, 0, None)]
        {
            let mut device = InDevice::EMPTY;
            device.add(sectors(2560));
            device.count_in_part(large, sectors(2560), sectors(before));
            let fits =
                (0..=after).rev().find(|&more| device.has_room(sectors(more), sectors(after)));
            assert_eq!(fits, room, "{before} filled it, {after} do now");
            device.completed(large, sectors(2560));
            assert!(device.is_empty());
        }
    }
}
