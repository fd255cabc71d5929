// SPDX-License-Identifier: MIT OR Apache-2.0
//! The one way in which a profile can be refused.

use base::suggest::meant_or_all;
use std::fmt::{self, Display};

/// What is wrong with a profile, where, and what was expected instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ProfileError {
    /// The file (or the argument of the command line) that holds the mistake.
    pub file: String,
    /// The line of the file, counted from 1; none for an argument or an unreadable file.
    pub line: Option<u32>,
    /// What is wrong with the line, for people to read.
    pub what: String,
    /// What would have been right; empty if `what` says it.
    pub expected: String,
}

impl ProfileError {
    /// The mistake without its place.
    pub fn message(&self) -> String {
        match self.expected.as_str() {
            "" => self.what.clone(),
            expected => format!("{}; expected {expected}", self.what),
        }
    }
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file)?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        write!(f, " {}", self.message())
    }
}

/// A mistake whose place isn't known yet: the code that reads a value doesn't know its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mistake {
    pub what: String,
    pub expected: String,
}

impl Mistake {
    pub fn new(what: impl Into<String>, expected: impl Into<String>) -> Self {
        Mistake { what: what.into(), expected: expected.into() }
    }

    /// A name that is not among the known ones: `what` ends with it.
    pub fn unknown(what: impl Display, name: &str, known: &[&str]) -> Self {
        Mistake::new(format!("{what}{}", meant_or_all(name, known)), "")
    }

    pub fn at(self, file: &str, line: Option<u32>) -> ProfileError {
        ProfileError { file: file.to_owned(), line, what: self.what, expected: self.expected }
    }
}
