// SPDX-License-Identifier: MIT OR Apache-2.0
//! How each format is known by its content.

use crate::format::Format;
use crate::volumes::Volumes;
use crate::{blkparse, blktrace, iolog, startup};

impl Format {
    /// Knows a format by the first bytes of a trace (after decompression). None: it is
    /// none of them.
    pub fn detect(head: &[u8]) -> Option<Format> {
        if blktrace::version(head).is_some() {
            return Some(Format::Blktrace);
        }
        let text = String::from_utf8_lossy(head);
        let is_preamble = |line: &&str| line.is_empty() || line.starts_with("Input file ");
        let first = text.lines().map(str::trim).find(|line| !is_preamble(line))?;
        let volumes = || {
            Some(match Volumes::of_line(first)? {
                Volumes::Msr => Format::Msr,
                Volumes::Alibaba => Format::Alibaba,
                Volumes::Tencent => Format::Tencent,
                Volumes::Spc => Format::Spc,
            })
        };
        iolog::version(first)
            .or_else(|| blkparse::is_line(first).then_some(Format::Blkparse))
            .or_else(|| startup::is_line(first).then_some(Format::Startup))
            .or_else(volumes)
    }
}
