// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether it is of use that a disk with moving parts reads ahead after a visit in the slot of
//! another queue.

/// Whether a queue gains by it that the disk reads ahead after its visits.
#[derive(Debug)]
pub(super) struct ReadAhead {
    /// The disk did: the next visit tells.
    is_tried: bool,
    /// How many visits pass before it is tried again.
    skipped: u8,
    /// How many will pass if it is of no use the next time.
    skips_next: u8,
}

/// The most visits that pass before reading ahead is tried again.
const MOST_SKIPPED: u8 = 64;

impl ReadAhead {
    /// It is tried at the first visit.
    pub const fn new() -> Self {
        ReadAhead { is_tried: false, skipped: 0, skips_next: 1 }
    }

    /// A visit is over, and the head moved for it or did not. Returns whether the disk is to read
    /// ahead now.
    pub fn judge(&mut self, moved: bool) -> bool {
        debug_assert!((1..=MOST_SKIPPED).contains(&self.skips_next), "{self:?}");
        let was_tried = core::mem::take(&mut self.is_tried);
        if !moved {
            self.skips_next = 1;
            return false;
        }
        if was_tried {
            self.skipped = self.skips_next;
            self.skips_next = (2 * self.skips_next).min(MOST_SKIPPED);
        }
        self.is_tried = self.skipped == 0;
        self.skipped = self.skipped.saturating_sub(1);
        self.is_tried
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn what_is_no_use_is_tried_more_and_more_rarely() {
        let mut ahead = ReadAhead::new();
        let tried: Vec<_> = (0..20).filter(|_| ahead.judge(true)).collect();
        assert_eq!(tried, [0, 2, 5, 10, 19]);
        // It is of use once, and is tried at each way from then on, until it is not.
        while !ahead.judge(true) {}
        assert!(!ahead.judge(false));
        assert!(ahead.judge(true));
        assert!(!ahead.judge(false));
        assert!(ahead.judge(true));
        assert!(!ahead.judge(true));
        assert!(ahead.judge(true));
    }
}
