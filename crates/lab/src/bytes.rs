// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names of files as the bytes that they are on Unix; elsewhere names are text.

use std::ffi::{OsStr, OsString};

/// The bytes of a name.
pub(crate) fn bytes(name: &OsStr) -> &[u8] {
    name.as_encoded_bytes()
}

/// The name that has these bytes.
#[cfg(unix)]
pub(crate) fn name(bytes: Vec<u8>) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

/// The name that has these bytes, which are those of a text.
#[cfg(not(unix))]
pub(crate) fn name(bytes: Vec<u8>) -> OsString {
    String::from_utf8_lossy(&bytes).into_owned().into()
}
