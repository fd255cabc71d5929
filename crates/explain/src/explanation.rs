// SPDX-License-Identifier: MIT OR Apache-2.0
//! The result: for programs as it stands here, with documented keys (`docs/explain.md`).

use crate::account::Io;
use crate::cast::Cast;
use crate::cause::{Reason, Who};
use crate::counts::CountRow;
use crate::follower::Follower;
use crate::queues::Parties;
use crate::sentence;
use serde::Serialize;
use std::collections::BTreeMap;

/// What was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct About {
    /// The version of the program.
    #[serde(rename = "bfq version")]
    pub bfq_version: String,
    /// `sim`, `run` or `recording`.
    pub mode: String,
    /// The scheduler that was looked at: `bfq` or `tfq`.
    pub scheduler: String,
    /// The seed; null: nothing was drawn.
    pub seed: Option<u64>,
    /// The profile's name, the target's path, or the name of the device that was recorded.
    pub device: String,
    /// How long the run took, ns.
    pub elapsed_ns: u64,
    /// What has to be said of the run, if anything.
    pub note: Option<String>,
}

/// Why the I/O of a job took as long as it did.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Explanation {
    /// What was run.
    #[serde(flatten)]
    pub about: About,
    /// Name of the job.
    pub job: String,
    /// Its group's path; null: the root.
    pub group: Option<String>,
    /// How many processes it has.
    pub processes: u32,
    /// The main reason, in words.
    pub sentence: String,
    /// Its reads and writes that ended well; the rest is about them.
    pub ios: u64,
    /// Its I/Os that failed.
    pub failed: u64,
    /// Its flushes. They bypass the scheduler and are in none of the figures below but the next.
    pub flushes: u64,
    /// All their latencies together, ns.
    pub flush_latency_ns: u64,
    /// All latencies of `ios` together, ns.
    pub latency_ns: u64,
    /// Their mean latency, ns.
    pub latency_mean_ns: u64,
    /// The longest, ns.
    pub latency_max_ns: u64,
    /// Where the time went, in the order in which an I/O meets them. The parts add
    /// up to `latency_ns`.
    pub causes: Vec<CauseRow>,
    /// How often what was decided about the job.
    pub counts: Vec<CountRow>,
    /// The slowest I/Os, slowest first.
    pub slowest: Vec<SlowIo>,
}

/// A part of the time.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CauseRow {
    /// What it went to: `docs/explain.md` has all kinds.
    pub cause: &'static str,
    /// Whose fault it is: a job's name, `other processes of NAME`, or something that is no job.
    pub who: Option<String>,
    /// The group of that job.
    pub group: Option<String>,
    /// The rule that asked for it, where the disk was kept for a queue.
    pub rule: Option<&'static str>,
    /// How long, ns.
    pub ns: u64,
    /// The part of the whole, 0 to 1.
    pub share: f64,
    #[serde(skip)]
    pub(crate) reason: Reason,
}

/// A slow I/O.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SlowIo {
    /// Name of the process.
    pub process: String,
    /// `read`, `write` or `discard`.
    pub op: &'static str,
    /// Where, bytes from the start of the device.
    pub offset_bytes: u64,
    /// Length of the I/O.
    pub length_bytes: u64,
    /// When it was submitted, ns from the start of the run.
    pub submitted_ns: u64,
    /// How long it took, ns.
    pub latency_ns: u64,
    /// Where its time went. The parts add up to `latency_ns`.
    pub causes: Vec<CauseRow>,
    /// What delayed it, in order.
    pub steps: Vec<Step>,
}

/// Something that delayed an I/O, or happened to its queue meanwhile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Step {
    /// When it began, ns since the submission.
    pub at_ns: u64,
    /// How long it lasted, ns; 0: a moment.
    pub lasting_ns: u64,
    /// What it is: `docs/explain.md` has all kinds.
    pub kind: String,
    /// Who did it.
    pub who: Vec<String>,
    /// The same in words.
    pub text: String,
}

impl Explanation {
    pub(crate) fn of(follower: &Follower, about: About) -> Self {
        let Follower { cast, queues, .. } = follower;
        let target = cast.target_job();
        let slow = |slow: &crate::slow::Slow| slow_io(slow, cast, &queues.parties);
        let mut explanation = Self {
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

    /// The result as JSON, with a newline at its end.
    pub fn to_json(&self) -> String {
        // Maps have string keys and numbers are finite: it cannot fail.
        serde_json::to_string_pretty(self).expect("an explanation is JSON") + "\n"
    }
}

fn rows(causes: &BTreeMap<Reason, u64>, cast: &Cast, parties: &Parties) -> Vec<CauseRow> {
    let sum = causes.values().fold(0, |sum: u64, &ns| sum.saturating_add(ns));
    let row = |(reason, &ns): (&Reason, &u64)| CauseRow {
        cause: reason.kind.name(),
        who: reason.who.map(|who| name(who, cast, parties)),
        group: reason.who.and_then(|who| group(who, cast)),
        rule: reason.rule.map(crate::cause::Rule::name),
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
        Who::Unknown => "nobody in particular".to_owned(),
    }
}

fn group(who: Who, cast: &Cast) -> Option<String> {
    let Who::Job(job) = who else { return None };
    cast.group_of_job(job).map(str::to_owned)
}

fn slow_io(slow: &crate::slow::Slow, cast: &Cast, parties: &Parties) -> SlowIo {
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
