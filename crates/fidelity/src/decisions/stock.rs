// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the kernel's own bfq says in the block tracer, put into the words of a decision log, so
//! that it is compared in the same way.
//!
//! The tracer shows each request on its way (`G` allocated, `I` inserted, `D` issued, `C`
//! completed, `R` given back); the module says what it decides. What else happens stands
//! there as marks:
//!
//! ```text
//! group a/b 2c          the number that the tracer has for a cgroup
//! process be4 a         whoever wrote this does I/O from now on, with this priority, in this group
//! tunable low_latency 0 written next
//! weight a 300          likewise
//! removed a             the group goes; the scheduler hears of it later, which shows as `offline`
//! ```
//!
//! `-` is the root group. Where the tracer names the cgroup of a request, a process belongs to that
//! of its newest one, and who has not introduced itself is a kernel thread. Two probes are there as
//! well: `attached`, when the disk gets its scheduler, and `offline`.

use super::log;
use super::log::{LogError, LogLine};
use super::plug::PlugClock;
use super::setup::Setup;
use super::tracer::{self, TracerEvent};
use base::parse_ioprio;
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    path::Path,
};

/// Reasons in the order of the numbers that the module states.
const REASONS: [&str; 5] =
    ["too_idle", "budget_timeout", "budget_exhausted", "no_more_requests", "preempted"];

/// The tracer's number of the root cgroup.
const ROOT_NUMBER: &str = "1";

/// The priority of the kernel's threads.
const KERNEL_THREAD_IOPRIO: &str = "be4";

/// What the module says besides decisions: how it found them, and its counting of references.
const NO_DECISIONS: [&str; 19] = [
    "WARN: pending prio change",
    "add_request ",
    "check_fifo: returned ",
    "exit_icq",
    "get_entity: ",
    "get_request ",
    "get_bfqq: ",
    "get_queue, bfqq not in async: ",
    "may_budget_timeout: ",
    "merge_bfqqs: wr_busy ",
    "put_async_bfqq: ",
    "put_entity: ",
    "put_queue: ",
    "rq_pos_tree_lookup ",
    "select_queue: already in-service queue",
    "select_queue: checking new queue",
    "select_queue: returned this queue",
    "update_peak_rate: ",
    "set_next_ioprio_data: ",
];

/// Reads a trace: its lines as those of a log, with the numbers they have in the trace. The
/// processes that introduce themselves in it go to the `setup`.
///
/// # Errors
/// If a line is not understood.
pub(crate) fn read(path: &Path, bytes: &[u8], setup: &mut Setup) -> Result<Vec<LogLine>, LogError> {
    setup.at_work = true;
    let clock = (!setup.clock_runs).then(|| PlugClock::new(setup.tick_ns()));
    let mut reader = Reader { clock, ..Reader::default() };
    for (at, line) in String::from_utf8_lossy(bytes).lines().enumerate() {
        if line.starts_with('#') || line.trim().is_empty() {
            continue;
        }
        reader.read(at + 1, line, setup).ok_or_else(|| LogError::UnknownMessage {
            path: path.to_owned(),
            line: at + 1,
            found: line.trim().to_owned(),
        })?;
    }
    Ok(reader.lines)
}

#[derive(Debug, Default)]
struct Reader {
    lines: Vec<LogLine>,
    /// If a time is read once for all that a process submits together.
    clock: Option<PlugClock>,
    /// Number and time of the line that is read.
    at: (usize, u64),
    /// What was said in the lines before, of a decision that takes several.
    pending: Vec<String>,
    /// Requests on their way.
    requests: Vec<Request>,
    /// Requests inserted at the head of which no dispatch was seen yet. They are served before all
    /// queues, of which the module says nothing.
    heads: usize,
    /// The bio that each process works at.
    bios: BTreeMap<String, Vec<String>>,
    /// The process that is told how much of the pool it may use, and where that is in `lines`: an
    /// interrupt may come in between.
    asker: Option<String>,
    told_at: usize,
    /// Groups that are removed, but not offline yet.
    removed: VecDeque<String>,
    /// Names of the groups, by the tracer's numbers.
    groups: BTreeMap<String, String>,
    /// The group of each process.
    members: BTreeMap<String, String>,
    ended: BTreeSet<String>,
}

#[derive(Debug)]
struct Request {
    operation: &'static str,
    sector: u64,
    sectors: u32,
    /// The process that inserted it.
    owner: String,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Waiting,
    /// In the disk, and the sectors of it that were served.
    Issued {
        served: u32,
    },
    /// The disk gave it back.
    GivenBack,
    /// In the disk once more, past the scheduler, which has forgotten it.
    Foreign {
        served: u32,
    },
}

impl Request {
    fn text(&self) -> Vec<String> {
        vec![self.operation.to_owned(), self.sector.to_string(), self.sectors.to_string()]
    }

    /// Takes off what was served.
    fn rest(&mut self, served: u32) {
        self.sector += u64::from(served);
        self.sectors -= served;
    }
}

impl Reader {
    fn read(&mut self, number: usize, line: &str, setup: &mut Setup) -> Option<()> {
        let entry = tracer::parse(line)?;
        let t_ns = self.clock.as_mut().map_or(entry.t_ns, |clock| clock.time_ns(&entry));
        // The core's time never goes back.
        self.at = (number, t_ns.max(self.at.1));
        match entry.what {
            TracerEvent::Step { action, group, operation, sector, sectors } => {
                if let ("Q", Some(group)) = (action, group) {
                    self.note_group(entry.pid, group, setup)?;
                }
                self.step(entry.pid, action, operation, sector, sectors)
            }
            TracerEvent::Message { queue, text } => {
                self.note_completion();
                self.note_asker(entry.pid, text)?;
                self.message(entry.pid, queue.unwrap_or_default(), text)
            }
            TracerEvent::Mark(mark) => self.mark(entry.pid, mark, setup),
            TracerEvent::Attached => {
                setup.attached_ns = self.at.1;
                Some(())
            }
            TracerEvent::Offline => self.offline(),
        }
    }

    fn add(&mut self, event: &str, queue: &str, fields: Vec<String>) -> Option<()> {
        let (number, t_ns) = self.at;
        let queue = queue.to_owned();
        self.lines.push(LogLine { number, t_ns, event: event.into(), queue, fields });
        Some(())
    }

    /// A process does something in a group.
    fn note_group(&mut self, pid: &str, group: &str, setup: &mut Setup) -> Option<()> {
        let group = if group == ROOT_NUMBER { "-" } else { self.groups.get(group)? }.to_owned();
        match self.members.insert(pid.to_owned(), group.clone()) {
            None => self.introduce(pid, KERNEL_THREAD_IOPRIO, &group, setup),
            Some(before) if before == group => Some(()),
            Some(_) => self.add("moved", pid, vec![group]),
        }
    }

    fn introduce(&mut self, pid: &str, ioprio: &str, group: &str, setup: &mut Setup) -> Option<()> {
        parse_ioprio(ioprio).ok()?;
        self.members.insert(pid.to_owned(), group.to_owned());
        let group = Some(group).filter(|&group| group != "-").map(str::to_owned);
        setup.add_process(pid.parse().ok()?, ioprio, group).ok()
    }

    /// A request is at this point of its way.
    fn step(&mut self, pid: &str, action: &str, op: &str, sector: u64, sectors: u32) -> Option<()> {
        let operation = operation(op)?;
        let text = || vec![operation.to_owned(), sector.to_string(), sectors.to_string()];
        match action {
            "Q" => {
                self.bios.insert(pid.to_owned(), text());
                Some(())
            }
            "G" => self.add("allocate", pid, text()),
            "I" => self.insert(pid, operation, sector, sectors),
            "D" => self.issue(operation, sector),
            "C" => self.complete(operation, sector, sectors),
            "R" => self.give_back(operation, sector),
            // Plugs.
            "P" | "U" | "UT" | "X" => Some(()),
            _ => None,
        }
    }

    /// The tracer shows a completion some microseconds before the scheduler is told of it. It reads
    /// its clock before it says something of it, in the next line: taken to be midway.
    fn note_completion(&mut self) {
        let (number, t_ns) = self.at;
        if let Some(last) = self.lines.last_mut()
            && matches!(last.event.as_str(), "complete" | "requeue")
            && last.number + 1 == number
        {
            last.t_ns += t_ns.saturating_sub(last.t_ns) / 2;
        }
    }

    /// A process that wants a place in the pool is told of the limits of groups first, then of its
    /// own. It asks once more when it has slept for one.
    fn note_asker(&mut self, pid: &str, text: &str) -> Option<()> {
        let is_last = text.starts_with("[bfq_limit_depth]");
        if !is_last && !text.starts_with("too many requests:") {
            return Some(());
        }
        if self.asker.as_deref() != Some(pid) {
            let bio = self.bios.get(pid)?.clone();
            self.add("ask", pid, bio)?;
            self.told_at = self.lines.len();
        }
        self.asker = Some(pid.to_owned()).filter(|_| !is_last);
        Some(())
    }

    /// The newest line tells the same process as those before it, whatever came in between.
    fn keep_together(&mut self) -> Option<()> {
        let told = self.lines.get_mut(self.told_at..)?;
        let t_ns = told.first()?.t_ns;
        told.last_mut()?.t_ns = t_ns;
        told.rotate_right(1);
        self.told_at += 1;
        Some(())
    }

    fn find(&self, is_it: impl Fn(&Request) -> bool) -> Option<usize> {
        self.requests.iter().position(is_it)
    }

    fn insert(
        &mut self,
        pid: &str,
        operation: &'static str,
        sector: u64,
        sectors: u32,
    ) -> Option<()> {
        let given_back = self.find(|one| {
            (one.operation, one.sector, one.state) == (operation, sector, State::GivenBack)
        });
        if let Some(at) = given_back {
            self.requests[at].state = State::Waiting;
            let (owner, text) = (self.requests[at].owner.clone(), self.requests[at].text());
            self.heads += 1;
            return self.add("insert_at_head", &owner, text);
        }
        let state = State::Waiting;
        let request = Request { operation, sector, sectors, owner: pid.to_owned(), state };
        let text = request.text();
        self.requests.push(request);
        self.add("insert", pid, text)
    }

    fn issue(&mut self, operation: &str, sector: u64) -> Option<()> {
        self.dispatch_heads()?;
        let at = self.find(|one| {
            (one.operation, one.sector) == (operation, sector)
                && matches!(one.state, State::Waiting | State::GivenBack)
        })?;
        if self.requests[at].state == State::GivenBack {
            self.requests[at].state = State::Foreign { served: 0 };
            return Some(());
        }
        self.requests[at].state = State::Issued { served: 0 };
        let text = self.requests[at].text();
        self.add("issue", "", text)
    }

    fn complete(&mut self, operation: &str, sector: u64, sectors: u32) -> Option<()> {
        let at = self.find(|one| {
            (one.operation, one.sector) == (operation, sector)
                && matches!(one.state, State::Issued { .. } | State::Foreign { .. })
        })?;
        let request = &mut self.requests[at];
        if sectors < request.sectors {
            if let State::Issued { served } | State::Foreign { served } = &mut request.state {
                *served = sectors;
            }
            return Some(());
        }
        let request = self.requests.remove(at);
        match request.state {
            State::Issued { .. } => self.add("complete", "", request.text()),
            _ => Some(()),
        }
    }

    fn give_back(&mut self, operation: &str, sector: u64) -> Option<()> {
        let at = self.find(|one| match one.state {
            State::Issued { served } | State::Foreign { served } => {
                one.operation == operation && one.sector + u64::from(served) == sector
            }
            _ => false,
        })?;
        let request = &mut self.requests[at];
        let (text, before) = (request.text(), request.state);
        request.state = State::GivenBack;
        match before {
            State::Issued { served } => {
                request.rest(served);
                self.add("requeue", "", text)
            }
            State::Foreign { served } => {
                request.rest(served);
                Some(())
            }
            _ => Some(()),
        }
    }

    /// What was inserted at the head is served before anything is said of a queue.
    fn dispatch_heads(&mut self) -> Option<()> {
        for _ in 0..core::mem::take(&mut self.heads) {
            self.add("dispatch_attempt", "", Vec::new())?;
        }
        Some(())
    }

    fn mark(&mut self, pid: &str, mark: &str, setup: &mut Setup) -> Option<()> {
        let words: Vec<&str> = mark.split(' ').collect();
        match words[..] {
            ["group", group, number] => {
                self.groups.insert(number.into(), group.into());
                Some(())
            }
            ["process", ioprio, group] => self.introduce(pid, ioprio, group, setup),
            ["tunable", name, value] => self.add("tunable", "", vec![name.into(), value.into()]),
            ["weight", group, weight] => self.add("weight", "", vec![group.into(), weight.into()]),
            ["removed", group] => {
                self.removed.push_back(group.into());
                Some(())
            }
            _ => None,
        }
    }

    fn offline(&mut self) -> Option<()> {
        let group = self.removed.pop_front()?;
        self.add("offline", "", vec![group])
    }

    /// A message, of a queue if it names one.
    fn message(&mut self, pid: &str, queue: &str, text: &str) -> Option<()> {
        if NO_DECISIONS.iter().any(|known| text.starts_with(known)) {
            return Some(());
        }
        if let Some(other) = text.strip_prefix("set tentative waker ") {
            return self.add("tentative_waker", queue, vec![tracer::queue_name(other)?.into()]);
        }
        if let Some(other) = text.strip_prefix("set waker ") {
            return self.add("waker", queue, vec![tracer::queue_name(other)?.into()]);
        }
        // The same words mean the same message, whatever the figures.
        let (words, n) = take_numbers(text);
        let fields = |numbers: &[&str]| numbers.iter().map(|&number| number.to_owned()).collect();
        match (words.as_str(), &n[..]) {
            ("allocated", []) => self.add("queue_created", queue, Vec::new()),
            ("add to busy", []) => self.add("busy", queue, Vec::new()),
            ("del from busy", []) => self.add("idle", queue, Vec::new()),
            ("new_ioprio  new_weight ", n) => self.add("ioprio", queue, fields(n)),
            ("[bfq_limit_depth] wr_busy  sync  depth ", n) => {
                self.add("request_limit", "", fields(n))?;
                self.keep_together()
            }
            ("calc_finish: serv , w ", n) => self.keep(n),
            ("calc_finish: start , finish , delta ", &[start, finish, _]) => {
                let kept = core::mem::take(&mut self.pending);
                let [service, weight] = <[String; 2]>::try_from(kept).ok()?;
                let fields = vec![start.into(), finish.into(), service, weight];
                self.add("finish_time", queue, fields)
            }
            ("set_in_service_queue, cur-budget = ", n) => self.add("in_service", queue, fields(n)),
            ("bfqq_served  secs", n) => self.add("served", queue, fields(n)),
            ("bfq_bfqq_is_slow: slow ", n) => self.add("slow", queue, fields(n)),
            ("expire (, slow , num_disp , short_ttime )", &[reason, slow, in_flight, short]) => {
                let reason = REASONS.get(reason.parse::<usize>().ok()?)?;
                self.add("expire", queue, fields(&[reason, slow, in_flight, short]))
            }
            ("recalc_budg: last budg , budg left ", n)
            | ("recalc_budg: last max_budg , min budg ", n) => self.keep(n),
            ("recalc_budg: sync , seeky ", n) => {
                self.keep(n)?;
                let kept = core::mem::take(&mut self.pending);
                self.add("feedback", queue, kept)
            }
            ("head sect: , new budget ", n) => self.add("next_budget", queue, fields(n)),
            ("updated next rq: new budget ", n) => self.add("budget_grown", queue, fields(n)),
            ("too many requests: allocated  limit  level ", n) => {
                self.add("group_limit", queue, fields(n))?;
                self.keep_together()
            }
            ("scheduling merge with queue ", &[other]) => {
                self.add("merge_scheduled", queue, vec![log::queue_name(other)])
            }
            ("merging with queue ", &[other]) => {
                self.add("merge", queue, vec![log::queue_name(other)])
            }
            ("raising period dur / msec, old coeff , w ()", n) => {
                self.add("raise", queue, fields(n))
            }
            ("new max_budget = ", n) => self.add("max_budget", "", fields(n)),
            ("reset_rate_computation at end, sample / tot_sects ", &[samples, _, sectors]) => {
                self.add("rate_reset", "", fields(&[samples, sectors]))
            }
            ("dispatch requests:  busy queues", n) => {
                self.dispatch_heads()?;
                self.add("dispatch_attempt", "", fields(n))
            }
            ("select_queue: no queue returned", []) => {
                self.add("nothing_to_dispatch", "", Vec::new())
            }
            ("schedule dispatch", []) => self.add("kick", "", Vec::new()),
            // A process that ends lets go of one queue after the other.
            (words, _) if words.starts_with("exit_bfqq: ") => {
                if self.ended.insert(pid.to_owned()) {
                    self.add("exit", pid, Vec::new())?;
                }
                Some(())
            }
            _ => None,
        }
    }

    fn keep(&mut self, numbers: &[&str]) -> Option<()> {
        self.pending.extend(numbers.iter().map(|&number| number.to_owned()));
        Some(())
    }
}

/// The operation as logs call it: the tracer adds marks (`M` for metadata, `A` for read-ahead) that
/// mean nothing to the scheduler.
fn operation(op: &str) -> Option<&'static str> {
    let sync = op.contains('S');
    match op.as_bytes().first()? {
        b'R' if sync => Some("RS"),
        b'R' => Some("R"),
        b'W' if sync => Some("WS"),
        b'W' => Some("W"),
        // Plugs.
        b'N' => Some("N"),
        _ => None,
    }
}

/// A text without its numbers, and these.
fn take_numbers(text: &str) -> (String, Vec<&str>) {
    let (mut words, mut numbers) = (String::new(), Vec::new());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let behind = rest.strip_prefix('-').unwrap_or(rest);
        let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
        let len = if digits > 0 { rest.len() - behind.len() + digits } else { first.len_utf8() };
        let (taken, left) = rest.split_at(len);
        if digits > 0 {
            numbers.push(taken);
        } else {
            words.push(first);
        }
        rest = left;
    }
    (words, numbers)
}
