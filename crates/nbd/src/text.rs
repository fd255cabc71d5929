// SPDX-License-Identifier: MIT OR Apache-2.0
//! Strings of the protocol: UTF-8 without NUL, of limited length.

use crate::numbers::STRING_BYTES;

/// The string that `bytes` are, if they are one of at most `most_bytes`.
pub(crate) fn string(bytes: &[u8], most_bytes: u32) -> Option<&str> {
    let fits = u32::try_from(bytes.len()).is_ok_and(|length| length <= most_bytes);
    let text = fits.then(|| std::str::from_utf8(bytes).ok()).flatten()?;
    (!text.contains('\0')).then_some(text)
}

/// The front of `text` that can be sent: without NUL, and no longer than the protocol allows.
pub(crate) fn sendable(text: &str) -> &str {
    let end = text.find('\0').unwrap_or(text.len());
    &text[..text.floor_char_boundary(end.min(STRING_BYTES as usize))]
}

/// How many bytes a string has that [`sendable`] let through or that was cut from an option.
pub(crate) fn length(text: &str) -> [u8; 4] {
    u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes()
}
