// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reading fio job files into jobs.
//!
//! A job file is sections of options, one a line. `[global]` sections say what holds for the jobs
//! below them; every other section is a job. Nothing is dropped in silence: what is not known is
//! an error, and what is known to have no effect here leaves a [`Note`](crate::Note).

mod catalogue;
mod distribution;
mod draft;
mod environment;
mod expected;
mod expression;
mod lines;
mod number;
mod options;
mod setting;
mod unsupported;
mod values;

#[cfg(test)]
mod error_tests;
#[cfg(test)]
mod option_tests;
#[cfg(test)]
pub(crate) mod section_tests;

use std::env::VarError;
use std::io::{self, BufRead, Read};
use std::path::Path;

use crate::error::{JobError, JobErrors};
use crate::job::Job;
use crate::recorded::{ReplayMode, ReplaySettings, Trace};

pub use catalogue::{JobOption, job_options, options_without_effect, unsupported_options};

pub use environment::{Actual, Environment};

use draft::Draft;
use lines::{Content, Line, Origin};

/// How job files are read.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoadSettings {
    /// How a trace that stands in the place of a job file is replayed.
    pub replay: Option<ReplayMode>,
    /// Options of fio's that are not supported here leave a note, instead of being mistakes.
    pub ignore_unsupported: bool,
}

/// Reads a job file.
///
/// # Errors
/// All mistakes, each with its file and line.
pub fn load(path: &Path) -> Result<Vec<Job>, JobErrors> {
    load_all(&[path])
}

/// Reads several job files. As under fio, the `[global]` sections of one don't hold in the next,
/// and the jobs of one start when those of the one before have ended.
///
/// # Errors
/// All mistakes, each with its file and line.
pub fn load_all(paths: &[impl AsRef<Path>]) -> Result<Vec<Job>, JobErrors> {
    load_all_with(paths, &LoadSettings::default(), &Actual)
}

/// As [`load_all`], in this way, and with the files and variables that `environment` has; a file
/// that is a trace stands for a job that replays it.
///
/// # Errors
/// All mistakes of all files, each with its file and line.
pub fn load_all_with(
    paths: &[impl AsRef<Path>],
    settings: &LoadSettings,
    environment: &dyn Environment,
) -> Result<Vec<Job>, JobErrors> {
    let (mut jobs, mut mistakes): (Vec<Job>, Vec<JobError>) = Default::default();
    for path in paths {
        let path = path.as_ref();
        let name = path.display().to_string();
        let mut of_file = if is_trace(path, environment) {
            let shown = name_in_job_file(&name);
            let text = job_of_trace(path, &shown, settings.replay);
            let trace = OneTrace { shown: Path::new(&shown), path, environment };
            let mut jobs = read(&text, &name, settings, &trace, &mut mistakes);
            // The trace's name is the file's, and the lines are those of our own job file.
            let notes = jobs.iter_mut().flat_map(|job| &mut job.notes);
            notes.for_each(|note| note.concern_whole_file(&shown));
            jobs
        } else {
            match text_of(path, &name, environment) {
                Ok(text) => read(&text, &name, settings, environment, &mut mistakes),
                Err(mistake) => {
                    mistakes.push(mistake);
                    Vec::new()
                }
            }
        };
        if let Some(first) = of_file.first_mut() {
            first.stonewall |= !jobs.is_empty();
        }
        jobs.append(&mut of_file);
    }
    number(&mut jobs);
    JobErrors::of(mistakes).map_or(Ok(jobs), Err)
}

/// The text of a job file. A trace that comes through a pipe is told as such: it is read more than
/// once, and a pipe is empty then.
fn text_of(path: &Path, name: &str, environment: &dyn Environment) -> Result<String, JobError> {
    let wrong = |what: String| JobError::new(name, 0, what, "a readable job file");
    if environment.can_be_read_twice(path) {
        return environment.read_to_string(path).map_err(|error| wrong(error.to_string()));
    }
    let mut bytes = Vec::new();
    let whole = environment.open(path).and_then(|mut source| source.read_to_end(&mut bytes));
    whole.map_err(|error| wrong(error.to_string()))?;
    if trace::identify(&bytes[..], name, None).is_ok() {
        let what = "a trace cannot be replayed through a pipe, as it is read more than once";
        return Err(JobError::new(name, 0, what, "a file (compressed ones are read, too)"));
    }
    String::from_utf8(bytes).map_err(|error| wrong(error.utf8_error().to_string()))
}

/// Whether a file is a trace in a known format, rather than a job file.
pub fn is_trace(path: &Path, environment: &dyn Environment) -> bool {
    let name = path.display().to_string();
    let identified = |source| trace::identify(source, &name, None).is_ok();
    environment.can_be_read_twice(path) && environment.open(path).is_ok_and(identified)
}

/// A trace that a job file of our making calls by a name that can be written there, as a path may
/// be any bytes.
struct OneTrace<'a> {
    shown: &'a Path,
    path: &'a Path,
    environment: &'a dyn Environment,
}

impl Environment for OneTrace<'_> {
    fn open(&self, path: &Path) -> io::Result<Box<dyn BufRead + '_>> {
        self.environment.open(if path == self.shown { self.path } else { path })
    }

    fn variable(&self, name: &str) -> Result<String, VarError> {
        self.environment.variable(name)
    }
}

/// A name without what means something else in a job file.
fn name_in_job_file(name: &str) -> String {
    name.trim().replace(|letter: char| letter.is_control() || "#;$[]".contains(letter), "_")
}

/// A job file that replays a trace, and no more.
fn job_of_trace(path: &Path, shown: &str, mode: Option<ReplayMode>) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name_in_job_file(name.split('.').next().unwrap_or_default());
    let name = if name.is_empty() || name == "global" { "trace" } else { &name };
    let path = shown.replace(':', "\\:");
    let mode = mode.map_or_else(String::new, |mode| format!("replay_mode={}\n", mode.name()));
    // Traces may count in bytes, disks have whole sectors.
    format!("[{name}]\nread_iolog={path}\n{mode}replay_align=512\ndirect=1\ngroup_reporting=1\n")
}

/// Reads a job file from memory; `name` is what errors call it. Files that it refers to are
/// read from disk.
///
/// # Errors
/// All mistakes, each with its file and line.
pub fn parse(text: &str, name: &str) -> Result<Vec<Job>, JobErrors> {
    parse_with(text, name, &Actual)
}

/// As [`parse`], with the files and variables that `environment` has.
///
/// # Errors
/// All mistakes, each with its file and line.
pub fn parse_with(
    text: &str,
    name: &str,
    environment: &dyn Environment,
) -> Result<Vec<Job>, JobErrors> {
    parse_by(text, name, &LoadSettings::default(), environment)
}

/// As [`parse_with`], in this way.
///
/// # Errors
/// All mistakes, each with its file and line.
pub fn parse_by(
    text: &str,
    name: &str,
    settings: &LoadSettings,
    environment: &dyn Environment,
) -> Result<Vec<Job>, JobErrors> {
    let mut mistakes = Vec::new();
    let jobs = read(text, name, settings, environment, &mut mistakes);
    JobErrors::of(mistakes).map_or(Ok(jobs), Err)
}

/// The jobs of a file; what is wrong with them is added to the mistakes, in the order of lines.
fn read(
    text: &str,
    name: &str,
    settings: &LoadSettings,
    environment: &dyn Environment,
    mistakes: &mut Vec<JobError>,
) -> Vec<Job> {
    let mut of_file = Vec::new();
    let lines = lines::read(text, name, environment, &mut of_file);
    let has_sections = || text.lines().any(|line| line.trim_start().starts_with('['));
    if !lines.is_empty() && !lines.iter().any(is_of_job_file) && !has_sections() {
        let what = "this is neither a job file nor a trace in a known format";
        let expected = "sections, [NAME], with options of fio below each, or a trace as bfq \
                        trace info reads it";
        mistakes.push(JobError::new(name, 0, what, expected));
        return Vec::new();
    }
    let mut sections =
        Sections { environment, globals: Draft::new(), open: None, jobs: Vec::new() };
    for line in lines {
        match line.content {
            Content::Section(title) => {
                sections.close(&mut of_file);
                sections.begin(title, line.origin);
            }
            Content::Setting { name, value } => {
                let set = sections.set(&name, value, line.origin, settings.ignore_unsupported);
                of_file.extend(set.err());
            }
        }
    }
    sections.close(&mut of_file);
    let mut jobs = sections.jobs;
    // What would have been a job may be among the mistakes.
    if jobs.is_empty() && of_file.is_empty() {
        let expected = "a section other than [global]";
        of_file.push(JobError::new(name, 0, "there is no job", expected));
    }
    of_file.sort_by_key(Origin::outermost_line);
    mistakes.append(&mut of_file);
    number(&mut jobs);
    jobs
}

/// Whether other files than job files hardly have such a line: a section, or an option of fio.
fn is_of_job_file(line: &Line) -> bool {
    match &line.content {
        Content::Section(_) => true,
        Content::Setting { name, .. } => {
            options::find(name).is_some() || unsupported::find(name).is_some()
        }
    }
}

/// The sections of a file, as they come.
struct Sections<'a> {
    environment: &'a dyn Environment,
    globals: Draft,
    /// The section whose options are being read.
    open: Option<(String, Origin, Draft)>,
    jobs: Vec<Job>,
}

impl Sections<'_> {
    fn begin(&mut self, title: String, origin: Origin) {
        let draft = match title.as_str() {
            "global" => self.globals.clone(),
            _ => self.globals.of_section(),
        };
        self.open = Some((title, origin, draft));
    }

    fn set(
        &mut self,
        name: &str,
        value: Option<String>,
        origin: Origin,
        ignore_unsupported: bool,
    ) -> Result<(), JobError> {
        match &mut self.open {
            Some((_, _, draft)) => setting::set(draft, name, value, origin, ignore_unsupported),
            None => {
                let what = format!("option \"{name}\" before the first section");
                Err(origin.wrong(what, "[global] or [NAME] above it"))
            }
        }
    }

    /// The end of a section.
    fn close(&mut self, mistakes: &mut Vec<JobError>) {
        match self.open.take() {
            None => {}
            Some((title, _, draft)) if title == "global" => self.globals = draft,
            Some((title, origin, draft)) => {
                self.jobs.push(draft.finish(&title, &origin, self.environment, mistakes));
            }
        }
    }
}

/// Numbers the jobs and their reporting groups.
fn number(jobs: &mut [Job]) {
    let mut group = 0;
    for (index, job) in jobs.iter_mut().enumerate() {
        if index > 0 && (job.stonewall || job.new_group) {
            group += 1;
        }
        job.index = u32::try_from(index).unwrap_or(u32::MAX);
        job.group_id = group;
    }
}

/// Reads the I/O log that a job replays.
fn read_trace(
    path: &str,
    origin: &Origin,
    settings: &ReplaySettings,
    depth: u32,
    environment: &dyn Environment,
) -> Result<Trace, JobError> {
    let mut failure = None;
    for candidate in environment.places(path, Path::new(&*origin.file)) {
        match environment.open(&candidate) {
            Ok(source) => {
                let name = candidate.display().to_string();
                return Trace::read(source, &name, settings, depth);
            }
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    let reason = failure.map_or_else(String::new, |error| error.to_string());
    Err(origin.wrong(format!("cannot read the I/O log {path}: {reason}"), "a readable file"))
}
