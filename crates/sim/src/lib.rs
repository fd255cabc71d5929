// SPDX-License-Identifier: MIT OR Apache-2.0
//! Virtual time: a job file's processes, the block layer and a model of a device.
//!
//! [`simulate`] runs jobs under a scheduler on a device model as fast as the machine can, from one
//! event to the next. A simulation is a function of its inputs and its seed.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod simulation;

pub use simulation::{
    CpuTimes, Setup, SimError, Simulated, SimulatedHost, Witness, limits, simulate, simulate_alone,
    simulate_before, simulate_on_host,
};
