// SPDX-License-Identifier: MIT OR Apache-2.0
//! The loads that schedulers are measured under: what `cost` counts instructions of, and what
//! `cargo bench` times.

pub mod closed_loop;
pub mod places;
