// SPDX-License-Identifier: MIT OR Apache-2.0
//! Short texts of a fixed room: names of devices, processes and groups.

use crate::{
    field::{Body, Field},
    line::RecordLine,
    problem::Problem,
};
use core::fmt;

/// A text of at most `ROOM` bytes (up to 127): what the host calls something. Mostly UTF-8;
/// whatever the host's users chose.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Text<const ROOM: usize> {
    bytes: [u8; ROOM],
    len: u8,
}

impl<const ROOM: usize> Text<ROOM> {
    /// How many bytes there is room for.
    pub const ROOM: usize = ROOM;

    /// The text, cut to its room; one that is padded with zeroes ends at the first of them.
    pub fn new(text: &[u8]) -> Self {
        const { assert!(ROOM < 128) };
        let mut bytes = [0; ROOM];
        let mut len = 0;
        for (place, &byte) in bytes.iter_mut().zip(text.iter().take_while(|&&byte| byte != 0)) {
            *place = byte;
            len += 1;
        }
        Text { bytes, len }
    }

    /// The bytes of the text.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or(&self.bytes)
    }
}

impl<const ROOM: usize> fmt::Display for Text<ROOM> {
    /// What is not UTF-8 is shown as �.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.as_bytes().utf8_chunks() {
            f.write_str(chunk.valid())?;
            if !chunk.invalid().is_empty() {
                f.write_str("\u{fffd}")?;
            }
        }
        Ok(())
    }
}

impl<const ROOM: usize> fmt::Debug for Text<ROOM> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.as_bytes().escape_ascii())
    }
}

impl<const ROOM: usize> Field for Text<ROOM> {
    fn write(&self, line: &mut RecordLine) {
        line.byte(self.len);
        self.as_bytes().iter().for_each(|&byte| line.byte(byte));
    }

    fn read(body: &mut Body<'_>) -> Result<Self, Problem> {
        let len = body.byte()?;
        if usize::from(len) > ROOM {
            return Err(Problem::Value("a text too long"));
        }
        let mut bytes = [0; ROOM];
        for place in bytes.iter_mut().take(usize::from(len)) {
            *place = match body.byte()? {
                0 => return Err(Problem::Value("a zero in a text")),
                byte => byte,
            };
        }
        Ok(Text { bytes, len })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn texts_end_at_a_zero_or_where_their_room_ends() {
        for (text, shown) in [
            (&b"fio\0\0\0"[..], "fio"),
            (b"kworker/u8:3", "kworker/"),
            (b"", ""),
            (b"a\xffb", "a\u{fffd}b"),
        ] {
            assert_eq!(Text::<8>::new(text).to_string(), shown);
        }
    }
}
