// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a value is wrong.

/// Why a value is wrong: what was expected instead.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Expected(pub(super) String);

impl From<&str> for Expected {
    fn from(text: &str) -> Expected {
        Expected(text.to_string())
    }
}
