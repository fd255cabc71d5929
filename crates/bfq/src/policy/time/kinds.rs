// SPDX-License-Identifier: MIT OR Apache-2.0
//! Flash disks: requests of one kind are charged alike, whichever queue they come from.
//!
//! A probe is short. If by chance its requests delay one another, it finds up to half as much again
//! as requests of this kind take. Queues that do the same would then be charged differently and get
//! different shares; and a queue that is due more than its requests in flight can use has its turn
//! kept, while the device could do more. So the least counts that any probe of the kind has found,
//! as it does among the probes of one queue. But the data of a queue may lie so that its requests
//! really take longer. More probes tell that from chance: the more a queue has had, the less may
//! what they found exceed what its kind takes.

use crate::units::{Sectors, Span, Time};

/// What was measured at a depth is taken as it is up to this multiple of that depth, and down to
/// as small a part of it: depths fluctuate, and probes follow them if they find the time.
const LIKE_DEPTH: u32 = 2;
/// A measured queue is looked at again after so long.
pub(super) const AGAIN: Span = Span::from_s(1);
/// Kinds that are remembered: the last that were measured.
const MOST_REMEMBERED: usize = 8;

/// What requests are like, as far as that decides what they take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    /// Sectors of a request, on average.
    pub sectors: Sectors,
    /// Requests that the queue had at a time.
    pub depth: u32,
    /// Most of them are writes.
    pub writes: bool,
}

impl Kind {
    /// Whether what is measured of one holds for the other.
    pub fn is_like(self, other: Kind) -> bool {
        let same = self.sectors == other.sectors && self.writes == other.writes;
        same && are_alike(self.depth, other.depth)
    }
}

/// What was measured of a kind of requests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    /// What a request took.
    pub took: Span,
    pub kind: Kind,
}

/// Whether what is measured at one depth holds for the other.
#[inline]
pub(super) fn are_alike(depth: u32, other: u32) -> bool {
    depth.max(other) <= LIKE_DEPTH * depth.min(other)
}

/// The most that a later probe can raise what a request takes, by 1 %. If it finds more, something
/// disturbed it, or the device has become slower, which later probes will find, too.
fn slower(took: Span) -> Span {
    took.plus(took / 100)
}

/// What the probes of one queue have found while its requests were of one kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnProbes {
    least: Measured,
    count: u32,
}

impl OwnProbes {
    /// What a queue's probes have found with this one, which is the first of its kind if those
    /// `before` are of another.
    pub fn with(before: Option<OwnProbes>, found: Measured) -> OwnProbes {
        match before.filter(|before| before.least.kind.is_like(found.kind)) {
            Some(OwnProbes { least: Measured { took, .. }, count }) => OwnProbes {
                least: Measured { took: found.took.min(slower(took)), ..found },
                count: count.saturating_add(1),
            },
            None => OwnProbes { least: found, count: 1 },
        }
    }

    /// What the queue is charged: what its kind takes if that is about what its own probes found.
    /// After the first these may have found half as much again, then a third, and so on.
    fn charged(self, of_kind: Span) -> Measured {
        let own = self.least.took;
        let most = of_kind.plus(of_kind / (u64::from(self.count) + 1));
        Measured { took: if own <= most { of_kind } else { own }, ..self.least }
    }
}

/// The kinds of requests that were measured of late, and what they take.
#[derive(Debug)]
pub(super) struct Kinds {
    measured: [Option<OfKind>; MOST_REMEMBERED],
}

/// The least that probes of a kind have found.
#[derive(Clone, Copy, Debug)]
struct OfKind {
    least: Measured,
    /// When it was first measured, or became slower. That is once in [`AGAIN`] at most, like a
    /// queue's own, so that queues which are measured one after the other are charged alike.
    changed_at: Time,
    /// The end of its last probe.
    measured_at: Time,
}

impl OfKind {
    /// A probe has `found` this.
    fn note(&mut self, now: Time, found: Measured) {
        let mut most = self.least.took;
        if found.took > most && now.is_at_least(AGAIN, self.changed_at) {
            most = slower(most);
            self.changed_at = now;
        }
        // The depth stays that of the least, so that it holds for depths like that only.
        self.least = if found.took <= most { found } else { Measured { took: most, ..self.least } };
        self.measured_at = now;
    }
}

impl Kinds {
    /// Nothing was measured yet.
    pub const fn new() -> Self {
        Kinds { measured: [None; MOST_REMEMBERED] }
    }

    /// A queue was measured, and `own` is what its probes have found. Returns what it is charged.
    pub fn charged(&mut self, now: Time, own: OwnProbes) -> Measured {
        own.charged(self.least_of_kind(now, own.least))
    }

    /// What requests of a kind take, if one like it was measured.
    pub fn known(&self, kind: Kind) -> Option<Measured> {
        let mut all = self.measured.iter().flatten().map(|known| known.least);
        all.find(|known| known.kind.is_like(kind))
    }

    /// What requests of the kind that was `found` take.
    fn least_of_kind(&mut self, now: Time, found: Measured) -> Span {
        let is_like_it = |known: &&mut OfKind| known.least.kind.is_like(found.kind);
        if let Some(known) = self.measured.iter_mut().flatten().find(is_like_it) {
            known.note(now, found);
            return known.least.took;
        }
        let places = self.measured.iter_mut();
        if let Some(oldest) = places.min_by_key(|place| place.map(|known| known.measured_at)) {
            *oldest = Some(OfKind { least: found, changed_at: now, measured_at: now });
        }
        found.took
    }
}

#[cfg(test)]
#[path = "kinds_tests.rs"]
mod tests;
