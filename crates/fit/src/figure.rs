// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trial as a simulated disk plays it: the figure that is set beside the measured one.

use super::characterise::Measured;
use super::characterise::per_second;
use super::error::FitError;
use super::play::{Limit, play};
use super::simulated::SimulatedDisk;
use super::trials::Does;
use device::Profile;
use std::time::Duration;

/// Operations of a simulated trial that only reads.
const READS: u64 = 2_048;
/// Operations of one that writes: caches have to fill.
const WRITES: u64 = 4_096;
/// No simulated trial ends by its time.
const FOREVER: Duration = Duration::from_secs(1 << 30);

/// Plays a trial on a simulated disk; returns the figure.
pub(super) fn simulated(
    profile: &Profile,
    span_bytes: u64,
    measured: &Measured,
) -> Result<f64, FitError> {
    let trial = measured.trial;
    let operations = if trial.does == Does::Read { READS } else { WRITES };
    let mut disk = SimulatedDisk::new(profile, span_bytes, true);
    let played = play(&mut disk, trial, Limit { time: FOREVER, operations }, 0)?;
    Ok(per_second(trial, &played))
}
