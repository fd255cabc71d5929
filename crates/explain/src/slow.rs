// SPDX-License-Identifier: MIT OR Apache-2.0
//! The slowest I/Os, each with what delayed it, step by step.

use crate::account::{Io, cut};
use crate::cast::Cast;
use crate::cause::{Cause, Reason};
use crate::counts::{RAISES, ended, loan_end};
use crate::explanation::SlowIoStep;
use crate::queues::{Parties, Party, Serial};
use crate::record::{Doing, PoolLimit, Record, SchedulerEvent};
use crate::rule::Rule;
use crate::words::{join, phase_words, pool_words};
use base::text::time;
use bfq::why::InjectionRule;
use device::{CommandTiming, Phase};
use std::collections::BTreeMap;

/// Beyond this number of steps of waiting, those in the middle are told as one.
const MOST_STEPS: usize = 10;
/// How many are left at each end.
const STEPS_KEPT: usize = 4;

/// The slowest I/Os so far, slowest first; of equals, the earlier one.
#[derive(Debug)]
pub(crate) struct Slowest {
    most: usize,
    /// Only those count that were under way at that time; none: all.
    at_ns: Option<u64>,
    ios: Vec<Slow>,
}

/// A slow I/O with what its time went to.
#[derive(Debug)]
pub(crate) struct Slow {
    pub io: Io,
    pub causes: BTreeMap<Reason, u64>,
    pub steps: Vec<SlowIoStep>,
}

impl Slowest {
    pub fn new(most: usize, at_ns: Option<u64>) -> Self {
        Self { most, at_ns, ios: Vec::new() }
    }

    /// Whether the I/O is among the slowest so far.
    pub fn wants(&self, io: &Io) -> bool {
        let last = self.ios.last().filter(|_| self.ios.len() >= self.most);
        let counts = |at_ns| (io.submitted_ns..=io.ended_ns).contains(&at_ns);
        self.most > 0
            && self.at_ns.is_none_or(counts)
            && last.is_none_or(|last| last.io.latency_ns() < io.latency_ns())
    }

    /// Takes an I/O that is wanted.
    pub fn take(
        &mut self,
        io: Io,
        timing: Option<&CommandTiming>,
        causes: BTreeMap<Reason, u64>,
        record: &Record,
        parties: &Parties,
        cast: &Cast,
    ) {
        let slower = |slow: &Slow| slow.io.latency_ns() >= io.latency_ns();
        let place = self.ios.partition_point(slower);
        let steps = steps(&io, timing, record, parties, cast);
        self.ios.insert(place, Slow { io, causes, steps });
        self.ios.truncate(self.most);
    }

    pub fn iter(&self) -> impl Iterator<Item = &Slow> {
        self.ios.iter()
    }
}

/// Consecutive turns of one queue, or something else that lasts.
#[derive(Debug, Clone)]
struct Stretch {
    from_ns: u64,
    until_ns: u64,
    turns: u64,
    what: What,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum What {
    Pool(PoolLimit),
    Turn(Turn),
    Nobody,
    Own,
    OwnKept(Rule),
    OwnDeviceTaken(String),
    WriteCache(String),
    DeviceFull,
    DeviceBehind(String),
    Device,
    /// A phase in the device, and whose older requests were there.
    Phase(Phase, Vec<String>),
    /// Many turns together: who had them and for how long, the longest first.
    Turns(Vec<String>),
}

/// A turn of another queue, as far as the I/O waited for it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Turn {
    key: (Serial, u64),
    who: String,
    served_ns: u64,
    held_ns: u64,
    idling_ns: u64,
    injected_ns: u64,
    served_rule: Option<Rule>,
    held_rule: Option<Rule>,
    rule: Option<Rule>,
    injected: Option<String>,
    ended: Option<(bfq::why::Reason, Option<String>)>,
}

/// What delayed an I/O, in order.
fn steps(
    io: &Io,
    timing: Option<&CommandTiming>,
    record: &Record,
    parties: &Parties,
    cast: &Cast,
) -> Vec<SlowIoStep> {
    let stretches = condensed(stretches(io, timing, record, parties, cast));
    let mut steps: Vec<SlowIoStep> = stretches.iter().map(|stretch| step(io, stretch)).collect();
    for (at_ns, event) in record.events(io.submitted_ns, io.ended_ns) {
        if let Some((kind, text)) = moment(io, at_ns, event, parties, cast) {
            let at_ns = at_ns - io.submitted_ns;
            let step =
                SlowIoStep { at_ns, lasting_ns: 0, kind: kind.to_owned(), who: vec![], text };
            let place = steps.partition_point(|step| step.at_ns < at_ns);
            steps.insert(place, step);
        }
    }
    steps
}

fn stretches(
    io: &Io,
    timing: Option<&CommandTiming>,
    record: &Record,
    parties: &Parties,
    cast: &Cast,
) -> Vec<Stretch> {
    let process = |process: Option<u32>| {
        process.map_or_else(|| "unknown processes".to_owned(), |process| cast.process(process))
    };
    let mut stretches: Vec<Stretch> = Vec::new();
    cut(io, timing, record, |piece| {
        let what = match piece.cause {
            Cause::Pool(limit) => What::Pool(limit),
            Cause::Behind(party, Doing::WriteCache) => What::WriteCache(parties.name(party, cast)),
            Cause::Behind(party, doing) => {
                let slot = record.scenes(piece.from_ns, piece.until_ns).next();
                let slot = slot.and_then(|shown| shown.scene.slot);
                let key = slot.map_or((Serial(0), 0), |slot| (slot.queue, slot.since_ns));
                let length_ns = piece.until_ns - piece.from_ns;
                What::Turn(Turn::new(key, party, doing, length_ns, parties, cast))
            }
            Cause::Nobody => What::Nobody,
            Cause::Own => What::Own,
            Cause::OwnKept(rule) => What::OwnKept(rule),
            Cause::OwnDeviceTaken(by) => What::OwnDeviceTaken(process(by)),
            Cause::DeviceFull => What::DeviceFull,
            Cause::DeviceBehind(by) => What::DeviceBehind(process(by)),
            Cause::Device => What::Device,
            Cause::Phase(phase, older) => {
                What::Phase(phase, older.map(process).into_iter().collect())
            }
        };
        let (from_ns, until_ns) = (piece.from_ns, piece.until_ns);
        if let Some(last) = stretches.last_mut()
            && last.what.goes_on_with(&what)
        {
            last.until_ns = until_ns;
        } else {
            stretches.push(Stretch { from_ns, until_ns, turns: 1, what });
        }
    });
    for (at_ns, event) in record.events(io.submitted_ns, io.served_ns) {
        let SchedulerEvent::SlotEnded { queue, reason, by, .. } = event else { continue };
        let ended = stretches.iter_mut().rev().find(|stretch| stretch.until_ns == at_ns);
        if let Some(Stretch { what: What::Turn(turn), .. }) = ended
            && turn.key.0 == queue
        {
            turn.ended = Some((reason, by.map(|(_, by)| parties.name(by, cast))));
        }
    }
    stretches
}

impl Turn {
    fn new(
        key: (Serial, u64),
        party: Party,
        doing: Doing,
        length_ns: u64,
        parties: &Parties,
        cast: &Cast,
    ) -> Self {
        let mut turn = Turn {
            key,
            who: parties.name(party, cast),
            served_ns: 0,
            held_ns: 0,
            idling_ns: 0,
            injected_ns: 0,
            served_rule: None,
            held_rule: None,
            rule: None,
            injected: None,
            ended: None,
        };
        match doing {
            Doing::Served(rule) => (turn.served_ns, turn.served_rule) = (length_ns, rule),
            Doing::WriteCache => {}
            Doing::Held(rule) => (turn.held_ns, turn.held_rule) = (length_ns, rule),
            Doing::Idling(rule) => (turn.idling_ns, turn.rule) = (length_ns, rule),
            Doing::Injected(by) => {
                (turn.injected_ns, turn.injected) = (length_ns, Some(parties.name(by, cast)));
            }
        }
        turn
    }

    /// Whether tfq gave it, whose turns end without a word.
    fn is_by_time(&self) -> bool {
        let rules = [self.served_rule, self.held_rule, self.rule];
        rules.iter().flatten().any(|rule| matches!(rule, Rule::Withheld(_) | Rule::OnLoan))
    }

    fn add(&mut self, other: &Turn) {
        self.served_ns += other.served_ns;
        self.held_ns += other.held_ns;
        self.idling_ns += other.idling_ns;
        self.injected_ns += other.injected_ns;
        self.served_rule = other.served_rule.or(self.served_rule);
        self.held_rule = other.held_rule.or(self.held_rule);
        self.rule = other.rule.or(self.rule);
        if self.injected.is_none() {
            self.injected.clone_from(&other.injected);
        }
    }
}

impl What {
    /// Whether the next piece is of the same stretch; it is added then.
    fn goes_on_with(&mut self, next: &What) -> bool {
        match (self, next) {
            (What::Turn(turn), What::Turn(next)) if turn.key == next.key => {
                turn.add(next);
                true
            }
            (What::Phase(phase, who), What::Phase(next_phase, next)) if phase == next_phase => {
                who.extend(
                    next.iter().filter(|name| !who.contains(name)).cloned().collect::<Vec<_>>(),
                );
                true
            }
            (this, next) => this == next,
        }
    }
}

/// Runs of turns of one queue that ended alike become one; and if there are still too many, those
/// in the middle.
fn condensed(stretches: Vec<Stretch>) -> Vec<Stretch> {
    let mut runs: Vec<Stretch> = Vec::new();
    for stretch in stretches {
        if let Some(last) = runs.last_mut()
            && let (What::Turn(turn), What::Turn(next)) = (&mut last.what, &stretch.what)
            && turn.who == next.who
            && turn.ended == next.ended
            && (turn.ended.is_some() || turn.is_by_time())
        {
            turn.add(next);
            last.turns += stretch.turns;
            last.until_ns = stretch.until_ns;
        } else {
            runs.push(stretch);
        }
    }
    let is_wait = |stretch: &Stretch| {
        use What::{Nobody, Own, OwnDeviceTaken, OwnKept, Turn, WriteCache};
        matches!(
            stretch.what,
            Turn(_) | Nobody | Own | OwnKept(_) | OwnDeviceTaken(_) | WriteCache(_)
        )
    };
    let first = runs.iter().position(is_wait).unwrap_or(0);
    let count = runs[first..].iter().take_while(|stretch| is_wait(stretch)).count();
    if count > MOST_STEPS {
        let middle: Vec<_> = runs.drain(first + STEPS_KEPT..first + count - STEPS_KEPT).collect();
        let mut waits: BTreeMap<&str, u64> = BTreeMap::new();
        let mut turns = 0;
        for stretch in &middle {
            let length_ns = stretch.until_ns - stretch.from_ns;
            let who = match &stretch.what {
                What::Turn(turn) => {
                    turns += stretch.turns;
                    turn.who.as_str()
                }
                What::Nobody => "no queue",
                What::WriteCache(_) => "the write cache",
                _ => "its own queue",
            };
            *waits.entry(who).or_default() += length_ns;
        }
        let mut order: Vec<_> = waits.into_iter().collect();
        order.sort_by_key(|&(_, ns)| std::cmp::Reverse(ns));
        let what =
            What::Turns(order.iter().map(|(who, ns)| format!("{who} {}", time(*ns))).collect());
        let (from_ns, until_ns) = (middle[0].from_ns, middle[middle.len() - 1].until_ns);
        runs.insert(first + STEPS_KEPT, Stretch { from_ns, until_ns, turns, what });
    }
    runs
}

/// A stretch in words.
fn step(io: &Io, stretch: &Stretch) -> SlowIoStep {
    let mut who = Vec::new();
    let (kind, text) = match &stretch.what {
        What::Pool(limit) => ("pool", format!("waits for a request: {}", pool_words(*limit))),
        What::Turn(turn) => {
            who.push(turn.who.clone());
            ("turn", turn_words(io, stretch, turn))
        }
        What::Turns(waits) => ("turns", format!("{} more turns: {}", stretch.turns, join(waits))),
        What::Nobody => ("nobody", "no queue's turn: the scheduler was not asked yet".to_owned()),
        What::Own => ("own_turn", "its own queue's turn: earlier requests first".to_owned()),
        What::OwnKept(rule) => ("own_turn", format!("its own queue's turn: {}", rule.because())),
        What::WriteCache(of) => {
            who.push(of.clone());
            ("write_cache", format!("the disk empties its write cache, of writes of {of}"))
        }
        What::OwnDeviceTaken(by) => {
            who.push(by.clone());
            ("own_turn", format!("its own queue's turn: the device is still busy with {by}"))
        }
        What::DeviceFull => ("device_full", "handed out, but the device has no room".to_owned()),
        What::DeviceBehind(by) => {
            who.push(by.clone());
            ("device_behind", format!("in the device, with older requests of {by}"))
        }
        What::Device => ("device", "in the device".to_owned()),
        What::Phase(phase, older) => {
            who.clone_from(older);
            let row = crate::phases::row(*phase);
            (row.name, format!("in the device: {}", phase_words(*phase, older)))
        }
    };
    SlowIoStep {
        at_ns: stretch.from_ns - io.submitted_ns,
        lasting_ns: stretch.until_ns - stretch.from_ns,
        kind: kind.to_owned(),
        who,
        text,
    }
}

fn turn_words(io: &Io, stretch: &Stretch, turn: &Turn) -> String {
    let mut text = match stretch.turns {
        1 => format!("turn of {}", turn.who),
        turns => format!("{turns} turns of {}", turn.who),
    };
    let since_ns = turn.key.1;
    if stretch.turns == 1 && since_ns < io.submitted_ns {
        text += &format!(" (began {} before)", time(io.submitted_ns - since_ns));
    }
    let mut doing = Vec::new();
    let because =
        |rule: Option<Rule>| rule.map_or(String::new(), |rule| format!(" ({})", rule.because()));
    if turn.served_ns > 0 {
        let served = because(turn.served_rule);
        doing.push(format!("{} with more requests of it waiting{served}", time(turn.served_ns)));
    }
    if turn.held_ns > 0 {
        let held = because(turn.held_rule);
        doing.push(format!("{} with others held back{held}", time(turn.held_ns)));
    }
    if turn.idling_ns > 0 {
        let idle = because(turn.rule);
        doing.push(format!("{} with the disk idle{idle}", time(turn.idling_ns)));
    }
    if turn.injected_ns > 0 {
        let by = turn.injected.as_deref().unwrap_or("others");
        doing.push(format!("{} with requests of {by} in between", time(turn.injected_ns)));
    }
    text += &format!(": {}", join(&doing));
    if let Some((reason, by)) = &turn.ended {
        let words = ended(*reason).trim_start_matches("of them ended: ");
        text += &format!("; ended: {words}");
        if let Some(by) = by {
            text += &format!(" ({by})");
        }
    }
    text
}

/// Something that happened to the I/O's own queue, with its kind and in words.
fn moment(
    io: &Io,
    at_ns: u64,
    event: SchedulerEvent,
    parties: &Parties,
    cast: &Cast,
) -> Option<(&'static str, String)> {
    Some(match event {
        SchedulerEvent::SlotEnded { party, by: Some((by, _)), .. } if io.queue == Some(by) => {
            ("preempts", format!("it takes the turn from {}", parties.name(party, cast)))
        }
        SchedulerEvent::Raised { queue, kind } if io.queue == Some(queue) => {
            let words = RAISES.iter().find(|row| row.0 == kind).map_or("", |row| row.2);
            ("raised", format!("its weight is raised: {words}"))
        }
        SchedulerEvent::RaiseEnded { queue } if io.queue == Some(queue) => {
            ("raise_ended", "its weight is no longer raised".to_owned())
        }
        SchedulerEvent::LoanBegan { queue } if io.queue == Some(queue) => {
            ("loan_began", "it is on loan: its program starts".to_owned())
        }
        SchedulerEvent::LoanEnded { queue, reason } if io.queue == Some(queue) => {
            ("loan_ended", format!("its loan is over: {}", loan_end(reason).1))
        }
        SchedulerEvent::Injected { queue, into, rule }
            if io.queue == Some(queue) && at_ns == io.served_ns =>
        {
            let into = parties.name(into, cast);
            ("injected", format!("it is served in the turn of {into}: {}", injection_words(rule)))
        }
        SchedulerEvent::Merged { process, party } if process == io.process => {
            ("merged", format!("it shares a queue now: {}", parties.name(party, cast)))
        }
        SchedulerEvent::Split { process } if process == io.process => {
            ("split", "it has a queue of its own again".to_owned())
        }
        _ => return None,
    })
}

fn injection_words(rule: InjectionRule) -> &'static str {
    match rule {
        InjectionRule::OwnAsync => "a write of the same process",
        InjectionRule::Waker => "it usually wakes that one",
        InjectionRule::Woken => "it is usually woken by that one",
        InjectionRule::Limit => "there was room in the device",
        InjectionRule::Actuator => "an actuator had too little to do",
    }
}
