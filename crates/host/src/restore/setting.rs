// SPDX-License-Identifier: MIT OR Apache-2.0
//! One setting of the kernel: a file that is written and read back.
//!
//! Newer kernels answer "busy" where a scheduler is chosen or a queue's depth is set while
//! something else changes the queue; such a write is repeated for a while.

use super::error::RestoreError;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::thread;
use std::time::Duration;

/// How often a write that is answered by "busy" is made, at most: for ten seconds.
const ATTEMPTS: u32 = 500;
/// The pause before such a write is repeated.
const PAUSE: Duration = Duration::from_millis(20);

/// What the setting says, without the end of its line.
pub(super) fn read(file: &Path) -> Result<String, RestoreError> {
    let text = fs::read_to_string(file).map_err(RestoreError::io("read", file))?;
    Ok(text.trim().to_owned())
}

/// Writes the value; tries again for ten seconds while the kernel says that the setting is busy.
pub(super) fn write(file: &Path, value: &str) -> Result<(), RestoreError> {
    until_not_busy(PAUSE, || fs::write(file, value)).map_err(|source| RestoreError::Refused {
        value: value.to_owned(),
        path: file.to_owned(),
        source,
    })
}

/// What a setting of one value says: `400` of `default 400`, as files of weights tell theirs.
pub(super) fn value_of(text: &str) -> &str {
    text.strip_prefix("default ").unwrap_or(text)
}

/// Writes the setting, and looks whether it then is what was written, by what `meaning` makes of
/// what it says.
pub(super) fn write_and_verify(
    file: &Path,
    value: &str,
    meaning: fn(&str) -> &str,
) -> Result<(), RestoreError> {
    write(file, value)?;
    let text = read(file)?;
    let found = meaning(&text);
    if found == value {
        return Ok(());
    }
    let (path, expected) = (file.to_owned(), value.to_owned());
    Err(RestoreError::NotTaken { path, expected, found: found.to_owned() })
}

fn until_not_busy(pause: Duration, mut write: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    for _ in 1..ATTEMPTS {
        match write() {
            Err(error) if error.kind() == ErrorKind::ResourceBusy => thread::sleep(pause),
            ended => return ended,
        }
    }
    write()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::io::Errno;

    fn written(mut answers: Vec<Result<(), Errno>>) -> (Result<(), Errno>, usize) {
        let mut writes = 0;
        answers.reverse();
        let result = until_not_busy(Duration::ZERO, || {
            writes += 1;
            answers.pop().unwrap_or(Err(Errno::BUSY)).map_err(io::Error::from)
        });
        (result.map_err(|error| Errno::from_io_error(&error).unwrap()), writes)
    }

    #[test]
    fn a_busy_setting_is_written_again_and_nothing_else_is() {
        assert_eq!(written(vec![Ok(())]), (Ok(()), 1));
        assert_eq!(written(vec![Err(Errno::BUSY), Err(Errno::BUSY), Ok(())]), (Ok(()), 3));
        assert_eq!(written(vec![Err(Errno::INVAL), Ok(())]), (Err(Errno::INVAL), 1));
        assert_eq!(written(vec![]), (Err(Errno::BUSY), ATTEMPTS as usize));
    }

    #[test]
    fn what_was_not_taken_is_told() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(["400", "default 400", "8:0 400"].map(value_of), ["400", "400", "8:0 400"]);
        let file = folder.path().join("scheduler");
        write_and_verify(&file, "bfq", |found| found).unwrap();
        let error = write_and_verify(&file, "bfq", |_| "none").unwrap_err().to_string();
        let path = file.display();
        assert_eq!(error, format!("`bfq` was written to {path}, which is `none` all the same"));
    }
}
