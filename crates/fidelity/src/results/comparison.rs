// SPDX-License-Identifier: MIT OR Apache-2.0
//! A job as recorded and as simulated once.

use super::case::LARGEST_IO_MB;
use super::figures::{FIGURES, Figure, Figures};
use super::recording::Recording;

/// A job as recorded and as simulated once.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// What the kernel did.
    pub recorded: Recording,
    /// What the simulation did.
    pub simulated: Figures,
}

/// How well a simulated job agrees with a recorded one, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Agreement {
    /// All its figures are within the tolerances.
    Agrees,
    /// So is the share, and the throughput differs by no more than one slot of service moves:
    /// where the end of the run cuts the last slot hangs on single microseconds.
    WithinSlot,
    /// They differ by more than the tolerances allow.
    Differs,
}

impl Comparison {
    /// By how much a figure differs, as a part of the recorded one. 0 if both are.
    pub fn difference(&self, figure: &Figure) -> f64 {
        let recorded = (figure.recorded)(&self.recorded);
        let simulated = (figure.simulated)(&self.simulated);
        if recorded == 0.0 && simulated == 0.0 { 0.0 } else { simulated / recorded - 1.0 }
    }

    /// Whether a figure agrees, or does not count.
    pub fn agrees_in(&self, figure: &Figure) -> bool {
        let recorded = (figure.recorded)(&self.recorded);
        let difference = ((figure.simulated)(&self.simulated) - recorded).abs();
        !figure.is_judged(&self.recorded) || difference <= figure.tolerance(recorded)
    }

    /// How well they agree.
    pub fn agreement(&self) -> Agreement {
        let [throughput, share, latency, start_up] = &FIGURES;
        let seconds = (self.recorded.elapsed_ms / 1e3).max(1.0);
        let difference_mb = (self.simulated.mb_per_s - self.recorded.mb_per_s).abs() * seconds;
        let rest = [share, start_up].iter().all(|figure| self.agrees_in(figure));
        if !rest {
            Agreement::Differs
        } else if (self.agrees_in(throughput) || difference_mb <= LARGEST_IO_MB)
            && self.agrees_in(latency)
        {
            Agreement::Agrees
        } else if !self.recorded.is_start_up() && difference_mb <= self.recorded.case().slot_mb() {
            Agreement::WithinSlot
        } else {
            Agreement::Differs
        }
    }
}
