// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is measured: a disk, real or simulated, that takes requests and says when they have ended.

use super::error::FitError;
use base::Op;

/// One request of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrialRequest {
    /// Whether to read, write, discard or flush.
    pub op: Op,
    /// Where it begins, in bytes from the beginning of the part that is measured.
    pub offset_bytes: u64,
    /// How long it is, in bytes.
    pub length_bytes: u32,
}

/// A disk under measurement.
pub trait Subject {
    /// How much of the disk may be touched, in bytes.
    fn span_bytes(&self) -> u64;

    /// Whether it may be written to.
    fn writes(&self) -> bool;

    /// Gets ready for `depth` requests at a time, none longer than `longest_bytes`.
    ///
    /// # Errors
    /// If the system refuses.
    fn begin(&mut self, depth: u32, longest_bytes: u32) -> Result<(), FitError>;

    /// The time, in nanoseconds from some beginning.
    fn now_ns(&self) -> u64;

    /// Begins a request; `tag` is below the depth and not in use.
    ///
    /// # Errors
    /// If the disk does not take it.
    fn submit(&mut self, tag: u32, request: TrialRequest) -> Result<(), FitError>;

    /// Waits until requests have ended and adds their tags to `ended`. May come back with none.
    ///
    /// # Errors
    /// If a request failed, or the user wants no more.
    fn wait(&mut self, ended: &mut Vec<u32>) -> Result<(), FitError>;
}
