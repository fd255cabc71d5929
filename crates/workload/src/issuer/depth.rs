// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many I/Os a process may have in flight: `iodepth`, or the depth that keeps latencies below a
//! target (`latency_target` and its kin).
//!
//! The search is fio's. From a depth of 1 on, the depth doubles after each window in which enough
//! I/Os kept the target, until one fails; from then on it is halved between the depths known to
//! be good and bad. When it no longer changes, results are begun anew, and the next good window is
//! the last; with `latency_run` the process goes on, and after three good windows in a row tries
//! one I/O more.

use std::collections::BTreeMap;

use crate::io::Ticket;
use crate::job::{Job, LatencyTarget};

/// The depth of one process.
#[derive(Debug)]
pub(super) struct Depth {
    /// The most I/Os of the process at a time: its `iodepth`.
    most: u32,
    /// As many as it may have now: all, or what the search has come to.
    limit: u32,
    search: Option<Search>,
}

/// What the search asks of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finding {
    /// Nothing: the process goes on.
    GoOn,
    /// Let what is in flight complete.
    Drain,
    /// The depth is found: what was measured so far does not count.
    Restart,
    /// The depth is found and measured: end.
    Found,
    /// Even one I/O at a time misses the target, which none may miss: end with an error.
    Missed,
}

#[derive(Debug)]
struct Search {
    target: LatencyTarget,
    depth: u32,
    /// The greatest depth known to be good, and the least known to be bad (or `iodepth`).
    good: u32,
    bad: u32,
    /// The window: since when, the I/Os that ended in it, and those too late.
    since_ns: u64,
    ios: u64,
    late: u64,
    /// Good windows in a row at a depth that cannot be raised.
    steady: u32,
    is_last_window: bool,
    drains: bool,
    has_missed: bool,
    issued_ns: BTreeMap<Ticket, u64>,
}

impl Depth {
    pub(super) fn new(job: &Job) -> Depth {
        let most = job.queue_depth().max(1);
        let search = job.latency_target.map(|target| Search::new(target, most));
        let limit = search.as_ref().map_or(most, |search| search.depth);
        Depth { most, limit, search }
    }

    /// I/Os in flight at most.
    pub(super) fn limit(&self) -> u32 {
        debug_assert!(self.search.as_ref().is_none_or(|search| search.depth == self.limit));
        self.limit
    }

    /// Windows begin now: the process starts, or its ramp time ends.
    pub(super) fn start(&mut self, now_ns: u64) {
        if let Some(search) = &mut self.search {
            search.begin_window(now_ns);
        }
    }

    #[inline(always)]
    pub(super) fn issued(&mut self, now_ns: u64, ticket: Ticket) {
        if let Some(search) = &mut self.search {
            search.issued_ns.insert(ticket, now_ns);
        }
    }

    #[inline(always)]
    pub(super) fn completed(&mut self, now_ns: u64, ticket: Ticket) {
        if let Some(search) = &mut self.search {
            search.completed(now_ns, ticket);
            self.limit = search.depth;
        }
    }

    /// Looks whether a window is over.
    #[inline(always)]
    pub(super) fn look(&mut self, now_ns: u64, in_flight: u32) -> Finding {
        match &mut self.search {
            Some(search) => {
                let finding = search.look(now_ns, in_flight, self.most);
                self.limit = search.depth;
                finding
            }
            None => Finding::GoOn,
        }
    }
}

impl Search {
    fn new(target: LatencyTarget, most: u32) -> Search {
        Search {
            target,
            depth: 1,
            good: 1,
            bad: most,
            since_ns: 0,
            ios: 0,
            late: 0,
            steady: 0,
            is_last_window: false,
            drains: false,
            has_missed: false,
            issued_ns: BTreeMap::new(),
        }
    }

    fn begin_window(&mut self, now_ns: u64) {
        (self.since_ns, self.ios, self.late) = (now_ns, 0, 0);
    }

    fn completed(&mut self, now_ns: u64, ticket: Ticket) {
        let Some(issued_ns) = self.issued_ns.remove(&ticket) else { return };
        self.ios += 1;
        if now_ns - issued_ns <= self.target.target_ns {
            return;
        }
        self.late += 1;
        // Where none may be late the window need not come to its end.
        if self.target.percentile >= 100.0 && !self.drains {
            match self.depth {
                1 => self.has_missed = true,
                _ => self.lower(),
            }
        }
    }

    fn look(&mut self, now_ns: u64, in_flight: u32, most: u32) -> Finding {
        if self.has_missed {
            return Finding::Missed;
        }
        if self.drains {
            if in_flight > 0 {
                return Finding::Drain;
            }
            self.drains = false;
            self.begin_window(now_ns);
        }
        if self.ios == 0 || now_ns - self.since_ns < self.target.window_ns {
            return Finding::GoOn;
        }
        let in_time_percent = (self.ios - self.late) as f64 / self.ios as f64 * 100.0;
        if in_time_percent >= self.target.percentile {
            return self.raise(now_ns, most);
        }
        if self.depth > 1 {
            self.lower();
            return if in_flight > 0 { Finding::Drain } else { Finding::GoOn };
        }
        Finding::GoOn
    }

    /// The window was good.
    fn raise(&mut self, now_ns: u64, most: u32) -> Finding {
        let before = self.depth;
        self.good = self.depth;
        if self.depth + 1 == self.bad {
            self.steady += 1;
            if self.steady >= 3 {
                self.bad += 1;
                self.steady = 0;
            }
        }
        self.depth = match self.bad == most {
            true => self.depth.saturating_mul(2),
            false => self.depth.midpoint(self.bad),
        };
        self.depth = self.depth.min(most);
        self.begin_window(now_ns);
        if self.target.goes_on || self.depth != before {
            return Finding::GoOn;
        }
        match std::mem::replace(&mut self.is_last_window, true) {
            true => Finding::Found,
            false => Finding::Restart,
        }
    }

    /// The window was bad, at a depth above 1.
    fn lower(&mut self) {
        self.bad = self.depth;
        if self.depth == self.good {
            self.good -= 1;
        }
        self.depth = self.depth.midpoint(self.good).max(1);
        self.steady = 0;
        self.drains = true;
    }
}
