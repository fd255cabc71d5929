// SPDX-License-Identifier: MIT OR Apache-2.0
//! The result: for programs as it stands here, with documented keys (`docs/explain.md`).

use crate::cause::Reason;
use crate::counts::CountRow;
use serde::Serialize;

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

impl CauseRow {
    /// Whether it has a line of its own in tables; smaller ones are told together.
    pub(crate) fn is_worth_a_line(&self) -> bool {
        self.share >= 0.005
    }
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
    pub steps: Vec<SlowIoStep>,
}

/// Something that delayed an I/O, or happened to its queue meanwhile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Step"))]
pub struct SlowIoStep {
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
    /// The result as JSON, with a newline at its end.
    pub fn to_json(&self) -> String {
        // Maps have string keys and numbers are finite: it cannot fail.
        serde_json::to_string_pretty(self).expect("an explanation is JSON") + "\n"
    }
}
