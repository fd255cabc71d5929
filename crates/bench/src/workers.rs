// SPDX-License-Identifier: MIT OR Apache-2.0
//! The processes of a scenario: real ones, so that the kernel sees as many I/O contexts, priorities
//! and control groups as the job file has.
//!
//! A worker is this program once more, with the hidden subcommand [`COMMAND`]. It runs one process
//! of a job, in a thread that does nothing else; a start-up of several processes is one worker with
//! a thread for each, for each thread has an I/O context of its own, and they follow each other.
//! The worker is in its control group before it gets its assignment. Then:
//!
//! ```text
//! us      ──▶ the assignment      what to run, and where on the target
//! worker  ──▶ "ready"             everything is open and allocated
//! us      ──▶ the time of start   the same for all workers
//! us      ──▶ end of file         enough: begin no more I/O (so it also ends if we are killed)
//! worker  ──▶ the report          what it did
//! ```

pub(crate) mod assignment;
mod board;
mod ioprio;
pub(crate) mod latencies;
mod pool;
mod priming;
mod process;
mod work;
mod write_back;

pub use assignment::{Assignment, InRamp, ProcessRegion, ProcessReport, WorkerReport};
pub use latencies::Latencies;
pub use pool::{COMMAND, Order, Waited, WorkerPool, WorkerPoolError};
pub use priming::PrimingReads;
pub use work::{WorkerError, work};
pub use write_back::WriteBack;

#[cfg(test)]
mod tests;
