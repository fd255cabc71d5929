// SPDX-License-Identifier: MIT OR Apache-2.0
//! The dispatch loop with the habits of the kernel's (bfq.md §0.4, peers.md §1.1).

use crate::bio::Command;
use crate::ids::Tag;
use crate::layer::BlockLayer;
use crate::request::TagState;

/// The host's tick, ns.
const TICK_NS: u64 = 1_000_000;
/// How long after a fruitless run the next one comes, at the tick after that, ns.
const POLL_NS: u64 = 3 * TICK_NS;

impl BlockLayer {
    /// Makes a run of the dispatch loop due. Submissions, completions and timers do so themselves
    /// where the kernel would.
    pub fn run(&mut self) {
        self.run.due = true;
    }

    /// What the device is to do next. To be called until it answers `None`, and only when all that
    /// happens at this instant (submissions, completions, timers) has been told; `None` means:
    /// nothing, nothing now, or the device is full.
    #[inline(always)]
    pub fn next_command(&mut self, now_ns: u64) -> Option<Command> {
        if !self.issued_at_once.is_empty() {
            return self.issued_at_once.pop_front();
        }
        if self.run.is_over() { None } else { self.run_on(now_ns) }
    }

    /// Whether a worker is to run the loop.
    pub fn run_is_due(&self) -> bool {
        self.run.due
    }

    /// The next command of a run that a submitter made itself. [`next_command`](Self::next_command)
    /// gives these, too; a host that lets the worker wait asks here first.
    pub fn take_issued_at_once(&mut self) -> Option<Command> {
        self.issued_at_once.pop_front()
    }

    /// A submitter runs the loop; the worker's run, if one is due, stays due. The commands are
    /// handed out before all others.
    pub(super) fn run_at_once(&mut self, now_ns: u64) {
        let due = std::mem::take(&mut self.run.due);
        self.run.asked = true;
        while let Some(command) = self.run_on(now_ns) {
            self.issued_at_once.push_back(command);
        }
        self.run.due |= due;
    }

    /// The next command of a run that is due or has begun.
    #[inline(always)]
    fn run_on(&mut self, now_ns: u64) -> Option<Command> {
        loop {
            if !self.run.active {
                if !self.run.begin(!self.list.is_empty()) {
                    return None;
                }
                self.counters.runs += 1;
            }
            if let Some(tag) = self.next_to_issue(now_ns) {
                return Some(self.issue(now_ns, tag));
            }
        }
    }

    /// The next request for which the device has a place; `None` if the run or a pass of
    /// it is over.
    #[inline(always)]
    fn next_to_issue(&mut self, now_ns: u64) -> Option<Tag> {
        let full = self.issued >= self.limits.depth.max(1);
        if !self.list.is_empty() {
            if full {
                self.run.restart = true;
                self.run.active = false;
                return None;
            }
            return self.list.pop_front();
        }
        if self.waiting == 0 {
            self.run.active = false;
            return None;
        }
        let Some(tag) = self.elevator.dispatch(now_ns, &self.pool) else {
            if !std::mem::take(&mut self.run.obtained) {
                self.end_fruitless_run(now_ns);
            }
            return None;
        };
        self.run.obtained = true;
        self.waiting -= 1;
        // The run ends with the last request; a pass that obtains nothing would only find that out.
        self.run.active = self.waiting > 0;
        let request = &mut self.pool[tag];
        request.started = true;
        self.counters.waited += u64::from(request.inserted_ns < now_ns);
        if full {
            self.counters.refused += 1;
            self.pool[tag].state = TagState::Listed;
            self.list.push_back(tag);
            self.run.restart = true;
            self.run.active = false;
            return None;
        }
        Some(tag)
    }

    /// A run has obtained nothing, though requests wait: another one follows.
    #[cold]
    #[inline(never)]
    fn end_fruitless_run(&mut self, now_ns: u64) {
        self.counters.runs_fruitless += 1;
        let poll_ns = (now_ns + POLL_NS) / TICK_NS * TICK_NS + TICK_NS;
        self.run.poll_ns.get_or_insert(poll_ns);
        self.run.active = false;
    }

    #[inline]
    fn issue(&mut self, now_ns: u64, tag: Tag) -> Command {
        self.counters.dispatched += 1;
        self.issued += 1;
        let request = &mut self.pool[tag];
        request.state = TagState::Issued;
        request.dispatched_ns = now_ns;
        Command { tag, op: request.op, sector: request.sector, sectors: request.sectors }
    }

    /// When [`on_timer`](BlockLayer::on_timer) is to be called next, ns.
    #[inline]
    pub fn next_timer_ns(&self) -> Option<u64> {
        let timer_ns = if self.only_queues { None } else { self.elevator.next_timer_ns() };
        match (timer_ns, self.run.poll_ns) {
            (Some(timer_ns), Some(poll_ns)) => Some(timer_ns.min(poll_ns)),
            (timer_ns, poll_ns) => timer_ns.or(poll_ns),
        }
    }

    /// Time has come to [`next_timer_ns`](BlockLayer::next_timer_ns): the elevator's timer fires,
    /// the poll makes a run due.
    pub fn on_timer(&mut self, now_ns: u64) {
        if self.elevator.next_timer_ns().is_some_and(|timer_ns| timer_ns <= now_ns) {
            self.elevator.on_timer(now_ns);
            self.look_for_kick();
        }
        if self.run.poll_ns.is_some_and(|poll_ns| poll_ns <= now_ns) {
            self.run.poll_ns = None;
            self.run.due = true;
        }
    }
}
