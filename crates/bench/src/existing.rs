// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results that exist, to be judged without measuring: a file of the bench itself, or files of fio.

use crate::import::{ImportError, ImportSource, Imported, import};
use crate::model::{ResultsError, ResultsFile};
use std::path::PathBuf;

/// Results that exist, as a user names them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExistingOptions {
    /// One file of the bench, or files of fio that are named after their schedulers.
    pub files: Vec<PathBuf>,
    /// Files of fio whose names do not tell the scheduler.
    pub named: Vec<ImportSource>,
    /// The job of fio for which a user waits; else it is guessed.
    pub foreground: Option<String>,
    /// The new file in which measurements of fio are kept.
    pub keep: Option<PathBuf>,
}

/// Results that can be read: it is known what each file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExistingResults(Source);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    Bench(PathBuf),
    Fio { sources: Vec<ImportSource>, foreground: Option<String>, keep: Option<PathBuf> },
}

/// Results that exist cannot be read or kept.
#[derive(Debug, thiserror::Error)]
pub enum ExistingError {
    /// A foreground is named for a file of the bench, whose scenarios say who is waited for.
    #[error("{} is a file of bfq bench; expected files of fio with it", path.display())]
    ForegroundOfBench {
        /// Path of the file.
        path: PathBuf,
        /// The job that is named.
        job: String,
    },
    /// A file of the bench is to be kept in another one.
    #[error("the measurements are kept already; expected files of fio with it")]
    KeptAlready,
    /// The file of the bench cannot be read.
    #[error(transparent)]
    Bench(ResultsError),
    /// A file of fio cannot be read.
    #[error(transparent)]
    Fio(#[from] ImportError),
    /// The measurements cannot be written to the file in which they are to be kept.
    #[error(transparent)]
    Keep(ResultsError),
}

impl ExistingError {
    /// Whether the options or the files are wrong; if not, writing failed.
    pub fn is_usage(&self) -> bool {
        !matches!(self, Self::Keep(_))
    }
}

impl ExistingResults {
    /// Finds out what each file is. A single file that begins as one of the bench is one; all
    /// others are taken for files of fio.
    ///
    /// # Errors
    /// If an option does not go with a file of the bench, or the name of a file of fio does not
    /// tell the scheduler.
    pub fn plan(options: ExistingOptions) -> Result<Self, ExistingError> {
        let ExistingOptions { files, named, foreground, keep } = options;
        if let ([path], []) = (&files[..], &named[..])
            && ResultsFile::is_at(path)
        {
            let path = path.clone();
            return match (foreground, keep) {
                (Some(job), _) => Err(ExistingError::ForegroundOfBench { path, job }),
                (None, Some(_)) => Err(ExistingError::KeptAlready),
                (None, None) => Ok(Self(Source::Bench(path))),
            };
        }
        let mut sources = named;
        for path in &files {
            sources.push(ImportSource::named(path)?);
        }
        Ok(Self(Source::Fio { sources, foreground, keep }))
    }

    /// Reads the files.
    ///
    /// # Errors
    /// If a file cannot be read, or is not what it was taken for.
    pub fn read(&self) -> Result<Imported, ExistingError> {
        match &self.0 {
            Source::Bench(path) => {
                let read = ResultsFile::read(path).map_err(ExistingError::Bench)?;
                let (opening, measurements) = read;
                Ok(Imported { opening, measurements, notes: Vec::new() })
            }
            Source::Fio { sources, foreground, .. } => Ok(import(sources, foreground.as_deref())?),
        }
    }

    /// Writes what was read to the file in which it is to be kept, if there is one.
    ///
    /// # Errors
    /// [`ExistingError::Keep`]: the file exists, or cannot be written.
    pub fn keep(&self, imported: &Imported) -> Result<(), ExistingError> {
        let Source::Fio { keep: Some(path), .. } = &self.0 else { return Ok(()) };
        let Imported { opening, measurements, .. } = imported;
        ResultsFile::write(path, opening, measurements).map_err(ExistingError::Keep)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;
    use tempfile::TempDir;

    /// A file of fio with one job, which is named after its scheduler.
    fn fio(folder: &TempDir) -> PathBuf {
        let path = folder.path().join("bfq.json");
        let text = r#"{"fio version": "fio-3.33", "jobs": [{"jobname": "reads",
            "read": {"iops": 9, "bw_bytes": 36864, "total_ios": 9}}]}"#;
        fs::write(&path, text).unwrap();
        path
    }

    fn plan(files: &[&Path], keep: Option<&Path>) -> Result<ExistingResults, ExistingError> {
        let files = files.iter().map(|path| path.to_path_buf()).collect();
        let keep = keep.map(Path::to_owned);
        ExistingResults::plan(ExistingOptions { files, keep, ..ExistingOptions::default() })
    }

    #[test]
    fn what_is_kept_of_fio_is_a_file_of_the_bench_that_says_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let kept = folder.path().join("kept.jsonl");
        let results = plan(&[&fio(&folder)], Some(&kept)).unwrap();
        let imported = results.read().unwrap();
        assert_eq!(imported.measurements.len(), 1);
        results.keep(&imported).unwrap();
        let again = plan(&[&kept], None).unwrap().read().unwrap();
        assert_eq!(again.opening, imported.opening);
        assert_eq!(again.measurements, imported.measurements);
        let refused = results.keep(&imported).unwrap_err();
        assert!(!refused.is_usage(), "a file that exists is not overwritten: {refused}");
    }

    #[test]
    fn options_for_fio_do_not_go_with_a_file_of_the_bench() {
        let folder = tempfile::tempdir().unwrap();
        let kept = folder.path().join("kept.jsonl");
        let results = plan(&[&fio(&folder)], Some(&kept)).unwrap();
        results.keep(&results.read().unwrap()).unwrap();
        let refused = plan(&[&kept], Some(&folder.path().join("again.jsonl"))).unwrap_err();
        assert!(matches!(refused, ExistingError::KeptAlready) && refused.is_usage());
        let foreground = Some("reads".to_owned());
        let options = ExistingOptions { files: vec![kept], foreground, ..Default::default() };
        let refused = ExistingResults::plan(options).unwrap_err();
        assert!(matches!(&refused, ExistingError::ForegroundOfBench { job, .. } if job == "reads"));
    }

    #[test]
    fn a_file_of_the_bench_is_one_only_if_it_is_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (fio, kept) = (fio(&folder), folder.path().join("none.json"));
        let results = plan(&[&fio], Some(&kept)).unwrap();
        results.keep(&results.read().unwrap()).unwrap();
        let refused = plan(&[&fio, &kept], None).unwrap().read().unwrap_err();
        assert!(matches!(refused, ExistingError::Fio(ImportError::NotFio { .. })), "{refused}");
        let unnamed = plan(&[Path::new("my run.json")], None).unwrap_err();
        assert!(matches!(unnamed, ExistingError::Fio(ImportError::WhoseIsIt { .. })), "{unnamed}");
    }
}
