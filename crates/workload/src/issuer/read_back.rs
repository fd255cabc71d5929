// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a process wrote and reads back at its end (`verify`, `do_verify`).
//!
//! As under fio 3.33 it comes in the order in which it was written, and by ascending offsets where
//! blocks may have been written several times. Each place is read once.

use crate::job::Job;
use std::collections::BTreeMap;

/// The places that a process has written.
#[derive(Debug)]
pub(super) struct ReadBack {
    /// Offset on the target and length, bytes, in the order of the first writes. One that was
    /// trimmed, and not written since, has length 0.
    places: Vec<(u64, u32)>,
    /// Which of them begins at an offset.
    at: BTreeMap<u64, usize>,
    is_sorted: bool,
    /// The place to be read next; none: it has not come to that.
    next: Option<usize>,
}

impl ReadBack {
    /// None: the job reads nothing back.
    pub(super) fn new(job: &Job) -> Option<ReadBack> {
        let wanted = job.verify.is_some_and(|verify| verify.reads_back) && job.rw.writes();
        wanted.then(|| ReadBack {
            places: Vec::new(),
            at: BTreeMap::new(),
            is_sorted: job.rw.is_random() && !job.keeps_map(),
            next: None,
        })
    }

    /// Of two writes at the same offset the longer one is read: all of it has been written.
    pub(super) fn wrote(&mut self, offset_bytes: u64, length_bytes: u32) {
        let index = *self.at.entry(offset_bytes).or_insert(self.places.len());
        match self.places.get_mut(index) {
            Some((_, longest_bytes)) => *longest_bytes = length_bytes.max(*longest_bytes),
            None => self.places.push((offset_bytes, length_bytes)),
        }
    }

    /// Places within what is trimmed are not read: there is nothing in them. Of those that it only
    /// reaches into, all is read, but not all is checked.
    pub(super) fn trimmed(&mut self, offset_bytes: u64, length_bytes: u32) {
        let end_bytes = offset_bytes + u64::from(length_bytes);
        for (_, &index) in self.at.range(offset_bytes..end_bytes) {
            let (begin_bytes, written_bytes) = &mut self.places[index];
            if *begin_bytes + u64::from(*written_bytes) <= end_bytes {
                *written_bytes = 0;
            }
        }
    }

    /// All is written. Whether reading begins now: there is something to read, and it has not been.
    pub(super) fn begin(&mut self) -> bool {
        if self.next.is_some() || !self.places.iter().any(|&(_, length_bytes)| length_bytes > 0) {
            return false;
        }
        if self.is_sorted {
            self.places.sort_unstable();
        }
        self.next = Some(0);
        true
    }

    pub(super) fn is_under_way(&self) -> bool {
        self.next.is_some()
    }

    /// The next place to be read.
    pub(super) fn next(&mut self) -> Option<(u64, u32)> {
        let next = self.next.as_mut()?;
        let left = self.places.get(*next..)?.iter();
        let (skipped, place) = left.enumerate().find(|(_, (_, length_bytes))| *length_bytes > 0)?;
        *next += skipped + 1;
        Some(*place)
    }
}
