//! Where results go: stdout or a file, for people or for programs.

use crate::failure::Failure;
use clap::ValueEnum;
use report::{LogFiles, Results, Style, tables};
use std::fs;
use std::io::{self, ErrorKind, IsTerminal, Write};
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
    /// Write the result to FILE instead of stdout; it appears whole or not at all
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// No progress bar, no notes
    #[arg(long)]
    pub quiet: bool,
}

/// A file that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}: {source}")]
struct WriteError {
    path: String,
    source: io::Error,
}

impl OutputOptions {
    /// Checks, before long work, that the output file can be written where it shall be.
    ///
    /// # Errors
    /// If its folder does not exist, or it is a folder itself.
    pub fn check(&self) -> Result<(), Failure> {
        check(self.output.as_deref())
    }

    /// Writes a result.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, results: &Results) -> Result<(), Failure> {
        let text = match self.output_format {
            Format::Json => results.to_json(),
            Format::Normal => {
                let color = self.output.is_none() && stdout_has_color();
                tables(results, Style { color })
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
/// If its folder does not exist, or it is a folder itself.
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

/// Prints to stdout.
///
/// # Errors
/// If that is not possible; nobody at the other end of a pipe is no error for the user.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    written.map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::NobodyListens,
        _ => Failure::run(write_error(Path::new("stdout"), error)),
    })
}

/// Whether text on stdout may be coloured: on a terminal, unless NO_COLOR says no.
pub fn stdout_has_color() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    io::stdout().is_terminal() && !refused
}

/// Writes a file so that at every time there is the old one or the new one, never a part.
fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    // A device or pipe (/dev/stdout, /dev/null) is written as it is: it cannot be replaced.
    let special = fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
    let written = if special { fs::write(path, text) } else { replace_file(path, text) };
    written.map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::NobodyListens,
        _ => Failure::run(write_error(path, error)),
    })
}

fn replace_file(path: &Path, text: &str) -> io::Result<()> {
    let mut draft = tempfile::Builder::new()
        .prefix(".bfq-")
        .permissions(permissions(path))
        .tempfile_in(folder_of(path))?;
    draft.write_all(text.as_bytes())?;
    draft.as_file().sync_all()?;
    draft.persist(path).map_err(|error| error.error)?;
    Ok(())
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
    WriteError { path: path.display().to_string(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert!(matches!(options.check(), Err(Failure::Usage(_))));
        }
    }
}
