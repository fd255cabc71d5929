//! Times in a log are rounded to a microsecond, and some decisions hang on less: an event that is
//! written at a whole millisecond may have come just before the tick of the coarse clock, a window
//! of exactly a second may have been a little shorter.
//!
//! So where a replay differs, the events that could be the cause are taken a little earlier or
//! later, within their rounding. If all decisions then agree up to that line and beyond, that is
//! where they were.

use crate::{FidelityError, Line, Outcome, Setup, replay::Replay};

/// An event may have come so much earlier than it is written, or almost so much later.
const ROUNDING_NS: u64 = 500;
/// An event that follows another one within this is a consequence of it. Polls follow nothing, and
/// their timer fires after the tick.
const CONSEQUENCE_NS: u64 = 3000;
/// So many events at ticks are tried for a difference. It may show long after its cause: the stamp
/// of a raise shows when its queue is served.
const MOST_TICKS: usize = 24;
/// So are so many of the last other times: what was measured then may be compared now.
const MOST_RECENT: usize = 24;
/// So many differences are left behind that no rounding explains.
const MOST_UNEXPLAINED: usize = 2;

/// Replays a log. If a difference leads to where the replay cannot go on, it ends there and the
/// outcome's note says so.
///
/// # Errors
/// [`FidelityError::Impossible`] if an event refers to something that the log never introduced,
/// though nothing differed before.
pub fn replay(file: &str, setup: &Setup, lines: &[Line]) -> Result<Outcome, FidelityError> {
    let mut places =
        Places { tick_ns: 1_000_000_000 / u64::from(setup.hz.max(1)), lines: lines.to_vec() };
    let mut rounded = Vec::new();
    let mut unexplained = 0;
    while unexplained <= MOST_UNEXPLAINED {
        let difference = |lines: &[Line]| Replay::new(file, setup, lines)?.difference(unexplained);
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

/// Some lines of the same time, and where they are taken to be.
#[derive(Clone, Copy, Debug)]
struct Shift {
    from: usize,
    /// Behind the last one.
    to: usize,
    earlier: bool,
}

/// The lines with the times that they are taken to have.
struct Places {
    tick_ns: u64,
    lines: Vec<Line>,
}

impl Places {
    fn apply(&mut self, shift: &Shift) -> u64 {
        let before = self.lines[shift.from].t_ns;
        let after = if shift.earlier {
            before.saturating_sub(ROUNDING_NS)
        } else {
            before + ROUNDING_NS - 1
        };
        self.set(shift, after);
        before
    }

    fn restore(&mut self, shift: &Shift, t_ns: u64) {
        self.set(shift, t_ns);
    }

    fn set(&mut self, shift: &Shift, t_ns: u64) {
        for line in &mut self.lines[shift.from..shift.to] {
            line.t_ns = t_ns;
        }
    }

    /// What may explain a difference at line `first`, the likeliest first.
    fn candidates(&self, first: usize) -> Vec<Shift> {
        let here = self.group_of(first);
        let mut shifts = self.earlier(here.0, here.1);
        shifts.extend(self.later(here.0, here.1));
        let groups = core::iter::successors(Some(here), |&(from, _)| {
            from.checked_sub(1).map(|before| self.group_of(before))
        });
        let groups = groups.skip(1).filter(|&(from, _)| !self.is_poll(from));
        let at_tick = |from: usize| self.lines[from].t_ns.is_multiple_of(self.tick_ns);
        let ticks = groups.clone().filter(|&(from, _)| at_tick(from)).take(MOST_TICKS);
        shifts.extend(ticks.flat_map(|(from, to)| self.earlier(from, to)));
        for (from, to) in groups.take(MOST_RECENT).filter(|&(from, _)| self.is_whole(from)) {
            shifts.extend([true, false].map(|earlier| Shift { from, to, earlier }));
        }
        shifts
    }

    /// The lines that have the time of line `at`.
    fn group_of(&self, at: usize) -> (usize, usize) {
        let t_ns = self.lines[at].t_ns;
        let same = |line: &&Line| line.t_ns == t_ns;
        let before = self.lines[..at].iter().rev().take_while(same).count();
        let behind = self.lines[at..].iter().take_while(same).count();
        (at - before, at + behind)
    }

    fn is_poll(&self, from: usize) -> bool {
        let line = &self.lines[from];
        let follows = |before: &Line| line.t_ns - before.t_ns <= CONSEQUENCE_NS;
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
        core::iter::once(to).chain(ends).map(|to| Shift { from, to, earlier: true }).collect()
    }

    /// The whole group later, or just its last events.
    fn later(&self, from: usize, to: usize) -> Vec<Shift> {
        if !self.is_whole(from) {
            return Vec::new();
        }
        let starts = (from + 1..to).filter(|&at| self.lines[at].is_event());
        core::iter::once(from)
            .chain(starts)
            .map(|from| Shift { from, to, earlier: false })
            .collect()
    }
}
