// SPDX-License-Identifier: MIT OR Apache-2.0
//! The words of a command line for a shell: results name the command that repeats them.

use crate::bytes::bytes;
use std::ffi::OsStr;
use std::fmt::Write;

/// A word as a shell has to see it.
pub fn quoted(word: &OsStr) -> String {
    let Some(text) = word.to_str() else { return quoted_bytes(word) };
    let plain = |letter: char| letter.is_alphanumeric() || "-_=,.:/+@%".contains(letter);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// A word that is not UTF-8 (a file's name may be any bytes): `$'a\xfe.fio'`.
fn quoted_bytes(word: &OsStr) -> String {
    let mut text = String::from("$'");
    for chunk in bytes(word).utf8_chunks() {
        for letter in chunk.valid().chars() {
            if matches!(letter, '\'' | '\\') {
                text.push('\\');
            }
            text.push(letter);
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text.push('\'');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_a_shell_would_change_are_quoted() {
        for (word, expected) in [
            ("a.fio", "a.fio"),
            ("my jobs/a.fio", "'my jobs/a.fio'"),
            ("it's", r"'it'\''s'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(OsStr::new(word)), expected);
        }
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt;
            let word = OsStr::from_bytes(b"it's\\a\xfe.fio");
            assert_eq!(quoted(word), r"$'it\'s\\a\xfe.fio'");
        }
    }
}
