// SPDX-License-Identifier: MIT OR Apache-2.0
//! Times in a log are rounded to a microsecond, and some decisions hang on less: an event that is
//! written at a whole millisecond may have come just before the tick of the coarse clock, a window
//! of exactly a second may have been a little shorter.
//!
//! So where a replay differs, the events that could be the cause are taken a little earlier or
//! later, within their rounding. In a trace of a machine at work a tick may be
//! counted late: events just behind one are taken to be before it. If all decisions then agree up
//! to that line and beyond, that is where they were.

use super::error::ReplayError;
use super::log::LogLine;
use super::outcome::ReplayOutcome;
use super::replay::Replay;
use super::setup::Setup;

/// How much later than due the tick of a machine at work may be counted: interrupts wait while it
/// is in the scheduler.
const TICK_LAG_NS: u64 = 50_000;
/// How much earlier than it is written an event may have come, or almost as much later.
const ROUNDING_NS: u64 = 500;
/// An event that follows another one within this is a consequence of it. Polls follow nothing, and
/// their timer fires after the tick.
const CONSEQUENCE_NS: u64 = 3000;
/// How many events at ticks are tried for a difference. It may show long after its cause: the stamp
/// of a raise shows when its queue is served.
const MOST_TICKS: usize = 24;
/// How many of the last other times are tried: what was measured then may be compared now.
const MOST_RECENT: usize = 24;
/// The most differences left behind that no rounding explains.
const MOST_UNEXPLAINED: usize = 2;

/// Replays a log. If a difference leads to where the replay cannot go on, it ends there and the
/// outcome's note says so.
///
/// # Errors
/// [`ReplayError::Impossible`] if an event refers to something that the log never introduced,
/// though nothing differed before.
pub fn replay(file: &str, setup: &Setup, lines: &[LogLine]) -> Result<ReplayOutcome, ReplayError> {
    let mut places = Places::new(setup, lines);
    let mut rounded = Vec::new();
    let mut unexplained = 0;
    while unexplained <= MOST_UNEXPLAINED {
        let difference =
            |lines: &[LogLine]| Replay::new(file, setup, lines)?.difference(unexplained);
        let Ok(Some(first)) = difference(&places.lines) else { break };
        let mut found = false;
        for shift in places.candidates(first) {
            let before = places.apply(&shift);
            // A replay that cannot go on is no better.
            if difference(&places.lines).is_ok_and(|next| next.is_none_or(|next| next > first)) {
                rounded.push(lines[shift.from].number);
                found = true;
                break;
            }
            places.restore(&shift, before);
        }
        unexplained += usize::from(!found);
    }
    let mut outcome = Replay::new(file, setup, &places.lines)?.run()?;
    outcome.rounded = rounded;
    Ok(outcome)
}

/// Some lines, and when they are taken to be.
#[derive(Clone, Copy, Debug)]
struct Shift {
    from: usize,
    /// Behind the last one.
    to: usize,
    t_ns: u64,
}

/// The lines with the times that they are taken to have.
struct Places {
    tick_ns: u64,
    /// How much later than it is due a tick may be counted.
    tick_lag_ns: u64,
    lines: Vec<LogLine>,
}

impl Places {
    fn new(setup: &Setup, lines: &[LogLine]) -> Self {
        let tick_lag_ns = if setup.at_work { TICK_LAG_NS } else { 0 };
        Places { tick_ns: setup.tick_ns(), tick_lag_ns, lines: lines.to_vec() }
    }

    /// Returns the times as they were.
    fn apply(&mut self, shift: &Shift) -> Vec<u64> {
        let lines = self.lines[shift.from..shift.to].iter_mut();
        lines.map(|line| core::mem::replace(&mut line.t_ns, shift.t_ns)).collect()
    }

    fn restore(&mut self, shift: &Shift, times: Vec<u64>) {
        for (line, t_ns) in self.lines[shift.from..shift.to].iter_mut().zip(times) {
            line.t_ns = t_ns;
        }
    }

    /// What may explain a difference at line `first`, the likeliest first.
    fn candidates(&self, first: usize) -> Vec<Shift> {
        let here = self.group_of(first);
        let mut shifts = self.earlier(here.0, here.1);
        shifts.extend(self.later(here.0, here.1));
        shifts.extend(self.before_tick(here.1));
        let groups = core::iter::successors(Some(here), |&(from, _)| {
            from.checked_sub(1).map(|before| self.group_of(before))
        });
        let groups = groups.skip(1).filter(|&(from, _)| !self.is_poll(from));
        let at_tick = |from: usize| self.lines[from].t_ns.is_multiple_of(self.tick_ns);
        let ticks = groups.clone().filter(|&(from, _)| at_tick(from)).take(MOST_TICKS);
        shifts.extend(ticks.flat_map(|(from, to)| self.earlier(from, to)));
        let late = groups.clone().filter_map(|(_, to)| self.before_tick(to));
        shifts.extend(late.take(MOST_TICKS));
        for (from, to) in groups.take(MOST_RECENT).filter(|&(from, _)| self.is_whole(from)) {
            shifts.extend([self.shift_earlier(from, to), self.shift_later(from, to)]);
        }
        shifts
    }

    /// All from a tick to line `to` happened before it was counted.
    fn before_tick(&self, to: usize) -> Option<Shift> {
        let last_ns = self.lines[..to].last()?.t_ns;
        let lag_ns = last_ns % self.tick_ns;
        let tick_ns = last_ns - lag_ns;
        let from = self.lines[..to].partition_point(|line| line.t_ns < tick_ns);
        (lag_ns < self.tick_lag_ns).then_some(Shift { from, to, t_ns: tick_ns.saturating_sub(1) })
    }

    fn shift_earlier(&self, from: usize, to: usize) -> Shift {
        Shift { from, to, t_ns: self.lines[from].t_ns.saturating_sub(ROUNDING_NS) }
    }

    fn shift_later(&self, from: usize, to: usize) -> Shift {
        Shift { from, to, t_ns: self.lines[from].t_ns + ROUNDING_NS - 1 }
    }

    /// The lines that have the time of line `at`.
    fn group_of(&self, at: usize) -> (usize, usize) {
        let t_ns = self.lines[at].t_ns;
        let same = |line: &&LogLine| line.t_ns == t_ns;
        let before = self.lines[..at].iter().rev().take_while(same).count();
        let behind = self.lines[at..].iter().take_while(same).count();
        (at - before, at + behind)
    }

    /// Of a simulated machine: one at work may be late after a tick with anything.
    fn is_poll(&self, from: usize) -> bool {
        if self.tick_lag_ns > 0 {
            return false;
        }
        let line = &self.lines[from];
        let follows = |before: &LogLine| line.t_ns - before.t_ns <= CONSEQUENCE_NS;
        line.event == "dispatch_attempt" && !self.lines[..from].last().is_some_and(follows)
    }

    fn is_whole(&self, from: usize) -> bool {
        self.lines[from].t_ns.is_multiple_of(1000)
    }

    /// The whole group earlier, or just its first events.
    fn earlier(&self, from: usize, to: usize) -> Vec<Shift> {
        if !self.is_whole(from) {
            return Vec::new();
        }
        let ends = (from + 1..to).rev().filter(|&at| self.lines[at].is_event());
        core::iter::once(to).chain(ends).map(|to| self.shift_earlier(from, to)).collect()
    }

    /// The whole group later, or just its last events.
    fn later(&self, from: usize, to: usize) -> Vec<Shift> {
        if !self.is_whole(from) {
            return Vec::new();
        }
        let starts = (from + 1..to).filter(|&at| self.lines[at].is_event());
        core::iter::once(from).chain(starts).map(|from| self.shift_later(from, to)).collect()
    }
}
