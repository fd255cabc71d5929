// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be said of few rounds: medians with intervals, and which differences are real.
//!
//! Rounds pair the candidates: every round measures all of them, in random order, so what drifts
//! over the run is in both values of a pair, and if two candidates are alike it is chance alone
//! which of the two values is the larger. All that is assumed is that; nothing about the shape of
//! the noise. Therefore
//!
//! * a difference of two candidates is the median of the rounds' ratios (or distances, for
//!   percentages), with the bootstrap's interval: [`median_interval`];
//! * its probability under chance is that of a *sign-flip permutation test* over the rounds,
//!   corrected for the number of questions by Westfall and Young's step-down maximum, in which all
//!   questions of a round are flipped together, so that metrics that rise and fall together do not
//!   count twice: [`corrected_p`];
//! * it is called a difference if it is significant, and its interval excludes chance, and it is
//!   large enough to [matter](crate::model::Matters): [`compare`]. What may be said is a
//!   [`Finding`].
//!
//! An exact test cannot be surer than its rounds allow: of `n` rounds all go the same way by chance
//! once in 2ⁿ⁻¹ times. [`rounds_needed`] is the least number that allows a claim; runs of fewer say
//! that it is too early to tell.

mod bootstrap;
mod difference;
mod finding;
mod permutation;

pub use bootstrap::{Estimate, median, median_interval};
pub use difference::{Difference, Paired, Question, compare};
pub use finding::{Apart, Direction, Finding, Open};
pub use permutation::{LEVEL, corrected_p, rounds_needed};
