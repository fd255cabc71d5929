// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which modelled devices, and with which values in place of their own: lists as people
//! write them (`--device`).

use crate::bytes::{bytes, name};
use crate::lists;
use device::{Profile, ProfileError};
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// A device that is not taken.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// A list is empty.
    #[error("--device {list}: names no device")]
    None {
        /// The list as it was written.
        list: String,
    },
    /// There shall be one device.
    #[error("--device {list}: expected one device")]
    Several {
        /// The list as the user wrote it.
        list: String,
    },
    /// The device is unknown, or its file or a value is wrong.
    #[error(transparent)]
    Profile(#[from] ProfileError),
}

/// The devices of `--device`, which may be given several times, each time with a list.
///
/// # Errors
/// If one is unknown or its file is wrong, or a value does not fit it.
pub fn parse(arguments: &[OsString]) -> Result<Vec<Profile>, DeviceError> {
    let mut profiles = Vec::new();
    for argument in arguments {
        let entries = match is_file(argument) {
            true => vec![bytes(argument).to_vec()],
            false => lists::entries(bytes(argument)),
        };
        if entries.is_empty() {
            return Err(DeviceError::None { list: argument.display().to_string() });
        }
        for entry in entries {
            profiles.push(one(&name(entry))?);
        }
    }
    Ok(profiles)
}

/// The device of an argument that names one.
///
/// # Errors
/// As for [`parse`].
pub fn one(argument: &OsStr) -> Result<Profile, ProfileError> {
    match (is_file(argument), argument.to_str()) {
        (true, _) => Profile::load(Path::new(argument)),
        (false, Some(text)) => Profile::parse_argument(text),
        (false, None) => {
            let whole = bytes(argument);
            let colon = whole.iter().rposition(|&byte| byte == b':');
            let (path, values) = whole.split_at(colon.unwrap_or(whole.len()));
            let values = String::from_utf8_lossy(values);
            Profile::load(Path::new(&name(path.to_vec()))).and_then(|mut profile| {
                profile.set_all(values.trim_start_matches(':'))?;
                Ok(profile)
            })
        }
    }
}

/// The device of an argument that has to name one and no more.
///
/// # Errors
/// As for [`parse`]; if it names several.
pub fn the_only_one(argument: &OsString) -> Result<Profile, DeviceError> {
    let mut profiles = parse(std::slice::from_ref(argument))?;
    match profiles.pop() {
        Some(profile) if profiles.is_empty() => Ok(profile),
        _ => Err(DeviceError::Several { list: argument.display().to_string() }),
    }
}

/// A file's name may look like a list, or like a file with values.
fn is_file(argument: &OsStr) -> bool {
    bytes(argument).iter().any(|byte| b",=:".contains(byte)) && Path::new(argument).is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(arguments: &[&str]) -> Vec<String> {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        let described = |profile: &Profile| format!("{} {}", profile.name(), profile.depth());
        parse(&arguments).unwrap().iter().map(described).collect()
    }

    #[test]
    fn devices_are_listed_as_schedulers_are() {
        let both = ["reference-hdd 3", "reference-ssd 7"];
        assert_eq!(names(&["reference-hdd:depth=3,rotational=0,reference-ssd:depth=7"]), both);
        assert_eq!(names(&["reference-hdd,depth=3", "reference-ssd:depth=7"]), both);
        assert!(parse(&[",".into()]).is_err());
        assert!(parse(&["reference-hdd,reference-sd".into()]).is_err());
    }

    #[test]
    fn a_file_may_be_called_like_a_list() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a:b=1,c=2.toml");
        std::fs::write(&path, include_str!("../../device/profiles/reference-ssd.toml")).unwrap();
        assert_eq!(parse(&[path.into()]).unwrap()[0].name(), "a:b=1,c=2");
    }
}
