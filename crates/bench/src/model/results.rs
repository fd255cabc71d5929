// SPDX-License-Identifier: MIT OR Apache-2.0
//! The file of results: a line of JSON for what is to be measured, then one for each measurement as
//! it is done. A run that was interrupted is resumed from it.

use super::conditions::Conditions;
use super::metric::Metric;
use super::others::Others;
use crate::new_file::write_new;
use base::text::printable;
use host::Candidate;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
};

/// The first line: what is measured, and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Opening {
    /// Version of the program.
    pub version: String,
    /// Release of the kernel.
    pub kernel: String,
    /// The target, as the user named it.
    pub target: String,
    /// The disk behind it, in words for people.
    pub disk: String,
    /// What tells the target from others of its name, such as serial numbers. None if there is no
    /// such thing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
    /// The scheduler that the disk had before, as a candidate is written: what is kept where
    /// nothing is better. If it is among what is compared, it stands with those tunables that were
    /// not at their defaults.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<String>,
    /// What is compared.
    pub candidates: Vec<Candidate>,
    /// Names of the scenarios.
    pub scenarios: Vec<String>,
    /// Rounds that are wanted: each has every candidate and scenario once.
    pub rounds: u32,
    /// Decides the order of cells inside the rounds.
    pub seed: u64,
    /// How it is measured.
    #[serde(default)]
    pub conditions: Conditions,
}

/// What one cell gave: a candidate, on a scenario, in a round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Measurement {
    /// The candidate that was measured.
    pub candidate: Candidate,
    /// Name of the scenario.
    pub scenario: String,
    /// In which round, from 0.
    pub round: u32,
    /// When it began, in seconds since the beginning of the run.
    pub began_s: f64,
    /// The figures, in the units of [`METRICS`](super::METRICS).
    pub values: BTreeMap<Metric, f64>,
    /// What was noticed: what was given up, errors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// Other load on the disk or the processors meanwhile, if there was any to speak of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others: Option<Others>,
}

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ResultLine {
    /// The first line.
    Opening(Opening),
    /// Each further line.
    Measurement(Measurement),
}

impl ResultLine {
    /// As it is written, with its end.
    fn text(&self) -> String {
        serde_json::to_string(self).expect("names, numbers and texts only") + "\n"
    }

    /// As it was read, but for letters that a terminal would obey in what is shown: a file may be
    /// anybody's.
    fn made_printable(mut self) -> Self {
        let shown: Vec<&mut String> = match &mut self {
            ResultLine::Opening(of) => of.scenarios.iter_mut().chain(&mut of.current).collect(),
            ResultLine::Measurement(of) => {
                std::iter::once(&mut of.scenario).chain(&mut of.remarks).collect()
            }
        };
        shown.into_iter().for_each(|text| *text = printable(text));
        self
    }
}

/// The file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The system says so.
    #[error("{}", path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A line is not what it should be.
    #[error("{}:{line}: expected {expected}", path.display())]
    Malformed {
        /// Path of the file.
        path: PathBuf,
        /// Its line, from 1.
        line: usize,
        /// What should be there.
        expected: &'static str,
    },
}

/// A file of results that measurements are added to.
#[derive(Debug)]
pub struct ResultsFile {
    path: PathBuf,
    file: File,
}

impl ResultsFile {
    /// Whether there is one at a path, by how it begins. What was read of a pipe would be lost.
    pub fn is_at(path: &Path) -> bool {
        if !path.is_file() {
            return false;
        }
        const BEGINNING: &[u8] = b"{\"opening\":";
        let mut beginning = [0; BEGINNING.len()];
        let read = File::open(path).and_then(|mut file| file.read_exact(&mut beginning));
        read.is_ok() && beginning == BEGINNING
    }

    /// Begins a new file, which must not exist.
    ///
    /// # Errors
    /// [`ResultsError::Io`].
    pub fn create(path: &Path, opening: &Opening) -> Result<Self, ResultsError> {
        let file = OpenOptions::new().write(true).create_new(true).open(path);
        let file = file.map_err(|source| ResultsError::Io { path: path.to_owned(), source })?;
        let mut results = ResultsFile { path: path.to_owned(), file };
        results.append(&ResultLine::Opening(opening.clone()))?;
        Ok(results)
    }

    /// Writes a new file, whole, which must not exist.
    ///
    /// # Errors
    /// [`ResultsError::Io`].
    pub fn write(
        path: &Path,
        opening: &Opening,
        measurements: &[Measurement],
    ) -> Result<(), ResultsError> {
        let mut text = ResultLine::Opening(opening.clone()).text();
        measurements.iter().for_each(|one| text += &ResultLine::Measurement(one.clone()).text());
        write_new(path, &text).map_err(|source| ResultsError::Io { path: path.to_owned(), source })
    }

    /// Reads a file, and opens it to go on. A last line that was cut off is dropped: its cell
    /// is measured again.
    ///
    /// # Errors
    /// [`ResultsError`].
    pub fn resume(path: &Path) -> Result<(Self, Opening, Vec<Measurement>), ResultsError> {
        let (opening, measurements, length) = read_lines(path)?;
        let io = |source| ResultsError::Io { path: path.to_owned(), source };
        let file = OpenOptions::new().append(true).open(path).map_err(io)?;
        file.set_len(length).map_err(io)?;
        Ok((ResultsFile { path: path.to_owned(), file }, opening, measurements))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`ResultsError`].
    pub fn read(path: &Path) -> Result<(Opening, Vec<Measurement>), ResultsError> {
        read_lines(path).map(|(opening, measurements, _)| (opening, measurements))
    }

    /// Whether a file could be added to, before anything else is done.
    ///
    /// # Errors
    /// [`ResultsError::Io`].
    pub fn check_writable(path: &Path) -> Result<(), ResultsError> {
        let file = OpenOptions::new().append(true).open(path);
        file.map(drop).map_err(|source| ResultsError::Io { path: path.to_owned(), source })
    }

    /// Adds a measurement; it is on the disk when this returns.
    ///
    /// # Errors
    /// [`ResultsError::Io`].
    pub fn add(&mut self, measurement: &Measurement) -> Result<(), ResultsError> {
        self.append(&ResultLine::Measurement(measurement.clone()))
    }

    fn append(&mut self, line: &ResultLine) -> Result<(), ResultsError> {
        let written =
            self.file.write_all(line.text().as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|source| ResultsError::Io { path: self.path.clone(), source })
    }
}

/// More rounds than any run has: the cells of all of them are listed as a run goes on.
const MOST_ROUNDS: u32 = 1_000_000;

/// The opening, the measurements, and the length of all whole lines.
fn read_lines(path: &Path) -> Result<(Opening, Vec<Measurement>, u64), ResultsError> {
    let io = |source| ResultsError::Io { path: path.to_owned(), source };
    let mut reader = BufReader::new(File::open(path).map_err(io)?);
    let malformed = |line, expected| {
        let path = path.to_owned();
        ResultsError::Malformed { path, line, expected }
    };
    let (mut opening, mut measurements) = (None, Vec::new());
    let (mut line, mut length) = (Vec::new(), 0);
    for number in 1.. {
        line.clear();
        // As bytes: what was cut off may end within a letter.
        let bytes = reader.read_until(b'\n', &mut line).map_err(io)?;
        if !line.ends_with(b"\n") {
            break;
        }
        let read = serde_json::from_slice(&line).map(ResultLine::made_printable);
        match (read, &opening) {
            (Ok(ResultLine::Opening(Opening { rounds, .. })), None) if rounds > MOST_ROUNDS => {
                return Err(malformed(number, "at most 1000000 rounds"));
            }
            (Ok(ResultLine::Opening(found)), None) => opening = Some(found),
            (Ok(ResultLine::Measurement(found)), Some(_)) => measurements.push(found),
            (_, None) => return Err(malformed(number, "the opening of a file of results")),
            (_, Some(_)) => return Err(malformed(number, "a measurement")),
        }
        length += bytes as u64;
    }
    let opening = opening.ok_or_else(|| malformed(1, "the opening of a file of results"))?;
    Ok((opening, measurements, length))
}

#[cfg(test)]
#[path = "results_tests.rs"]
mod tests;
