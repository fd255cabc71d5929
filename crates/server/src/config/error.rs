// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is wrong with a configuration: every mistake, with its place.

use std::fmt;

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The table that it is in, such as `exports.alice`; empty for the top of the file.
    pub section: String,
    /// The key that is wrong, if one is.
    pub key: Option<&'static str>,
    /// The wrong value as it is written in the file, or what is missing.
    pub found: String,
    /// What would have been right, if there is more to say.
    pub expected: String,
}

impl Mistake {
    /// A mistake in a table, or in one of its keys.
    pub fn new(
        section: impl Into<String>,
        key: impl Into<Option<&'static str>>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Mistake {
        Mistake {
            section: section.into(),
            key: key.into(),
            found: found.into(),
            expected: expected.into(),
        }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.found)?;
        if !self.expected.is_empty() {
            write!(f, "; expected {}", self.expected)?;
        }
        Ok(())
    }
}

/// All that is wrong with a file, by line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ConfigError {
    /// The file that was read.
    pub file: String,
    /// Each mistake with its line, counted from 1; no line if the file cannot be read.
    pub mistakes: Vec<(Option<u32>, Mistake)>,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (line, mistake)) in self.mistakes.iter().enumerate() {
            let end = if place == 0 { "" } else { "\n" };
            match line {
                Some(line) => write!(f, "{end}{}:{line}: {mistake}", self.file)?,
                None => write!(f, "{end}{}: {mistake}", self.file)?,
            }
        }
        Ok(())
    }
}
