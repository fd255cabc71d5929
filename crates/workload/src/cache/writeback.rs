// SPDX-License-Identifier: MIT OR Apache-2.0
//! How dirty pages reach the device: what the flusher does, and what it has in common with syncs.

use std::ops::Range;

use super::PageCache;
use super::flusher::Goal;
use super::pages::{Flag, Word};
use super::progress::{Progress, Transfer, TransferKind};

/// The most pages of a write: a bio of 256 segments.
const LONGEST_WRITE_PAGES: u64 = 256;
/// The least that a file gets written before the next has its turn, pages.
const LEAST_TURN_PAGES: u64 = 1024;

impl PageCache {
    /// There is something to write in the background. If the flusher is at it already, it will see.
    pub(super) fn wake_flusher_from_rest(&mut self) {
        if self.flusher.goal == Goal::Rest {
            self.wake_flusher();
        }
    }

    /// What the flusher does now. Asked for the first time when
    /// [`take_woken`](Self::take_woken) names it.
    pub fn flusher_step(&mut self, now_ns: u64) -> Progress {
        if let Some(transfer) = self.write_for_sync(now_ns) {
            return Progress::Transfer(transfer);
        }
        loop {
            match self.flusher.goal {
                Goal::Rest => {
                    if let Some(rest) = self.find_goal(now_ns) {
                        return rest;
                    }
                }
                Goal::Background if self.files.dirty <= self.limits.background => self.rest(),
                Goal::Background | Goal::Expired => {}
            }
            while let Some(&file) = self.flusher.round.front() {
                if let Some(transfer) = self.write_in_turn(now_ns, file) {
                    return Progress::Transfer(transfer);
                }
            }
            if self.flusher.goal == Goal::Background
                && self.files.dirty > self.limits.background
                && !self.gather(u64::MAX)
            {
                self.flusher.is_stalled = true;
                return Progress::Wait;
            }
            if self.flusher.round.is_empty() {
                self.rest();
            }
        }
    }

    /// Chooses what to do next, or says how long there is nothing to do.
    fn find_goal(&mut self, now_ns: u64) -> Option<Progress> {
        if self.files.dirty > self.limits.background {
            self.flusher.goal = Goal::Background;
            self.counts.background_starts += 1;
            self.gather(u64::MAX);
            return None;
        }
        match self.flusher.round_at_ns {
            None => Some(Progress::Wait),
            Some(until_ns) if until_ns > now_ns => Some(Progress::Sleep { until_ns }),
            Some(_) => {
                self.flusher.goal = Goal::Expired;
                let is_dirty = self.files.dirty > 0;
                self.flusher.round_at_ns = is_dirty.then_some(now_ns + self.flusher.interval_ns);
                if let Some(before_ns) = now_ns.checked_sub(self.flusher.expire_ns) {
                    self.gather(before_ns);
                }
                None
            }
        }
    }

    /// Puts the files that have been dirty since `before_ns` or longer into the round. Says whether
    /// any of them has something to write.
    fn gather(&mut self, before_ns: u64) -> bool {
        let mut has_any = false;
        for _ in 0..self.flusher.dirty_files.len() {
            let Some(number) = self.flusher.dirty_files.pop_front() else { break };
            let file = &mut self.files[number];
            if file.dirty == 0 {
                file.listed = false;
            } else if file.dirty_since_ns <= before_ns {
                has_any |= self.pages.first(file.pages.clone(), Word::writable).is_some();
                self.flusher.round.push_back(number);
            } else {
                self.flusher.dirty_files.push_back(number);
            }
        }
        has_any
    }

    /// The goal is reached.
    fn rest(&mut self) {
        self.flusher.goal = Goal::Rest;
        self.flusher.turn = None;
        self.flusher.dirty_files.append(&mut self.flusher.round);
    }

    /// The next write of the file whose turn it is. If there is none, the file's turn is over: the
    /// round is without it, or has it at the end.
    fn write_in_turn(&mut self, now_ns: u64, number: usize) -> Option<Transfer> {
        if self.flusher.goal == Goal::Background && self.files.dirty <= self.limits.background {
            self.rest();
            return None;
        }
        let half_a_second = self.rates.written_per_s() / 2;
        let whole_turn = half_a_second.max(LEAST_TURN_PAGES) / LEAST_TURN_PAGES * LEAST_TURN_PAGES;
        let left = self.flusher.turn.unwrap_or(whole_turn);
        let file = &mut self.files[number];
        let all = file.pages.clone();
        let first = self.pages.first(file.cursor..all.end, Word::writable);
        let first = first.or_else(|| self.pages.first(all.start..file.cursor, Word::writable));
        let Some(start) = first else {
            self.flusher.turn = None;
            self.flusher.round.pop_front();
            file.listed = file.dirty > 0;
            if file.listed {
                self.flusher.dirty_files.push_back(number);
            }
            return None;
        };
        let end = self.end_of_write(start, start.saturating_add(left).min(all.end));
        let file = &mut self.files[number];
        file.cursor = if end == all.end { all.start } else { end };
        self.flusher.turn = Some(left - (end - start));
        if self.flusher.turn == Some(0) {
            self.flusher.take_turns_up();
        }
        Some(self.write(now_ns, start..end, false))
    }

    /// The next write of a sync(2); its callers go on when there is none any more.
    fn write_for_sync(&mut self, now_ns: u64) -> Option<Transfer> {
        if self.flusher.callers.is_empty() {
            return None;
        }
        let all = self.flusher.all.clone();
        if let Some(start) = self.pages.first(all.clone(), Word::writable) {
            let end = self.end_of_write(start, all.end);
            self.flusher.all.start = end;
            return Some(self.write(now_ns, start..end, false));
        }
        for caller in std::mem::take(&mut self.flusher.callers) {
            self.wake(caller, Ok(()));
        }
        None
    }

    /// Where a write from `start` on ends: it is one run of dirty pages of one file.
    pub(super) fn end_of_write(&self, start: u64, most: u64) -> u64 {
        let file_end = self.files[self.files.at(start)].pages.end;
        let end = most.min(file_end).min(start + LONGEST_WRITE_PAGES);
        self.pages.run_end(start..end, Word::writable)
    }

    /// Pages of one file have become dirty, unless they were.
    pub(super) fn make_dirty(&mut self, now_ns: u64, file: usize, pages: Range<u64>) -> u64 {
        let newly = self.pages.set(Flag::Dirty, pages);
        if newly == 0 {
            return 0;
        }
        let entry = &mut self.files[file];
        if entry.dirty == 0 {
            entry.dirty_since_ns = now_ns;
        }
        entry.dirty += newly;
        if !entry.listed {
            entry.listed = true;
            self.flusher.dirty_files.push_back(file);
        }
        self.files.dirty += newly;
        self.rates.dirtied(newly);
        self.counts.dirtied_pages += newly;
        let unclean = self.files.dirty + self.files.writeback;
        self.counts.dirty_max_pages = self.counts.dirty_max_pages.max(unclean);
        if self.flusher.round_at_ns.is_none() && self.flusher.interval_ns > 0 {
            self.flusher.round_at_ns = Some(now_ns + self.flusher.interval_ns);
            self.wake_flusher();
        }
        newly
    }

    /// Dirty pages, all of one file and none of them being written, are to be written now.
    pub(super) fn write(&mut self, now_ns: u64, pages: Range<u64>, sync: bool) -> Transfer {
        if self.files.writeback == 0 {
            self.rates.writing_begins(now_ns);
        }
        let cleaned = self.pages.clear(Flag::Dirty, pages.clone());
        let begun = self.pages.set(Flag::Writeback, pages.clone());
        debug_assert!(cleaned == begun && begun == pages.end - pages.start, "each page once");
        let file = self.files.at(pages.start);
        self.files[file].dirty -= cleaned;
        self.files.dirty -= cleaned;
        self.files.writeback += begun;
        let counter = match sync {
            true => &mut self.counts.sync_pages,
            false => &mut self.counts.flusher_pages,
        };
        *counter += begun;
        self.transfer(TransferKind::Write, pages, sync)
    }

    /// Pages have been written, or could not be.
    pub(super) fn written(&mut self, now_ns: u64, pages: Range<u64>, result: Result<(), i32>) {
        let written = self.pages.clear(Flag::Writeback, pages.clone());
        self.files.writeback -= written;
        self.rates.written(now_ns, written);
        if let Err(errno) = result {
            let file = self.files.at(pages.start);
            self.files[file].error = Some(errno);
        }
        if std::mem::take(&mut self.flusher.is_stalled) {
            self.wake_flusher();
        }
    }
}
