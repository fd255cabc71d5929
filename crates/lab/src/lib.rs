// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs of job files from beginning to end, for whoever wants results: the `bfq` command, bindings
//! for other languages, a page in a browser. What a user writes goes in, results come out; nothing
//! here prints, and nothing looks at a command line.
//!
//! * [`Work`]: job files and what is set around them, as people write it.
//! * [`Simulations`]: the work on modelled devices, in virtual time, a run for each device and
//!   scheduler.
//! * [`Running`]: one of these runs bit by bit, for whoever looks on.
//! * [`RealRuns`]: the work on a real file or device, in real time (feature `real`).
//! * [`ExplainPlan`]: the work under bfq, and where the time of one of its jobs went.
//! * [`Files`]: where job files are looked for: on disk, or built in.
//! * [`Conversion`]: a trace written to a file in another format (feature `files`).
//! * `what_if`: a trace as a job for each process, on any modelled disk or the one that is nearest
//!   to the recorded one (feature `what-if`).
//!
//! Each plan is read and checked as a whole before anything runs.
//!
//! ```
//! use lab::{Files, SimulationOptions, Simulations, Work};
//!
//! let work = Work { runtime_ns: Some(100_000_000), ..Work::of(["@2008-page/streams"]) };
//! let options = SimulationOptions {
//!     devices: vec!["hdd-desktop".into()],
//!     schedulers: "none,bfq".into(),
//!     ..SimulationOptions::default()
//! };
//! let plan = Simulations::plan(&work, options, &Files::plain())?;
//! let finished = plan.run_all(&mut ())?;
//! for (run, cell) in finished.results.runs.iter().zip(plan.cells()) {
//!     assert_eq!(run.scheduler, cell.choice.name());
//! }
//! # Ok::<(), lab::LabError>(())
//! ```
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod bytes;
#[cfg(feature = "files")]
mod conversion;
pub mod devices;
mod duration;
mod error;
mod explain_plan;
mod fair;
mod files;
pub mod groups;
pub mod lists;
mod observer;
#[cfg(feature = "real")]
mod real;
pub mod schedulers;
mod simulations;
#[cfg(feature = "what-if")]
pub mod what_if;
mod work;
#[cfg(feature = "files")]
mod written;

pub use bfq::PolicyName;
#[cfg(feature = "files")]
pub use conversion::{Conversion, ConversionError, Converted};
pub use duration::duration_ns;
pub use error::LabError;
pub use explain_plan::{ExplainOptions, ExplainPlan};
pub use fair::{FairError, Judge};
pub use files::{Files, check_known};
pub use lists::name_and_value;
pub use observer::{SeriesObserver, SeriesStep};
#[cfg(feature = "real")]
pub use real::series::{FinishedRealSeries, SeriesEnd};
#[cfg(feature = "real")]
pub use real::{
    AloneFailed, Finished, RealRuns, RealRunsOptions, RealStage, RequestsFailed, TargetOptions,
    VerifyFailed,
};
pub use simulations::running::Running;
pub use simulations::series::{FailedRun, FinishedSeries};
pub use simulations::{Cell, FinishedSimulation, SimulationOptions, Simulations};
pub use work::Work;
#[cfg(feature = "files")]
pub use written::{Draft, WriteError, check_is_no_input, check_writable};
