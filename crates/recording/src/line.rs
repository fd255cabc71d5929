// SPDX-License-Identifier: MIT OR Apache-2.0
//! A record while it is being written.

/// More than the longest record needs; a test sees to it.
const ROOM: usize = 256;

/// The bytes of one record after the other.
#[derive(Debug)]
pub struct RecordLine {
    bytes: [u8; ROOM],
    len: usize,
    /// The time of the record.
    pub(crate) now_ns: u64,
}

impl RecordLine {
    /// A line with no record in it.
    pub(crate) const fn new() -> Self {
        RecordLine { bytes: [0; ROOM], len: 0, now_ns: 0 }
    }

    /// Begins a record; its length is filled in by [`RecordLine::finish`].
    pub(crate) fn begin(&mut self, now_ns: u64) {
        (self.len, self.now_ns) = (1, now_ns);
    }

    /// Appends a byte to the record; it is dropped if there is no room.
    pub(crate) fn byte(&mut self, byte: u8) {
        // No record is longer; if one were, it would lose its end rather than stop a kernel.
        if let Some(place) = self.bytes.get_mut(self.len) {
            *place = byte;
        }
        self.len += 1;
    }

    /// The whole record, with its length in front.
    pub(crate) fn finish(&mut self) -> &[u8] {
        debug_assert!(self.len <= ROOM, "a record of {} bytes", self.len);
        let len = self.len.min(ROOM);
        self.bytes[0] = (len - 1) as u8;
        self.bytes.get(..len).unwrap_or(&[])
    }
}
