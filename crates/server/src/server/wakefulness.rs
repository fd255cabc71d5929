// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether a thread that has nothing to do stays awake for a moment before it sleeps.
//!
//! A client that asks for one thing after the other has its next request ready some microseconds
//! after an answer. To wake a thread on another processor takes longer than that, and as much
//! processor time. Staying awake is no use where the client takes its time, or can run only when
//! this thread sleeps, on the same processor; each time that it was no use it is tried twice as
//! rarely.

/// How long it stays awake, ns.
const AWAKE_NS: u64 = 50_000;

/// Looking whether there is anything takes less than this, ns. If it took longer, others had the
/// processor meanwhile: the client, most likely.
const LOOK_NS: u64 = 4_000;

/// The most times that it is not tried.
const MOST_SKIPPED: u32 = 256;

/// What came of it so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wakefulness {
    /// How many times it is not tried.
    left: u32,
    /// How many it will be, if it is in vain again.
    next: u32,
}

impl Wakefulness {
    /// Nothing is known yet.
    pub const NEW: Wakefulness = Wakefulness { left: 0, next: 1 };

    /// Whether to stay awake this time. If so it is to learn what came of it.
    pub fn is_worth_it(&mut self) -> bool {
        let is_worth_it = self.left == 0;
        self.left = self.left.saturating_sub(1);
        is_worth_it
    }

    /// Whether anything came while it was awake. What was there at the first look says nothing.
    pub fn learn(&mut self, watch: &Watch, came: bool) {
        if came && watch.alone {
            if watch.looks > 1 {
                self.next = 1;
            }
        } else {
            self.left = self.next;
            self.next = (self.next * 2).min(MOST_SKIPPED);
        }
    }
}

/// A time in which a thread stays awake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watch {
    until_ns: u64,
    /// When it looked last.
    looked_ns: u64,
    looks: u32,
    /// No other thread had the processor.
    alone: bool,
}

impl Watch {
    /// It stays awake from now on.
    pub fn new(now_ns: u64) -> Watch {
        Watch { until_ns: now_ns + AWAKE_NS, looked_ns: now_ns, looks: 0, alone: true }
    }

    /// It has looked; whether it is to look once more.
    pub fn goes_on(&mut self, now_ns: u64) -> bool {
        self.alone &= now_ns - self.looked_ns <= LOOK_NS;
        self.looked_ns = now_ns;
        self.looks += 1;
        now_ns < self.until_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The times of `count` in which it stays awake, if nothing ever comes.
    fn in_vain(wakefulness: &mut Wakefulness, count: u32) -> Vec<u32> {
        let mut awake = Vec::new();
        for time in 0..count {
            if wakefulness.is_worth_it() {
                wakefulness.learn(&Watch::new(0), false);
                awake.push(time);
            }
        }
        awake
    }

    #[test]
    fn it_is_tried_ever_more_rarely_in_vain() {
        let mut wakefulness = Wakefulness::NEW;
        assert_eq!(in_vain(&mut wakefulness, 64), [0, 2, 5, 10, 19, 36]);
        let tried = in_vain(&mut wakefulness, 10_000).len();
        assert!((37..=45).contains(&tried), "once in 257 times: {tried}");
    }

    /// A time in which it looks at these times, ns, and finds something at the last one.
    fn watch(looks_ns: &[u64]) -> (Watch, bool) {
        let mut watch = Watch::new(0);
        let goes_on = looks_ns.iter().map(|now_ns| watch.goes_on(*now_ns)).last();
        (watch, goes_on.expect("it looks"))
    }

    #[test]
    fn it_goes_on_while_something_comes() {
        let mut wakefulness = Wakefulness::NEW;
        in_vain(&mut wakefulness, 1000);
        while !wakefulness.is_worth_it() {}
        for _ in 0..100 {
            wakefulness.learn(&watch(&[500, 1000]).0, true);
            assert!(wakefulness.is_worth_it());
        }
        wakefulness.learn(&watch(&[60_000]).0, false);
        assert_eq!(in_vain(&mut wakefulness, 10), [1, 4, 9], "it begins anew");
    }

    #[test]
    fn it_was_no_use_if_others_had_the_processor() {
        // When it looks, ns; whether it would look again; how often it is skipped after one failure
        // before, if it is in vain the next time.
        let cases: [(&[u64], bool, u32); 5] = [
            (&[500, 1000, 1500], true, 1),
            (&[500], true, 2),
            (&[500, 20_000], true, 4),
            (&[500, 20_000, 20_500], true, 4),
            (&[500, 60_000], false, 4),
        ];
        for (looks_ns, goes_on, skipped) in cases {
            let mut wakefulness = Wakefulness { left: 0, next: 2 };
            let (watch, last) = watch(looks_ns);
            assert_eq!(last, goes_on, "{looks_ns:?}");
            wakefulness.learn(&watch, true);
            wakefulness.left = 0;
            wakefulness.learn(&watch, false);
            assert_eq!(wakefulness.left, skipped, "{looks_ns:?}");
        }
    }
}
