// SPDX-License-Identifier: MIT OR Apache-2.0
//! Replays a recording of our own scheduler: a fresh one is called as it was, and has to answer and
//! decide the same.

use super::error::ReplayError;
use super::outcome::{Difference, LogPosition, MOST_SHOWN, ReplayOutcome};
use base::OutOfMemory;
use bfq::{
    AnyScheduler, Calls, IdentityError, Policy, PolicyName, Scheduler, Time,
    tunables::TUNABLES,
    why::{Decision, Observer},
};
use recording::{Answer, Call, Opening, Problem, ReadError, Record, RecordingReader, Timed};
use std::collections::VecDeque;

/// Larger pools no host has, and there is a table for each.
const MOST_REQUESTS: u32 = 1 << 20;

/// What came of a call: a decision, or the answer.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Effect {
    Decision(Time, Decision),
    Answer(Answer),
}

impl Effect {
    fn text(&self) -> String {
        match self {
            Effect::Decision(at, decision) => format!("{} ns: {decision:?}", at.as_ns()),
            Effect::Answer(answer) => format!("answer {answer:?}"),
        }
    }
}

/// Keeps what the scheduler decides.
#[derive(Debug, Default)]
struct Decided(VecDeque<Effect>);

impl Observer for Decided {
    fn decided(&mut self, now: Time, decision: &Decision) {
        self.0.push_back(Effect::Decision(now, *decision));
    }
}

struct Replay<T> {
    scheduler: T,
    /// Where the last call stands in the recording.
    called_at: usize,
    outcome: ReplayOutcome,
}

/// Replays the recording in `bytes` as far as it has no gap, by the policy that it names; `file` is
/// its name for errors.
///
/// # Errors
/// If it is no recording, does not begin when the scheduler was attached, or was made under a
/// policy that is unknown.
pub fn replay_recording(file: &str, bytes: &[u8]) -> Result<ReplayOutcome, ReplayError> {
    replay_with(file, bytes, |at, opening| {
        let name = opening.policy.to_string();
        let unknown = || ReplayError::UnknownPolicy { file: file.into(), name: name.clone() };
        let policy = PolicyName::from_name(&name).ok_or_else(unknown)?;
        attached(file, AnyScheduler::attach(policy, at, opening.config(), Decided::default()))
    })
}

/// The same by policy `P`, whichever the recording names: for policies that are not of the core.
///
/// # Errors
/// If it is no recording, or does not begin when the scheduler was attached.
pub fn replay_by<P: Policy>(file: &str, bytes: &[u8]) -> Result<ReplayOutcome, ReplayError> {
    replay_with(file, bytes, |at, opening| {
        attached(file, Scheduler::<_, P>::attach(at, opening.config(), Decided::default()))
    })
}

/// A scheduler, if there was memory for it.
fn attached<T>(file: &str, scheduler: Result<T, OutOfMemory>) -> Result<T, ReplayError> {
    scheduler.map_err(|source| ReplayError::OutOfMemory { file: file.into(), source })
}

fn replay_with<T: Calls<Observer = Decided>>(
    file: &str,
    bytes: &[u8],
    attach: impl FnOnce(Time, &Opening) -> Result<T, ReplayError>,
) -> Result<ReplayOutcome, ReplayError> {
    let malformed = |source| ReplayError::Recording { file: file.into(), source };
    let mut records = RecordingReader::new(bytes).map_err(malformed)?.peekable();
    let first = records.next().transpose().map_err(malformed)?;
    let Some(Timed { record: Record::Opening(opening), at, .. }) = first else {
        let source = ReadError { offset: 0, problem: Problem::NoRecording };
        return Err(malformed(source));
    };
    if !opening.from_attach {
        return Err(ReplayError::NotFromAttach(file.into()));
    }
    let check_pool = |offset, requests| match requests <= MOST_REQUESTS {
        true => Ok(()),
        false => {
            let problem = Problem::Value("a pool of more requests than any host has");
            Err(malformed(ReadError { offset, problem }))
        }
    };
    check_pool(0, opening.nr_requests)?;
    let mut replay = Replay::begin(at, &opening, attach(at, &opening)?);
    while let Some(timed) = records.next().transpose().map_err(malformed)? {
        match timed.record {
            Record::Call(call) => {
                if let Call::SetNrRequests { nr_requests: requests }
                | Call::ReserveRequests { numbers: requests } = call
                {
                    check_pool(timed.offset, requests)?;
                }
                replay.settle();
                let next = records.peek().and_then(|next| next.as_ref().ok());
                // If the host had no memory for it, nothing was changed there.
                if !next.is_some_and(|next| is_out_of_memory(&next.record)) {
                    replay.call(&timed, &call);
                }
            }
            Record::Answer(_) if is_out_of_memory(&timed.record) => {}
            Record::Answer(answer) => replay.compare(timed.offset, Effect::Answer(answer)),
            Record::Decision(decision) => {
                replay.compare(timed.offset, Effect::Decision(timed.at, decision));
            }
            Record::Lost { records } => {
                let gap = format!("{records} records are missing at byte {}", timed.offset);
                replay.outcome.note = Some(format!("{gap}; this is about what came before"));
                return Ok(replay.outcome);
            }
            Record::Process { .. } | Record::Group { .. } | Record::Opening(_) => {}
        }
    }
    replay.settle();
    Ok(replay.outcome)
}

/// Whether the host had no memory for what it was asked.
fn is_out_of_memory(record: &Record) -> bool {
    let Record::Answer(answer) = record else { return false };
    matches!(
        answer,
        Answer::Group(Err(IdentityError::OutOfMemory))
            | Answer::Process(Err(IdentityError::OutOfMemory))
            | Answer::Memory(Err(OutOfMemory))
    )
}

impl<T: Calls<Observer = Decided>> Replay<T> {
    fn begin(start: Time, opening: &Opening, mut scheduler: T) -> Self {
        for (info, &value) in TUNABLES.iter().zip(&opening.tunables.0) {
            if scheduler.tunables().get(info.tunable) != value {
                scheduler.set_tunable(start, info.tunable, value);
            }
        }
        if opening.detailed_statistics {
            scheduler.set_detailed_statistics(start, true);
        }
        Replay { scheduler, called_at: 0, outcome: ReplayOutcome::default() }
    }

    fn call(&mut self, timed: &Timed, call: &Call) {
        self.called_at = timed.offset;
        let answer = call.perform(timed.at, &mut self.scheduler);
        if !answer.is_plain() {
            self.effects().push_back(Effect::Answer(answer));
        }
    }

    /// What the last call did, as far as it is not compared yet.
    fn effects(&mut self) -> &mut VecDeque<Effect> {
        &mut self.scheduler.observer_mut().0
    }

    /// The recording says that the last call did this next.
    fn compare(&mut self, offset: usize, expected: Effect) {
        self.outcome.decisions += 1;
        let effect = self.effects().pop_front();
        if effect != Some(expected) {
            self.differs(offset, Some(expected), effect);
        }
    }

    /// The recording says that the last call did nothing more.
    fn settle(&mut self) {
        while let Some(effect) = self.effects().pop_front() {
            self.outcome.decisions += 1;
            self.differs(self.called_at, None, Some(effect));
        }
    }

    fn differs(&mut self, offset: usize, expected: Option<Effect>, decided: Option<Effect>) {
        self.outcome.differ += 1;
        if self.outcome.first.len() < MOST_SHOWN {
            let text = |effect: Option<Effect>| effect.map_or_else(String::new, |e| e.text());
            let (expected, decided) = (text(expected), text(decided));
            self.outcome.first.push(Difference {
                at: LogPosition::Byte(offset),
                expected,
                decided,
            });
        }
    }
}
