// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results of fio, as people have them: one run for each scheduler, or several. They become
//! measurements, and are judged and drawn like our own.
//!
//! A job is a scenario. Of several jobs that run beside each other one is the foreground, for which
//! a user waits; what the others do is told apart as its background. What a job is judged by is
//! read off its options: one with `number_ios` or `read_iolog` by the time until it is done; one
//! that paces itself (`thinktime`, `rate`, `fsync`, …) by its latencies; the background by what it
//! moved and what that cost; any other by all of that. Files of one number are of one round;
//! without numbers the first file of each scheduler is of the first round, and so on.

mod figures;
mod foreground;
mod rounds;

use crate::model::{Conditions, Measurement, Opening};
use crate::scenarios::Scenario;
use base::text::printable;
use figures::{Jobs, Role, figures, missing_percentiles};
use foreground::Foreground;
use host::Candidate;
use report::FioOutput;
use rounds::{Numbered, rounds};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A file, and what was measured in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportSource {
    /// The candidate that was measured in the file.
    pub candidate: Candidate,
    /// The number in the file's name, which stands for a round.
    pub number: Option<u64>,
    /// The output of fio.
    pub path: PathBuf,
}

/// A file cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The system says so.
    #[error("{}", path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// It is not what fio writes.
    #[error("{}: expected what fio 3 writes with --output-format=json: {why}", path.display())]
    NotFio {
        /// Path of the file.
        path: PathBuf,
        /// What shows that it is something else, for people to read.
        why: String,
    },
    /// The job that is to be the foreground is not in it.
    #[error("{}: expected the job `{job}` of --foreground; its jobs are {}", path.display(),
            jobs.join(", "))]
    NoForeground {
        /// The file of fio's results in which the job was looked for.
        path: PathBuf,
        /// The job's name as given to `--foreground`.
        job: String,
        /// The names of the jobs that the file has.
        jobs: Vec<String>,
    },
    /// What the foreground is judged by is not in it.
    #[error(
        "{}: expected the percentiles {} of the job `{job}`, which a user waits for; without them \
         only its background could be judged (fio's options percentile_list and clat_percentiles)",
        path.display(),
        percentiles.join(", ")
    )]
    NoLatencies {
        /// The file of fio's results.
        path: PathBuf,
        /// The foreground's name.
        job: String,
        /// The percentiles that are missing.
        percentiles: Vec<&'static str>,
    },
    /// Its name does not tell a scheduler.
    #[error(
        "{}: expected a name that tells the scheduler, as in bfq.json or bfq-2.json; else say it: \
         --as NAME=FILE",
        path.display()
    )]
    WhoseIsIt {
        /// Path of the file.
        path: PathBuf,
    },
}

impl ImportSource {
    fn numbered(&self) -> Numbered<'_> {
        Numbered { candidate: &self.candidate, number: self.number }
    }

    /// A file that is named after its scheduler, perhaps with a number: `mq-deadline-2.json`.
    ///
    /// # Errors
    /// [`ImportError::WhoseIsIt`].
    pub fn named(path: &Path) -> Result<Self, ImportError> {
        let unclear = || ImportError::WhoseIsIt { path: path.to_owned() };
        let stem = path.file_stem().and_then(|stem| stem.to_str()).ok_or_else(unclear)?;
        let unnumbered = stem.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let numbered = unnumbered.len() < stem.len() && unnumbered.ends_with(['-', '_', '.']);
        let name = if numbered { &unnumbered[..unnumbered.len() - 1] } else { stem };
        let candidate = name.parse().map_err(|_| unclear())?;
        let number = numbered.then(|| stem[unnumbered.len()..].parse().ok()).flatten();
        Ok(ImportSource { candidate, number, path: path.to_owned() })
    }
}

/// What results that exist hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// What was measured, and where.
    pub opening: Opening,
    /// What each scheduler did in each round, scenario by scenario.
    pub measurements: Vec<Measurement>,
    /// What was concluded from files of fio and not read in them: a sentence each.
    pub notes: Vec<String>,
}

/// Reads all files. `foreground` names the job for which a user waits; else it is guessed.
///
/// # Errors
/// [`ImportError`].
pub fn import(sources: &[ImportSource], foreground: Option<&str>) -> Result<Imported, ImportError> {
    let mut imported = Imported { opening: empty(), measurements: Vec::new(), notes: Vec::new() };
    let Imported { opening, measurements, notes } = &mut imported;
    let rounds = rounds(&sources.iter().map(ImportSource::numbered).collect::<Vec<_>>());
    opening.rounds = rounds.of_files.iter().max().map_or(0, |last| last + 1);
    notes.extend(rounds.notes);
    for (source, round) in sources.iter().zip(rounds.of_files) {
        let fio = read(&source.path)?;
        describe(opening, &fio);
        push_new(&mut opening.candidates, &source.candidate);
        let all = Jobs::by_name(&fio);
        let foreground = Foreground::among(&all, foreground).map_err(|job| {
            let jobs = all.iter().map(|jobs| jobs.name.to_owned()).collect();
            ImportError::NoForeground { path: source.path.clone(), job, jobs }
        })?;
        let conclusion = foreground.conclusion();
        conclusion.iter().for_each(|text| push_new(notes, text));
        for jobs in &all {
            let role = foreground.role_of(jobs.name);
            let scenario = scenario(jobs.name, role);
            push_new(&mut opening.scenarios, &scenario);
            let values = figures(jobs, role);
            let percentiles = missing_percentiles(jobs, role);
            if role == Role::Foreground && values.is_empty() && !percentiles.is_empty() {
                let (path, job) = (source.path.clone(), jobs.name.to_owned());
                return Err(ImportError::NoLatencies { path, job, percentiles });
            }
            if !percentiles.is_empty() {
                push_new(notes, &not_compared(jobs.name, &percentiles));
            }
            measurements.push(Measurement {
                candidate: source.candidate.clone(),
                scenario,
                round,
                began_s: 0.0,
                values,
                remarks: remarks(jobs, conclusion.as_deref()),
                others: None,
            });
        }
    }
    Ok(imported)
}

/// What a job is called among scenarios: not like one of ours, which serve goals of their own.
fn scenario(job: &str, role: Role) -> String {
    let name = match Scenario::named(job) {
        Some(_) => format!("{job} of fio"),
        None => printable(job),
    };
    match role {
        Role::Alone | Role::Foreground => name,
        Role::Background => format!("{name}, in the background"),
    }
}

fn empty() -> Opening {
    Opening {
        version: String::new(),
        kernel: "not known".to_owned(),
        target: String::new(),
        disk: String::new(),
        identity: None,
        current: None,
        candidates: Vec::new(),
        scenarios: Vec::new(),
        rounds: 0,
        seed: 1,
        conditions: Conditions::default(),
    }
}

fn push_new<T: Clone + PartialEq>(all: &mut Vec<T>, one: &T) {
    if !all.contains(one) {
        all.push(one.clone());
    }
}

/// What there is to know of where it was measured.
fn describe(opening: &mut Opening, fio: &FioOutput) {
    let first_of = |options: [&str; 2]| {
        let mut jobs = fio.jobs.iter().map(|job| &job.job_options);
        let global = std::iter::once(&fio.global_options);
        global.chain(&mut jobs).find_map(|of| options.iter().find_map(|name| of.get(name)).cloned())
    };
    if opening.version.is_empty() {
        opening.version.clone_from(&fio.fio_version);
        opening.target = first_of(["filename", "directory"]).unwrap_or_default();
        let disks: Vec<&str> = fio.disk_util.iter().map(|disk| disk.name.as_str()).collect();
        opening.disk = match disks.is_empty() {
            true => "a disk that fio did not name".to_owned(),
            false => disks.join(", "),
        };
    }
}

/// What a reader must know of imported figures.
fn remarks(jobs: &Jobs, conclusion: Option<&str>) -> Vec<String> {
    let order = "imported; whether the schedulers took turns is not known";
    let known = conclusion.map_or(order.to_owned(), |conclusion| format!("{order}; {conclusion}"));
    let failed = jobs.all.iter().find(|job| job.error != 0);
    let failed = failed.map(|job| format!("fio says that it failed (error {})", job.error));
    std::iter::once(known).chain(failed).collect()
}

/// What is to be said of percentiles that are missing.
fn not_compared(job: &str, percentiles: &[&str]) -> String {
    format!(
        "the percentile {} of the job `{job}` is not compared, as fio did not write it (its options \
         percentile_list and clat_percentiles)",
        percentiles.join(" and ")
    )
}

/// The output of fio, without what it says of trouble before; of several
/// (`--status-interval`) the last.
fn read(path: &Path) -> Result<FioOutput, ImportError> {
    let wrong = |why: String| ImportError::NotFio { path: path.to_owned(), why };
    let text = std::fs::read_to_string(path).map_err(|source| match source.kind() {
        ErrorKind::InvalidData => wrong("it is no text".to_owned()),
        _ => ImportError::Io { path: path.to_owned(), source },
    })?;
    let begins = |line: &str| line.starts_with('{');
    let before: usize =
        text.split_inclusive('\n').take_while(|line| !begins(line)).map(str::len).sum();
    let documents = serde_json::Deserializer::from_str(&text[before..]);
    let mut last = None;
    for document in documents.into_iter::<FioOutput>() {
        last = Some(document.map_err(|error| wrong(error.to_string()))?);
    }
    let fio = last.ok_or_else(|| wrong("there is no `{` at the beginning of a line".to_owned()))?;
    if fio.jobs.is_empty() || fio.jobs.iter().any(|job| job.jobname.is_empty()) {
        return Err(wrong("it has no jobs, or one without a name".to_owned()));
    }
    let measured = |job: &report::JobStats| {
        [&job.read, &job.write, &job.trim].iter().any(|one| one.total_ios > 0 && one.lat_ns.n > 0)
    };
    // fio 2 has microseconds, in fields of other names.
    if !fio.jobs.iter().any(measured) && fio.fio_version.starts_with("fio-2") {
        return Err(wrong(format!("this is from {}", fio.fio_version)));
    }
    Ok(fio)
}

#[cfg(test)]
mod tests;
