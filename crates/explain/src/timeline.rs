// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records who was served when, for the drawings of a report: a part of the run, of bounded size.
//!
//! The part is the most telling one there is for any job file: it begins shortly before the process
//! that starts last does its first I/O, so all processes take part in it.

mod window;

use crate::cast::{Cast, ProcessNumber};
use crate::queues::{Belongs, Party, Queues};
use bfq::why::{Decision, IdlingRule, InjectionRule, Observer, RaiseKind};
use bfq::{ProcessId, QueueId, Time};
use blk::Tag;
use report::timeline::{Mark, Requests, Timeline, TimelineTurn, Wait, Who};
use runner::Runner;
use std::cell::RefCell;
use std::rc::Rc;
use window::Window;

/// Looks at one run: at the requests that end, and at the decisions if the scheduler is bfq. Clones
/// look at the same.
#[derive(Debug, Clone)]
pub struct TimelineRecorder(Rc<RefCell<State>>);

#[derive(Debug)]
struct State {
    cast: Cast,
    queues: Queues,
    /// The processes by their names in the scheduler.
    processes: Vec<ProcessNumber>,
    processes_seen: u32,
    window: Window,
    /// Whose turn it is, and since when.
    turn: Option<(QueueId, u64)>,
    /// Why the disk is kept idle in that turn, and since when.
    idling: Option<(IdlingRule, u64)>,
}

impl TimelineRecorder {
    /// A recorder of at most `entries` entries of each kind. `cast` names the processes.
    pub fn new(cast: Cast, entries: usize) -> Self {
        Self::with(cast, Some(entries))
    }

    /// A recorder of everything, for who looks at the run while it goes on and
    /// [takes](Self::take) what there is time and again.
    pub fn of_all(cast: Cast) -> Self {
        Self::with(cast, None)
    }

    fn with(cast: Cast, entries: Option<usize>) -> Self {
        let window = Window::new(cast.process_count(), entries);
        Self(Rc::new(RefCell::new(State {
            cast,
            queues: Queues::default(),
            processes: Vec::new(),
            processes_seen: 0,
            window,
            turn: None,
            idling: None,
        })))
    }

    /// The device ends the request `tag` now; `runner` has not been told yet.
    pub fn ends(&self, now_ns: u64, tag: Tag, runner: &Runner) {
        self.0.borrow_mut().ends(now_ns, tag, runner);
    }

    /// What was recorded, of a run that ended at `now_ns`; nothing if no request ended.
    pub fn timeline(&self, now_ns: u64) -> Option<Timeline> {
        let mut state = self.0.borrow_mut();
        if let Some((queue, _)) = state.turn {
            state.turn_ends(now_ns, queue, "", false);
        }
        state.take(now_ns)
    }

    /// What was recorded since it was last taken, of a run that has come to `now_ns`; nothing if no
    /// request ended. A turn that goes on is not among it.
    pub fn take(&self, now_ns: u64) -> Option<Timeline> {
        self.0.borrow_mut().take(now_ns)
    }
}

impl State {
    fn take(&mut self, now_ns: u64) -> Option<Timeline> {
        let State { cast, queues, window, .. } = self;
        window.take(now_ns, |party| match queues.parties.of(party) {
            Belongs::To(processes) => {
                Who { name: cast.processes(processes), job: cast.job_of(processes[0]) }
            }
            _ => Who { name: queues.parties.name(party, cast), job: None },
        })
    }
}

impl sim::RunObserver for TimelineRecorder {
    fn ends(&mut self, now_ns: u64, tag: Tag, _: Result<(), blk::IoError>, runner: &Runner) {
        TimelineRecorder::ends(self, now_ns, tag, runner);
    }
}

impl Observer for TimelineRecorder {
    fn decided(&mut self, now: Time, decision: &Decision) {
        self.0.borrow_mut().decided(now.as_ns(), decision);
    }
}

impl State {
    fn ends(&mut self, now_ns: u64, tag: Tag, runner: &Runner) {
        if self.window.is_closed() {
            return;
        }
        let request = &runner.layer().pool()[tag];
        let process = request.process.map(|id| runner.process_number(id) as ProcessNumber);
        let belongs = process.map_or(Belongs::Group(0), |process| Belongs::To(vec![process]));
        if let Some(process) = process {
            self.window.does_io(process as usize, request.allocated_ns);
        }
        let who = self.queues.parties.intern(belongs);
        self.window.ended(Requests {
            dispatched_ns: request.dispatched_ns,
            ended_ns: now_ns,
            who: who.place(),
            op: request.op.letter(),
            first_sector: request.sector,
            end_sector: request.sector + u64::from(request.sectors),
            count: 1,
        });
    }

    fn decided(&mut self, now_ns: u64, decision: &Decision) {
        match *decision {
            Decision::ProcessAdded { process, .. } => self.process_added(process),
            Decision::QueueCreated { queue, process, .. } => self.queue_created(queue, process),
            Decision::QueueFreed { queue } => self.queues.free(queue),
            Decision::Queued { queue, process: Some(process), .. } => {
                let process = self.process(process);
                self.queues.join(queue, process, &self.cast);
            }
            Decision::Merged { target, process, .. } => self.merged(now_ns, target, process),
            Decision::Split { queue, process } => self.split(now_ns, queue, process),
            _ if self.window.is_closed() => {}
            Decision::InService { queue, .. } => self.turn = Some((queue, now_ns)),
            Decision::Served { queue, .. }
                if self.turn.is_some_and(|(served, _)| served == queue) =>
            {
                self.idling_ends(now_ns, queue);
            }
            Decision::Idling { rule, .. } => {
                self.idling.get_or_insert((rule, now_ns));
            }
            Decision::Expired { queue, reason, slow, .. } => {
                self.turn_ends(now_ns, queue, reason.name(), slow);
            }
            Decision::Injected { queue, rule, .. } => {
                self.mark(now_ns, queue, "injected", injection(rule));
            }
            Decision::Raised { queue, kind, .. } => {
                self.mark(now_ns, queue, "raised", raise(kind));
            }
            Decision::RaiseEnded { queue } => self.mark(now_ns, queue, "raise_ended", ""),
            Decision::InLargeBurst { queue } => self.mark(now_ns, queue, "large_burst", ""),
            _ => {}
        }
    }

    fn process(&self, id: ProcessId) -> ProcessNumber {
        self.processes.get(id.index()).copied().unwrap_or(0)
    }

    fn process_added(&mut self, process: ProcessId) {
        if self.processes.len() <= process.index() {
            self.processes.resize(process.index() + 1, 0);
        }
        self.processes[process.index()] = self.processes_seen;
        self.processes_seen += 1;
    }

    fn queue_created(&mut self, queue: QueueId, process: Option<ProcessId>) {
        let belongs = match process {
            Some(process) => Belongs::To(vec![self.process(process)]),
            None => Belongs::Group(0),
        };
        self.queues.create(queue, belongs, &self.cast);
    }

    fn merged(&mut self, now_ns: u64, target: QueueId, process: ProcessId) {
        let process = self.process(process);
        let into = self.party(target);
        let into = self.queues.parties.name(into, &self.cast);
        self.queues.join(target, process, &self.cast);
        self.mark_process(now_ns, process, "merged", &into);
    }

    fn split(&mut self, now_ns: u64, queue: QueueId, process: ProcessId) {
        let process = self.process(process);
        self.queues.leave(queue, process, &self.cast);
        self.mark_process(now_ns, process, "split", "");
    }

    fn party(&mut self, queue: QueueId) -> Party {
        self.queues.get_mut(queue, &self.cast).party
    }

    fn idling_ends(&mut self, now_ns: u64, queue: QueueId) {
        let Some((rule, from_ns)) = self.idling.take() else { return };
        let who = self.party(queue).place();
        let rule = crate::rule::Rule::from(rule).name().to_owned();
        self.window.waited(Wait { from_ns, until_ns: now_ns, who, rule });
    }

    fn turn_ends(&mut self, now_ns: u64, queue: QueueId, reason: &str, slow: bool) {
        let Some((queue, from_ns)) = self.turn.take().filter(|&(turn, _)| turn == queue) else {
            return;
        };
        self.idling_ends(now_ns, queue);
        let who = self.party(queue).place();
        let reason = reason.to_owned();
        self.window.turn(TimelineTurn { from_ns, until_ns: now_ns, who, reason, slow });
    }

    fn mark(&mut self, at_ns: u64, queue: QueueId, what: &str, detail: &str) {
        let who = self.party(queue).place();
        self.window.mark(Mark { at_ns, who, what: what.to_owned(), detail: detail.to_owned() });
    }

    fn mark_process(&mut self, at_ns: u64, process: ProcessNumber, what: &str, detail: &str) {
        let who = self.queues.parties.intern(Belongs::To(vec![process])).place();
        self.window.mark(Mark { at_ns, who, what: what.to_owned(), detail: detail.to_owned() });
    }
}

fn injection(rule: InjectionRule) -> &'static str {
    match rule {
        InjectionRule::OwnAsync => "own_async",
        InjectionRule::Waker => "waker",
        InjectionRule::Woken => "woken",
        InjectionRule::Limit => "limit",
        InjectionRule::Actuator => "actuator",
    }
}

fn raise(kind: RaiseKind) -> &'static str {
    match kind {
        RaiseKind::Interactive => "interactive",
        RaiseKind::SoftRealTime => "soft_real_time",
        RaiseKind::Async => "async",
    }
}

#[cfg(test)]
#[path = "timeline/tests.rs"]
mod tests;
