// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a driver with a real target does for jobs with `verify`: it has the runner fill what is
//! written and check what was read.

use super::Runner;
use crate::error::RunnerError;
use crate::token::token_parts;
use crate::verify::{Mismatches, VerifiedPart, Verifier};
use base::{Op, SECTOR_BYTES};
use blk::Tag;
use workload::Job;

/// fio's error of a block that is not as it should be: EILSEQ.
const EILSEQ: i32 = 84;

impl Runner {
    /// Whether a job has `verify`, so that the driver calls [`begins`](Self::begins),
    /// [`fill`](Self::fill) and [`ended`](Self::ended).
    pub fn verifies(&self) -> bool {
        self.verifier.is_some()
    }

    /// Whether the blocks that are checked lie within single requests, which the layer cuts off
    /// at its longest.
    ///
    /// # Errors
    /// For the first job of which they do not.
    pub fn check_intervals(&self, jobs: &[Job]) -> Result<(), RunnerError> {
        let longest = u64::from(self.layer.settings().max_sectors(self.layer.limits()));
        let longest_bytes = longest * SECTOR_BYTES;
        let is_cut = |job: &&Job| {
            let interval_bytes = job.verify.map_or(1, |verify| verify.interval_bytes);
            u64::from(job.max_block_bytes()) > longest_bytes
                && !longest_bytes.is_multiple_of(u64::from(interval_bytes))
        };
        match jobs.iter().find(is_cut) {
            None => Ok(()),
            Some(job) => Err(RunnerError::Interval {
                file: job.file.to_string(),
                line: job.line,
                job: job.name.clone(),
                longest_bytes,
            }),
        }
    }

    /// A request is about to go to the target; whether the data of it
    /// come from [`fill`](Self::fill).
    pub fn begins(&mut self, tag: Tag) -> bool {
        let Some(verifier) = &mut self.verifier else { return false };
        verifier.begins(tag.0 as usize);
        match self.layer.pool()[tag].op {
            Op::Write => !self.parts(tag).is_empty(),
            Op::Discard => {
                self.of_trim(tag, Verifier::trim_begins);
                false
            }
            Op::Read | Op::Flush => false,
        }
    }

    /// Fills the data of a write, as far as they are of jobs with `verify`.
    pub fn fill(&mut self, tag: Tag, data: &mut [u8]) {
        let (parts, start_bytes) = (self.parts(tag), self.start_bytes(tag));
        let Some(verifier) = &mut self.verifier else { return };
        parts.into_iter().for_each(|part| verifier.fill(part, start_bytes, data));
    }

    /// A request has ended on the target, well with these data (which matter of reads alone), or
    /// not. Reads are checked; [`take_mismatches`](Self::take_mismatches) tells what was wrong.
    pub fn ended(&mut self, tag: Tag, data: Option<&[u8]>) {
        let op = self.layer.pool()[tag].op;
        if op == Op::Discard {
            return self.of_trim(tag, Verifier::trim_ends);
        }
        let parts = self.parts(tag);
        let start_bytes = self.start_bytes(tag);
        let Some(verifier) = &mut self.verifier else { return };
        for part in parts {
            let process = &mut self.processes[part.process];
            match (op, data) {
                (Op::Write, _) => verifier.wrote(part, data.is_none()),
                (Op::Read, Some(data)) if process.checks_reads() => {
                    let job = &self.jobs[process.job].name;
                    if !verifier.check((tag.0 as usize, part), job, start_bytes, data) {
                        process.recorder.fail(EILSEQ);
                        self.is_spoilt |= part.verify.is_fatal;
                    }
                }
                _ => {}
            }
        }
    }

    /// Tells the verifier something of each part of a discard.
    fn of_trim(&mut self, tag: Tag, tell: fn(&mut Verifier, VerifiedPart)) {
        let parts = self.parts(tag);
        let Some(verifier) = &mut self.verifier else { return };
        parts.into_iter().for_each(|part| tell(verifier, part));
    }

    /// The blocks that were not as they should be, so far.
    pub fn take_mismatches(&mut self) -> Mismatches {
        self.verifier.as_mut().map(|verifier| verifier.take_mismatches()).unwrap_or_default()
    }

    /// The parts of a request that are of jobs with `verify`.
    fn parts(&self, tag: Tag) -> Vec<VerifiedPart> {
        let part = |bio: blk::Bio| {
            let (process, _) = token_parts(bio.token);
            let verify = self.processes.get(process)?.verify?;
            let offset_bytes = bio.sector * SECTOR_BYTES;
            let length_bytes = u64::from(bio.sectors) * SECTOR_BYTES;
            Some(VerifiedPart { process, verify, offset_bytes, length_bytes })
        };
        self.layer.bios(tag).filter_map(part).collect()
    }

    fn start_bytes(&self, tag: Tag) -> u64 {
        self.layer.pool()[tag].sector * SECTOR_BYTES
    }
}
