// SPDX-License-Identifier: MIT OR Apache-2.0
//! How each format is known by its content.

use crate::format::Format;
use crate::volumes::Volumes;
use crate::{blkparse, blktrace, iolog, startup};

/// How many lines are looked at: the first ones may be wrong, which their format then says.
const LINES: usize = 16;

impl Format {
    /// Knows a format by the first bytes of a trace (after decompression): that of the first line
    /// that is of one, of the first sixteen. None: there is no such line.
    pub fn detect(head: &[u8]) -> Option<Format> {
        if blktrace::version(head).is_some() {
            return Some(Format::Blktrace);
        }
        let text = String::from_utf8_lossy(head);
        let is_preamble = |line: &&str| line.is_empty() || line.starts_with("Input file ");
        let mut lines = text.lines().map(str::trim).filter(|line| !is_preamble(line)).take(LINES);
        let first = lines.next()?;
        iolog::version(first).or_else(|| of_line(first)).or_else(|| lines.find_map(of_line))
    }
}

/// The format of a line by which others than fio's logs are known.
fn of_line(line: &str) -> Option<Format> {
    let volumes = || {
        Some(match Volumes::of_line(line)? {
            Volumes::Msr => Format::Msr,
            Volumes::Alibaba => Format::Alibaba,
            Volumes::Tencent => Format::Tencent,
            Volumes::Spc => Format::Spc,
        })
    };
    blkparse::is_line(line)
        .then_some(Format::Blkparse)
        .or_else(|| startup::is_line(line).then_some(Format::Startup))
        .or_else(volumes)
}
