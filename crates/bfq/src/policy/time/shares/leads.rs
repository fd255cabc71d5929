// SPDX-License-Identifier: MIT OR Apache-2.0
//! The leads of the members of a group: when they are to be limited, because the group gets less
//! (`falls.rs`, which does that), and from where those that are further behind are counted then.

use super::virtual_time::VirtualTime;
use crate::units::{Span, Time};

/// Leads are limited when the part of a group is this many times smaller than it was, or more.
const FALLS_TO: u64 = 2;
/// Leads in a group are limited at most once in this time: ten rounds.
const AGAIN: Span = Span::from_s(60);

/// The state of that, of one group.
#[derive(Debug)]
pub(super) struct Leads {
    /// The largest part of the disk that the group had when a slot began in it, since leads were
    /// limited: as time in a second.
    part: Span,
    limited_at: Option<Time>,
    /// A best-effort member that is further behind than here is counted from here when it is
    /// charged. Until then its own time keeps its place among the others.
    floor: Option<VirtualTime>,
}

impl Leads {
    pub const NONE: Leads = Leads { part: Span::ZERO, limited_at: None, floor: None };

    /// The part of the group is this now. Returns whether that is so much less than it was that
    /// leads are to be limited.
    pub fn has_fallen(&mut self, part: Span, now: Time) -> bool {
        self.part = self.part.max(part);
        part < self.part
            && part.times(FALLS_TO) <= self.part
            && self.limited_at.is_none_or(|at| now.since(at) >= AGAIN)
    }

    /// The part of the group has fallen to this. If a member was further behind than `floor`, leads
    /// are limited to there, and for [`AGAIN`] not a second time.
    pub fn note_fall(&mut self, part: Span, floor: Option<VirtualTime>, now: Time) {
        self.part = part;
        if floor.is_some() {
            (self.floor, self.limited_at) = (floor, Some(now));
        }
    }

    /// Where the floor is, while a member is behind it.
    pub const fn floor(&self) -> Option<VirtualTime> {
        self.floor
    }

    /// Where a best-effort member is that is charged now.
    #[inline]
    pub fn counted(&self, vtime: VirtualTime) -> VirtualTime {
        self.floor.map_or(vtime, |floor| vtime.later(floor))
    }

    /// The best-effort member that is furthest behind is here now.
    #[inline]
    pub fn first_is_at(&mut self, vtime: VirtualTime) {
        self.floor.take_if(|floor| !vtime.is_before(*floor));
    }
}
