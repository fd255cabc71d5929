// SPDX-License-Identifier: MIT OR Apache-2.0
//! A profile that is being made: values with where they come from, and its text.

use super::error::FitError;
use device::{ParameterRow, Profile, ProfileError, Tolerance};
use std::fmt;

/// One line of a profile.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    pub row: ParameterRow,
    /// The value, in the base unit of the parameter.
    pub value: u64,
    pub source: String,
    pub tolerance: Tolerance,
}

/// A profile before it is read again; only that makes sure that it is one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Draft {
    pub model: &'static str,
    pub description: String,
    /// Sentences at the beginning of the file.
    pub remarks: Vec<String>,
    pub values: Vec<Line>,
    pub expectations: Vec<Line>,
}

impl Draft {
    /// All values of a known disk, each said to be assumed.
    pub fn like(profile: &Profile) -> Draft {
        let values = profile.values().iter().map(|figure| Line {
            row: *figure.row,
            value: figure.value,
            source: format!("assumed; as in {}", profile.name()),
            tolerance: Tolerance::Percent(100),
        });
        Draft {
            model: profile.model().name(),
            description: profile.description().to_owned(),
            remarks: Vec::new(),
            values: values.collect(),
            expectations: Vec::new(),
        }
    }

    /// A value, in base units.
    pub fn get(&self, name: &str) -> u64 {
        self.values.iter().find(|line| line.row.name == name).map_or(0, |line| line.value)
    }

    /// Changes a value, as near as its range allows.
    pub fn set(&mut self, name: &str, value: u64) {
        if let Some(line) = self.line(name) {
            line.value = value.clamp(line.row.least, line.row.greatest);
        }
    }

    /// Changes a value, and tells where it comes from.
    pub fn state(&mut self, name: &str, value: u64, source: &str, tolerance: Tolerance) {
        self.set(name, value);
        self.explain(name, source, tolerance);
    }

    /// Tells where a value comes from.
    pub fn explain(&mut self, name: &str, source: &str, tolerance: Tolerance) {
        if let Some(line) = self.line(name) {
            line.source = source.to_owned();
            line.tolerance = tolerance;
        }
    }

    fn line(&mut self, name: &str) -> Option<&mut Line> {
        self.values.iter_mut().find(|line| line.row.name == name)
    }

    /// The profile.
    ///
    /// # Errors
    /// If the values do not go together.
    pub fn profile(&self, file: &str) -> Result<Profile, ProfileError> {
        Profile::parse(&self.to_string(), file)
    }
}

impl From<ProfileError> for FitError {
    fn from(_: ProfileError) -> FitError {
        FitError::NoModel
    }
}

impl fmt::Display for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for remark in &self.remarks {
            writeln!(f, "# {}", plain(remark))?;
        }
        writeln!(f, "model = \"{}\"", self.model)?;
        writeln!(f, "description = \"{}\"\n\n[values]", plain(&self.description))?;
        self.values.iter().try_for_each(|line| writeln!(f, "{line}"))?;
        if !self.expectations.is_empty() {
            writeln!(f, "\n[expect]")?;
        }
        self.expectations.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, unit) = self.row.quantity.written(self.value);
        let (name, source) = (self.row.name, plain(&self.source));
        write!(f, "{name} = {{ value = {value}, unit = \"{unit}\", source = \"{source}\", ")?;
        match self.tolerance {
            Tolerance::Exact => write!(f, "tolerance = \"exact\" }}"),
            Tolerance::Percent(percent) => write!(f, "tolerance = \"{percent} %\" }}"),
        }
    }
}

/// Text between quotation marks: names of models come from the disk, who knows what is in them.
fn plain(text: &str) -> String {
    let keep = |c: char| if c.is_control() || c == '"' || c == '\\' { ' ' } else { c };
    text.chars().map(keep).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_known_profile_is_written_and_read_again() {
        for name in Profile::builtin_names() {
            let known = Profile::builtin(name).unwrap();
            let mut draft = Draft::like(&known);
            draft.description = "a \"disk\" \\ with\nodd names".to_owned();
            let read = draft.profile("mine.toml").unwrap();
            assert_eq!(read.parameters(), known.parameters(), "{name}");
            assert_eq!(read.description(), "a  disk    with odd names");
            assert!(read.values()[0].source.ends_with(name));
        }
    }

    #[test]
    fn values_that_do_not_go_together_are_no_profile() {
        let mut draft = Draft::like(&Profile::builtin("hdd-desktop").unwrap());
        draft.set("seek_full", 1);
        draft.profile("mine.toml").unwrap_err();
    }
}
