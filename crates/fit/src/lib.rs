// SPDX-License-Identifier: MIT OR Apache-2.0
//! Your disk in the simulator: measures a disk, and finds the values of a device profile with which
//! a simulated disk does what this one did.
//!
//! ```text
//! Subject ─▶ characterise ─▶ Characteristics ─▶ fit ─▶ Fitted: profile, measured beside simulated
//!    ├ RealDisk: a file or device, by io_uring and O_DIRECT
//!    └ SimulatedDisk: a model of crates/device, in virtual time
//! ```
//!
//! Real and simulated disks are played the same [`TRIALS`] by the same loop over the same part of
//! the disk, so that like is compared with like. It also tests the fit: a simulated disk is
//! measured as if it were a real one, and the profile found has to do what it did.
//!
//! Of a disk of which there is only a trace, [`by_likeness`] finds the nearest of several models.

mod characterise;
mod descent;
mod draft;
mod error;
mod facts;
mod figure;
mod fitted;
mod formulas;
mod knobs;
mod nearest;
mod play;
mod real;
mod simulated;
mod subject;
#[cfg(test)]
mod tests;
mod trials;

pub use characterise::{Characteristics, Knee, Measured, Steady, characterise};
pub use descent::fit;
pub use error::FitError;
pub use facts::Facts;
pub use fitted::{Compared, Fitted};
pub use nearest::{Likeness, Traced, by_likeness};
pub use real::RealDisk;
pub use simulated::SimulatedDisk;
pub use subject::{Subject, TrialRequest};
pub use trials::{AccessPattern, Does, TRIALS, Trial};
