// SPDX-License-Identifier: MIT OR Apache-2.0
//! How often a line of one kind about one client or tenant is logged, so that none can fill the
//! log.
//!
//! Limiters for `tracing` that there are (tracing-throttle) tell events apart by all their fields,
//! among which is a client's process or port: each new connection would be a new event.

use std::collections::HashMap;

/// The most lines in a window of this length.
const LINES: u32 = 10;
const WINDOW_NS: u64 = 10_000_000_000;

/// The most kinds and origins that are told apart; further ones share one.
const ORIGINS_MAX: usize = 1024;

/// What was logged lately, by kind and origin.
#[derive(Debug, Default)]
pub struct LogLimit {
    windows: HashMap<(&'static str, String), Window>,
    /// When something that was left out is to be told, at the earliest.
    due_ns: Option<u64>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Window {
    since_ns: u64,
    lines: u32,
    left_out: u64,
}

/// A line may be logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MayLog {
    /// How many of its kind were left out before it, if any; of the type that a field of a line
    /// has.
    pub left_out: Option<u64>,
}

impl LogLimit {
    /// Whether a line of this kind about this origin may be logged now.
    pub fn take(&mut self, now_ns: u64, kind: &'static str, origin: &str) -> Option<MayLog> {
        let mut key = (kind, origin.to_owned());
        if !self.windows.contains_key(&key) && self.windows.len() >= ORIGINS_MAX {
            // What was left out is still to be told.
            let is_kept = |window: &Window| window.is_open(now_ns) || window.left_out > 0;
            self.windows.retain(|_, window| is_kept(window));
            if self.windows.len() >= ORIGINS_MAX {
                key = ("others", String::new());
            }
        }
        let window = self.windows.entry(key).or_default();
        if window.lines == 0 || !window.is_open(now_ns) {
            let left_out = Some(window.left_out).filter(|&count| count > 0);
            *window = Window { since_ns: now_ns, lines: 1, left_out: 0 };
            Some(MayLog { left_out })
        } else if window.lines < LINES {
            window.lines += 1;
            Some(MayLog { left_out: None })
        } else {
            window.left_out += 1;
            let due_ns = window.since_ns + WINDOW_NS;
            self.due_ns = Some(self.due_ns.map_or(due_ns, |other_ns| other_ns.min(due_ns)));
            None
        }
    }

    /// When [`LogLimit::tell`] is wanted.
    pub fn due_ns(&self) -> Option<u64> {
        self.due_ns
    }

    /// Logs how many lines were left out where none came since that could say so.
    pub fn tell(&mut self, now_ns: u64) {
        if self.due_ns.is_some_and(|due_ns| due_ns <= now_ns) {
            self.take_left_out(now_ns).into_iter().for_each(LeftOut::log);
        }
    }

    /// Logs what is left to be told: no more lines will come.
    pub fn tell_all(&mut self) {
        self.take_left_out(u64::MAX).into_iter().for_each(LeftOut::log);
    }

    fn take_left_out(&mut self, now_ns: u64) -> Vec<LeftOut> {
        let mut told = Vec::new();
        self.due_ns = None;
        self.windows.retain(|(kind, origin), window| {
            if window.left_out > 0 && !window.is_open(now_ns) {
                let origin = origin.clone();
                told.push(LeftOut { kind, origin, lines: window.left_out });
                return false;
            }
            if window.left_out > 0 {
                let due_ns = window.since_ns + WINDOW_NS;
                self.due_ns = Some(self.due_ns.map_or(due_ns, |other_ns| other_ns.min(due_ns)));
            }
            true
        });
        told.sort();
        told
    }
}

impl Window {
    fn is_open(&self, now_ns: u64) -> bool {
        now_ns.saturating_sub(self.since_ns) < WINDOW_NS
    }
}

/// Lines that were left out, of one kind and origin.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct LeftOut {
    kind: &'static str,
    origin: String,
    lines: u64,
}

impl LeftOut {
    fn log(self) {
        let LeftOut { kind, origin, lines } = self;
        tracing::warn!(kind, origin, left_out = lines, "lines like the last ones were left out");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_lines_in_ten_seconds_and_then_how_many_were_left_out() {
        let mut limit = LogLimit::default();
        let mut logged = Vec::new();
        for tick in 0..10_000 {
            // A thousand a second.
            let may = limit.take(tick * 1_000_000, "garbage", "user 7");
            logged.extend(may.map(|may| (tick, may.left_out)));
        }
        assert_eq!(logged, (0..10).map(|tick| (tick, None)).collect::<Vec<_>>());
        let next = limit.take(10_000_000_000, "garbage", "user 7");
        assert_eq!(next, Some(MayLog { left_out: Some(9_990) }));
        let after = limit.take(10_000_000_001, "garbage", "user 7");
        assert_eq!(after, Some(MayLog { left_out: None }));
    }

    #[test]
    fn a_flood_that_stops_is_counted_when_its_ten_seconds_are_over() {
        let mut limit = LogLimit::default();
        for (now_ns, origin, lines) in [(0, "user 7", 15), (5, "user 8", 12), (9, "user 9", 10)] {
            for _ in 0..lines {
                let _ = limit.take(now_ns, "garbage", origin);
            }
        }
        let left_out =
            |origin: &str, lines| LeftOut { kind: "garbage", origin: origin.into(), lines };
        assert_eq!(limit.due_ns(), Some(WINDOW_NS));
        assert_eq!(limit.take_left_out(WINDOW_NS - 1), []);
        assert_eq!(limit.take_left_out(WINDOW_NS), [left_out("user 7", 5)]);
        assert_eq!(limit.due_ns(), Some(WINDOW_NS + 5));
        assert_eq!(limit.take_left_out(u64::MAX), [left_out("user 8", 2)]);
        assert_eq!(limit.due_ns(), None);
        let next = limit.take(WINDOW_NS + 6, "garbage", "user 8");
        assert_eq!(next, Some(MayLog { left_out: None }), "it is not told twice");
    }

    #[test]
    fn kinds_and_origins_do_not_count_for_each_other() {
        let mut limit = LogLimit::default();
        for _ in 0..20 {
            let _ = limit.take(0, "garbage", "user 7");
        }
        assert!(limit.take(0, "garbage", "user 7").is_none());
        assert!(limit.take(0, "garbage", "user 8").is_some());
        assert!(limit.take(0, "gone", "user 7").is_some());
    }

    #[test]
    fn any_number_of_origins_takes_no_more_memory_and_no_more_lines() {
        let mut limit = LogLimit::default();
        let mut take = |now_ns, origins: std::ops::Range<u32>| {
            let lines = origins.filter_map(|n| limit.take(now_ns, "gone", &n.to_string()));
            (lines.count(), limit.windows.len())
        };
        assert_eq!(take(0, 0..100_000), (ORIGINS_MAX + LINES as usize, ORIGINS_MAX + 1));
        let (lines, origins) = take(WINDOW_NS, 200_000..200_001);
        assert_eq!((lines, origins), (1, 2), "old ones are forgotten, if nothing is to be told");
        assert_eq!(limit.take_left_out(WINDOW_NS).len(), 1);
        assert_eq!(limit.windows.len(), 1);
    }
}
