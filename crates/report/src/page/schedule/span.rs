// SPDX-License-Identifier: MIT OR Apache-2.0
//! The time that a schedule shows, and the sizes of its parts.

use super::path::UNITS;
use crate::page::scale::{Axis, with_step};
use crate::timeline::Timeline;
use base::text::time_unit;

/// Height of a lane, pixels.
pub(super) const LANE: usize = 18;

/// Height of a row of events, pixels.
pub(super) const ROW: usize = 12;

/// The time that is shown: all that was recorded, and the part that is seen first.
pub(super) struct Span {
    pub(super) from_ns: u64,
    pub(super) until_ns: u64,
    pub(super) seen_from_ns: u64,
    pub(super) seen_until_ns: u64,
}

impl Span {
    pub(super) fn of(timelines: &[&Timeline]) -> Option<Span> {
        let from_ns = timelines.iter().map(|one| one.from_ns).min()?;
        let until_ns = timelines.iter().map(|one| one.until_ns).max()?.max(from_ns + 1);
        let seen_from_ns = timelines.iter().map(|one| one.from_ns).max()?;
        let seen_until_ns = timelines.iter().map(|one| one.until_ns).min()?;
        let all = Span { from_ns, until_ns, seen_from_ns, seen_until_ns };
        // What all of them have, if that is enough to see anything.
        let enough = (seen_until_ns.saturating_sub(seen_from_ns)) * 50 > until_ns - from_ns;
        Some(if enough {
            all
        } else {
            Span { seen_from_ns: from_ns, seen_until_ns: until_ns, ..all }
        })
    }

    /// A time in units of the drawing.
    pub(super) fn units(&self, at_ns: u64) -> i64 {
        let inside = at_ns.clamp(self.from_ns, self.until_ns) - self.from_ns;
        (inside as f64 * UNITS / (self.until_ns - self.from_ns) as f64).round() as i64
    }

    pub(super) fn view_box(&self, height: usize) -> String {
        let (from, until) = (self.units(self.seen_from_ns), self.units(self.seen_until_ns));
        format!("{from} 0 {} {height}", (until - from).max(1))
    }

    pub(super) fn axis(&self) -> (Axis, &'static str) {
        let (unit_ns, unit) = time_unit(self.seen_until_ns);
        let (from, until) = (self.seen_from_ns as f64, self.seen_until_ns as f64);
        (Axis::span(from / unit_ns, until / unit_ns, with_step), unit)
    }
}
