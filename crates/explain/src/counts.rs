// SPDX-License-Identifier: MIT OR Apache-2.0
//! How often what happened to the job.

use bfq::why::{InjectionRule, LoanEnd, RaiseKind, Reason};
use serde::Serialize;
use std::collections::BTreeMap;

use crate::rule::Rule;

/// Counts of the decisions about the job's queues.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counts {
    pub slots: u64,
    /// Of these, the slots for which another reader of its stream paid.
    pub slots_given: u64,
    /// The slots of other readers of its stream for which it paid.
    pub slots_paid: u64,
    pub ended: [u64; Reason::ALL.len()],
    pub slow_slots: u64,
    /// Idle times that began for it, by rule.
    pub idlings: BTreeMap<Rule, u64>,
    pub raises: [u64; RAISES.len()],
    /// Its I/Os that were handed out while their queue was raised.
    pub raised_ios: [u64; RAISES.len()],
    pub large_bursts: u64,
    pub preempted: u64,
    pub preempting: u64,
    /// Its requests that were served in turns of others, by rule.
    pub injected: [u64; INJECTIONS.len()],
    /// Requests of others that were served in its turns, by rule.
    pub hosted: [u64; INJECTIONS.len()],
    pub merges: u64,
    pub splits: u64,
    pub wakers: u64,
    /// Its I/Os that had to wait for a request.
    pub pool_waits: u64,
    /// By tfq, which gives turns only on disks with moving parts.
    pub by_time: bool,
    /// Loans of its queues, how they ended, and its requests that were served meanwhile.
    pub loans: u64,
    pub loans_ended: [u64; LoanEnd::ALL.len()],
    pub loan_requests: u64,
}

/// The kinds of raise, with their names and words.
pub(crate) const RAISES: [(RaiseKind, &str, &str); 3] = [
    (RaiseKind::Interactive, "interactive", "interactive"),
    (RaiseKind::SoftRealTime, "soft_real_time", "soft real-time"),
    (RaiseKind::Async, "async", "sporadic writes"),
];

const INJECTIONS: [(InjectionRule, &str); 5] = [
    (InjectionRule::OwnAsync, "own_async"),
    (InjectionRule::Waker, "waker"),
    (InjectionRule::Woken, "woken"),
    (InjectionRule::Limit, "limit"),
    (InjectionRule::Actuator, "actuator"),
];

/// The name of a kind of raise in results.
pub(crate) fn raise_name(kind: RaiseKind) -> &'static str {
    RAISES.iter().find(|row| row.0 == kind).map_or("", |row| row.1)
}

/// One more of that kind.
pub(crate) fn count_raise(counts: &mut [u64; RAISES.len()], kind: RaiseKind) {
    let place = RAISES.iter().position(|row| row.0 == kind);
    counts[place.unwrap_or(0)] += 1;
}

/// One more of that rule.
pub(crate) fn count_injection(counts: &mut [u64; INJECTIONS.len()], rule: InjectionRule) {
    let place = INJECTIONS.iter().position(|row| row.0 == rule);
    counts[place.unwrap_or(0)] += 1;
}

/// A count of the result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CountRow {
    /// Its name; `docs/explain.md` has all of them.
    pub name: String,
    /// How many there were.
    pub count: u64,
    /// What it counts, for people.
    pub doc: String,
}

impl Counts {
    /// All that are not 0, and the number of slots.
    pub fn rows(&self) -> Vec<CountRow> {
        let mut rows = Vec::new();
        let mut put = |name: String, count: u64, doc: String| {
            if count > 0 || (name == "slots" && !self.by_time) {
                rows.push(CountRow { name, count, doc });
            }
        };
        put("slots".into(), self.slots, "turns on the disk".into());
        let given = "of them paid for by another reader of its stream";
        put("slots_given".into(), self.slots_given, given.into());
        let paid = "turns of other readers of its stream that it paid for";
        put("slots_paid".into(), self.slots_paid, paid.into());
        for (reason, &count) in Reason::ALL.iter().zip(&self.ended) {
            put(format!("ended_{}", reason.name()), count, ended(*reason).into());
        }
        put("slow_slots".into(), self.slow_slots, "found slow, and charged for time".into());
        for (rule, &count) in &self.idlings {
            let kept = if self.by_time { "free" } else { "idle" };
            let doc = format!("times the disk was kept {kept} for it: {}", rule.because());
            put(format!("idlings_{}", rule.name()), count, doc);
        }
        for ((_, name, words), &count) in RAISES.iter().zip(&self.raises) {
            put(format!("raises_{name}"), count, format!("raises of its weight: {words}"));
        }
        for ((_, name, words), &count) in RAISES.iter().zip(&self.raised_ios) {
            put(format!("raised_ios_{name}"), count, format!("I/Os served while raised: {words}"));
        }
        put("large_bursts".into(), self.large_bursts, "not raised: part of a large burst".into());
        put("preempted".into(), self.preempted, "of its turns taken away by others".into());
        put("preempting".into(), self.preempting, "turns of others that it took away".into());
        for ((_, name), &count) in INJECTIONS.iter().zip(&self.injected) {
            let doc = format!("of its requests served in turns of others ({name})");
            put(format!("injected_{name}"), count, doc);
        }
        for ((_, name), &count) in INJECTIONS.iter().zip(&self.hosted) {
            let doc = format!("requests of others served in its turns ({name})");
            put(format!("hosted_{name}"), count, doc);
        }
        put("merges".into(), self.merges, "moves to a queue shared with another process".into());
        put("splits".into(), self.splits, "returns to a queue of its own".into());
        put("wakers".into(), self.wakers, "times a queue was found to wake it".into());
        put("pool_waits".into(), self.pool_waits, "I/Os that had to wait for a request".into());
        put("loans".into(), self.loans, "loans: it looked like a program that starts".into());
        for (end, &count) in LoanEnd::ALL.iter().zip(&self.loans_ended) {
            let (name, words) = loan_end(*end);
            put(format!("loans_ended_{name}"), count, format!("of them ended: {words}"));
        }
        put("loan_requests".into(), self.loan_requests, "requests served on loan".into());
        rows
    }
}

/// Why a turn ended, for people, of the turns that did.
pub(crate) fn ended(reason: Reason) -> &'static str {
    match reason {
        Reason::TooIdle => "of them ended: no request came while the disk was kept idle",
        Reason::BudgetTimeout => "of them ended: its time was up",
        Reason::BudgetExhausted => "of them ended: its budget was used up",
        Reason::NoMoreRequests => "of them ended: it had no more requests",
        Reason::Preempted => "of them ended: another queue had the better claim",
    }
}

/// How a loan ended: its name in results, and in words.
pub(crate) fn loan_end(end: LoanEnd) -> (&'static str, &'static str) {
    match end {
        LoanEnd::Time => ("time", "it had lasted long enough"),
        LoanEnd::Service => ("service", "it had got as much as a program that starts may"),
        LoanEnd::Stream => {
            ("stream", "it read much without a pause, as no program that starts does")
        }
        LoanEnd::Depth => ("depth", "it had many requests at a time"),
        LoanEnd::Pauses => ("pauses", "its pauses are too long to wait for"),
        LoanEnd::Pool => ("pool", "its group had taken its part from others"),
        LoanEnd::Write => ("write", "it wrote past the page cache"),
        LoanEnd::Refused => ("refused", "loans were turned off, or not for its class"),
    }
}
