// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who hears how a run goes on, and may end it.

use std::path::Path;

/// Who hears how a run goes on, and may end it.
pub trait Listener {
    /// What there is to know: of the disk, of the plan.
    fn says(&self, text: &str);
    /// What makes the run less than it could be.
    fn notes(&self, text: &str);
    /// So much of the scratch file (its path is given) is filled.
    fn fills(&self, path: &Path, done_bytes: u64, all_bytes: u64);
    /// So many of the scenarios were rehearsed.
    fn rehearses(&self, done: usize, all: usize);
    /// So many cells are measured; what comes next, in words.
    fn measures(&self, done: usize, all: usize, next: String);
    /// What went on in steps is over.
    fn is_over(&self);
    /// Whether somebody wants to end.
    fn interrupted(&self) -> bool;
}
