// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines on stderr: what went wrong, and what is worth knowing.

use base::text::printable;
use std::io::{self, Write};

/// Says something on stderr, in a line that begins with the command's name. Where that cannot be
/// written it is dropped: the result and the exit code are the same. A terminal obeys nothing that
/// is quoted in it.
pub fn note(text: &str) {
    let text = text.split('\n').map(printable).collect::<Vec<_>>().join("\n");
    // In one piece, so that the lines of several processes do not mix.
    let _ = io::stderr().lock().write_all(format!("bfq: {text}\n").as_bytes());
}
