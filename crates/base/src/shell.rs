// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words of a command line that a shell takes as they are meant: commands that are printed are to
//! be copied.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use core::fmt::Write;

/// A word as a shell has to see it. It may be any bytes, as the name of a file may.
pub fn quoted(word: impl AsRef<[u8]>) -> String {
    let word = word.as_ref();
    let plain = |letter: char| letter.is_alphanumeric() || "-_=,.:/+@%".contains(letter);
    match core::str::from_utf8(word) {
        Ok("") => "''".to_owned(),
        Ok(text) if text.chars().all(plain) => text.to_owned(),
        Ok(text) if !text.contains(char::is_control) => {
            format!("'{}'", text.replace('\'', r"'\''"))
        }
        _ => escaped(word),
    }
}

/// A word with bytes that are no text, or that a terminal would obey: `$'a\xfe.fio'`.
fn escaped(word: &[u8]) -> String {
    let mut text = String::from("$'");
    let escape = |text: &mut String, bytes: &[u8]| {
        for byte in bytes {
            // Writing to a string cannot fail.
            let _ = write!(text, "\\x{byte:02x}");
        }
    };
    for chunk in word.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                '\'' | '\\' => text.extend(['\\', letter]),
                _ if letter.is_control() => {
                    escape(&mut text, letter.encode_utf8(&mut [0; 4]).as_bytes());
                }
                _ => text.push(letter),
            }
        }
        escape(&mut text, chunk.invalid());
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
            (&b"a.fio"[..], "a.fio"),
            (b"/run/a.sock", "/run/a.sock"),
            (b"user@1000.service", "user@1000.service"),
            (b"my jobs/a.fio", "'my jobs/a.fio'"),
            (b"nbd+unix:///?socket=/x", "'nbd+unix:///?socket=/x'"),
            (br"machine-qemu\x2d1.scope", r"'machine-qemu\x2d1.scope'"),
            (b"it's", r"'it'\''s'"),
            (b"", "''"),
            (b"it's\\a\xfe.fio", r"$'it\'s\\a\xfe.fio'"),
            (b"two\nlines \x1b[2J\xc2\x9b", r"$'two\x0alines \x1b[2J\xc2\x9b'"),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }
}
