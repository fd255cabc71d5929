// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who wakes whom: a queue whose completions are again and again followed by an arrival of
//! another (spec 3.20).

use crate::units::{Span, Time};
use core::num::NonZeroU8;

/// The number of coincidences that make a waker.
const CONFIRMATIONS: u8 = 3;

/// The evidence that a queue collects about its waker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WakerDetection(Option<Suspect>);

/// A queue that may be the waker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Suspect {
    /// Its creation number: a name that is never reused.
    serial: u64,
    /// Coincidences since it became suspect.
    seen: NonZeroU8,
    started_at: Time,
}

/// What an observation led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// Another suspect than before, or the window had passed: the count begins anew.
    Tentative,
    /// The same suspect as before, but not often enough yet to be confirmed.
    Again,
    /// The suspect is the waker.
    Confirmed,
}

impl WakerDetection {
    pub const fn new() -> Self {
        WakerDetection(None)
    }

    /// Forgets the suspect: whoever wakes the process next begins at the first count.
    pub fn clear(&mut self) {
        self.0 = None;
    }

    /// An arrival right after a completion of the queue created as number `suspect`.
    pub fn observe(&mut self, now: Time, suspect: u64, window: Span) -> Evidence {
        let is_known = |known: &&mut Suspect| {
            known.serial == suspect && !now.is_more_than(window, known.started_at)
        };
        let Some(known) = self.0.as_mut().filter(is_known) else {
            self.0 = Some(Suspect { serial: suspect, seen: NonZeroU8::MIN, started_at: now });
            return Evidence::Tentative;
        };
        known.seen = known.seen.saturating_add(1);
        if known.seen.get() != CONFIRMATIONS {
            debug_assert!(known.seen.get() < CONFIRMATIONS, "it was confirmed before");
            return Evidence::Again;
        }
        self.clear();
        Evidence::Confirmed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_times_within_the_window() {
        let (at, window) = (Time::from_ns, Span::from_ns(100));
        let mut detection = WakerDetection::new();
        assert_eq!(detection.observe(at(10), 1, window), Evidence::Tentative);
        assert_eq!(detection.observe(at(20), 2, window), Evidence::Tentative, "another one");
        assert_eq!(detection.observe(at(30), 2, window), Evidence::Again);
        assert_eq!(detection.observe(at(121), 2, window), Evidence::Tentative, "too late");
        assert_eq!(detection.observe(at(130), 2, window), Evidence::Again);
        assert_eq!(detection.observe(at(140), 2, window), Evidence::Confirmed);
        assert_eq!(detection.observe(at(150), 2, window), Evidence::Tentative);
    }
}
