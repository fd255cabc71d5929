// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lines of a text, with their numbers; no line can take more than its share of memory.

use crate::error::{Mistake, TraceError, TracePosition};
use crate::input::Source;
use std::borrow::Cow;
use std::io::{BufRead, Read};

/// No format has lines anywhere near this long. What has is no text.
const LONGEST_LINE_BYTES: usize = 64 * 1024;

/// The lines of a source.
pub(crate) struct Lines<'a> {
    source: Source<'a>,
    /// The file, for errors.
    name: String,
    /// Of the line read last, from 1.
    number: u64,
    text: Vec<u8>,
    broken: bool,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(source: Source<'a>, name: impl Into<String>) -> Lines<'a> {
        Lines { source, name: name.into(), number: 0, text: Vec::new(), broken: false }
    }

    /// Reads the next line; false at the end.
    ///
    /// # Errors
    /// It cannot be read (then there are no more), or is far too long.
    pub(crate) fn advance(&mut self) -> Result<bool, TraceError> {
        if self.broken {
            return Ok(false);
        }
        self.text.clear();
        self.number += 1;
        let most = LONGEST_LINE_BYTES as u64;
        match self.source.as_mut().take(most).read_until(b'\n', &mut self.text) {
            Err(error) => Err(self.unreadable(&error)),
            Ok(0) => Ok(false),
            Ok(LONGEST_LINE_BYTES) if self.text.last() != Some(&b'\n') => {
                self.skip_rest()?;
                let what = format!("the line has more than {LONGEST_LINE_BYTES} bytes");
                Err(self.wrong(Mistake::new(what, "a line of text")))
            }
            Ok(_) => Ok(true),
        }
    }

    /// The line read last. Bytes that are no UTF-8 (in names, if anywhere) are replaced.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        let bytes = self.text.trim_ascii();
        // To look for bytes to be replaced costs ten times as much as to know that there are none.
        match str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(bytes),
        }
    }

    /// Its number, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Says where a mistake is: in the line read last.
    pub(crate) fn wrong(&self, mistake: Mistake) -> TraceError {
        mistake.at(&self.name, TracePosition::Line(self.number))
    }

    fn skip_rest(&mut self) -> Result<(), TraceError> {
        loop {
            let bytes = match self.source.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) => return Err(self.unreadable(&error)),
            };
            let (used, done) = match bytes.iter().position(|&byte| byte == b'\n') {
                Some(end) => (end + 1, true),
                None => (bytes.len(), bytes.is_empty()),
            };
            self.source.consume(used);
            if done {
                return Ok(());
            }
        }
    }

    fn unreadable(&mut self, error: &std::io::Error) -> TraceError {
        self.broken = true;
        let mistake = Mistake::new(format!("cannot read: {error}"), "a readable, whole file");
        TraceError { can_be_skipped: false, ..self.wrong(mistake) }
    }
}
