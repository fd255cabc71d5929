// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a scheduler did in a while: who had the disk, for whom it was kept, who was raised or on
//! loan, who shares a queue, and why each program's I/O waited.

use crate::counts::{CountRow, raise_name};
use crate::explanation::{CauseRow, Explanation};
use crate::follower::Follower;
use crate::queues::Party;
use crate::record::{Doing, Slot};
use crate::rule::Rule;
use bfq::QueueId;
use bfq::why::{Decision, WithholdRule};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What a scheduler did in a while, by its decisions.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Activity {
    /// The scheduler: `bfq` or `tfq`.
    pub scheduler: String,
    /// How long it was looked at, ns.
    pub elapsed_ns: u64,
    /// Records that are missing, for want of room in the module's ring.
    pub lost: u64,
    /// In how much of that time it was no queue's turn, ns.
    pub nobody_ns: u64,
    /// Who had turns, the one with the longest first.
    pub holders: Vec<Holder>,
    /// Processes that moved to a queue that they share with others.
    pub merges: Vec<Merge>,
    /// The programs whose I/O took the longest in all, and why.
    pub programs: Vec<WaitingProgram>,
}

/// Who had the disk.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Holder {
    /// The processes of a queue.
    pub who: String,
    /// How long its turns were, ns.
    pub ns: u64,
    /// The parts of that in which nothing of it waited and others were held back.
    pub kept: Vec<Kept>,
    /// The raises of its weight that began.
    pub raises: Vec<&'static str>,
    /// Its requests that were served while its weight was raised.
    pub raised_requests: u64,
    /// Loans that began.
    pub loans: u64,
    /// How long it had the disk on loan, ns.
    pub loan_ns: u64,
}

/// Time in which the disk was kept for a queue.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Kept {
    /// The rule that asked for it; null: that was not seen.
    pub rule: Option<&'static str>,
    /// The same in words.
    pub because: Option<&'static str>,
    /// How long, ns.
    pub ns: u64,
    /// In how much of that the disk had no request of it, ns.
    pub idle_ns: u64,
}

/// A process that moved to a shared queue.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Merge {
    /// The process that moved.
    pub who: String,
    /// All that share the queue.
    pub queue: String,
}

/// A program whose I/O waited.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WaitingProgram {
    /// What it is called.
    pub name: String,
    /// The main reason, in words.
    pub sentence: String,
    /// Requests that ended.
    pub ios: u64,
    /// How long all of them took, ns.
    pub latency_ns: u64,
    /// What that time went to, the longest first.
    pub causes: Vec<CauseRow>,
    /// How often what was decided about it.
    pub counts: Vec<CountRow>,
}

impl WaitingProgram {
    /// What an explanation says of a program.
    pub(crate) fn of(explanation: Explanation) -> Self {
        let Explanation { job: name, sentence, ios, latency_ns, mut causes, counts, .. } =
            explanation;
        causes.sort_by_key(|row| std::cmp::Reverse(row.ns));
        WaitingProgram { name, sentence, ios, latency_ns, causes, counts }
    }
}

/// What is counted of a queue's owners.
#[derive(Debug, Default)]
struct Tally {
    ns: u64,
    /// How long it was kept by which rule, and how long of that idle.
    kept: BTreeMap<Option<Rule>, (u64, u64)>,
    raises: Vec<&'static str>,
    raised_requests: u64,
    loans: u64,
    loan_ns: u64,
}

/// Adds up what is decided.
#[derive(Debug, Default)]
pub(crate) struct Tallies {
    of: BTreeMap<Party, Tally>,
    nobody_ns: u64,
    merges: BTreeSet<Merge>,
    /// What holds, and since when.
    slot: Option<Slot>,
    since_ns: u64,
}

impl Tallies {
    /// A record was followed: what held before it ends `now_ns`.
    pub fn goes_on(&mut self, now_ns: u64, follower: &Follower) {
        let lasted_ns = now_ns.saturating_sub(self.since_ns);
        self.since_ns = now_ns;
        match self.slot {
            Some(slot) => self.of.entry(slot.party).or_default().lasted(&slot, lasted_ns),
            None => self.nobody_ns += lasted_ns,
        }
        self.slot = follower.record.present().slot;
    }

    /// A decision was followed.
    pub fn decided(&mut self, decision: &Decision, follower: &Follower) {
        match *decision {
            Decision::Raised { queue, kind, .. } => {
                self.tally(queue, follower, |tally| tally.raises.push(raise_name(kind)));
            }
            Decision::RaiseChecked { queue, coefficient: 2.., .. } => {
                self.tally(queue, follower, |tally| tally.raised_requests += 1);
            }
            Decision::LoanBegan { queue } => {
                self.tally(queue, follower, |tally| tally.loans += 1);
            }
            Decision::Merged { target, process, .. } => {
                let process = follower.process(Some(process));
                let queue = follower.queues.get(target);
                if let (Some(process), Some(queue)) = (process, queue) {
                    let queue = follower.queues.parties.name(queue.party, &follower.cast);
                    self.merges.insert(Merge { who: follower.cast.process(process), queue });
                }
            }
            _ => {}
        }
    }

    fn tally(&mut self, queue: QueueId, follower: &Follower, add: impl FnOnce(&mut Tally)) {
        if let Some(queue) = follower.queues.get(queue) {
            add(self.of.entry(queue.party).or_default());
        }
    }

    /// What there was, of a run that the follower has followed to its end.
    pub fn activity(self, follower: &Follower) -> Activity {
        let name = |party| follower.queues.parties.name(party, &follower.cast);
        let mut holders: Vec<Holder> =
            self.of.into_iter().map(|(party, tally)| tally.holder(name(party))).collect();
        holders.sort_by_key(|holder| std::cmp::Reverse(holder.ns));
        Activity {
            nobody_ns: self.nobody_ns,
            holders,
            merges: self.merges.into_iter().collect(),
            ..Activity::default()
        }
    }
}

impl Tally {
    fn lasted(&mut self, slot: &Slot, ns: u64) {
        self.ns += ns;
        self.loan_ns += if slot.on_loan { ns } else { 0 };
        let (rule, idle_ns) = match slot.doing {
            Doing::Served(_) => return,
            Doing::Held(rule) => (rule, 0),
            Doing::Idling(rule) => (rule, ns),
            Doing::Injected(_) => (None, ns),
            Doing::WriteCache => (Some(WithholdRule::WriteCache.into()), 0),
        };
        let kept = self.kept.entry(rule).or_default();
        kept.0 += ns;
        kept.1 += idle_ns;
    }

    fn holder(self, who: String) -> Holder {
        let Tally { ns, kept, raises, raised_requests, loans, loan_ns } = self;
        let row = |(rule, (ns, idle_ns)): (Option<Rule>, (u64, u64))| Kept {
            rule: rule.map(Rule::name),
            because: rule.map(Rule::because),
            ns,
            idle_ns,
        };
        let kept = kept.into_iter().filter(|(_, (ns, _))| *ns > 0).map(row).collect();
        Holder { who, ns, kept, raises, raised_requests, loans, loan_ns }
    }
}

#[cfg(test)]
#[path = "activity_tests.rs"]
mod tests;
