// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commands whose end is already known, in the order in which the host will hear of them.

use crate::command::{CommandError, Completion};

/// The most ends that were told and are kept, before those that follow take their place.
const MOST_TOLD: usize = 256;

/// The known ends, by time; those at the same time in the order in which they became known.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    ends: Vec<Completion>,
    /// How many of them, from the first, the host has heard of.
    told: usize,
    /// When the first of the others is; `u64::MAX` if there is none.
    next_ns: u64,
}

impl Pending {
    /// Room for all that a device of this depth accepts is made once.
    pub fn new(depth: u32) -> Self {
        let ends = Vec::with_capacity(depth as usize + MOST_TOLD);
        Pending { ends, told: 0, next_ns: u64::MAX }
    }

    /// Nearly always an end that becomes known is the last one, or one of the last.
    #[inline(always)]
    pub fn push(&mut self, at_ns: u64, tag: u32, result: Result<(), CommandError>) {
        let end = Completion { tag, at_ns, result };
        // If there is any, one of them is still to be told, and that ends no later than the last:
        // `next_ns` is no later than this one.
        if self.ends.last().is_some_and(|last| last.at_ns <= at_ns) {
            return self.ends.push(end);
        }
        self.next_ns = self.next_ns.min(at_ns);
        let waiting = self.ends[self.told..].iter().rev();
        let later = waiting.take_while(|other| other.at_ns > at_ns).count();
        self.ends.insert(self.ends.len() - later, end);
    }

    /// When the next command ends; `u64::MAX` if no end is known.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// The next end, if it is not later than `now_ns`.
    #[inline(always)]
    pub fn take(&mut self, now_ns: u64) -> Option<Completion> {
        if self.next_ns > now_ns {
            return None;
        }
        // There is one, unless the host has come to the end of time.
        let end = *self.ends.get(self.told)?;
        debug_assert_eq!(self.next_ns, end.at_ns, "of what comes next");
        self.told += 1;
        if let Some(next) = self.ends.get(self.told) {
            self.next_ns = next.at_ns;
            if self.told >= MOST_TOLD {
                self.forget_told();
            }
        } else {
            self.next_ns = u64::MAX;
            self.ends.clear();
            self.told = 0;
        }
        Some(end)
    }

    /// Keeps no longer those that the host has heard of.
    #[cold]
    #[inline(never)]
    fn forget_told(&mut self) {
        self.ends.drain(..self.told);
        self.told = 0;
    }

    pub fn len(&self) -> u32 {
        (self.ends.len() - self.told) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take_all(pending: &mut Pending, now_ns: u64, out: &mut Vec<Completion>) {
        out.extend(std::iter::from_fn(|| pending.take(now_ns)));
    }

    #[test]
    fn ends_come_by_time_and_then_as_they_became_known() {
        let mut pending = Pending::new(4);
        for (tag, at_ns) in [(0, 30), (1, 10), (2, 30), (3, 20), (4, 10)] {
            pending.push(at_ns, tag, Ok(()));
        }
        let mut out = Vec::new();
        take_all(&mut pending, 9, &mut out);
        assert!(out.is_empty());
        take_all(&mut pending, 20, &mut out);
        assert_eq!((pending.next_ns(), pending.len()), (30, 2));
        take_all(&mut pending, u64::MAX, &mut out);
        let tags: Vec<u32> = out.iter().map(|end| end.tag).collect();
        assert_eq!(tags, [1, 4, 3, 0, 2]);
    }

    #[test]
    fn what_was_told_does_not_pile_up() {
        let (mut pending, mut out) = (Pending::new(2), Vec::new());
        pending.push(0, 0, Ok(()));
        for tag in 1..2_000 {
            pending.push(u64::from(tag), tag, Ok(()));
            take_all(&mut pending, u64::from(tag) - 1, &mut out);
            assert_eq!((pending.len(), pending.next_ns()), (1, tag.into()));
            assert!(pending.ends.len() <= MOST_TOLD + 1);
        }
        assert!(out.iter().map(|end| end.tag).eq(0..1_999));
    }
}
