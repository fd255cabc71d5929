// SPDX-License-Identifier: MIT OR Apache-2.0
//! When a process learns that its I/Os have ended: `iodepth_batch_complete_min`,
//! `_max` and `iodepth_low`.
//!
//! As under fio: a process with a full queue makes calls, each of which waits for a number of
//! I/Os and takes a number at most, until no more than the low mark is in flight. One that sleeps,
//! thinks or ends takes what there is.

use crate::ended_io::EndedIo;
use std::collections::VecDeque;
use workload::Reap;

/// The I/Os of a process that have ended and that it does not know of.
#[derive(Debug)]
pub(crate) struct Reaping {
    reap: Reap,
    ended: VecDeque<EndedIo>,
    /// The queue was full, and the low mark is not reached.
    is_emptying: bool,
}

/// What a process that has nothing more to submit waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Awaited {
    /// Room in its full queue.
    Room,
    /// The next completion, of whichever I/O.
    Any,
}

impl Reaping {
    pub(crate) fn new(reap: Reap) -> Reaping {
        Reaping { reap, ended: VecDeque::new(), is_emptying: false }
    }

    /// An I/O has ended.
    pub(crate) fn push(&mut self, io: EndedIo) {
        self.ended.push_back(io);
    }

    /// The process has submitted what it can, and waits.
    pub(crate) fn waits(&mut self, awaited: Awaited) {
        self.is_emptying |= awaited == Awaited::Room;
    }

    /// Whether a call would take something at once: as many I/Os have ended as it waits for.
    pub(crate) fn has_next(&self, in_flight: u32) -> bool {
        let awaited = if self.is_emptying { self.reap.least.min(in_flight) } else { 1 };
        self.ended.len() as u32 >= awaited.max(1)
    }

    /// How many I/Os the process takes by a call now, of the `in_flight` that it has not taken.
    pub(crate) fn call(&mut self, in_flight: u32) -> u32 {
        if !self.has_next(in_flight) {
            self.is_emptying &= in_flight > 0;
            return 0;
        }
        let there = self.ended.len() as u32;
        if !self.is_emptying {
            return there;
        }
        let taken = there.min(self.reap.most);
        self.is_emptying = in_flight - taken > self.reap.low;
        taken
    }

    /// Whether it waits for more before it submits again.
    pub(crate) fn is_emptying(&self) -> bool {
        self.is_emptying
    }

    /// One that it takes.
    pub(crate) fn take(&mut self) -> Option<EndedIo> {
        self.ended.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use report::{Direction, Sample};
    use workload::{IoKind, Ticket};

    fn ended() -> EndedIo {
        let sample =
            Sample { direction: Direction::Read, bytes: 4096, created_ns: 0, accepted_ns: 0 };
        EndedIo { ticket: Ticket(0), kind: IoKind::Read, result: Ok(()), sample }
    }

    /// The I/Os taken by each call while those of a full queue of 8 end one by one.
    fn calls(least: u32, most: u32, low: u32) -> Vec<u32> {
        let mut reaping = Reaping::new(Reap { least, most, low });
        let (mut in_flight, mut calls) = (8, Vec::new());
        reaping.waits(Awaited::Room);
        for _ in 0..8 {
            reaping.push(ended());
            while reaping.is_emptying() {
                match reaping.call(in_flight) {
                    0 => break,
                    taken => {
                        (0..taken).for_each(|_| assert!(reaping.take().is_some()));
                        in_flight -= taken;
                        calls.push(taken);
                    }
                }
            }
        }
        calls
    }

    #[test]
    fn calls_wait_take_and_are_repeated_as_the_options_say() {
        for (least, most, low, expected) in [
            (1, 1, 8, vec![1]),
            (4, 4, 8, vec![4]),
            (4, 8, 8, vec![4]),
            (1, 1, 5, vec![1, 1, 1]),
            (3, 3, 2, vec![3, 3]),
            (3, 3, 1, vec![3, 3, 2]),
        ] {
            assert_eq!(calls(least, most, low), expected, "{least} {most} {low}");
        }
    }

    #[test]
    fn what_ended_together_is_there_for_the_next_call() {
        let mut reaping = Reaping::new(Reap { least: 1, most: 1, low: 8 });
        (0..3).for_each(|_| reaping.push(ended()));
        for left in (0..3).rev() {
            reaping.waits(Awaited::Room);
            assert!(reaping.has_next(8));
            assert_eq!((reaping.call(8), reaping.is_emptying()), (1, false));
            assert!(reaping.take().is_some());
            assert_eq!(reaping.has_next(8), left > 0);
        }
        let mut reaping = Reaping::new(Reap { least: 4, most: 4, low: 8 });
        (0..3).for_each(|_| reaping.push(ended()));
        reaping.waits(Awaited::Room);
        // Of three in flight it waits for no fourth.
        assert_eq!((reaping.has_next(8), reaping.has_next(3)), (false, true));
    }

    #[test]
    fn a_process_that_waits_for_anything_takes_all_there_is() {
        let mut reaping = Reaping::new(Reap { least: 4, most: 4, low: 1 });
        reaping.waits(Awaited::Any);
        (0..3).for_each(|_| reaping.push(ended()));
        assert_eq!((reaping.call(8), reaping.is_emptying()), (3, false));
    }
}
