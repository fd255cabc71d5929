// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where results go: stdout or a file, for people or for programs.

use crate::failure::Failure;
use crate::streams::{WriteError, print, stdout_has_color, unwritable};
use clap::ValueEnum;
use report::{LogFiles, Results, Style, tables};
use rustix::fs::{Access, access};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

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
    let Some(path) = path else { return Ok(()) };
    let refuse = |why: io::Error| Err(Failure::usage(write_error(path, why)));
    if path.is_dir() {
        return refuse(ErrorKind::IsADirectory.into());
    }
    let folder = folder_of(path);
    if !folder.is_dir() {
        let why = format!("there is no folder {}", folder.display());
        return refuse(io::Error::new(ErrorKind::NotFound, why));
    }
    // A device or pipe is written as it is.
    let is_replaced = fs::symlink_metadata(path).map_or(true, |metadata| metadata.is_file());
    if is_replaced && let Err(error) = access(folder, Access::WRITE_OK) {
        return refuse(error.into());
    }
    Ok(())
}

/// Checks, before any work, that a file to be written is none of those that are read.
///
/// # Errors
/// If it is, under whatever name.
pub fn check_is_no_input(
    path: &Path,
    inputs: impl IntoIterator<Item: AsRef<Path>>,
) -> Result<(), Failure> {
    // A terminal, a pipe or /dev/null may well be both.
    let file = |path: &Path| {
        let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        Some((metadata.dev(), metadata.ino()))
    };
    let Some(written) = file(path) else { return Ok(()) };
    if inputs.into_iter().any(|input| file(input.as_ref()) == Some(written)) {
        let path = path.display();
        let text = format!("cannot write {path}: it is an input; expected another name");
        return Err(Failure::usage(text));
    }
    Ok(())
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

/// A file in the making: it takes the place of its path when it is whole, and is gone if
/// it never is.
pub enum Draft<'p> {
    /// A draft in the folder of the path.
    Beside(NamedTempFile, &'p Path),
    /// A device, a pipe or a link (/dev/stdout, /dev/null) is written as it is: as a file of that
    /// name it would be lost.
    InPlace(File),
}

impl<'p> Draft<'p> {
    /// Begins a file.
    ///
    /// # Errors
    /// If it cannot be created in the folder of the path, or what is there cannot be written.
    pub fn create(path: &'p Path) -> io::Result<Self> {
        if fs::symlink_metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            return File::create(path).map(Self::InPlace);
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".bfq-").permissions(permissions(path));
        let draft = builder.tempfile_in(folder_of(path));
        // Without the draft's own name, which nobody has chosen.
        let draft = draft.map_err(|error| io::Error::from(error.kind()))?;
        Ok(Self::Beside(draft, path))
    }

    /// What is written to.
    pub fn file(&mut self) -> &mut File {
        match self {
            Self::Beside(draft, _) => draft.as_file_mut(),
            Self::InPlace(file) => file,
        }
    }

    /// Puts the draft where it shall be.
    ///
    /// # Errors
    /// If it cannot be written to the disk or renamed.
    pub fn finish(self) -> io::Result<()> {
        if let Self::Beside(draft, path) = self {
            draft.as_file().sync_all()?;
            draft.persist(path).map_err(|error| error.error)?;
        }
        Ok(())
    }
}

/// Those of the file that is replaced; for a new file what the user's mask leaves of rw-rw-rw-.
fn permissions(path: &Path) -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    match fs::metadata(path) {
        Ok(metadata) => metadata.permissions(),
        Err(_) => fs::Permissions::from_mode(0o666),
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn write_error(path: &Path, source: io::Error) -> WriteError {
    WriteError { name: path.display().to_string(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

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
