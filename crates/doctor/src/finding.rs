// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is wrong: what was seen, what follows, what mends it.

use crate::mending::write;
use crate::share::percent;
use serde::Serialize;

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// The name of the rule that found it; docs/generated/doctor.md has them all.
    pub rule: &'static str,
    /// What is wrong, in a few words.
    pub title: &'static str,
    /// The disk that it is about.
    pub disk: Option<String>,
    /// The group that it is about, or that loses most by it.
    pub group: Option<String>,
    /// What was seen: files, and what they say.
    pub seen: Vec<Seen>,
    /// What follows from it.
    pub follows: String,
    /// The share of the disk that the group asked for, while all that use the disk want it.
    pub asked_percent: Option<f64>,
    /// The share of the disk that it gets then.
    pub predicted_percent: Option<f64>,
    /// Commands and lines of unit files that mend it.
    pub mend: Vec<String>,
    /// Whether `--fix` mends it.
    pub is_fixable: bool,
    /// What `--fix` does.
    #[serde(skip)]
    pub fixes: Vec<Fix>,
    /// How many lines of `mend` say that, from the first on.
    #[serde(skip)]
    pub fixed_lines: usize,
}

/// A file, and what it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Seen {
    /// Path of the file.
    pub file: String,
    /// What it says.
    pub value: String,
}

/// A change that is safe: it takes effect at once, loses no data, and can be undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fix {
    /// Another elevator for the disk.
    Elevator {
        /// Name of the elevator, with its tunables that are to differ: `bfq:low_latency=0`.
        candidate: String,
    },
    /// Another value of one setting.
    Setting {
        /// The file of the setting.
        file: String,
        /// What it says now.
        seen: String,
        /// What is written to it.
        value: String,
    },
}

impl Fix {
    /// Whether both write the same file.
    pub(crate) fn is_of_same_file(&self, other: &Fix) -> bool {
        match (self, other) {
            (Fix::Setting { file: one, .. }, Fix::Setting { file: another, .. }) => one == another,
            _ => false,
        }
    }
}

impl Finding {
    /// The points of the disk that the group lacks of what it asked for, or has more; 0 where
    /// shares are not what the finding is about.
    pub fn cost_points(&self) -> f64 {
        match (self.asked_percent, self.predicted_percent) {
            (Some(asked), Some(predicted)) => (asked - predicted).abs(),
            _ => 0.0,
        }
    }

    /// With a file that was seen.
    pub fn saw(mut self, file: impl Into<String>, value: impl ToString) -> Self {
        self.seen.push(Seen { file: file.into(), value: value.to_string() });
        self
    }

    /// With what follows from it.
    pub fn follows(mut self, text: impl Into<String>) -> Self {
        self.follows = text.into();
        self
    }

    /// About a group, which asked for one share and gets another (parts of 1).
    pub fn of_group(mut self, path: &str, asked: Option<f64>, real: Option<f64>) -> Self {
        self.group = Some(path.to_owned());
        (self.asked_percent, self.predicted_percent) = (asked.map(percent), real.map(percent));
        self
    }

    /// With a command or line that mends it.
    pub fn mend(mut self, line: impl Into<String>) -> Self {
        self.mend.push(line.into());
        self
    }

    /// With several of them.
    pub fn mends(self, lines: impl IntoIterator<Item = String>) -> Self {
        lines.into_iter().fold(self, Finding::mend)
    }

    /// With a setting that `--fix` writes, which is a command for people, too.
    pub fn set(self, file: String, seen: impl ToString, value: impl ToString) -> Self {
        let (seen, value) = (seen.to_string(), value.to_string());
        let command = write(&value, &file);
        self.fixed_by(Fix::Setting { file, seen, value }, [command])
    }

    /// With what `--fix` does, and the commands that do the same, before all others.
    pub fn fixed_by(mut self, fix: Fix, commands: impl IntoIterator<Item = String>) -> Self {
        self.is_fixable = true;
        self.fixes.push(fix);
        let found = self.mends(commands);
        Finding { fixed_lines: found.mend.len(), ..found }
    }
}
