// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which of the kernel's schedulers, with which tunables, suits this disk and this load.
//!
//! A comparison is a flow of plain data:
//!
//! ```text
//! crate host ──▶ Disk, Needs ─▶ plan ─▶ Cell: Candidate × Scenario × round
//!                                         │ settings changed under a journal,
//!                                         ▼ restored whatever happens
//!                                       Measurement ─▶ comparison ─▶ verdict
//! ```
//!
//! * [`model`]: on what [`Candidate`](host::Candidate)s are compared
//!   ([`Metric`](model::Metric)), and what was measured
//!   ([`Measurement`](model::Measurement)), with the file that keeps it all.
//! * [`lineup`]: who takes part.
//! * [`scenarios`]: what processes do while something is measured.
//! * [`workers`]: those processes.
//! * [`plan`]: in which order everything is measured, and how often.
//! * [`run`]: all of it, from what a user wants to what was measured.
//! * [`session`]: one cell after the other, on the machine.
//! * [`statistics`]: which differences are real, as far as few rounds can tell.
//! * [`verdict`]: what to choose for which goal, how sure that is, and what was not tested.
//! * [`import`]: results of fio, as if they had been measured here.
//! * [`existing`]: results that exist, of the bench or of fio, to be judged again.
//! * [`emit`]: rules that make it permanent.
//! * [`fitting`]: the disk itself measured, and a profile with which the simulator plays it.
//!
//! The machine, and how it is put back, is the crate `host`'s.
//!
//! Nothing in this crate prints; the `bfq bench` command does.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub mod emit;
pub mod existing;
pub mod fitting;
pub mod import;
pub mod lineup;
pub mod model;
mod new_file;
pub mod plan;
pub mod run;
pub mod scenarios;
pub mod session;
pub mod statistics;
pub mod verdict;
pub mod workers;

#[cfg(test)]
mod tests {
    pub(crate) mod made_up_disk;
    pub(crate) mod made_up_runs;
}
