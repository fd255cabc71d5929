//! Feeds the events of a log to the core and compares what it decides.

use crate::{FidelityError, Line, Setup, labels::Labels};
use bfq::{
    Config, NewRequest, Operation, ProcessAttributes, ProcessId, RequestId, Scheduler, Time,
    why::{Decision, Observer},
};
use std::collections::{BTreeMap, VecDeque};

/// Times in logs are rounded to a microsecond.
const RESOLUTION_NS: u64 = 2000;

/// The recording's coarse clock lags by at most this.
const CLOCK_LAG_MS: u64 = 2;

/// The result of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Decisions compared.
    pub decisions: usize,
    /// How many of them differ.
    pub differ: usize,
    /// Decisions that agree but for the recording's coarse clock: the age of a raise, shown in
    /// milliseconds, is off by the one or two ticks by which that clock lags at times.
    pub clock: Vec<Difference>,
    /// The first differences.
    pub first: Vec<Difference>,
    /// What has to be said of the comparison, if anything.
    pub note: Option<String>,
}

/// Where something stands in what was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The line of a log, from 1.
    Line(usize),
    /// The byte of a recording, from 0.
    Byte(usize),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Line(line) => write!(f, "line {line}"),
            Place::Byte(byte) => write!(f, "byte {byte}"),
        }
    }
}

/// A decision that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where the recording says something else.
    pub at: Place,
    /// What the recording says; empty if it says nothing.
    pub expected: String,
    /// What was decided; empty if nothing.
    pub decided: String,
}

/// Differences kept.
pub(crate) const MOST_SHOWN: usize = 20;

/// Keeps what the core decides.
#[derive(Debug, Default)]
struct Recorder(Vec<Decision>);

impl Observer for Recorder {
    fn decided(&mut self, _: Time, decision: &Decision) {
        self.0.push(*decision);
    }
}

/// Replays a log.
///
/// # Errors
/// [`FidelityError::Impossible`] if an event refers to something that the log never introduced.
pub fn replay(file: &str, setup: &Setup, lines: &[Line]) -> Result<Outcome, FidelityError> {
    let mut replay = Replay::new(file, setup, lines)?;
    for at in 0..lines.len() {
        replay.step(at)?;
    }
    replay.finish();
    Ok(replay.outcome)
}

struct Replay<'a> {
    file: &'a str,
    lines: &'a [Line],
    scheduler: Scheduler<Recorder>,
    labels: Labels,
    processes: BTreeMap<u32, ProcessId>,
    /// Decided and not compared yet.
    decided: VecDeque<String>,
    free_tags: Vec<u32>,
    /// Dispatched, not issued yet.
    to_issue: VecDeque<RequestId>,
    /// Issued, by what the log says of them.
    issued: BTreeMap<String, VecDeque<RequestId>>,
    /// What each request looks like in the log, and whose it is.
    texts: BTreeMap<RequestId, (String, u32)>,
    /// Exits performed ahead of their line.
    exited_ahead: Option<usize>,
    /// The process that completed a request last.
    last_completed: Option<u32>,
    exited: Vec<u32>,
    /// Position from which to look for the next allocation.
    next_allocation: usize,
    outcome: Outcome,
}

impl<'a> Replay<'a> {
    fn new(file: &'a str, setup: &Setup, lines: &'a [Line]) -> Result<Self, FidelityError> {
        let start = Time::from_ns(0);
        let config = Config {
            rotational: setup.rotational(),
            nr_requests: setup.nr_requests,
            hz: setup.hz,
            actuator_ends: &[],
            behaviour: setup.behaviour(),
        };
        let impossible =
            |what: String| FidelityError::Impossible { file: file.into(), line: 0, what };
        let mut scheduler = Scheduler::with_observer(start, config, Recorder::default())
            .map_err(|error| impossible(error.to_string()))?;
        for (tunable, value) in setup.tunables() {
            scheduler.set_tunable(start, tunable, value);
        }
        let mut groups = BTreeMap::new();
        for (name, &weight) in &setup.groups {
            let group = scheduler.add_group(start, scheduler.root_group());
            let group = group.map_err(|error| impossible(error.to_string()))?;
            scheduler
                .set_group_weight(start, group, weight)
                .map_err(|error| impossible(format!("group {name}: {error}")))?;
            groups.insert(name.clone(), group);
        }
        let mut processes = BTreeMap::new();
        let mut labels = Labels::default();
        for process in setup.processes() {
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
            decided: VecDeque::new(),
            free_tags: (0..setup.nr_requests).rev().collect(),
            to_issue: VecDeque::new(),
            issued: BTreeMap::new(),
            texts: BTreeMap::new(),
            exited_ahead: None,
            last_completed: None,
            exited: Vec::new(),
            next_allocation: 0,
            outcome: Outcome::default(),
        })
    }

    fn impossible(&self, line: &Line, what: impl Into<String>) -> FidelityError {
        FidelityError::Impossible { file: self.file.into(), line: line.number, what: what.into() }
    }

    fn step(&mut self, at: usize) -> Result<(), FidelityError> {
        let line = &self.lines[at];
        // Logged with a queue's creation; not a decision of its own.
        if line.event == "ioprio" {
            return Ok(());
        }
        if !line.is_event() {
            return self.compare(at);
        }
        self.fire_timers_before(line.t_ns.saturating_sub(RESOLUTION_NS));
        if line.event != "insert" {
            self.expect_nothing_more(line.number);
        }
        match line.event.as_str() {
            "allocate" => self.insert(at),
            "insert" => {
                self.check_inserted(line);
                Ok(())
            }
            "dispatch_attempt" => self.dispatch(line),
            "issue" => self.issue(line),
            "complete" => self.complete(line),
            _ => self.exit(at),
        }
    }

    /// A decision in the log: it must be the next one decided.
    fn compare(&mut self, at: usize) -> Result<(), FidelityError> {
        let line = &self.lines[at];
        if self.decided.is_empty() {
            self.decide_without_event(at)?;
        }
        self.outcome.decisions += 1;
        let decided = self.decided.pop_front().unwrap_or_default();
        let expected = line.text();
        if decided != expected {
            if differs_by_clock(&expected, &decided) {
                self.outcome.clock.push(Difference {
                    at: Place::Line(line.number),
                    expected,
                    decided,
                });
            } else {
                self.differ(line.number, expected, decided);
            }
        }
        Ok(())
    }

    /// A decision without an event before it: an allocation asks for its limit, a timer fires, or
    /// the event is logged behind its decisions.
    fn decide_without_event(&mut self, at: usize) -> Result<(), FidelityError> {
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
            self.collect(None);
            return Ok(());
        }
        let next_event = (at..self.lines.len()).find(|&at| self.lines[at].is_event());
        if let Some(exit) = next_event.filter(|&at| self.lines[at].event == "exit") {
            self.perform_exit(exit)?;
            self.exited_ahead = Some(exit);
        }
        Ok(())
    }

    fn ask_limit(&mut self, at: usize) -> Result<(), FidelityError> {
        let is_limit = |line: &&Line| line.event == "request_limit";
        let Some(limit) = self.lines[at..].iter().find(is_limit) else { return Ok(()) };
        let sync = limit.fields.get(1).is_some_and(|sync| sync == "1");
        let labelled = Some(&self.lines[at]).filter(|line| line.event == "group_limit");
        let allocating = self.next_allocating(at);
        let process = match labelled {
            Some(line) => self.user_of(&line.queue, sync, allocating),
            None => allocating,
        };
        // The kind is known by the allocation that follows; a sync write shows by its limit.
        let read = sync && limit.fields.get(2).is_some_and(|depth| depth == "0" || depth == "1");
        let operation =
            if read || self.allocates_read(at) { Operation::Read } else { Operation::Write };
        let now = Time::from_ns(self.lines[at].t_ns);
        self.scheduler.allowed_requests(now, process, operation, sync);
        self.collect(None);
        Ok(())
    }

    /// A process that uses the queue of this name: `likely` if it does, else the first that does.
    fn user_of(&self, name: &str, sync: bool, likely: Option<ProcessId>) -> Option<ProcessId> {
        let uses = |process: &ProcessId| {
            let queue = self.scheduler.queue_of_process(*process, sync);
            queue.is_some_and(|queue| self.labels.of(queue) == name)
        };
        likely.filter(uses).or_else(|| self.processes.values().copied().find(uses))
    }

    fn allocates_read(&self, at: usize) -> bool {
        let next = self.lines[at..].iter().find(|line| line.event == "allocate");
        next.and_then(|line| line.fields.first()).is_some_and(|op| op.starts_with('R'))
    }

    /// The process of the next allocation that no request for a limit was matched with yet.
    fn next_allocating(&mut self, at: usize) -> Option<ProcessId> {
        let from = self.next_allocation.max(at);
        let found = (from..self.lines.len()).find(|&at| self.lines[at].event == "allocate")?;
        self.next_allocation = found + 1;
        let number = self.lines[found].queue.parse::<u32>().ok()?;
        self.processes.get(&number).copied()
    }

    fn insert(&mut self, at: usize) -> Result<(), FidelityError> {
        let line = &self.lines[at];
        let insertion = self.lines[at..].iter().find(|line| line.event == "insert");
        let t_ns = insertion.map_or(line.t_ns, |line| line.t_ns);
        let now = Time::from_ns(t_ns);
        let number = line.queue.parse::<u32>().ok();
        let process = number.and_then(|number| self.processes.get(&number)).copied();
        let (Some(process), Some(number)) = (process, number) else {
            return Err(self.impossible(line, format!("process `{}` is unknown", line.queue)));
        };
        let Some((operation, sync, sector, sectors)) = parse_request(line) else {
            return Err(self.impossible(line, "expected `op,sector,sectors`"));
        };
        let Some(tag) = self.free_tags.pop() else {
            return Err(self.impossible(line, "more requests than the pool has"));
        };
        let id = RequestId::from_index(tag as usize);
        let new = NewRequest { operation, sync, ..NewRequest::read(process, sector, sectors, now) };
        self.texts.insert(id, (line.fields.join(","), number));
        let inserted = self.scheduler.insert(now, id, new, false);
        inserted.map_err(|error| self.impossible(line, error.to_string()))?;
        self.collect(Some(process));
        Ok(())
    }

    fn check_inserted(&mut self, line: &Line) {
        // An insertion is performed at its allocation; the line in between splits its decisions.
        let text = line.fields.join(",");
        let known = self.texts.values().any(|(known, _)| *known == text);
        if !known {
            self.differ(line.number, line.text(), String::new());
        }
    }

    fn dispatch(&mut self, line: &Line) -> Result<(), FidelityError> {
        self.outcome.decisions += 1;
        let busy = self.scheduler.busy_queues().to_string();
        if line.fields.first() != Some(&busy) {
            self.differ(line.number, line.text(), format!("dispatch_attempt,,{busy}"));
        }
        let id = self.scheduler.dispatch(Time::from_ns(line.t_ns));
        self.to_issue.extend(id);
        self.collect(None);
        Ok(())
    }

    fn issue(&mut self, line: &Line) -> Result<(), FidelityError> {
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

    fn complete(&mut self, line: &Line) -> Result<(), FidelityError> {
        let text = line.fields.join(",");
        let Some(id) = self.issued.get_mut(&text).and_then(VecDeque::pop_front) else {
            self.differ(line.number, line.text(), "complete: it was not issued".into());
            return Ok(());
        };
        let completed = self.scheduler.complete(Time::from_ns(line.t_ns), id);
        completed.map_err(|error| self.impossible(line, error.to_string()))?;
        self.last_completed = self.texts.remove(&id).map(|(_, number)| number);
        self.free_tags.push(id.index() as u32);
        self.collect(None);
        Ok(())
    }

    fn exit(&mut self, at: usize) -> Result<(), FidelityError> {
        if self.exited_ahead.take() == Some(at) {
            return Ok(());
        }
        self.perform_exit(at)
    }

    fn perform_exit(&mut self, at: usize) -> Result<(), FidelityError> {
        let line = &self.lines[at];
        let number = line.queue.parse::<u32>().ok().or_else(|| self.sharer_to_exit());
        let process = number.and_then(|number| self.processes.get(&number)).copied();
        let (Some(process), Some(number)) = (process, number) else {
            return Err(self.impossible(line, "no process is left that could have exited"));
        };
        self.exited.push(number);
        let exited = self.scheduler.exit_process(Time::from_ns(line.t_ns), process);
        exited.map_err(|error| self.impossible(line, error.to_string()))?;
        self.collect(None);
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
            self.collect(None);
        }
    }

    /// Takes what the core decided, in the words of the log. `process` is whose request was
    /// inserted.
    fn collect(&mut self, process: Option<ProcessId>) {
        let decisions = core::mem::take(&mut self.scheduler.observer_mut().0);
        let mut split = None;
        for decision in &decisions {
            if let Decision::QueueCreated { .. } = decision {
                split = None;
            }
            self.labels.follow_creation(decision);
            self.decided.extend(self.labels.render(decision));
            self.labels.follow(decision);
            if let Decision::Split { queue, .. } = decision {
                split = Some(*queue);
            }
        }
        // The last process of a shared queue keeps it.
        if let (Some(queue), Some(process)) = (split, process) {
            self.labels.name_after(queue, process);
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
            self.outcome.first.push(Difference { at: Place::Line(line), expected, decided });
        }
    }

    fn finish(&mut self) {
        let last = self.lines.last().map_or(0, |line| line.number);
        self.expect_nothing_more(last);
    }
}

/// Whether two lines differ just in the age of a raise, by at most two ticks.
fn differs_by_clock(expected: &str, decided: &str) -> bool {
    let split = |line: &str| -> Option<(String, u64, String)> {
        let (queue, rest) = line.strip_prefix("raise,")?.split_once(',')?;
        let (age, rest) = rest.split_once(',')?;
        Some((queue.to_owned(), age.parse().ok()?, rest.to_owned()))
    };
    let (Some(one), Some(other)) = (split(expected), split(decided)) else { return false };
    one.0 == other.0 && one.2 == other.2 && one.1.abs_diff(other.1) <= CLOCK_LAG_MS
}

fn parse_request(line: &Line) -> Option<(Operation, bool, u64, u32)> {
    let [operation, sector, sectors] = line.fields.as_slice() else { return None };
    let (operation, sync) = match operation.as_str() {
        // Reads are sync to the scheduler, whoever waits for them.
        "RS" | "R" => (Operation::Read, true),
        "WS" => (Operation::Write, true),
        "W" => (Operation::Write, false),
        _ => return None,
    };
    Some((operation, sync, sector.parse().ok()?, sectors.parse().ok()?))
}
