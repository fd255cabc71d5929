// SPDX-License-Identifier: MIT OR Apache-2.0
//! Weights of control groups (`--group`), written as into the files of a cgroup
//! (bfq.md §6.2, §6.3).

use elevators::weights::{DeviceNumber, DeviceStatus, GroupWeights, WeightFile, WeightWriteError};

/// The disk of a run, as overrides name it: the first one.
const DISK: DeviceNumber = DeviceNumber { major: 8, minor: 0 };

/// The files by which a weight is written. The first is meant if none is named.
const FILES: [(&str, WeightFile); 2] =
    [("io.weight", WeightFile::Generic), ("io.bfq.weight", WeightFile::Bfq)];

/// A value of `--group` that is not taken.
#[derive(Debug, thiserror::Error)]
pub enum GroupError {
    /// It is no assignment.
    #[error("--group {0}: expected PATH=WEIGHT or PATH/FILE=VALUE")]
    Syntax(String),
    /// The path is empty.
    #[error("--group {0}: no group is named; expected PATH=WEIGHT")]
    NoPath(String),
    /// The file does not take the value.
    #[error("--group {text}: {error}")]
    Write {
        /// The setting as the user wrote it.
        text: String,
        /// Why it was refused.
        error: WeightWriteError,
    },
    /// The value is for another disk.
    #[error("--group {text}: there is no disk {device}; the disk of a run is {DISK}")]
    NoDisk {
        /// The setting as the user wrote it.
        text: String,
        /// The disk that was meant.
        device: DeviceNumber,
    },
}

/// The weight that each of the groups has on the disk of the run after all these writes, in the
/// order in which the groups are named first.
///
/// # Errors
/// If one of the values is malformed, out of range, or for another disk.
pub fn weights(values: &[String]) -> Result<Vec<(String, u32)>, GroupError> {
    let mut groups: Vec<(String, GroupWeights)> = Vec::new();
    for text in values {
        write(&mut groups, text)?;
    }
    Ok(groups.into_iter().map(|(path, weights)| (path, weights.effective(DISK))).collect())
}

fn write(groups: &mut Vec<(String, GroupWeights)>, text: &str) -> Result<(), GroupError> {
    let (target, value) =
        text.split_once('=').ok_or_else(|| GroupError::Syntax(text.to_owned()))?;
    if value.trim().is_empty() {
        return Err(GroupError::Syntax(text.to_owned()));
    }
    let target = target.trim().trim_end_matches('/');
    let named = FILES.iter().find_map(|&(name, file)| {
        target
            .strip_suffix(name)
            .filter(|path| path.is_empty() || path.ends_with('/'))
            .map(|path| (path, file))
    });
    let (path, file) = named.unwrap_or((target, FILES[0].1));
    let path = path.trim_matches('/');
    if path.is_empty() {
        return Err(GroupError::NoPath(text.to_owned()));
    }
    let at = groups.iter().position(|(known, _)| known == path).unwrap_or_else(|| {
        groups.push((path.to_owned(), GroupWeights::new()));
        groups.len() - 1
    });
    let status = |device| {
        if device == DISK { DeviceStatus::Scheduled } else { DeviceStatus::Missing }
    };
    groups[at].1.write(file, value, status).map(|_| ()).map_err(|error| match error {
        WeightWriteError::NoDevice(device) => GroupError::NoDisk { text: text.to_owned(), device },
        error => GroupError::Write { text: text.to_owned(), error },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(values: &[&str]) -> Result<Vec<(String, u32)>, String> {
        let values: Vec<String> = values.iter().map(|&value| value.to_owned()).collect();
        weights(&values).map_err(|error| error.to_string())
    }

    #[test]
    fn the_last_write_for_the_disk_counts() {
        for (values, weight) in [
            (&["a=200"][..], 200),
            (&["a=10000"], 10_000),
            (&["/a/=default 7"], 7),
            (&["a/io.weight=2000"], 2000),
            (&["a/io.bfq.weight=1000"], 1000),
            (&["a/io.weight=2000", "a/io.bfq.weight=30"], 30),
            (&["a=8:0 500", "a=40"], 500),
            (&["a=8:0 500", "a=40", "a=8:0 default"], 40),
            (&["a=8:0 500", "a=8:0 0"], 100),
        ] {
            assert_eq!(after(values), Ok(vec![("a".to_owned(), weight)]), "{values:?}");
        }
        let both = vec![("a/x".to_owned(), 3), ("b".to_owned(), 4)];
        assert_eq!(after(&["a/x=3", "b=4"]), Ok(both));
    }

    #[test]
    fn mistakes_are_named() {
        for (value, expected) in [
            ("a", "expected PATH=WEIGHT"),
            ("a=", "expected PATH=WEIGHT"),
            ("=3", "no group is named"),
            ("io.weight=3", "no group is named"),
            ("a=0", "1 to 10000"),
            ("a=10001", "1 to 10000"),
            ("a/io.bfq.weight=1001", "1 to 1000"),
            ("a=heavy", "expected a weight"),
            ("a=9:1 200", "there is no disk 9:1; the disk of a run is 8:0"),
        ] {
            let message = after(&[value]).unwrap_err();
            assert!(message.starts_with(&format!("--group {value}: ")), "{message}");
            assert!(message.contains(expected), "{message}");
        }
    }
}
