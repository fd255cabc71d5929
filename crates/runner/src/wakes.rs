// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which process wants to go on when: a heap of times.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The times at which processes want to be woken. A process has one such time at most; an entry
/// that its process no longer wants stays in the heap and is dropped when its time comes.
#[derive(Debug)]
pub(crate) struct Wakes {
    heap: BinaryHeap<Reverse<(u64, u32)>>,
    /// The time that each process wants; `u64::MAX`: none.
    wanted_ns: Vec<u64>,
    /// How long after its time a process is woken, unless something else happens before.
    slack_ns: u64,
}

impl Wakes {
    pub(crate) fn new(processes: usize, slack_ns: u64) -> Self {
        let heap = BinaryHeap::with_capacity(processes);
        Self { heap, wanted_ns: vec![u64::MAX; processes], slack_ns }
    }

    /// `process` wants to be woken at `time_ns`, and no longer at the time it wanted before.
    pub(crate) fn set(&mut self, process: u32, time_ns: u64) {
        let wanted_ns = &mut self.wanted_ns[process as usize];
        if *wanted_ns != time_ns {
            *wanted_ns = time_ns;
            self.heap.push(Reverse((time_ns, process)));
        }
    }

    /// `process` no longer wants to be woken.
    #[inline]
    pub(crate) fn cancel(&mut self, process: u32) {
        self.wanted_ns[process as usize] = u64::MAX;
    }

    /// The next process whose time has come.
    #[inline]
    pub(crate) fn take_due(&mut self, now_ns: u64) -> Option<u32> {
        if self.earliest_ns()? > now_ns { None } else { self.next_due(now_ns) }
    }

    /// The same where the first time in the heap has come.
    #[inline(never)]
    fn next_due(&mut self, now_ns: u64) -> Option<u32> {
        while let Some(&Reverse((time_ns, process))) = self.heap.peek() {
            if time_ns > now_ns {
                return None;
            }
            self.heap.pop();
            if self.wanted_ns[process as usize] == time_ns {
                self.cancel(process);
                return Some(process);
            }
        }
        None
    }

    /// When to call `take_due` next (which may then give nothing), if nothing else happens before.
    #[inline]
    pub(crate) fn next_ns(&self) -> Option<u64> {
        self.earliest_ns().map(|time_ns| time_ns + self.slack_ns)
    }

    /// The first time that a process wants.
    #[inline]
    pub(crate) fn earliest_ns(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse((time_ns, _))| *time_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_woken_once_and_only_at_its_last_wish() {
        let mut wakes = Wakes::new(3, 0);
        wakes.set(0, 30);
        wakes.set(1, 10);
        wakes.set(0, 20);
        wakes.set(0, 20);
        wakes.set(2, 10);
        wakes.cancel(2);
        assert_eq!(wakes.next_ns(), Some(10));
        assert_eq!(wakes.take_due(9), None);
        assert_eq!((wakes.take_due(10), wakes.take_due(10)), (Some(1), None));
        assert_eq!((wakes.take_due(40), wakes.take_due(40)), (Some(0), None));
        assert_eq!(wakes.next_ns(), None);
    }

    #[test]
    fn with_slack_a_process_is_woken_by_what_happens_next() {
        let mut wakes = Wakes::new(1, 50);
        wakes.set(0, 100);
        assert_eq!((wakes.earliest_ns(), wakes.next_ns()), (Some(100), Some(150)));
        assert_eq!((wakes.take_due(99), wakes.take_due(120)), (None, Some(0)));
    }
}
