// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a run tells its caller how it goes on, and asks whether to end.

use std::path::Path;

/// Is told how a run goes on, and may end it.
pub trait Listener {
    /// What there is to know: of the disk, of the plan.
    fn says(&self, text: &str);
    /// What makes the run less than it could be.
    fn notes(&self, text: &str);
    /// Bytes of the scratch file, which is at `path`, that are filled, and all there will be.
    fn fills(&self, path: &Path, done_bytes: u64, all_bytes: u64);
    /// Cells that have run for the warm-up, and all there are.
    fn warms_up(&self, done: usize, all: usize);
    /// Cells that are measured, and all there are; what comes next, in words.
    fn measures(&self, done: usize, all: usize, next: String);
    /// Steps of measuring the disk of that name itself that are done, and all there are.
    fn characterises(&self, disk: &str, done: usize, all: usize);
    /// What went on in steps is over.
    fn is_over(&self);
    /// Whether the user wants to end.
    fn interrupted(&self) -> bool;
}
