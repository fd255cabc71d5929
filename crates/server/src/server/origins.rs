// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who has to leave when a client comes and all places of the server are taken: one that is still
//! in its handshake, of the origin that has most of them there. So no client keeps others out by
//! opening connections and saying nothing.

use std::collections::HashMap;
use std::time::Duration;

/// So long a handshake is left alone as long as its origin has not more of them than others. It
/// takes milliseconds as a rule, some hundred with TLS over a slow network; were it cut off before,
/// many clients that come at once could all be cut off for each other.
pub const TIME_TO_FINISH: Duration = Duration::from_secs(1);

/// How many handshakes there are from each origin: a user or an address.
#[derive(Debug, Default)]
pub struct Origins {
    by_origin: HashMap<String, usize>,
}

/// A handshake that may have to leave.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// What it is called by whoever asks.
    pub number: usize,
    /// How long it has lasted.
    pub age: Duration,
    /// Where it comes from.
    pub origin: &'a str,
}

impl Origins {
    /// A handshake with a client from there begins.
    pub fn begin(&mut self, origin: &str) {
        match self.by_origin.get_mut(origin) {
            Some(count) => *count += 1,
            None => {
                self.by_origin.insert(origin.to_owned(), 1);
            }
        }
    }

    /// A handshake with a client from there is over.
    ///
    /// # Panics
    /// With debug assertions, if none had begun.
    pub fn end(&mut self, origin: &str) {
        let count = self.by_origin.get_mut(origin);
        debug_assert!(count.is_some(), "no client has come from {origin}");
        match count {
            Some(count) if *count > 1 => *count -= 1,
            _ => {
                self.by_origin.remove(origin);
            }
        }
    }

    /// Which handshake makes room for a client from `newcomer`, the number of one of the
    /// candidates, which are all handshakes that there are: the oldest from the origin that has
    /// most. None if they are all young and it would only be the newcomer's gain.
    pub fn who_leaves<'a>(
        &self,
        newcomer: &str,
        mut oldest_first: impl Iterator<Item = Candidate<'a>>,
    ) -> Option<usize> {
        let most = self.by_origin.values().copied().max()?;
        let own = self.by_origin.get(newcomer).copied().unwrap_or(0);
        let oldest = oldest_first.find(|one| self.by_origin.get(one.origin) == Some(&most))?;
        (most > own + 1 || oldest.age >= TIME_TO_FINISH).then_some(oldest.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_of_the_origin_that_has_most_leaves() {
        // The origins of the handshakes that there are, the oldest first, a tenth of a second or
        // two seconds old; where the newcomer comes from; who leaves.
        let table: [(&str, u64, &str, Option<usize>); 8] = [
            ("", 2000, "a", None),
            // One flood, in the middle of others.
            ("baaac", 100, "b", Some(1)),
            ("baaac", 100, "d", Some(1)),
            // The flood itself gets only what is old.
            ("baaac", 100, "a", None),
            ("baaac", 2000, "a", Some(1)),
            // No origin has more than the newcomer would have.
            ("ab", 100, "c", None),
            ("ab", 2000, "c", Some(0)),
            ("aabb", 100, "b", None),
        ];
        for (origins, age_ms, newcomer, leaves) in table {
            let age = Duration::from_millis(age_ms);
            let mut handshakes = Origins::default();
            let candidates = (0..origins.len()).map(|number| {
                let origin = &origins[number..=number];
                Candidate { number, age, origin }
            });
            candidates.clone().for_each(|one| handshakes.begin(one.origin));
            assert_eq!(handshakes.who_leaves(newcomer, candidates.clone()), leaves, "{origins:?}");
            candidates.for_each(|one| handshakes.end(one.origin));
            assert!(handshakes.by_origin.is_empty());
        }
    }
}
