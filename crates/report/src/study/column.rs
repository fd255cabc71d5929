// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run beside others.

use crate::results::Run;

/// A run, under the name that tells it from the others.
#[derive(Clone, Debug)]
pub struct Column<'a> {
    /// The scheduler, with the tunables in which it differs from others of that name.
    pub label: String,
    /// The run that the column shows.
    pub run: &'a Run,
    /// The name of the result that it is from.
    pub source: &'a str,
    /// The seed of its random choices.
    pub seed: u64,
}

impl Column<'_> {
    /// What the label has besides the scheduler's name; may be empty.
    pub fn variant(&self) -> &str {
        let rest = self.label.strip_prefix(&self.run.scheduler).unwrap_or_default();
        rest.trim_start_matches(':').trim()
    }
}
