// SPDX-License-Identifier: MIT OR Apache-2.0
//! A job file as lines: comments cut off, included files put in, variables filled in.
//!
//! As fio has it, `#` and `;` begin a comment wherever they stand, even within a value.

use std::env::VarError;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::error::JobError;
use crate::parse::environment::Environment;

/// Includes may be nested this deep.
const DEPTH: usize = 16;

/// The most includes: a few files that include each other twice would never end.
const MOST_INCLUDES: u32 = 1000;

/// Where a line stands.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    pub(super) file: Arc<str>,
    pub(super) line: u32,
    /// The `include` lines that led here, innermost first.
    included_from: Vec<(String, u32)>,
}

impl Origin {
    pub(super) fn wrong(&self, what: impl Into<String>, expected: impl Into<String>) -> JobError {
        let mut error = JobError::new(&*self.file, self.line, what, expected);
        error.included_from = self.included_from.clone();
        error
    }

    /// The line of the job file itself that it stands on, or that led to where it stands.
    pub(super) fn outermost_line(mistake: &JobError) -> u32 {
        mistake.included_from.last().map_or(mistake.line, |(_, line)| *line)
    }
}

/// A line that says something.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) origin: Origin,
    pub(super) content: Content,
}

/// What a line says.
#[derive(Debug)]
pub(super) enum Content {
    Section(String),
    Setting { name: String, value: Option<String> },
}

/// Reads a file's text into lines; lines that are wrong are among the mistakes instead.
pub(super) fn read(
    text: &str,
    name: &str,
    environment: &dyn Environment,
    mistakes: &mut Vec<JobError>,
) -> Vec<Line> {
    let mut reader = Reader {
        environment,
        lines: Vec::new(),
        mistakes,
        open: Vec::new(),
        includes: 0,
        gives_up: false,
    };
    reader.read(text, name, &[]);
    reader.lines
}

struct Reader<'a> {
    environment: &'a dyn Environment,
    lines: Vec<Line>,
    mistakes: &'a mut Vec<JobError>,
    /// The files being read, outermost first, to find cycles.
    open: Vec<PathBuf>,
    includes: u32,
    /// There are too many includes: nothing more is read.
    gives_up: bool,
}

impl Reader<'_> {
    fn read(&mut self, text: &str, name: &str, included_from: &[(String, u32)]) {
        let file: Arc<str> = name.into();
        self.open.push(without_dots(Path::new(name)));
        // Editors on other systems put a byte order mark before the text.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (index, raw) in text.lines().enumerate() {
            if self.gives_up {
                break;
            }
            let line = u32::try_from(index + 1).unwrap_or(u32::MAX);
            let origin =
                Origin { file: Arc::clone(&file), line, included_from: included_from.to_vec() };
            let content = raw.split(['#', ';']).next().unwrap_or_default().trim();
            if !content.is_empty()
                && let Err(mistake) = self.line(content, origin)
            {
                self.mistakes.push(mistake);
            }
        }
        self.open.pop();
    }

    fn line(&mut self, text: &str, origin: Origin) -> Result<(), JobError> {
        if let Some(rest) = text.strip_prefix('[') {
            return self.section(rest, origin);
        }
        if let Some(path) = text.strip_prefix("include").filter(|rest| is_argument(rest)) {
            return self.include(path.trim(), &origin);
        }
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name.trim_end(), Some(value.trim_start())),
            None => (text, None),
        };
        if name.is_empty() {
            return Err(origin.wrong("there is no option name before \"=\"", "OPTION=VALUE"));
        }
        let value = value.map(|value| self.filled_in(value, &origin)).transpose()?;
        self.lines.push(Line { origin, content: Content::Setting { name: name.into(), value } });
        Ok(())
    }

    fn section(&mut self, rest: &str, origin: Origin) -> Result<(), JobError> {
        if !origin.included_from.is_empty() {
            return Err(origin.wrong("a section in an included file", "options only"));
        }
        let Some((name, behind)) = rest.rsplit_once(']') else {
            return Err(origin.wrong("the section has no closing bracket", "[NAME]"));
        };
        if !behind.is_empty() {
            return Err(origin.wrong(format!("\"{behind}\" after the section"), "[NAME]"));
        }
        if name.trim().is_empty() {
            return Err(origin.wrong("the section has no name", "[NAME] or [global]"));
        }
        let name = name.trim().to_string();
        self.lines.push(Line { origin, content: Content::Section(name) });
        Ok(())
    }

    fn include(&mut self, path: &str, origin: &Origin) -> Result<(), JobError> {
        let path = self.filled_in(path, origin)?;
        let places = self.environment.places(&path, Path::new(&*origin.file));
        let mut failure = None;
        for candidate in places.iter().map(|place| without_dots(place)) {
            if self.open.contains(&candidate) {
                return Err(origin.wrong(
                    format!("include {path}: the file includes itself"),
                    "a file that does not lead back to this one",
                ));
            }
            match self.environment.read_to_string(&candidate) {
                Ok(text) => return self.included(&text, &candidate, origin),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        let reason = failure.map_or_else(String::new, |error| error.to_string());
        Err(origin.wrong(format!("cannot read include {path}: {reason}"), "a readable file"))
    }

    fn included(&mut self, text: &str, path: &Path, origin: &Origin) -> Result<(), JobError> {
        self.includes += 1;
        if self.open.len() > DEPTH || self.includes > MOST_INCLUDES {
            self.gives_up = true;
            return Err(origin.wrong(
                "too many includes",
                format!("at most {DEPTH} files within each other, {MOST_INCLUDES} in all"),
            ));
        }
        let mut included_from = vec![(origin.file.to_string(), origin.line)];
        included_from.extend(origin.included_from.iter().cloned());
        self.read(text, &path.display().to_string(), &included_from);
        Ok(())
    }

    /// The value with `${VARIABLE}`s replaced. One that is not set would leave half a value, and a
    /// job that is not the one that was meant.
    fn filled_in(&self, value: &str, origin: &Origin) -> Result<String, JobError> {
        let mut filled = String::new();
        let mut rest = value;
        while let Some((before, behind)) = rest.split_once("${") {
            let Some((name, behind)) = behind.split_once('}') else {
                return Err(origin.wrong("\"${\" without \"}\"", "${VARIABLE}"));
            };
            filled.push_str(before);
            let wrong = |error| match error {
                VarError::NotPresent => origin.wrong(
                    format!("the environment variable \"{name}\" is not set"),
                    format!("a value for it: {name}=VALUE bfq ..."),
                ),
                VarError::NotUnicode(_) => origin.wrong(
                    format!("the environment variable \"{name}\" is not UTF-8"),
                    "a value that is",
                ),
            };
            filled.push_str(&self.environment.variable(name).map_err(wrong)?);
            rest = behind;
        }
        filled.push_str(rest);
        Ok(filled)
    }
}

/// The path without its `.` parts, so that the same file is told by the same path.
fn without_dots(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != Component::CurDir).collect()
}

/// What follows the word `include`: a blank, or an equals sign that someone put there.
fn is_argument(rest: &str) -> bool {
    rest.starts_with([' ', '\t']) && !rest.trim_start().starts_with('=')
}
