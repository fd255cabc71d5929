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
        ReadAhead { is_tried: false, skipped: 0, skips_next: 0 }
    }

    /// A visit is over, and the head moved for it or did not. Returns whether the disk was to read
    /// ahead before it, and that was of no use.
    pub fn ended(&mut self, moved: bool) -> bool {
        debug_assert!(self.skips_next <= MOST_SKIPPED, "{self:?}");
        let was_tried = core::mem::take(&mut self.is_tried);
        if !moved {
            self.skips_next = 0;
        } else if was_tried {
            self.skipped = self.skips_next;
            self.skips_next = (2 * self.skips_next).clamp(1, MOST_SKIPPED);
        }
        was_tried && moved
    }

    /// Whether it is to be tried after a visit for which the head moved, as soon as the disk would
    /// do it. Counts those for which it is not.
    pub fn is_due(&mut self) -> bool {
        let is_due = self.skipped == 0;
        self.skipped = self.skipped.saturating_sub(1);
        is_due
    }

    /// The disk is to read ahead now.
    pub fn begin(&mut self) {
        self.is_tried = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    /// A visit; returns whether the disk reads ahead after it.
    fn visit(ahead: &mut ReadAhead, moved: bool) -> bool {
        ahead.ended(moved);
        let begins = moved && ahead.is_due();
        if begins {
            ahead.begin();
        }
        begins
    }

    #[test]
    fn what_is_no_use_is_tried_more_and_more_rarely() {
        let mut ahead = ReadAhead::new();
        let tried: Vec<_> = (0..20).filter(|_| visit(&mut ahead, true)).collect();
        assert_eq!(tried, [0, 1, 3, 6, 11]);
        // It is of use once, and is tried at each way from then on, until it is not.
        while !visit(&mut ahead, true) {}
        assert!(!visit(&mut ahead, false));
        assert!(visit(&mut ahead, true));
        assert!(!visit(&mut ahead, false));
        assert!(visit(&mut ahead, true));
        assert!(visit(&mut ahead, true));
        assert!(!visit(&mut ahead, true));
        assert!(visit(&mut ahead, true));
    }

    #[test]
    fn it_is_of_no_use_if_it_was_tried_and_the_head_moved() {
        let mut ahead = ReadAhead::new();
        assert!(!ahead.ended(true), "it was not tried");
        ahead.begin();
        assert!(!ahead.ended(false));
        ahead.begin();
        assert!(ahead.ended(true));
    }
}
