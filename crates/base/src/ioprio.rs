// SPDX-License-Identifier: MIT OR Apache-2.0
//! I/O priorities as processes set them, and as recordings write them.

use alloc::borrow::ToOwned;
use alloc::string::String;
use bfq::{Class, IOPRIO_LEVELS, Ioprio};
use core::fmt;

/// A priority as a process sets it (`IOPRIO_PRIO_VALUE`), level and all: requests of different
/// values are not merged, even where a scheduler treats them alike. [`IoprioValue::effective`] is
/// what schedulers make of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IoprioValue {
    /// The class; `None`: never set, which counts as best effort, level 4.
    pub class: Option<Class>,
    /// 0 (first) to 7 (last).
    pub level: u8,
}

impl IoprioValue {
    /// The highest (least favoured) level.
    pub const MAX_LEVEL: u8 = IOPRIO_LEVELS - 1;

    /// That of a process that never set one.
    pub const UNSET: IoprioValue = IoprioValue { class: None, level: 4 };

    /// The priority that it stands for.
    pub const fn effective(self) -> Ioprio {
        match self.class {
            Some(class) => Ioprio::new(class, self.level),
            None => Ioprio::DEFAULT,
        }
    }
}

impl Default for IoprioValue {
    fn default() -> IoprioValue {
        IoprioValue::UNSET
    }
}

/// A text that is no priority.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IoprioError {
    /// What was given, as text.
    pub text: String,
}

impl fmt::Display for IoprioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ioprio `{}` is unknown: expected be0…be7, rt0…rt7 or idle", self.text)
    }
}

impl core::error::Error for IoprioError {}

/// Reads a priority as recordings write it: `be0` to `be7`, `rt0` to `rt7` or `idle`.
///
/// # Errors
/// If it is none of these.
pub fn parse_ioprio(text: &str) -> Result<Ioprio, IoprioError> {
    let unknown = || IoprioError { text: text.to_owned() };
    if text == "idle" {
        return Ok(Ioprio::new(Class::Idle, IoprioValue::MAX_LEVEL));
    }
    let (class, level) = text.split_at_checked(2).ok_or_else(unknown)?;
    let class = match class {
        "be" => Class::BestEffort,
        "rt" => Class::RealTime,
        _ => return Err(unknown()),
    };
    match level.parse::<u8>() {
        Ok(level @ 0..=IoprioValue::MAX_LEVEL) => Ok(Ioprio::new(class, level)),
        _ => Err(unknown()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn priorities_are_read() {
        assert_eq!(parse_ioprio("be4"), Ok(Ioprio::DEFAULT));
        assert_eq!(parse_ioprio("rt0"), Ok(Ioprio::new(Class::RealTime, 0)));
        assert_eq!(parse_ioprio("idle"), Ok(Ioprio::new(Class::Idle, 7)));
        for text in ["", "b", "be", "be8", "xx1", "idle3", "é4"] {
            let error = parse_ioprio(text).unwrap_err().to_string();
            assert!(error.starts_with(&alloc::format!("ioprio `{text}` is unknown")), "{error}");
        }
    }

    #[test]
    fn the_core_has_as_many_levels() {
        let lowest = Ioprio::new(Class::BestEffort, u8::MAX).level();
        assert_eq!(lowest, IoprioValue::MAX_LEVEL);
        assert_eq!(IoprioValue::UNSET.effective(), Ioprio::DEFAULT);
        let idle = IoprioValue { class: Some(Class::Idle), level: 3 };
        assert_eq!(idle.effective(), Ioprio::new(Class::Idle, 7));
    }
}
