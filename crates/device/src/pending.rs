// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commands whose end is already known, in the order in which the host will hear of them.

use std::collections::VecDeque;

use crate::command::{CommandError, Completion};

/// The known ends, by time; those at the same time in the order in which they became known. Room
/// for all that a device accepts is made once.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    ends: VecDeque<Completion>,
}

impl Pending {
    pub fn new(depth: u32) -> Self {
        Pending { ends: VecDeque::with_capacity(depth as usize) }
    }

    /// Nearly always an end that becomes known is the last one, or one of the last.
    #[inline(always)]
    pub fn push(&mut self, at_ns: u64, tag: u32, result: Result<(), CommandError>) {
        let end = Completion { tag, at_ns, result };
        if self.ends.back().is_none_or(|last| last.at_ns <= at_ns) {
            return self.ends.push_back(end);
        }
        let later = self.ends.iter().rev().take_while(|other| other.at_ns > at_ns).count();
        self.ends.insert(self.ends.len() - later, end);
    }

    #[inline]
    pub fn next_ns(&self) -> Option<u64> {
        self.ends.front().map(|end| end.at_ns)
    }

    /// Moves the ends up to `now_ns` into `out`.
    #[inline(always)]
    pub fn take(&mut self, now_ns: u64, out: &mut Vec<Completion>) {
        while let Some(end) = self.ends.pop_front_if(|end| end.at_ns <= now_ns) {
            out.push(end);
        }
    }

    pub fn len(&self) -> u32 {
        self.ends.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_come_by_time_and_then_as_they_became_known() {
        let mut pending = Pending::new(4);
        for (tag, at_ns) in [(0, 30), (1, 10), (2, 30), (3, 20), (4, 10)] {
            pending.push(at_ns, tag, Ok(()));
        }
        let mut out = Vec::new();
        pending.take(9, &mut out);
        assert!(out.is_empty());
        pending.take(20, &mut out);
        assert_eq!((pending.next_ns(), pending.len()), (Some(30), 2));
        pending.take(u64::MAX, &mut out);
        let tags: Vec<u32> = out.iter().map(|end| end.tag).collect();
        assert_eq!(tags, [1, 4, 3, 0, 2]);
    }
}
