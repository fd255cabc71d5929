// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where results go: stdout or a file, for people or for programs.

use crate::failure::Failure;
use crate::streams::{print, stdout_has_color, unwritable};
use clap::ValueEnum;
use lab::{Draft, check_writable};
use report::{LogFiles, Results, Style, tables};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The form of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Tables for people
    Normal,
    /// For programs; of `sim` and `run` it is fio's JSON, with what fio does not know around it
    Json,
}

/// The options of output that commands share.
#[derive(Debug, clap::Args)]
pub struct OutputOptions {
    /// Form of the result
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Normal)]
    pub output_format: Format,
    /// Write the result to FILE instead of stdout
    ///
    /// It appears whole or not at all.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// No progress bar, no notes
    #[arg(long)]
    pub quiet: bool,
}

/// How wide the tables of results are.
#[derive(Debug, clap::Args)]
pub struct TableOptions {
    /// More columns in tables, and longer lines
    ///
    /// Lines are as long as they get, else 100 columns.
    #[arg(long)]
    pub wide: bool,
}

impl OutputOptions {
    /// Checks, before long work, that the output file can be written where it shall be.
    ///
    /// # Errors
    /// If its folder does not exist or may not be written to, or it is a folder itself, or one of
    /// the files that are read.
    pub fn check(&self, inputs: impl IntoIterator<Item: AsRef<Path>>) -> Result<(), Failure> {
        check(self.output.as_deref())?;
        self.output.as_deref().map_or(Ok(()), |path| check_is_no_input(path, inputs))
    }

    /// Writes a result; `options` say how its tables look.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, results: &Results, options: &TableOptions) -> Result<(), Failure> {
        let text = match self.output_format {
            Format::Json => results.to_json(),
            Format::Normal => {
                let color = self.output.is_none() && stdout_has_color();
                tables(results, Style { color, wide: options.wide })
            }
        };
        self.write_text(&text)
    }

    /// Writes a text to where the output goes.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_text(&self, text: &str) -> Result<(), Failure> {
        write(self.output.as_deref(), text)
    }
}

/// Checks, before long work, that a file (if it is one) can be written where it shall be.
///
/// # Errors
/// If its folder does not exist or may not be written to, or it is a folder itself.
pub fn check(path: Option<&Path>) -> Result<(), Failure> {
    path.map_or(Ok(()), check_writable).map_err(Failure::usage)
}

/// Checks, before any work, that a file to be written is none of those that are read.
///
/// # Errors
/// If it is, under whatever name.
pub fn check_is_no_input(
    path: &Path,
    inputs: impl IntoIterator<Item: AsRef<Path>>,
) -> Result<(), Failure> {
    lab::check_is_no_input(path, inputs).map_err(Failure::usage)
}

/// Writes a text to a file, or to stdout if there is none.
///
/// # Errors
/// If it cannot be written.
pub fn write(path: Option<&Path>, text: &str) -> Result<(), Failure> {
    match path {
        None => print(text),
        Some(path) => write_file(path, text),
    }
}

/// Writes the logs that jobs asked for into the current folder, as fio does.
///
/// # Errors
/// If a file cannot be written.
pub fn write_logs(logs: &LogFiles) -> Result<(), Failure> {
    logs.0.iter().try_for_each(|(name, text)| write_file(Path::new(name), text))
}

/// Writes a file so that at every time there is the old one or the new one, never a part.
fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    let written = Draft::create(path).and_then(|mut draft| {
        draft.file().write_all(text.as_bytes())?;
        draft.finish()
    });
    written.map_err(|error| unwritable(&path.display().to_string(), error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("result"), folder.path().join("link"));
        fs::write(&file, "something longer").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write_file(&link, "new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
    }

    #[test]
    fn a_file_is_replaced_and_no_draft_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result");
        for text in ["first", "second"] {
            write_file(&path, text).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_is_not_there_is_found_out_before_the_work() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path().to_owned(), folder.path().join("missing/result")] {
            let options =
                OutputOptions { output_format: Format::Json, output: Some(path), quiet: true };
            assert!(matches!(options.check([""; 0]), Err(Failure::Usage(_))));
        }
    }
}
