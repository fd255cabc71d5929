//! Reading fio job files into jobs.
//!
//! A job file is sections of options, one a line. `[global]` sections say what holds for the jobs
//! below them; every other section is a job. Nothing is dropped in silence: what is not known is
//! an error, and what is known to have no effect here leaves a [`Note`](crate::Note).

mod draft;
mod expression;
mod lines;
pub(crate) mod nearest;
mod number;
mod options;
mod values;

#[cfg(test)]
mod error_tests;
#[cfg(test)]
mod option_tests;
#[cfg(test)]
pub(crate) mod section_tests;

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use crate::error::JobError;
use crate::job::{Job, ReplayMode, ReplaySettings};
use crate::recorded::Trace;

use draft::Draft;
use lines::{Content, Origin};

/// What a job file can refer to: other files, and environment variables.
pub trait Surroundings {
    /// Opens a file.
    ///
    /// # Errors
    /// As for [`File::open`].
    fn open(&self, path: &Path) -> io::Result<Box<dyn BufRead + '_>>;

    /// The value of an environment variable, if it is set.
    fn variable(&self, name: &str) -> Option<String>;

    /// The text of a file.
    ///
    /// # Errors
    /// As for [`std::fs::read_to_string`].
    fn read_to_string(&self, path: &Path) -> io::Result<String> {
        let mut text = String::new();
        io::Read::read_to_string(&mut self.open(path)?, &mut text)?;
        Ok(text)
    }
}

/// The file system and the environment of this process.
struct Actual;

impl Surroundings for Actual {
    fn open(&self, path: &Path) -> io::Result<Box<dyn BufRead + '_>> {
        Ok(Box::new(BufReader::new(File::open(path)?)))
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }
}

/// Reads a job file.
///
/// # Errors
/// The first mistake found, with its file and line.
pub fn load(path: &Path) -> Result<Vec<Job>, JobError> {
    load_all(&[path])
}

/// Reads several job files. As under fio, the `[global]` sections of one don't hold in the next,
/// and the jobs of one start when those of the one before have ended.
///
/// # Errors
/// The first mistake found, with its file and line.
pub fn load_all(paths: &[impl AsRef<Path>]) -> Result<Vec<Job>, JobError> {
    load_all_replaying(paths, None, &Actual)
}

/// As [`load_all`], with the files and variables that `surroundings` has; a file that is a trace
/// stands for a job that replays it in this mode.
///
/// # Errors
/// The first mistake found, with its file and line.
pub fn load_all_replaying(
    paths: &[impl AsRef<Path>],
    mode: Option<ReplayMode>,
    surroundings: &dyn Surroundings,
) -> Result<Vec<Job>, JobError> {
    let mut jobs: Vec<Job> = Vec::new();
    for path in paths {
        let path = path.as_ref();
        let name = path.display().to_string();
        let text = match is_trace(path) {
            true => job_of_trace(path, mode),
            false => surroundings.read_to_string(path).map_err(|error| {
                JobError::new(&*name, 0, error.to_string(), "a readable job file")
            })?,
        };
        let mut of_file = parse_with(&text, &name, surroundings)?;
        of_file[0].stonewall |= !jobs.is_empty();
        jobs.append(&mut of_file);
    }
    number(&mut jobs);
    Ok(jobs)
}

/// Whether a file is a trace in a known format, rather than a job file.
pub fn is_trace(path: &Path) -> bool {
    let name = path.display().to_string();
    let identified = |source| trace::identify(source, &name, None).is_ok();
    path.is_file() && Actual.open(path).is_ok_and(identified)
}

/// A job file that replays a trace, and no more.
fn job_of_trace(path: &Path, mode: Option<ReplayMode>) -> String {
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into());
    let name = name.split('.').next().filter(|name| !name.is_empty()).unwrap_or("trace");
    let path = path.display().to_string().replace(':', "\\:");
    let mode = mode.map_or_else(String::new, |mode| format!("replay_mode={}\n", mode.name()));
    format!("[{name}]\nread_iolog={path}\n{mode}direct=1\ngroup_reporting=1\n")
}

/// Reads a job file from memory; `name` is what errors call it. Files that it refers to are read
/// from disk.
///
/// # Errors
/// The first mistake found, with its file and line.
pub fn parse(text: &str, name: &str) -> Result<Vec<Job>, JobError> {
    parse_with(text, name, &Actual)
}

/// As [`parse`], with the files and variables that `surroundings` has.
///
/// # Errors
/// The first mistake found, with its file and line.
pub fn parse_with(
    text: &str,
    name: &str,
    surroundings: &dyn Surroundings,
) -> Result<Vec<Job>, JobError> {
    let mut jobs = Vec::new();
    let mut globals = Draft::new();
    let mut section: Option<(String, Origin, Draft)> = None;
    for line in lines::read(text, name, surroundings)? {
        match line.content {
            Content::Section(title) => {
                close(section.take(), &mut globals, &mut jobs, surroundings)?;
                let draft = if title == "global" { globals.clone() } else { globals.of_section() };
                section = Some((title, line.origin, draft));
            }
            Content::Setting { name, value } => match &mut section {
                Some((_, _, draft)) => draft.set(&name, value, line.origin)?,
                None => {
                    let what = format!("option \"{name}\" before the first section");
                    return Err(line.origin.wrong(what, "[global] or [NAME] above it"));
                }
            },
        }
    }
    close(section, &mut globals, &mut jobs, surroundings)?;
    if jobs.is_empty() {
        return Err(JobError::new(name, 0, "there is no job", "a section other than [global]"));
    }
    number(&mut jobs);
    Ok(jobs)
}

/// The end of a section.
fn close(
    section: Option<(String, Origin, Draft)>,
    globals: &mut Draft,
    jobs: &mut Vec<Job>,
    surroundings: &dyn Surroundings,
) -> Result<(), JobError> {
    match section {
        None => {}
        Some((title, _, draft)) if title == "global" => *globals = draft,
        Some((title, origin, draft)) => {
            jobs.push(draft.finish(&title, &origin, surroundings)?);
        }
    }
    Ok(())
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

/// Reads the I/O log that a job replays: by its path as written, or beside the job file.
fn read_trace(
    path: &str,
    origin: &Origin,
    settings: &ReplaySettings,
    depth: u32,
    surroundings: &dyn Surroundings,
) -> Result<Trace, JobError> {
    let beside = Path::new(&*origin.file).parent().map(|folder| folder.join(path));
    let mut failure = None;
    for candidate in [Some(PathBuf::from(path)), beside].into_iter().flatten() {
        match surroundings.open(&candidate) {
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
