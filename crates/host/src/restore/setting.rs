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
    if found == value { Ok(()) } else { Err(not_taken(file, value, found)) }
}

/// Writes a tunable, and looks whether it then is what was written, or as near as its unit lets it
/// be: what is out of its range the kernel may replace without a word.
pub(super) fn write_tunable(file: &Path, value: &str) -> Result<(), RestoreError> {
    write(file, value)?;
    let found = read(file)?;
    if is_taken(value, &found) { Ok(()) } else { Err(not_taken(file, value, &found)) }
}

/// Whether a tunable has the value that was written. Times in ms may be kept in ticks of the
/// kernel, so that one of 125 ms becomes one of 128.
fn is_taken(written: &str, found: &str) -> bool {
    const LONGEST_TICK_MS: f64 = 10.0;
    if let (Ok(written), Ok(found)) = (written.parse::<f64>(), found.parse::<f64>()) {
        return (written - found).abs() <= LONGEST_TICK_MS.min(written.abs() / 10.0);
    }
    written == found
}

fn not_taken(file: &Path, expected: &str, found: &str) -> RestoreError {
    let (expected, found) = (expected.to_owned(), found.to_owned());
    RestoreError::NotTaken { path: file.to_owned(), expected, found }
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
    fn a_tunable_is_taken_if_only_its_unit_makes_another_of_it() {
        for (written, found, expected) in [
            ("0", "0", true),
            ("7", "1", false),
            ("125", "128", true),
            ("130", "132", true),
            ("5", "8", false),
            ("08", "8", true),
            ("100000", "99000", false),
            ("none", "none", true),
            ("none", "0", false),
        ] {
            assert_eq!(is_taken(written, found), expected, "{written} {found}");
        }
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
