// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which modelled devices, and with which values in place of their own: lists as people
//! write them (`--device`).

use crate::bytes::{bytes, name};
use crate::lists;
use device::{Profile, ProfileError};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use workload::{Actual, Environment};

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

/// The devices of `--device`, which may be given several times, each time with a list. Profiles may
/// be texts that were handed over in the place of files.
///
/// # Errors
/// If one is unknown or its file is wrong, or a value does not fit it.
pub fn parse(arguments: &[OsString], files: &dyn Environment) -> Result<Vec<Profile>, DeviceError> {
    let mut profiles = Vec::new();
    for argument in arguments {
        let entries = match is_file(argument) || given(argument, files).is_some() {
            true => vec![bytes(argument).to_vec()],
            false => lists::entries(bytes(argument)),
        };
        if entries.is_empty() {
            return Err(DeviceError::None { list: argument.display().to_string() });
        }
        for entry in entries {
            profiles.push(one_with(&name(entry), files)?);
        }
    }
    Ok(profiles)
}

/// The device of an argument that names one.
///
/// # Errors
/// As for [`parse`].
pub fn one(argument: &OsStr) -> Result<Profile, ProfileError> {
    one_with(argument, &Actual)
}

/// The same, where the profile may be a text that was handed over in the place of a file.
///
/// # Errors
/// As for [`parse`].
pub fn one_with(argument: &OsStr, files: &dyn Environment) -> Result<Profile, ProfileError> {
    if let Some((path, text, values)) = given(argument, files) {
        return with_values(Profile::parse(text, &path.to_string_lossy())?, &values);
    }
    match (is_file(argument), argument.to_str()) {
        (true, _) => Profile::load(Path::new(argument)),
        (false, Some(text)) => Profile::parse_argument(text),
        (false, None) => {
            let whole = bytes(argument);
            let (path, values) = parted(whole, whole.iter().rposition(|&byte| byte == b':'));
            with_values(Profile::load(Path::new(&path))?, &values)
        }
    }
}

/// The device of an argument that has to name one and no more; its profile may be a text.
///
/// # Errors
/// As for [`parse`]; if it names several.
pub fn the_only_one(argument: &OsString, files: &dyn Environment) -> Result<Profile, DeviceError> {
    let mut profiles = parse(std::slice::from_ref(argument), files)?;
    match profiles.pop() {
        Some(profile) if profiles.is_empty() => Ok(profile),
        _ => Err(DeviceError::Several { list: argument.display().to_string() }),
    }
}

/// The name of a text that an argument means, the text, and the values behind the name. A built-in
/// disk is never hidden by a text.
fn given<'a>(argument: &OsStr, files: &'a dyn Environment) -> Option<(OsString, &'a str, String)> {
    let whole = bytes(argument);
    let colon = whole.iter().rposition(|&byte| byte == b':');
    [None, colon].into_iter().find_map(|end| {
        let (path, values) = parted(whole, end);
        if Profile::builtin_names().any(|builtin| path == builtin) {
            return None;
        }
        files.given(Path::new(&path)).map(|text| (path, text, values))
    })
}

/// A name, and the values behind the colon that ends it.
fn parted(whole: &[u8], colon: Option<usize>) -> (OsString, String) {
    let (path, values) = whole.split_at(colon.unwrap_or(whole.len()));
    let values = String::from_utf8_lossy(values);
    (name(path.to_vec()), values.trim_start_matches(':').to_owned())
}

fn with_values(mut profile: Profile, values: &str) -> Result<Profile, ProfileError> {
    profile.set_all(values)?;
    Ok(profile)
}

/// A file's name may look like a list, or like a file with values.
fn is_file(argument: &OsStr) -> bool {
    bytes(argument).iter().any(|byte| b",=:".contains(byte)) && Path::new(argument).is_file()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    fn names(arguments: &[&str]) -> Vec<String> {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        let described = |profile: &Profile| format!("{} {}", profile.name(), profile.depth());
        parse(&arguments, &Actual).unwrap().iter().map(described).collect()
    }

    #[test]
    fn devices_are_listed_as_schedulers_are() {
        let both = ["reference-hdd 3", "reference-ssd 7"];
        assert_eq!(names(&["reference-hdd:depth=3,rotational=0,reference-ssd:depth=7"]), both);
        assert_eq!(names(&["reference-hdd,depth=3", "reference-ssd:depth=7"]), both);
        assert!(parse(&[",".into()], &Actual).is_err());
        assert!(parse(&["reference-hdd,reference-sd".into()], &Actual).is_err());
    }

    /// A profile without a file.
    struct OneText;

    impl Environment for OneText {
        fn open(&self, _: &Path) -> io::Result<Box<dyn io::BufRead + '_>> {
            Err(io::ErrorKind::NotFound.into())
        }

        fn variable(&self, _: &str) -> Result<String, std::env::VarError> {
            Err(std::env::VarError::NotPresent)
        }

        fn given(&self, path: &Path) -> Option<&str> {
            let text = include_str!("../../device/profiles/reference-ssd.toml");
            (path == Path::new("a,b.toml")).then_some(text)
        }
    }

    #[test]
    fn a_text_stands_in_the_place_of_a_file() {
        let profile = |argument: &str| the_only_one(&argument.into(), &OneText);
        assert_eq!(profile("a,b.toml").unwrap().name(), "a,b");
        let changed = profile("a,b.toml:depth=3,rotational=0").unwrap();
        assert_eq!((changed.name(), changed.depth()), ("a,b", 3));
        let error = profile("a,b.toml:depth=0").unwrap_err().to_string();
        assert!(error.starts_with("a,b"), "{error}");
        assert!(profile("b.toml").is_err());
    }

    #[test]
    fn a_file_may_be_called_like_a_list() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a:b=1,c=2.toml");
        std::fs::write(&path, include_str!("../../device/profiles/reference-ssd.toml")).unwrap();
        assert_eq!(parse(&[path.into()], &Actual).unwrap()[0].name(), "a:b=1,c=2");
    }
}
