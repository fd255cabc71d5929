// SPDX-License-Identifier: MIT OR Apache-2.0
//! The processes of a job file at work on the block layer, without a clock and without a device.
//!
//! A [`Runner`] joins the issuers of `workload` (what each process does next), the layer of `blk`
//! (requests, merging, the scheduler) and the recorders of `report`. A driver brings time and
//! device: the simulator in virtual time, the in-process runner in real time. An instant has this
//! order (bfq.md §0.4):
//!
//! 1. [`Runner::complete`] for every command that has ended: the scheduler is told, sleeping
//!    allocations get the freed tags;
//! 2. [`Runner::advance`]: the scheduler's timer, then every process whose I/O has ended or whose
//!    time has come goes on and submits;
//! 3. [`Runner::next_command`] until it gives nothing: the dispatch run, into the device.
//!
//! Then the driver waits for the next completion or for [`Runner::next_wake_ns`], until
//! [`Runner::finished`]; [`Runner::into_outcome`] has the results.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod buffered;
mod config;
mod cpu;
mod ended_io;
mod error;
mod flows;
mod groups;
mod kernel;
mod order;
mod outcome;
mod process;
mod reaping;
mod runner;
mod through_cache;
mod token;
mod traffic;
mod verify;
mod wakes;

pub use config::Config;
pub use cpu::{TICK_NS, Task};
pub use error::RunnerError;
pub use order::SimultaneousOrder;
pub use outcome::RunOutcome;
pub use runner::{Runner, TIMER_SLACK_NS};
pub use token::token_parts;
pub use traffic::Usage;
pub use verify::{Fault, Mismatch, Mismatches};
