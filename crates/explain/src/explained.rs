// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was seen of a job, as the result tells it.

use crate::account::Io;
use crate::cast::Cast;
use crate::cause::{Reason, Who};
use crate::explanation::{About, CauseRow, Explanation, SlowIo};
use crate::follower::Follower;
use crate::queues::Parties;
use crate::rule::Rule;
use crate::sentence;
use crate::slow::Slow;
use std::collections::BTreeMap;

/// Why the I/O that was followed took as long as it did.
pub(crate) fn explanation(follower: &Follower, about: About) -> Explanation {
    let Follower { cast, queues, .. } = follower;
    let target = cast.target_job();
    let slow = |slow: &Slow| slow_io(slow, cast, &queues.parties);
    let mut explanation = Explanation {
        about,
        job: cast.target_name().to_owned(),
        group: target.group.clone(),
        processes: cast.target_processes(),
        sentence: String::new(),
        ios: follower.ios,
        failed: follower.failed,
        flushes: follower.flushes,
        flush_latency_ns: follower.flush_latency_ns,
        latency_ns: follower.latency_ns,
        latency_mean_ns: follower.latency_ns / follower.ios.max(1),
        latency_max_ns: follower.latency_max_ns,
        causes: rows(&follower.totals, cast, &queues.parties),
        counts: follower.counts.rows(),
        slowest: follower.slowest.iter().map(slow).collect(),
    };
    explanation.sentence = sentence::of(&explanation, &follower.counts);
    explanation
}

fn rows(causes: &BTreeMap<Reason, u64>, cast: &Cast, parties: &Parties) -> Vec<CauseRow> {
    let sum = causes.values().fold(0, |sum: u64, &ns| sum.saturating_add(ns));
    let row = |(reason, &ns): (&Reason, &u64)| CauseRow {
        cause: reason.kind.name(),
        who: reason.who.map(|who| name(who, cast, parties)),
        group: reason.who.and_then(|who| group(who, cast)),
        rule: reason.rule.map(Rule::name),
        ns,
        share: ns as f64 / sum.max(1) as f64,
        reason: *reason,
    };
    causes.iter().map(row).collect()
}

fn name(who: Who, cast: &Cast, parties: &Parties) -> String {
    match who {
        Who::Sibling => format!("other processes of {}", cast.target_name()),
        Who::Job(job) => cast.job(job).to_owned(),
        Who::Party(party) => parties.name(party, cast),
        Who::Unknown => "no process in particular".to_owned(),
    }
}

fn group(who: Who, cast: &Cast) -> Option<String> {
    let Who::Job(job) = who else { return None };
    cast.group_of_job(job).map(str::to_owned)
}

fn slow_io(slow: &Slow, cast: &Cast, parties: &Parties) -> SlowIo {
    let Io { process, op, sector, sectors, submitted_ns, .. } = slow.io;
    SlowIo {
        process: cast.process(process),
        op: op.name(),
        offset_bytes: sector.saturating_mul(base::SECTOR_BYTES),
        length_bytes: u64::from(sectors) * base::SECTOR_BYTES,
        submitted_ns,
        latency_ns: slow.io.latency_ns(),
        causes: rows(&slow.causes, cast, parties),
        steps: slow.steps.clone(),
    }
}
