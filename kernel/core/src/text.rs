// SPDX-License-Identifier: GPL-2.0 OR MIT
//! What users read, written into a buffer of C.

use core::fmt::{self, Arguments, Write};

/// The part of a buffer that is still free, and how much of it is used.
struct Page<'a> {
    buffer: &'a mut [u8],
    used: usize,
}

impl Write for Page<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.buffer.get_mut(self.used..self.used + text.len()).ok_or(fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.used += text.len();
        Ok(())
    }
}

/// Writes `text` and returns its length; or the length of the buffer if it does not fit, as a
/// reader that gets a full buffer comes again with a larger one.
pub fn show(buffer: &mut [u8], text: Arguments<'_>) -> usize {
    let size = buffer.len();
    let mut page = Page { buffer, used: 0 };
    if page.write_fmt(text).is_ok() { page.used } else { size }
}
