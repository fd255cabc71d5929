// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a request waited: whom the disk served meanwhile, under any scheduler, and under those of
//! our core which decisions delayed it.

use crate::played::Played;
use crate::setup::Change;
use base::SECTOR_BYTES;
use bfq::why::{Decision, Observer};
use bfq::{PolicyName, Time};
use blk::{IoError, Tag};
use device::CommandTiming;
use explain::{About, Cast, Explainer};
use lab::{Cell, LabError, Simulations};
use runner::{Runner, token_parts};
use serde::Serialize;
use sim::RunObserver;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The time by which the run goes on until the I/O has ended.
const STEP_NS: u64 = 100_000_000;
/// Served requests that are remembered: more than any scheduler here lets pass an I/O in seconds.
const REMEMBERED: usize = 1 << 20;

/// The course of an I/O.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Why {
    /// Name of the process.
    pub process: String,
    /// What it does: `read`, `write`, …
    pub op: &'static str,
    /// Length of the I/O.
    pub bytes: u64,
    /// When it was submitted, ns.
    pub submitted_ns: u64,
    /// When the disk got it, ns.
    pub dispatched_ns: u64,
    /// When it ended, ns.
    pub ended_ns: u64,
    /// Who was served between its submission and its dispatch, who had most of it first.
    pub behind: Vec<Behind>,
    /// Where its time went, if the scheduler tells its decisions.
    pub causes: Vec<Cause>,
    /// What delayed it, in order, if the scheduler tells its decisions.
    pub steps: Vec<WhyStep>,
    /// What the words of these mean.
    pub terms: Vec<Term>,
}

/// A word, and what it means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Term {
    /// The word, as the steps have it.
    pub term: &'static str,
    /// What the word means, in a phrase for a newcomer.
    pub meaning: &'static str,
}

/// Requests that the disk was given first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Behind {
    /// Name of the process.
    pub process: String,
    /// How many they are.
    pub requests: u64,
    /// Bytes of those requests together.
    pub bytes: u64,
}

/// A part of an I/O's time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cause {
    /// What it went to, by the names of docs/explain.md.
    pub cause: String,
    /// Whose fault it is.
    pub who: Option<String>,
    /// The rule that asked for it.
    pub rule: Option<String>,
    /// How much of the I/O's time went to it, ns.
    pub ns: u64,
}

/// Something that delayed an I/O.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WhyStep {
    /// When it began, ns since the submission.
    pub at_ns: u64,
    /// How long it lasted, ns; 0: a moment.
    pub lasting_ns: u64,
    /// What it is, in words.
    pub text: String,
}

/// Makes a run again and looks at the I/O of a process that is under way at a time, or else at the
/// last one that had ended by then.
pub(crate) fn ask(
    plan: &Simulations,
    cell: &Cell<'_>,
    changes: &[Change],
    process: usize,
    at_ns: u64,
) -> Result<Option<Why>, LabError> {
    match look(plan, cell, changes, process, at_ns)? {
        Looked::UnderWay(why) => Ok(Some(*why)),
        // The scheduler's decisions are kept only for what is under way at the time asked for.
        Looked::Ended { ended_ns } => match look(plan, cell, changes, process, ended_ns)? {
            Looked::UnderWay(why) => Ok(Some(*why)),
            Looked::Ended { .. } | Looked::Nothing => Ok(None),
        },
        Looked::Nothing => Ok(None),
    }
}

/// What a process had asked for by a time.
enum Looked {
    /// It was under way at that time, which may be its end.
    UnderWay(Box<Why>),
    /// Nothing was under way; the last I/O before ended then.
    Ended { ended_ns: u64 },
    /// Nothing was under way, and nothing had been.
    Nothing,
}

fn look(
    plan: &Simulations,
    cell: &Cell<'_>,
    changes: &[Change],
    process: usize,
    at_ns: u64,
) -> Result<Looked, LabError> {
    let names = Cast::everybody(plan.jobs()).process_names();
    let job = job_of(plan, process);
    let tells = PolicyName::ALL.iter().any(|policy| policy.name() == cell.choice.name());
    let explainer = match tells {
        true => Some(Explainer::at(Cast::new(plan.jobs(), job)?, at_ns)),
        false => None,
    };
    let seen = Seen { process, at_ns, io: None, ended_ns: None, served: Vec::new() };
    let seen = Rc::new(RefCell::new(seen));
    let asker = Asker { seen: Rc::clone(&seen), explainer: explainer.clone() };
    let mut played = Played::new(plan.start(cell, Some(asker))?);
    let mut until_ns = at_ns;
    loop {
        played.go_on(changes, until_ns)?;
        until_ns = until_ns.saturating_add(STEP_NS);
        let layer = played.running.simulation().runner().layer();
        let oldest_ns = layer
            .oldest_submission_ns(|bio| token_parts(bio.token).0 == process)
            .unwrap_or(u64::MAX);
        if seen.borrow().io.is_some() || played.has_ended() || oldest_ns > at_ns {
            break;
        }
    }
    let seen = seen.borrow();
    let Some(io) = &seen.io else {
        return Ok(seen.ended_ns.map_or(Looked::Nothing, |ended_ns| Looked::Ended { ended_ns }));
    };
    let mut why = io.why(&names[process], seen.behind(io, &names));
    if let Some(explainer) = explainer {
        why.explain(&explainer, cell);
    }
    Ok(Looked::UnderWay(Box::new(why)))
}

fn job_of(plan: &Simulations, process: usize) -> &str {
    let mut left = process;
    for job in plan.jobs() {
        match left.checked_sub(job.processes().max(1) as usize) {
            Some(rest) => left = rest,
            None => return &job.name,
        }
    }
    ""
}

/// The I/O that is asked about.
struct Io {
    op: &'static str,
    bytes: u64,
    submitted_ns: u64,
    dispatched_ns: u64,
    ended_ns: u64,
}

/// A request that the disk was given.
struct Served {
    process: Option<usize>,
    dispatched_ns: u64,
    bytes: u64,
}

/// What was seen of a run.
struct Seen {
    process: usize,
    at_ns: u64,
    io: Option<Io>,
    /// When the last I/O of the process ended that ended before the time asked for.
    ended_ns: Option<u64>,
    served: Vec<Served>,
}

impl Seen {
    /// Who was served while the I/O waited.
    fn behind(&self, io: &Io, names: &[String]) -> Vec<Behind> {
        let mut behind: BTreeMap<Option<usize>, Behind> = BTreeMap::new();
        let meanwhile = io.submitted_ns..io.dispatched_ns;
        for served in &self.served {
            if !meanwhile.contains(&served.dispatched_ns) {
                continue;
            }
            let row = behind.entry(served.process).or_default();
            row.requests += 1;
            row.bytes += served.bytes;
        }
        let named = |(process, row): (Option<usize>, Behind)| {
            let name = process.and_then(|process| names.get(process));
            let process = name.map_or("background writes", String::as_str).to_owned();
            Behind { process, ..row }
        };
        let mut rows: Vec<Behind> = behind.into_iter().map(named).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.bytes));
        rows
    }

    fn ended(&mut self, now_ns: u64, tag: Tag, runner: &Runner) {
        let request = &runner.layer().pool()[tag];
        let process = request.process.map(|id| runner.process_number(id));
        let bytes = u64::from(request.sectors) * SECTOR_BYTES;
        let dispatched_ns = request.dispatched_ns;
        if self.served.len() >= REMEMBERED {
            self.served.drain(..REMEMBERED / 2);
        }
        self.served.push(Served { process, dispatched_ns, bytes });
        if self.io.is_some() {
            return;
        }
        let is_asked = |journey: &blk::Journey| {
            journey.last
                && token_parts(journey.bio.token).0 == self.process
                && journey.submitted_ns <= self.at_ns
        };
        let asked = runner.layer().journeys(tag).find(is_asked);
        if now_ns < self.at_ns {
            self.ended_ns = asked.map_or(self.ended_ns, |_| Some(now_ns));
            return;
        }
        self.io = asked.map(|journey| Io {
            op: journey.bio.op.name(),
            bytes: u64::from(journey.bio.sectors) * SECTOR_BYTES,
            submitted_ns: journey.submitted_ns,
            dispatched_ns,
            ended_ns: now_ns,
        });
    }
}

impl Io {
    fn why(&self, process: &str, behind: Vec<Behind>) -> Why {
        Why {
            process: process.to_owned(),
            op: self.op,
            bytes: self.bytes,
            submitted_ns: self.submitted_ns,
            dispatched_ns: self.dispatched_ns,
            ended_ns: self.ended_ns,
            behind,
            causes: Vec::new(),
            steps: Vec::new(),
            terms: Vec::new(),
        }
    }
}

impl Why {
    /// Adds what the scheduler's decisions say of it.
    fn explain(&mut self, explainer: &Explainer, cell: &Cell<'_>) {
        let explanation = explainer.explanation(About {
            bfq_version: env!("CARGO_PKG_VERSION").into(),
            mode: "sim".into(),
            scheduler: cell.choice.name().into(),
            seed: None,
            device: cell.profile.name().into(),
            elapsed_ns: self.ended_ns,
            note: None,
        });
        let is_it = |io: &&explain::SlowIo| {
            (&io.process, io.submitted_ns) == (&self.process, self.submitted_ns)
                && io.submitted_ns + io.latency_ns == self.ended_ns
        };
        let Some(io) = explanation.slowest.iter().find(is_it) else { return };
        let cause = |row: &explain::CauseRow| Cause {
            cause: row.cause.to_owned(),
            who: row.who.clone(),
            rule: row.rule.map(str::to_owned),
            ns: row.ns,
        };
        let step = |step: &explain::SlowIoStep| WhyStep {
            at_ns: step.at_ns,
            lasting_ns: step.lasting_ns,
            text: step.text.clone(),
        };
        self.causes = io.causes.iter().map(cause).collect();
        self.steps = io.steps.iter().map(step).collect();
        let term = |(term, meaning)| Term { term, meaning };
        self.terms = explanation.terms().into_iter().map(term).collect();
    }
}

/// Looks at a run on behalf of who asks.
#[derive(Clone)]
struct Asker {
    seen: Rc<RefCell<Seen>>,
    explainer: Option<Explainer>,
}

impl Observer for Asker {
    fn decided(&mut self, now: Time, decision: &Decision) {
        self.explainer.decided(now, decision);
    }
}

impl RunObserver for Asker {
    fn watches_device(&self) -> bool {
        self.explainer.watches_device()
    }

    fn timed(&mut self, tag: Tag, timing: CommandTiming) {
        self.explainer.timed(tag, timing);
    }

    fn ends(&mut self, now_ns: u64, tag: Tag, result: Result<(), IoError>, runner: &Runner) {
        RunObserver::ends(&mut self.explainer, now_ns, tag, result, runner);
        self.seen.borrow_mut().ended(now_ns, tag, runner);
    }
}
