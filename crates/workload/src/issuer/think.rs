// SPDX-License-Identifier: MIT OR Apache-2.0
//! The pauses of a process: `thinktime` and its kin.
//!
//! When the count of I/Os or the time is reached, the process issues no more, waits until nothing
//! is in flight, and then pauses. As under fio, the count goes on from its nominal value: with
//! `thinktime_blocks_type=complete`, I/Os that were in flight when the count was reached count
//! towards the next pause.

use crate::job::ThinkTime;

/// The thinking of one process.
#[derive(Debug)]
pub(super) struct Thinker {
    settings: ThinkTime,
    counted: u64,
    counted_at_last_pause: u64,
    doing_io_since_ns: u64,
    pause: Pause,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pause {
    None,
    /// Wanted; waits for the I/O in flight.
    Wanted,
    Until(u64),
}

/// What thinking asks of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Thought {
    /// Nothing: the process goes on.
    GoOn,
    /// Let what is in flight complete.
    Drain,
    /// Pause until then, ns.
    PauseUntil(u64),
    /// A pause has ended: go on.
    Paused,
}

impl Thinker {
    pub(super) fn new(settings: ThinkTime) -> Thinker {
        Thinker {
            settings,
            counted: 0,
            counted_at_last_pause: 0,
            doing_io_since_ns: 0,
            pause: Pause::None,
        }
    }

    pub(super) fn start(&mut self, now_ns: u64) {
        self.doing_io_since_ns = now_ns;
    }

    #[inline(always)]
    pub(super) fn issued(&mut self, now_ns: u64) {
        if self.settings.counts_issued {
            self.counted += 1;
        }
        self.want(now_ns);
    }

    pub(super) fn completed(&mut self, now_ns: u64) {
        if !self.settings.counts_issued {
            self.counted += 1;
        }
        self.want(now_ns);
    }

    /// fio looks whether it is time to think after each submission and each completion.
    fn want(&mut self, now_ns: u64) {
        let ThinkTime { pause_ns, blocks, io_time_ns, .. } = self.settings;
        if pause_ns == 0 || self.pause != Pause::None {
            return;
        }
        let counted = self.counted - self.counted_at_last_pause;
        let io_ns = now_ns.saturating_sub(self.doing_io_since_ns);
        if let Some(blocks) = blocks.filter(|blocks| counted >= blocks.get()) {
            self.counted_at_last_pause += blocks.get();
        } else if io_time_ns.is_some_and(|time_ns| io_ns >= time_ns.get()) {
            self.counted_at_last_pause = self.counted;
        } else {
            return;
        }
        self.pause = Pause::Wanted;
    }

    /// What is to be done now.
    pub(super) fn think(&mut self, now_ns: u64, in_flight: u32) -> Thought {
        match self.pause {
            Pause::None => Thought::GoOn,
            Pause::Wanted if in_flight > 0 => Thought::Drain,
            Pause::Wanted => {
                let pause_ns = self.settings.pause_ns.max(self.settings.spin_ns);
                let until_ns = now_ns.saturating_add(pause_ns);
                self.pause = Pause::Until(until_ns);
                Thought::PauseUntil(until_ns)
            }
            Pause::Until(until_ns) if now_ns < until_ns => Thought::PauseUntil(until_ns),
            Pause::Until(_) => {
                self.pause = Pause::None;
                self.doing_io_since_ns = now_ns;
                Thought::Paused
            }
        }
    }
}
