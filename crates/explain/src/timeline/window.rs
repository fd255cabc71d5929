// SPDX-License-Identifier: MIT OR Apache-2.0
//! The part of a run that is kept: the last entries before the last process starts, and those after
//! it until there are enough.

use crate::queues::Party;
use report::timeline::{Mark, Requests, Timeline, TimelineTurn, Wait, Who};
use std::collections::VecDeque;

/// The longest time before the last start that is kept.
const BEFORE_NS: u64 = 500_000_000;
/// And of the time after it.
const AFTER_NS: u64 = 10_000_000_000;
/// A process that goes on within this time goes on with what it did.
const PAUSE_NS: u64 = 1_000_000;

/// Entries name parties by their place until the window is taken.
#[derive(Debug)]
pub(super) struct Window {
    /// The most entries of a kind; none: all are kept, until they are taken.
    limit: Option<usize>,
    requests: VecDeque<Requests>,
    turns: VecDeque<TimelineTurn>,
    waits: VecDeque<Wait>,
    marks: VecDeque<Mark>,
    /// Entries that ended before were dropped.
    from_ns: u64,
    closed_ns: Option<u64>,
    started: Vec<bool>,
    not_started: usize,
    last_start_ns: u64,
}

/// An entry, as far as the window has to know it.
trait Entry {
    fn ended_ns(&self) -> u64;
    fn who(&mut self) -> &mut usize;
}

macro_rules! entry {
    ($kind:ty, $end:ident) => {
        impl Entry for $kind {
            fn ended_ns(&self) -> u64 {
                self.$end
            }
            fn who(&mut self) -> &mut usize {
                &mut self.who
            }
        }
    };
}
entry!(Requests, ended_ns);
entry!(TimelineTurn, until_ns);
entry!(Wait, until_ns);
entry!(Mark, at_ns);

impl Window {
    pub fn new(processes: usize, limit: Option<usize>) -> Self {
        Self {
            limit: limit.map(|limit| limit.max(4)),
            requests: VecDeque::new(),
            turns: VecDeque::new(),
            waits: VecDeque::new(),
            marks: VecDeque::new(),
            from_ns: 0,
            closed_ns: None,
            started: vec![false; processes],
            not_started: processes,
            last_start_ns: 0,
        }
    }

    /// Nothing is kept any more.
    pub fn is_closed(&self) -> bool {
        self.closed_ns.is_some()
    }

    /// A process has a request that was made at `made_ns`. With the first request of each process
    /// the window begins anew.
    pub fn does_io(&mut self, process: usize, made_ns: u64) {
        let Some(limit) = self.limit else { return };
        let Some(started) = self.started.get_mut(process).filter(|started| !**started) else {
            return;
        };
        *started = true;
        self.not_started -= 1;
        self.last_start_ns = self.last_start_ns.max(made_ns);
        let least_ns = made_ns.saturating_sub(BEFORE_NS);
        let ended_by = |time_ns| self.requests.partition_point(|entry| entry.ended_ns <= time_ns);
        // A quarter may be from before the request was made; so that there is room for what comes,
        // three quarters from before it ended.
        let before = ended_by(made_ns).saturating_sub(limit / 4);
        let surplus = self.requests.len().saturating_sub(limit * 3 / 4);
        if let Some(last) = ended_by(least_ns).max(before).max(surplus).checked_sub(1) {
            self.from_ns = self.from_ns.max(self.requests[last].ended_ns);
            self.requests.drain(..=last);
        }
        self.from_ns = self.from_ns.max(least_ns);
    }

    /// A request ended. It belongs to the entry before it if it goes on where that one ended. When
    /// all entries are kept, none has a pause in it: who looks that closely sees it.
    pub fn ended(&mut self, request: Requests) {
        let pause_ns = if self.limit.is_some() { PAUSE_NS } else { 0 };
        if let Some(last) = self.requests.back_mut()
            && (last.who, last.op, last.end_sector)
                == (request.who, request.op, request.first_sector)
            && request.dispatched_ns <= last.ended_ns + pause_ns
        {
            last.dispatched_ns = last.dispatched_ns.min(request.dispatched_ns);
            last.ended_ns = request.ended_ns;
            last.end_sector = request.end_sector;
            last.count += request.count;
            return;
        }
        self.close_when_late(request.ended_ns);
        self.keep(|window| &mut window.requests, request);
    }

    pub fn turn(&mut self, turn: TimelineTurn) {
        self.keep(|window| &mut window.turns, turn);
    }

    pub fn waited(&mut self, wait: Wait) {
        if wait.from_ns < wait.until_ns {
            self.keep(|window| &mut window.waits, wait);
        }
    }

    pub fn mark(&mut self, mark: Mark) {
        self.keep(|window| &mut window.marks, mark);
    }

    fn close_when_late(&mut self, now_ns: u64) {
        if self.limit.is_some()
            && self.not_started == 0
            && now_ns > self.last_start_ns.saturating_add(AFTER_NS)
        {
            self.closed_ns.get_or_insert(now_ns);
        }
    }

    /// Before all processes have started a full list loses its oldest entry; afterwards it
    /// closes the window.
    fn keep<T: Entry>(&mut self, list: fn(&mut Self) -> &mut VecDeque<T>, entry: T) {
        if self.is_closed() {
            return;
        }
        if self.limit.is_some_and(|limit| list(self).len() >= limit) {
            if self.not_started == 0 {
                self.closed_ns = Some(entry.ended_ns());
                return;
            }
            if let Some(oldest) = list(self).pop_front() {
                self.from_ns = self.from_ns.max(oldest.ended_ns());
            }
        }
        list(self).push_back(entry);
    }

    /// What was kept of a run that ended at `now_ns`; `who` says who a party is. Nothing if
    /// no request ended.
    pub fn take(&mut self, now_ns: u64, who: impl Fn(Party) -> Who) -> Option<Timeline> {
        if self.requests.is_empty() {
            return None;
        }
        let from_ns = self.from_ns;
        let mut parties: Vec<usize> = Vec::new();
        let timeline = Timeline {
            from_ns,
            until_ns: self.closed_ns.unwrap_or(now_ns),
            requests: renamed(&mut self.requests, from_ns, &mut parties),
            turns: renamed(&mut self.turns, from_ns, &mut parties),
            waits: renamed(&mut self.waits, from_ns, &mut parties),
            marks: renamed(&mut self.marks, from_ns, &mut parties),
            who: Vec::new(),
        };
        let who = parties.into_iter().map(|place| who(Party::at(place))).collect();
        Some(Timeline { who, ..timeline })
    }
}

/// The entries that end in the window, with new names for those who occur in them.
fn renamed<T: Entry>(entries: &mut VecDeque<T>, from_ns: u64, parties: &mut Vec<usize>) -> Vec<T> {
    let mut kept: Vec<T> = entries.drain(..).filter(|entry| entry.ended_ns() >= from_ns).collect();
    for entry in &mut kept {
        let party = entry.who();
        let place = parties.iter().position(|known| known == party);
        *party = place.unwrap_or_else(|| {
            parties.push(*party);
            parties.len() - 1
        });
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// Reads of 8 sectors by `who`, each 1 ms long, each `gap` sectors behind the one before.
    fn reads(window: &mut Window, who: usize, from_ms: u64, count: u64, gap: u64) {
        for number in 0..count {
            let first_sector = number * (8 + gap);
            window.does_io(who, (from_ms + number) * MS);
            window.ended(Requests {
                dispatched_ns: (from_ms + number) * MS,
                ended_ns: (from_ms + number + 1) * MS,
                who,
                op: 'R',
                first_sector,
                end_sector: first_sector + 8,
                count: 1,
            });
        }
    }

    fn taken(window: &mut Window, now_ms: u64) -> Timeline {
        let who = |party: Party| Who { name: party.place().to_string(), job: None };
        window.take(now_ms * MS, who).expect("requests ended")
    }

    #[test]
    fn requests_that_follow_each_other_are_one_entry() {
        let mut window = Window::new(1, Some(8));
        reads(&mut window, 0, 0, 100, 0);
        let timeline = taken(&mut window, 100);
        let [all] = timeline.requests[..] else { panic!("{:?}", timeline.requests) };
        assert_eq!((all.dispatched_ns, all.ended_ns, all.count), (0, 100 * MS, 100));
        assert_eq!((timeline.from_ns, timeline.until_ns), (0, 100 * MS));
    }

    #[test]
    fn when_all_is_kept_an_entry_has_no_pause_in_it() {
        for (limit, expected) in [(Some(8), vec![(0, 6)]), (None, vec![(0, 4), (5, 6)])] {
            let mut window = Window::new(1, limit);
            for (from, until, first_sector) in [(0, 2, 0), (2, 4, 8), (5, 6, 16)] {
                window.does_io(0, from * MS / 10);
                window.ended(Requests {
                    dispatched_ns: from * MS / 10,
                    ended_ns: until * MS / 10,
                    who: 0,
                    op: 'R',
                    first_sector,
                    end_sector: first_sector + 8,
                    count: 1,
                });
            }
            let kept = taken(&mut window, 1).requests.into_iter();
            let kept: Vec<_> =
                kept.map(|one| (one.dispatched_ns * 10 / MS, one.ended_ns * 10 / MS)).collect();
            assert_eq!(kept, expected);
        }
    }

    #[test]
    fn the_window_is_around_the_last_start() {
        let mut window = Window::new(2, Some(8));
        reads(&mut window, 0, 0, 100, 1);
        assert!(!window.is_closed(), "a process has not started");
        reads(&mut window, 1, 100, 100, 1);
        assert!(window.is_closed());
        let timeline = taken(&mut window, 200);
        let who: Vec<_> = timeline.requests.iter().map(|entry| entry.who).collect();
        assert_eq!(who, [0, 0, 1, 1, 1, 1, 1, 1], "a quarter of it is from before");
        assert_eq!((timeline.from_ns, timeline.until_ns), (98 * MS, 107 * MS));
        assert_eq!(timeline.who[1].name, "1");
    }

    #[test]
    fn the_start_is_when_a_request_is_made_not_when_it_ends() {
        let mut window = Window::new(2, Some(8));
        reads(&mut window, 0, 0, 100, 1);
        window.does_io(1, 96 * MS);
        let kept = taken(&mut window, 100).requests;
        let ends_ms: Vec<_> = kept.iter().map(|entry| entry.ended_ns / MS).collect();
        assert_eq!(ends_ms, [95, 96, 97, 98, 99, 100]);
    }

    #[test]
    fn nothing_long_before_or_long_after_the_last_start_is_kept() {
        let mut window = Window::new(2, Some(1000));
        reads(&mut window, 0, 0, 1, 1);
        reads(&mut window, 1, 2_000, 1, 1);
        reads(&mut window, 0, 11_000, 1, 1);
        reads(&mut window, 0, 13_000, 1, 1);
        let timeline = taken(&mut window, 14_000);
        assert_eq!((timeline.from_ns, timeline.until_ns), (1_500 * MS, 13_001 * MS));
        assert_eq!(timeline.requests.len(), 2);
    }

    #[test]
    fn entries_that_ended_before_the_window_are_dropped() {
        let mut window = Window::new(2, Some(8));
        for end_ms in [10, 99, 150] {
            let reason = String::new();
            let until_ns = end_ms * MS;
            window.turn(TimelineTurn { from_ns: 0, until_ns, who: 0, reason, slow: false });
        }
        reads(&mut window, 0, 0, 100, 1);
        reads(&mut window, 1, 100, 1, 1);
        let turns = taken(&mut window, 200).turns;
        assert_eq!(turns.iter().map(|turn| turn.until_ns / MS).collect::<Vec<_>>(), [99, 150]);
    }
}
