// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is wrong with job files (or a trace), and where.

use base::text::printable;
use std::fmt;

/// One mistake: where it stands, what it is, and what was expected instead.
///
/// Displayed as one line, `FILE:LINE: WHAT; expected EXPECTED`; for an included file the chain of
/// including lines follows in parentheses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct JobError {
    /// The file that holds the mistake, as named by the caller or by the `include` line.
    pub file: String,
    /// Its line, from 1; 0 when the file as a whole is meant.
    pub line: u32,
    /// What is wrong at that place, for people to read.
    pub what: String,
    /// What would have been right there; empty if `what` says it.
    pub expected: String,
    /// The `include` lines that led to the file, innermost first.
    pub included_from: Vec<(String, u32)>,
}

impl JobError {
    /// A mistake at a line of a file that was not included from another.
    pub fn new(
        file: impl Into<String>,
        line: u32,
        what: impl Into<String>,
        expected: impl Into<String>,
    ) -> JobError {
        JobError {
            file: file.into(),
            line,
            // It quotes what is in the file, and may reach a terminal.
            what: printable(&what.into()),
            expected: expected.into(),
            included_from: Vec::new(),
        }
    }

    /// The mistake without its place.
    pub fn message(&self) -> String {
        match self.expected.as_str() {
            "" => self.what.clone(),
            expected => format!("{}; expected {expected}", self.what),
        }
    }
}

impl From<trace::TraceError> for JobError {
    fn from(error: trace::TraceError) -> JobError {
        let (line, what) = match error.place {
            trace::TracePosition::File => (0, error.what),
            trace::TracePosition::Line(line) => {
                (u32::try_from(line).unwrap_or(u32::MAX), error.what)
            }
            trace::TracePosition::Byte(byte) => (0, format!("at byte {byte}: {}", error.what)),
        };
        JobError::new(error.file, line, what, error.expected)
    }
}

impl fmt::Display for JobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: ", self.file)?,
            line => write!(f, "{}:{line}: ", self.file)?,
        }
        f.write_str(&self.message())?;
        for (file, line) in &self.included_from {
            write!(f, " (included from {file}:{line})")?;
        }
        Ok(())
    }
}

/// How many mistakes are displayed: who has more of them reads no further.
const MOST_SHOWN: usize = 20;

/// Everything that is wrong with job files: at least one mistake, in the order of the lines.
///
/// A single one is displayed as it is, several below their number, one a line, up to twenty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobErrors {
    first: Box<JobError>,
    others: Vec<JobError>,
}

impl JobErrors {
    /// The mistakes, each once; none if there are none.
    pub(crate) fn of(mistakes: Vec<JobError>) -> Option<JobErrors> {
        let mut distinct: Vec<JobError> = Vec::with_capacity(mistakes.len());
        for mistake in mistakes {
            if !distinct.contains(&mistake) {
                distinct.push(mistake);
            }
        }
        let mut distinct = distinct.into_iter();
        let first = Box::new(distinct.next()?);
        Some(JobErrors { first, others: distinct.collect() })
    }

    /// The same in a file that is called otherwise.
    pub fn renamed(mut self, file: &str, to: &str) -> JobErrors {
        let all = std::iter::once(&mut *self.first).chain(&mut self.others);
        all.filter(|error| error.file == file).for_each(|error| error.file = to.to_owned());
        self
    }

    /// The mistakes in the order of their lines.
    pub fn iter(&self) -> impl Iterator<Item = &JobError> {
        std::iter::once(&*self.first).chain(&self.others)
    }
}

impl From<JobError> for JobErrors {
    fn from(mistake: JobError) -> JobErrors {
        JobErrors { first: Box::new(mistake), others: Vec::new() }
    }
}

impl std::error::Error for JobErrors {}

impl fmt::Display for JobErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.others.is_empty() {
            return self.first.fmt(f);
        }
        let all = 1 + self.others.len();
        write!(f, "{all} mistakes:")?;
        self.iter().take(MOST_SHOWN).try_for_each(|mistake| write!(f, "\n  {mistake}"))?;
        match all.saturating_sub(MOST_SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_mistakes_the_first_are_displayed() {
        let of = |count: u32| {
            let mistakes = (1..=count).map(|line| JobError::new("f", line, "wrong", "right"));
            JobErrors::of(mistakes.collect()).unwrap().to_string()
        };
        assert_eq!(of(20).lines().count(), 21);
        let text = of(23);
        assert!(text.starts_with("23 mistakes:\n") && text.ends_with("\n  and 3 more"), "{text}");
        assert_eq!(text.lines().count(), 22);
    }

    #[test]
    fn a_file_without_anything_of_a_job_file_is_told_in_a_sentence() {
        let text = "{\n  \"bfq version\": \"0.1.0\",\n  \"seed\": 1\n}\n";
        assert_eq!(
            crate::parse(text, "j.fio").unwrap_err().to_string(),
            "j.fio: this is neither a job file nor a trace in a known format; expected sections, \
             [NAME], with options of fio below each, or a trace as bfq trace info reads it"
        );
        let without_section = crate::parse("rw=read\n", "j.fio").unwrap_err().to_string();
        assert!(without_section.contains("before the first section"), "{without_section}");
    }
}
