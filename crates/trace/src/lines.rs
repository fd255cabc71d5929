// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lines of a text, with their numbers; no line can take more than its share of memory.

use crate::error::{Mistake, TraceError, TracePosition};
use crate::input::TraceInput;
use std::borrow::Cow;
use std::io::{BufRead, ErrorKind, Read};
use std::ops::Range;

/// No format has lines anywhere near this long. What has is no text.
const LONGEST_LINE_BYTES: usize = 64 * 1024;

/// Bytes that are read at once: a few of the longest lines.
const BUFFER_BYTES: usize = 4 * LONGEST_LINE_BYTES;

/// The lines of a source. Each is looked at where it was read to.
pub(crate) struct Lines<'a> {
    source: TraceInput<'a>,
    /// The file, for errors.
    name: String,
    /// Of the line read last, from 1.
    number: u64,
    buffer: Vec<u8>,
    /// Of the buffer: the line read last.
    line: Range<usize>,
    /// Of the buffer: what was read behind that line.
    rest: Range<usize>,
    broken: bool,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(source: TraceInput<'a>, name: impl Into<String>) -> Lines<'a> {
        Lines {
            source,
            name: name.into(),
            number: 0,
            buffer: vec![0; BUFFER_BYTES],
            line: 0..0,
            rest: 0..0,
            broken: false,
        }
    }

    /// Reads the next line; false at the end.
    ///
    /// # Errors
    /// It cannot be read (then there are no more), or is far too long.
    pub(crate) fn advance(&mut self) -> Result<bool, TraceError> {
        if self.broken {
            return Ok(false);
        }
        self.number += 1;
        let mut looked_at = 0;
        loop {
            let rest = &self.buffer[self.rest.clone()];
            if let Some(end) = end_of_line(&rest[looked_at..]) {
                return self.take(looked_at + end);
            }
            looked_at = rest.len();
            if looked_at >= LONGEST_LINE_BYTES {
                return self.take(looked_at);
            }
            match self.fill() {
                Err(error) => return Err(self.unreadable(&error)),
                Ok(0) if looked_at == 0 => return Ok(false),
                Ok(0) => return self.take(looked_at),
                Ok(_) => {}
            }
        }
    }

    /// The next `bytes` bytes are the line or, if these are too many, perhaps a part of it.
    fn take(&mut self, bytes: usize) -> Result<bool, TraceError> {
        self.line = self.rest.start..self.rest.start + bytes;
        self.rest.start = self.line.end;
        let ends = self.buffer[self.line.clone()].ends_with(b"\n");
        if bytes < LONGEST_LINE_BYTES || bytes == LONGEST_LINE_BYTES && ends {
            return Ok(true);
        }
        if !ends {
            self.skip_rest()?;
        }
        let what = format!("the line has more than {LONGEST_LINE_BYTES} bytes");
        Err(self.wrong(Mistake::new(what, "a line of text")))
    }

    /// Reads more behind the rest; returns how much.
    fn fill(&mut self) -> std::io::Result<usize> {
        if self.buffer.len() - self.rest.end < LONGEST_LINE_BYTES {
            self.buffer.copy_within(self.rest.clone(), 0);
            self.rest = 0..self.rest.len();
        }
        loop {
            match self.source.read(&mut self.buffer[self.rest.end..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(read) => {
                    self.rest.end += read;
                    return Ok(read);
                }
            }
        }
    }

    /// The line read last. Bytes that are no UTF-8 (in names, if anywhere) are replaced.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        let bytes = self.buffer[self.line.clone()].trim_ascii();
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
            if let Some(end) = end_of_line(&self.buffer[self.rest.clone()]) {
                self.rest.start += end;
                return Ok(());
            }
            self.rest = 0..0;
            match self.fill() {
                Err(error) => return Err(self.unreadable(&error)),
                Ok(0) => return Ok(()),
                Ok(_) => {}
            }
        }
    }

    fn unreadable(&mut self, error: &std::io::Error) -> TraceError {
        self.broken = true;
        let mistake = Mistake::new(format!("cannot read: {error}"), "a readable, whole file");
        TraceError { can_be_skipped: false, ..self.wrong(mistake) }
    }
}

/// Where the first line of a text ends, behind its last byte.
fn end_of_line(mut text: &[u8]) -> Option<usize> {
    let all = text;
    // In memory, which can always be read.
    let end = text.skip_until(b'\n').unwrap_or(0);
    (end > 0 && all[end - 1] == b'\n').then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufReader, Cursor};

    /// The length of each line that is read a few bytes at a time, or that it is too long.
    fn lengths(text: &str, read_bytes: usize) -> Vec<Result<usize, String>> {
        let source = BufReader::with_capacity(read_bytes, Few(Cursor::new(text), read_bytes));
        let mut lines = Lines::new(Box::new(source), "t");
        let mut lengths = Vec::new();
        loop {
            match lines.advance() {
                Ok(true) => lengths.push(Ok(lines.text().len())),
                Ok(false) => return lengths,
                Err(error) => lengths.push(Err(error.to_string())),
            }
        }
    }

    /// Gives that number of bytes at a time, however large the buffer is.
    struct Few<'a>(Cursor<&'a str>, usize);

    impl Read for Few<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let bytes = buffer.len().min(self.1);
            self.0.read(&mut buffer[..bytes])
        }
    }

    #[test]
    fn a_line_is_whole_however_it_was_read() {
        let most = LONGEST_LINE_BYTES;
        let sizes = [3, 0, most - 1, 70, most, 5, 3 * most, 1, most - 2, most - 1, most - 1, 9];
        let text: String = sizes.iter().map(|&size| "x".repeat(size) + "\n").collect();
        let too_long = |line: usize| {
            format!("t:{line}: the line has more than {most} bytes; expected a line of text")
        };
        let expected: Vec<_> = (1..)
            .zip(sizes)
            .map(|(line, size)| if size < most { Ok(size) } else { Err(too_long(line)) })
            .collect();
        for read_bytes in [1, 7, 4096, most, 10 * most] {
            assert_eq!(lengths(&text, read_bytes), expected, "{read_bytes} bytes at a time");
            // The last line needs no end.
            assert_eq!(lengths(text.trim_end(), read_bytes), expected);
        }
        assert_eq!(lengths(&"x".repeat(most), 4096), [Err(too_long(1))]);
        assert_eq!(lengths("", 4096), []);
    }
}
