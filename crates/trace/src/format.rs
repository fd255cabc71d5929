// SPDX-License-Identifier: MIT OR Apache-2.0
//! The formats: one table of their names.

/// A format of traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// The text that `blkparse` prints from a recording.
    Blkparse,
    /// The kernel's own records, as `blktrace` stores them.
    Blktrace,
    /// fio's I/O log, version 2.
    Iolog2,
    /// fio's I/O log, version 3.
    Iolog3,
    /// The start-up traces of the S benchmark suite.
    Startup,
    /// The tables of MSR Cambridge.
    Msr,
    /// The tables of the block traces of Alibaba's cloud.
    Alibaba,
    /// The tables of the block traces of Tencent's cloud.
    Tencent,
    /// The Storage Performance Council's.
    Spc,
}

impl Format {
    /// All formats that are known.
    pub const ALL: [Format; 9] = [
        Format::Blkparse,
        Format::Blktrace,
        Format::Iolog2,
        Format::Iolog3,
        Format::Startup,
        Format::Msr,
        Format::Alibaba,
        Format::Tencent,
        Format::Spc,
    ];

    /// What it is called on command lines and in job files.
    pub fn name(self) -> &'static str {
        match self {
            Format::Blkparse => "blkparse",
            Format::Blktrace => "blktrace",
            Format::Iolog2 => "iolog2",
            Format::Iolog3 => "iolog3",
            Format::Startup => "startup",
            Format::Msr => "msr",
            Format::Alibaba => "alibaba",
            Format::Tencent => "tencent",
            Format::Spc => "spc",
        }
    }

    /// Whether its requests are for block devices, not for files.
    pub fn is_of_devices(self) -> bool {
        !matches!(self, Format::Iolog2 | Format::Iolog3)
    }

    /// Whether a [`Writer`](crate::Writer) can write it.
    pub fn is_written(self) -> bool {
        !matches!(self, Format::Blktrace | Format::Startup)
    }

    /// The names of those that can be written, for messages.
    pub fn written_names() -> String {
        let written = Format::ALL.into_iter().filter(|format| format.is_written());
        written.map(Format::name).collect::<Vec<_>>().join(", ")
    }

    /// The format called so.
    pub fn by_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The names of all formats, for messages.
    pub fn names() -> String {
        Format::ALL.map(Format::name).join(", ")
    }
}
