// SPDX-License-Identifier: MIT OR Apache-2.0
//! Virtual time: a job file's processes, the block layer and a model of a device.
//!
//! [`simulate`] runs jobs under a scheduler on a device model as fast as the machine can, from one
//! event to the next. A simulation is a function of its inputs and its seed.
//!
//! [`fidelity`] compares simulations of recorded scenarios with what a real kernel did.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub mod fidelity;
mod simulation;

pub use simulation::{
    Control, Setup, SimError, Simulated, Witness, limits, simulate, simulate_before,
};
