//! The formats: one table of their names, and how each is known by its content.

use crate::{blkparse, iolog};

/// A format of traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// What `blkparse` prints.
    Blkparse,
    /// fio's I/O log, version 2.
    Iolog2,
    /// fio's I/O log, version 3.
    Iolog3,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 3] = [Format::Blkparse, Format::Iolog2, Format::Iolog3];

    /// What it is called on command lines and in job files.
    pub fn name(self) -> &'static str {
        match self {
            Format::Blkparse => "blkparse",
            Format::Iolog2 => "iolog2",
            Format::Iolog3 => "iolog3",
        }
    }

    /// Whether its requests are for block devices, not for files.
    pub fn is_of_devices(self) -> bool {
        !matches!(self, Format::Iolog2 | Format::Iolog3)
    }

    /// The format called so.
    pub fn by_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The names of all formats, for messages.
    pub fn names() -> String {
        Format::ALL.map(Format::name).join(", ")
    }

    /// Knows a format by the first bytes of a trace (after decompression). None: it is none of
    /// them.
    pub fn detect(head: &[u8]) -> Option<Format> {
        let text = String::from_utf8_lossy(head);
        let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
        if let Some(version) = iolog::version(line) {
            return Some(version);
        }
        let is_preamble = |line: &&str| line.is_empty() || line.starts_with("Input file ");
        let first = text.lines().map(str::trim).find(|line| !is_preamble(line))?;
        blkparse::is_line(first).then_some(Format::Blkparse)
    }
}
