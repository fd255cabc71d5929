// SPDX-License-Identifier: MIT OR Apache-2.0
//! The end of a section: whether contents are checked, and in blocks of which length.

use super::{Draft, Verification};
use crate::error::JobError;
use crate::job::{BlockSizes, Direction, Verify};
use crate::parse::lines::Origin;

impl Draft {
    pub(super) fn finish_verify(&mut self, section: &Origin) -> Result<(), JobError> {
        let Verification { is_on, reads_back, is_fatal, interval_bytes } = self.verification;
        if !is_on {
            let extras = ["do_verify", "verify_fatal", "verify_interval"];
            if let Some(extra) = extras.into_iter().find(|extra| self.is_set(extra)) {
                let origin = self.origin_of(extra, section).clone();
                self.note(&origin, format!("option \"{extra}\" has no effect without verify"));
            }
            return Ok(());
        }
        if self.read_iolog.is_some() {
            return Err(self.origin_of("verify", section).wrong(
                "verify with read_iolog",
                "one of them: a replay has no contents to check",
            ));
        }
        let sizes_bytes = self.checked_sizes();
        let common_bytes = sizes_bytes.iter().copied().fold(0, greatest_common_divisor);
        let interval_bytes = match interval_bytes {
            None => common_bytes,
            Some(given) if common_bytes.is_multiple_of(given) => given,
            Some(given) => {
                return Err(self.origin_of("verify_interval", section).wrong(
                    format!("verify_interval of {given} bytes"),
                    format!("a divisor of every block size (of {common_bytes} bytes)"),
                ));
            }
        };
        self.job.verify = Some(Verify { reads_back, is_fatal, interval_bytes });
        Ok(())
    }

    /// The sizes of the I/Os whose contents are checked: a mix checks what it writes, and a write
    /// behind a trim is as long as that.
    fn checked_sizes(&self) -> Vec<u32> {
        let job = &self.job;
        let direction = match (job.rw.trims_first(), job.rw.writes()) {
            (true, _) => Direction::Trim,
            (false, true) => Direction::Write,
            (false, false) => Direction::Read,
        };
        match &job.block_sizes[direction] {
            BlockSizes::Fixed(bytes) => vec![*bytes],
            // The greatest need be no multiple of the least.
            BlockSizes::Range(least, most) => vec![*least, *most],
            BlockSizes::Split(parts) => parts.iter().map(|part| part.0).collect(),
        }
    }
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}
