// SPDX-License-Identifier: MIT OR Apache-2.0
//! Something that is wrong, and where.

use std::fmt;

/// Something that is wrong at a line of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The path of the file below the root of the repository.
    pub path: String,
    /// The number of the line; the first one is 1.
    pub line: usize,
    /// What is wrong, as part of a sentence.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}
