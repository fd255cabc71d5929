// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was recorded, beside ours: decisions of the kernel's bfq, and results of real runs.
//!
//! * [`decisions`]: recorded events fed to the core, and each of its decisions compared.
//! * [`results`]: recorded scenarios, simulated again, and their figures compared.
//!
//! The recordings are in `data`; `data/README.md` describes them.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub mod decisions;
pub mod results;
