// SPDX-License-Identifier: MIT OR Apache-2.0
//! Feeds the events of a log to the core and compares what it decides.

use super::askers::{Allocation, Askers};
use super::bios::Bios;
use super::error::ReplayError;
use super::labels::Labels;
use super::log::LogLine;
use super::outcome::{Difference, LogPosition, MOST_SHOWN, ReplayOutcome};
use super::setup;
use super::setup::Setup;
use base::{Ioprio, Operation};
use bfq::{
    Config, GroupId, NewRequest, ProcessAttributes, ProcessId, RequestId, Scheduler, Time,
    why::{Decision, Observer},
};
use std::collections::{BTreeMap, VecDeque};

/// Times in logs are rounded to a microsecond.
const RESOLUTION_NS: u64 = 2000;

/// Keeps what the core decides.
#[derive(Debug, Default)]
pub(crate) struct Recorder(Vec<Decision>);

impl Observer for Recorder {
    fn decided(&mut self, _: Time, decision: &Decision) {
        self.0.push(*decision);
    }
}

/// A replay of a log, whose lines have the times that they are taken to have.
pub(crate) struct Replay<'a> {
    file: &'a str,
    lines: &'a [LogLine],
    pub(crate) scheduler: Scheduler<Recorder>,
    labels: Labels,
    pub(crate) processes: BTreeMap<u32, ProcessId>,
    pub(crate) groups: BTreeMap<String, GroupId>,
    /// Decided and not compared yet.
    decided: VecDeque<String>,
    free_tags: Vec<u32>,
    /// Dispatched, not issued yet.
    to_issue: VecDeque<RequestId>,
    /// Issued, by what the log says of them.
    issued: BTreeMap<String, VecDeque<RequestId>>,
    /// What each request looks like in the log, and whose it is.
    texts: BTreeMap<RequestId, (String, u32)>,
    /// The line of an event that was performed already, for its decisions are logged before it.
    performed: Option<usize>,
    /// Requests allocated and not inserted yet, by their processes.
    allocated: Vec<u32>,
    /// Priorities and groups of processes.
    traits: BTreeMap<u32, (Ioprio, Option<String>)>,
    /// If requests are merged.
    bios: Option<Bios>,
    /// The process that completed a request last.
    last_completed: Option<u32>,
    exited: Vec<u32>,
    askers: Askers,
    outcome: ReplayOutcome,
}

impl<'a> Replay<'a> {
    pub fn new(file: &'a str, setup: &Setup, lines: &'a [LogLine]) -> Result<Self, ReplayError> {
        let start = Time::from_ns(setup.attached_ns);
        let config = Config {
            rotational: setup.rotational(),
            nr_requests: setup.nr_requests,
            hz: setup.hz,
            actuator_ends: &[],
            behaviour: setup.behaviour(),
        };
        let impossible =
            |what: String| ReplayError::Impossible { file: file.into(), line: 0, what };
        let mut scheduler = Scheduler::with_observer(start, config, Recorder::default())
            .map_err(|error| impossible(error.to_string()))?;
        if setup.clock_runs {
            scheduler.let_clock_run();
        }
        for (tunable, value) in setup.tunables() {
            scheduler.set_tunable(start, tunable, value);
        }
        let mut groups = BTreeMap::new();
        // A group's name comes behind that of the one that it is in.
        for (name, &weight) in &setup.groups {
            let parent = setup::parent(name).and_then(|parent| groups.get(parent).copied());
            let group = scheduler.add_group(start, parent.unwrap_or(scheduler.root_group()));
            let group = group.map_err(|error| impossible(error.to_string()))?;
            scheduler
                .set_group_weight(start, group, weight)
                .map_err(|error| impossible(format!("group {name}: {error}")))?;
            groups.insert(name.clone(), group);
        }
        let mut processes = BTreeMap::new();
        let mut labels = Labels::new(setup.behaviour(), setup.nr_requests);
        let mut traits = BTreeMap::new();
        for process in setup.processes() {
            traits.insert(process.id, (process.ioprio, process.group.clone()));
            let group = process.group.and_then(|name| groups.get(&name).copied());
            let group = group.unwrap_or(scheduler.root_group());
            let attributes = ProcessAttributes::with_ioprio(process.ioprio);
            let id = scheduler
                .add_process(start, group, attributes)
                .map_err(|error| impossible(error.to_string()))?;
            labels.name_process(id, process.id);
            processes.insert(process.id, id);
        }
        scheduler.observer_mut().0.clear();
        Ok(Replay {
            file,
            lines,
            scheduler,
            labels,
            processes,
            groups,
            decided: VecDeque::new(),
            free_tags: (0..setup.nr_requests).rev().collect(),
            to_issue: VecDeque::new(),
            issued: BTreeMap::new(),
            texts: BTreeMap::new(),
            performed: None,
            allocated: Vec::new(),
            traits,
            bios: setup.merging.then(|| Bios::new(lines)),
            last_completed: None,
            exited: Vec::new(),
            askers: Askers::new(lines),
            outcome: ReplayOutcome::default(),
        })
    }

    /// The process that a line names.
    pub(crate) fn process_of(&self, line: &LogLine) -> Result<(u32, ProcessId), ReplayError> {
        let number = line.queue.parse::<u32>().ok();
        let process = number.and_then(|number| Some((number, *self.processes.get(&number)?)));
        process.ok_or_else(|| self.impossible(line, format!("process `{}` is unknown", line.queue)))
    }

    /// Replays the whole log.
    pub fn run(mut self) -> Result<ReplayOutcome, ReplayError> {
        for at in 0..self.lines.len() {
            match self.step(at) {
                Err(ReplayError::Impossible { line, what, .. }) if self.outcome.differ > 0 => {
                    let note = format!("line {line}: {what}; the replay ends there");
                    self.outcome.note = Some(note);
                    return Ok(self.outcome);
                }
                step => step?,
            }
        }
        self.finish();
        Ok(self.outcome)
    }

    /// The position of the line where the replay differs after `passed` differences, if it does.
    pub fn difference(mut self, passed: usize) -> Result<Option<usize>, ReplayError> {
        for at in 0..self.lines.len() {
            self.step(at)?;
            if self.outcome.differ > passed {
                return Ok(Some(at));
            }
        }
        self.finish();
        Ok((self.outcome.differ > passed).then_some(self.lines.len() - 1))
    }

    pub(crate) fn impossible(&self, line: &LogLine, what: impl Into<String>) -> ReplayError {
        ReplayError::Impossible { file: self.file.into(), line: line.number, what: what.into() }
    }

    fn step(&mut self, at: usize) -> Result<(), ReplayError> {
        let line = &self.lines[at];
        if line.event == "ioprio" {
            self.follow_ioprio(line);
            return Ok(());
        }
        if !line.is_event() {
            return self.compare(at);
        }
        if self.performed.take_if(|performed| *performed == at).is_some() {
            return Ok(());
        }
        self.fire_timers_before(line.t_ns.saturating_sub(RESOLUTION_NS));
        self.expect_nothing_more(line.number);
        match line.event.as_str() {
            "allocate" => {
                let (number, _) = self.process_of(line)?;
                self.allocated.push(number);
                Ok(())
            }
            "insert" | "insert_at_head" => self.insert(at),
            "dispatch_attempt" => self.dispatch(line),
            "issue" => self.issue(line),
            "complete" | "requeue" => self.complete(line),
            "exit" => self.exit(at),
            _ => self.change(line),
        }
    }

    /// The reference logs the priority of a queue when it is created, as that of `async` since it
    /// has no name yet, and when it follows a change of its process's.
    fn follow_ioprio(&mut self, line: &LogLine) {
        let number = line.queue.parse::<u32>().ok();
        let level = line.fields.first().and_then(|level| level.parse::<u8>().ok());
        if let (Some(number), Some(level)) = (number, level)
            && let Some(&process) = self.processes.get(&number)
            && let Some((ioprio, _)) = self.traits.get_mut(&number)
        {
            *ioprio = Ioprio::new(ioprio.class(), level);
            let attributes = ProcessAttributes::with_ioprio(*ioprio);
            // The process exists: it is one of the log's.
            let _ = self.scheduler.set_attributes(process, attributes);
        }
    }

    /// A decision in the log: it must be the next one decided.
    fn compare(&mut self, at: usize) -> Result<(), ReplayError> {
        let line = &self.lines[at];
        if self.decided.is_empty() {
            self.decide_without_event(at)?;
        }
        self.outcome.decisions += 1;
        let decided = self.decided.pop_front().unwrap_or_default();
        let expected = line.text();
        if decided != expected {
            self.differ(line.number, expected, decided);
        }
        Ok(())
    }

    /// A decision without an event before it: an allocation asks for its limit, a timer fires, or
    /// the event is logged behind its decisions.
    fn decide_without_event(&mut self, at: usize) -> Result<(), ReplayError> {
        let line = &self.lines[at];
        if matches!(line.event.as_str(), "request_limit" | "group_limit") {
            return self.ask_limit(at);
        }
        let due = self
            .scheduler
            .next_timer()
            .is_some_and(|timer| timer.as_ns() <= line.t_ns + RESOLUTION_NS);
        if due {
            let timer = self.scheduler.next_timer().unwrap_or(Time::from_ns(line.t_ns));
            self.scheduler.on_timer(timer.max(Time::from_ns(line.t_ns)));
            self.collect();
            return Ok(());
        }
        let Some(next) = (at..self.lines.len()).find(|&at| self.lines[at].is_event()) else {
            return Ok(());
        };
        match self.lines[next].event.as_str() {
            "allocate" => self.offer_bio(line, next),
            "insert" => {
                self.insert(next)?;
                self.performed = Some(next);
            }
            "exit" => {
                self.exit(next)?;
                self.performed = Some(next);
            }
            _ => {}
        }
        Ok(())
    }

    /// The bio that asks for a request is offered to others first.
    fn offer_bio(&mut self, line: &LogLine, allocation: usize) {
        let allocating = &self.lines[allocation];
        let Ok((number, process)) = self.process_of(allocating) else { return };
        let Some(bios) = &mut self.bios else { return };
        let Some((operation, sync, sector, sectors)) = allocating.request() else { return };
        let now = Time::from_ns(line.t_ns);
        let bio = NewRequest { operation, sync, ..NewRequest::read(process, sector, sectors, now) };
        let of = |id: Option<ProcessId>| {
            let mut processes = self.processes.iter();
            let (number, _) = processes.find(|&(_, &other)| Some(other) == id)?;
            self.traits.get(number)
        };
        let kin = |other: &NewRequest| of(other.process) == self.traits.get(&number);
        bios.offer(&mut self.scheduler, now, allocation, &bio, kin);
        self.collect();
    }

    fn ask_limit(&mut self, at: usize) -> Result<(), ReplayError> {
        let is_limit = |line: &LogLine| line.event == "request_limit";
        let Some(limit) = (at..self.lines.len()).find(|&at| is_limit(&self.lines[at])) else {
            return Ok(());
        };
        let sync = self.lines[limit].fields.get(1).is_some_and(|sync| sync == "1");
        let named = Some(&self.lines[at]).filter(|line| line.event == "group_limit");
        let texts = &self.texts;
        let allocated = &self.allocated;
        let on_its_way = |number| {
            let known = texts.values().map(|(_, number)| number).chain(allocated);
            known.filter(|&&other| other == number).count()
        };
        let fits = |allocation: &Allocation| {
            let uses = |name: &str| {
                let process = self.processes.get(&allocation.process);
                let queue = process.and_then(|&id| self.scheduler.queue_of_process(id, sync));
                queue.is_some_and(|queue| self.labels.of(queue) == name)
            };
            allocation.sync == sync && named.is_none_or(|line| uses(&line.queue))
        };
        let last = self.last_completed;
        let asker = self.askers.next(self.lines, limit, on_its_way, fits, last);
        if let Some(asker) = asker {
            self.offer_bio(&self.lines[at], asker.at);
        }
        let number = asker.map(|asker| asker.process).or(self.last_completed);
        let process = number.and_then(|number| self.processes.get(&number)).copied();
        let operation = asker.map_or(Operation::Read, |asker| asker.operation);
        let now = Time::from_ns(self.lines[at].t_ns);
        self.scheduler.allowed_requests(now, process, operation, sync);
        self.collect();
        Ok(())
    }

    fn insert(&mut self, at: usize) -> Result<(), ReplayError> {
        let line = &self.lines[at];
        let now = Time::from_ns(line.t_ns);
        let (number, process) = self.process_of(line)?;
        let Some((operation, sync, sector, sectors)) = line.request() else {
            return Err(self.impossible(line, "expected `op,sector,sectors`"));
        };
        let Some(tag) = self.free_tags.pop() else {
            return Err(self.impossible(line, "more requests than the pool has"));
        };
        let id = RequestId::from_index(tag as usize);
        let new = NewRequest { operation, sync, ..NewRequest::read(process, sector, sectors, now) };
        self.texts.insert(id, (line.fields.join(","), number));
        let allocated = self.allocated.iter().position(|&other| other == number);
        allocated.map(|at| self.allocated.remove(at));
        if let Some(bios) = &mut self.bios {
            bios.inserted(id, new);
        }
        let inserted = self.scheduler.insert(now, id, &new, line.event == "insert_at_head");
        inserted.map_err(|error| self.impossible(line, error.to_string()))?;
        self.collect();
        Ok(())
    }

    fn dispatch(&mut self, line: &LogLine) -> Result<(), ReplayError> {
        let busy = self.scheduler.busy_queues().to_string();
        // A trace does not show it where a request is served before all queues.
        if let Some(logged) = line.fields.first() {
            self.outcome.decisions += 1;
            if *logged != busy {
                self.differ(line.number, line.text(), format!("dispatch_attempt,,{busy}"));
            }
        }
        let now = Time::from_ns(line.t_ns);
        self.let_grow(now);
        let id = self.scheduler.dispatch(now);
        if let (Some(bios), Some(id)) = (&mut self.bios, id) {
            bios.dispatched(id);
        }
        self.to_issue.extend(id);
        self.collect();
        Ok(())
    }

    /// The request that is issued next may have grown by bios that merged with it.
    fn let_grow(&mut self, now: Time) {
        let Some(bios) = &mut self.bios else { return };
        let Some(growth) = bios.grow_next(&mut self.scheduler, now) else { return };
        if let Some((text, _)) = self.texts.get_mut(&growth.survivor) {
            *text = growth.text;
        }
        for absorbed in growth.absorbed {
            self.texts.remove(&absorbed);
            self.free_tags.push(absorbed.index() as u32);
        }
    }

    fn issue(&mut self, line: &LogLine) -> Result<(), ReplayError> {
        self.outcome.decisions += 1;
        let expected = line.fields.join(",");
        let Some(id) = self.to_issue.pop_front() else {
            self.differ(line.number, line.text(), String::new());
            return Ok(());
        };
        let decided = self.texts[&id].0.clone();
        self.issued.entry(decided.clone()).or_default().push_back(id);
        if decided != expected {
            self.differ(line.number, line.text(), format!("issue,,{decided}"));
        }
        Ok(())
    }

    fn complete(&mut self, line: &LogLine) -> Result<(), ReplayError> {
        let text = line.fields.join(",");
        let Some(id) = self.issued.get_mut(&text).and_then(VecDeque::pop_front) else {
            self.differ(line.number, line.text(), format!("{}: it was not issued", line.event));
            return Ok(());
        };
        let now = Time::from_ns(line.t_ns);
        let completed = if line.event == "requeue" {
            self.scheduler.requeue(now, id)
        } else {
            self.scheduler.complete(now, id)
        };
        completed.map_err(|error| self.impossible(line, error.to_string()))?;
        self.last_completed = self.texts.remove(&id).map(|(_, number)| number);
        self.free_tags.push(id.index() as u32);
        self.collect();
        Ok(())
    }

    fn exit(&mut self, at: usize) -> Result<(), ReplayError> {
        let line = &self.lines[at];
        let number = line.queue.parse::<u32>().ok().or_else(|| self.sharer_to_exit());
        let process = number.and_then(|number| self.processes.get(&number)).copied();
        let (Some(process), Some(number)) = (process, number) else {
            return Err(self.impossible(line, "no process is left that could have exited"));
        };
        self.exited.push(number);
        let exited = self.scheduler.exit_process(Time::from_ns(line.t_ns), process);
        exited.map_err(|error| self.impossible(line, error.to_string()))?;
        self.collect();
        Ok(())
    }

    /// The log names only the shared queue: the process that exits is one that has nothing on its
    /// way, preferably the one whose request completed last.
    fn sharer_to_exit(&self) -> Option<u32> {
        let on_its_way = |number: u32| self.texts.values().any(|&(_, other)| other == number);
        let alive = |number: &u32| !self.exited.contains(number) && !on_its_way(*number);
        let last = self.last_completed.filter(alive);
        last.or_else(|| self.processes.keys().copied().rev().find(alive))
    }

    fn fire_timers_before(&mut self, t_ns: u64) {
        while let Some(timer) = self.scheduler.next_timer().filter(|timer| timer.as_ns() < t_ns) {
            self.scheduler.on_timer(timer);
            self.collect();
        }
    }

    /// Takes what the core decided, in the words of the log.
    pub(crate) fn collect(&mut self) {
        let decisions = core::mem::take(&mut self.scheduler.observer_mut().0);
        let creates = |decision: &Decision| matches!(decision, Decision::QueueCreated { .. });
        for (at, decision) in decisions.iter().enumerate() {
            self.labels.follow_creation(decision);
            self.decided.extend(self.labels.render(decision));
            self.labels.follow(decision);
            // The last process of a shared queue keeps it.
            if let (Decision::Split { queue, process }, false) =
                (decision, decisions[at..].iter().any(creates))
            {
                self.labels.name_after(*queue, *process);
            }
        }
    }

    fn expect_nothing_more(&mut self, line: usize) {
        while let Some(decided) = self.decided.pop_front() {
            self.differ(line, String::new(), decided);
        }
    }

    fn differ(&mut self, line: usize, expected: String, decided: String) {
        self.outcome.differ += 1;
        if self.outcome.first.len() < MOST_SHOWN {
            self.outcome.first.push(Difference { at: LogPosition::Line(line), expected, decided });
        }
    }

    fn finish(&mut self) {
        let last = self.lines.last().map_or(0, |line| line.number);
        self.expect_nothing_more(last);
    }
}
