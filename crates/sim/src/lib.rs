// SPDX-License-Identifier: MIT OR Apache-2.0
//! Virtual time: a job file's processes, the block layer and a model of a device.
//!
//! [`simulate`] runs jobs under a scheduler on a device model as fast as the machine can, from one
//! event to the next; a [`Simulation`] does the same bit by bit. It is a function of its inputs and
//! its seed.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod machine;
mod observer;
mod setup;
mod simulation;
mod standstill;

pub use observer::RunObserver;
pub use setup::{CpuTimes, Setup, SimulatedHost, limits};
pub use simulation::{
    Simulated, Simulation, simulate, simulate_alone, simulate_before, simulate_on_host,
};
pub use standstill::SimError;
