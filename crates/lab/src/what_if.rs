// SPDX-License-Identifier: MIT OR Apache-2.0
//! What other schedulers would have done for each process of a trace: [`Simulations`] replay it as
//! a chain on modelled disks, with a result for each process.
//!
//! [`Simulations`]: crate::Simulations
//!
//! ```no_run
//! use lab::what_if::TraceByProcess;
//! use lab::{Files, SimulationOptions};
//!
//! let files = Files::plain();
//! let trace = TraceByProcess::read("x.trace".as_ref(), &files)?;
//! let devices = vec![trace.nearest()?.device.into()];
//! let schedulers = "none,bfq".into();
//! let options = SimulationOptions { devices, schedulers, ..SimulationOptions::default() };
//! let finished = trace.plan(options, &files)?.run_all(&mut ())?;
//! # Ok::<(), lab::what_if::WhatIfError>(())
//! ```

mod by_process;
mod error;
mod nearest;
mod processes;
mod times;

pub use by_process::TraceByProcess;
pub use error::WhatIfError;
pub use nearest::Nearest;
