// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines of a socket, of which neither length nor time is trusted.

use std::io::{self, BufRead, ErrorKind};
use std::time::{Duration, Instant};

/// Reads a line without its end; none at the end of the stream. Whoever sends letter by letter has
/// `patience` for the whole line; that a single read ends is up to the time limit of the stream.
///
/// # Errors
/// The line is longer than `most_bytes`, or takes too long.
pub(super) fn read_line(
    stream: &mut impl BufRead,
    most_bytes: usize,
    patience: Duration,
) -> io::Result<Option<Vec<u8>>> {
    let begin = Instant::now();
    let mut line = Vec::new();
    loop {
        let bytes = match stream.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if bytes.is_empty() {
            return Ok(None);
        }
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let part = &bytes[..end.unwrap_or(bytes.len())];
        if line.len() + part.len() > most_bytes {
            let message = format!("a line of more than {most_bytes} bytes");
            return Err(io::Error::new(ErrorKind::InvalidData, message));
        }
        line.extend_from_slice(part);
        let taken = part.len() + usize::from(end.is_some());
        stream.consume(taken);
        if end.is_some() {
            return Ok(Some(line));
        }
        if begin.elapsed() >= patience {
            return Err(ErrorKind::TimedOut.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    #[test]
    fn lines_end_by_a_new_line_and_have_a_greatest_length() {
        let patience = Duration::from_secs(60);
        // A buffer of two bytes: lines come in parts.
        let mut stream = BufReader::with_capacity(2, &b"one\n\nfour\nfive5\n"[..]);
        let mut next = || read_line(&mut stream, 4, patience);
        assert_eq!(next().unwrap().unwrap(), b"one");
        assert_eq!(next().unwrap().unwrap(), b"");
        assert_eq!(next().unwrap().unwrap(), b"four");
        assert_eq!(next().unwrap_err().to_string(), "a line of more than 4 bytes");
        // What has no end is no line.
        assert_eq!(read_line(&mut &b"one"[..], 4, patience).unwrap(), None);
        let error = read_line(&mut &b"one"[..], 4, Duration::ZERO).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
    }
}
