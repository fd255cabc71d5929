// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commands whose end is already known, in the order in which the host will hear of them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::command::{CommandError, Completion};

/// Ordered by time, then by the order in which the ends became known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct End {
    at_ns: u64,
    order: u64,
    tag: u32,
    result: Result<(), CommandError>,
}

/// The known ends. Room for all that a device accepts is made once.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    heap: BinaryHeap<Reverse<End>>,
    next_order: u64,
}

impl Pending {
    pub fn new(depth: u32) -> Self {
        Pending { heap: BinaryHeap::with_capacity(depth as usize), next_order: 0 }
    }

    pub fn push(&mut self, at_ns: u64, tag: u32, result: Result<(), CommandError>) {
        self.heap.push(Reverse(End { at_ns, order: self.next_order, tag, result }));
        self.next_order += 1;
    }

    pub fn next_ns(&self) -> Option<u64> {
        self.heap.peek().map(|end| end.0.at_ns)
    }

    /// Moves the ends up to `now_ns` into `out`.
    pub fn take(&mut self, now_ns: u64, out: &mut Vec<Completion>) {
        while self.next_ns().is_some_and(|at_ns| at_ns <= now_ns) {
            let Some(Reverse(End { at_ns, tag, result, .. })) = self.heap.pop() else { return };
            out.push(Completion { tag, at_ns, result });
        }
    }

    pub fn len(&self) -> u32 {
        self.heap.len() as u32
    }
}
