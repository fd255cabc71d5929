// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why the I/O of a job took as long as it did.
//!
//! An [`Explainer`] looks at a run under bfq from two sides: as the observer of the scheduler it is
//! told every decision, and as the observer of the run it is told when a request ends. It keeps a
//! record of what the disk was doing, only as far back as I/O of the job is on its way, and lays
//! the course of each I/O of the job over that record. Each nanosecond is accounted to exactly one
//! [`Cause`](CauseRow), so the parts add up to the measured latencies.
//!
//! [`Explanation`] is the result: for programs as it is (serde), for
//! people by [`Explanation::text`].
//!
//! A [`RecordedRun`] tells the same of a real machine from a recording of its scheduler.
//!
//! A [`TimelineRecorder`] looks at a run from the same two sides and records who was served when,
//! for the drawings of a report.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod account;
mod activity;
mod activity_text;
mod cast;
mod cause;
mod counts;
mod explained;
mod explainer;
mod explanation;
mod follower;
mod look;
mod overview;
mod phases;
mod processes;
mod queues;
mod record;
mod recorded;
mod rule;
mod sentence;
mod slow;
mod terms;
mod text;
mod timeline;
mod words;

pub use activity::{Activity, Holder, Kept, Merge, WaitingProgram};
pub use cast::{Cast, JobNames, UnknownJob};
pub use counts::CountRow;
pub use explainer::{Explainer, UnknownTunable};
pub use explanation::{About, CauseRow, Explanation, SlowIo, SlowIoStep};
pub use look::Look;
pub use overview::Overview;
pub use processes::ProgramRow;
pub use recorded::RecordedRun;
pub use rule::Rule;
pub use timeline::TimelineRecorder;
