// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which of a process's files the next I/O goes to (`nrfiles`, `file_service_type`).

use crate::job::{FileOrder, FileService};
use crate::random::Stream;
use base::random::Random;

/// Chooses among the files of a process.
#[derive(Debug)]
pub(super) struct Selector {
    service: FileService,
    files: usize,
    /// The file in use, and how many I/Os it still gets in a row.
    current: usize,
    left: u32,
    random: Random,
}

impl Selector {
    pub(super) fn new(service: FileService, files: usize, seed: u64) -> Selector {
        let random = Stream::Files.of_process(seed);
        let mut selector = Selector { service, files, current: 0, left: 0, random };
        selector.restart();
        selector
    }

    /// The file of the next I/O; none if all of several are exhausted. (A single file says itself
    /// that it is.)
    #[inline(always)]
    pub(super) fn next(&mut self, is_exhausted: impl Fn(usize) -> bool) -> Option<usize> {
        if self.files == 1 {
            return Some(0);
        }
        let goes_on = match self.service.order {
            FileOrder::Sequential => true,
            FileOrder::RoundRobin | FileOrder::Random => self.left > 0,
        };
        if !goes_on || is_exhausted(self.current) {
            self.current = self.other(is_exhausted)?;
            self.left = self.service.ios_in_a_row;
        }
        self.left = self.left.saturating_sub(1);
        Some(self.current)
    }

    /// The file in use.
    #[inline]
    pub(super) fn current(&self) -> usize {
        self.current
    }

    /// The first file is the next one again.
    pub(super) fn restart(&mut self) {
        self.left = 0;
        // The turn of the one before the first is over.
        self.current = match self.service.order {
            FileOrder::Sequential => 0,
            FileOrder::RoundRobin | FileOrder::Random => self.files - 1,
        };
    }

    fn other(&mut self, is_exhausted: impl Fn(usize) -> bool) -> Option<usize> {
        let following = (1..=self.files).map(|step| (self.current + step) % self.files);
        let mut left = following.filter(|&file| !is_exhausted(file));
        match self.service.order {
            FileOrder::Sequential | FileOrder::RoundRobin => left.next(),
            FileOrder::Random => {
                let left: Vec<usize> = left.collect();
                match left.len() as u64 {
                    0 => None,
                    files => Some(left[self.random.below(files) as usize]),
                }
            }
        }
    }
}
