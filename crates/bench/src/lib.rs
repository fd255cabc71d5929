// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which of the kernel's schedulers, with which tunables, suits this disk and this load.
//!
//! A comparison is a flow of plain data:
//!
//! ```text
//! host ──▶ Disk, Needs ─▶ plan ─▶ Cell: Candidate × Scenario × round ─▶ Measurement ─▶ comparison ─▶ verdict
//!                                          │ settings changed under a journal
//!                                          └ restored whatever happens
//! ```
//!
//! * [`host`]: the disk behind a target, what it can do, what is missing, whether somebody uses it.
//! * [`model`]: what is compared ([`Candidate`](model::Candidate)), on what
//!   ([`Metric`](model::Metric)), and what was measured ([`Measurement`](model::Measurement)), with
//!   the file that keeps it all.
//! * [`fit`]: the disk measured, and a device profile with which the simulator plays it.
//! * [`restore`]: changes of the machine, written down before they are made, and undone.
//! * [`lineup`]: who takes part.
//! * [`scenarios`]: what processes do while something is measured.
//! * [`workers`]: those processes.
//! * [`plan`]: in which order everything is measured, and how often.
//! * [`session`]: one cell after the other, on the machine.
//! * [`statistics`]: which differences are real, as far as few rounds can tell.
//! * [`verdict`]: what to choose for which goal, how sure that is, and what was not tested.
//! * [`import`]: results of fio, as if they had been measured here.
//! * [`emit`]: rules that make it permanent.
//!
//! Nothing in this crate prints; the `bfq bench` command does.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub mod emit;
pub mod fit;
pub mod host;
pub mod import;
pub mod lineup;
pub mod model;
pub mod plan;
pub mod restore;
pub mod scenarios;
pub mod session;
pub mod statistics;
pub mod verdict;
pub mod workers;
