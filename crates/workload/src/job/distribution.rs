// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where random I/Os go, if not everywhere alike (`random_distribution`), and zones that a job goes
//! through in strides (`zonemode=strided`).

use crate::job::direction::PerDirection;
use crate::job::sizes::Extent;

/// How likely each block is (`random_distribution`).
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Distribution {
    /// `random`: all blocks are equally likely.
    #[default]
    Uniform,
    /// `zipf:THETA`: the k-th most likely block is so with a probability proportional to 1/k^THETA.
    Zipf {
        /// The exponent, 0 or more.
        theta: f64,
        /// Where the most likely block is, as a part of the region; none: anywhere.
        center: Option<f64>,
    },
    /// `pareto:H`: a part H of the blocks gets a part 1 - H of the I/Os, and so on within it.
    Pareto {
        /// Above 0 and below 1.
        h: f64,
        /// Where the most likely block is, as a part of the region; none: anywhere.
        center: Option<f64>,
    },
    /// Bell-shaped around the middle: `normal:DEVIATION`, the deviation in percent.
    Normal {
        /// The standard deviation, in percent of the region.
        deviation_percent: f64,
        /// Where the most likely block is, as a part of the region.
        center: f64,
    },
    /// `zoned` and `zoned_abs`: stretches of the region one after the other.
    Zoned(PerDirection<Vec<Share>>),
}

/// A stretch of the region and its part of the I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Percent of the I/Os; those of all shares add up to 100.
    pub percent: u8,
    /// How long it is; a percentage is of the region.
    pub length: Extent,
}

/// A region gone through in strides (`zonemode=strided`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strides {
    /// `zonesize`: bytes moved in a zone before the next one comes.
    pub size_bytes: u64,
    /// `zonerange`: how long a zone is, bytes.
    pub range_bytes: u64,
    /// `zoneskip`: what lies between two zones, bytes.
    pub skip_bytes: u64,
}
