// SPDX-License-Identifier: MIT OR Apache-2.0
//! A buffered read: what is there is used; for what is not there a window is asked for, and its
//! pages are waited for one run after the other.

use std::ops::Range;

use super::PageCache;
use super::operation::{OperationKind, Reading};
use super::pages::{Flag, Word};
use super::read_ahead::Window;
use crate::cache::progress::{OperationId, Progress, TransferKind};
use base::PAGE_BYTES;

impl PageCache {
    /// A read begins: what does it find?
    pub(super) fn read_begins(&mut self, id: OperationId, offset_bytes: u64) {
        let operation = &mut self.operations[id.0 as usize];
        let pages = operation.left.clone();
        let goes_on = &self.opened[operation.process as usize].read_ahead;
        if let OperationKind::Read(reading) = &mut operation.kind {
            reading.goes_on = goes_on.goes_on_in_page(offset_bytes);
        }
        let wanted = pages.end - pages.start;
        let hits = self.pages.count(pages.clone(), Word::readable);
        self.counts.read_pages += wanted;
        self.counts.read_hits += hits;
        if hits < wanted {
            self.counts.read_waits += self.pages.count(pages, |word| word.of(Flag::Reading));
        }
    }

    pub(super) fn read(&mut self, now_ns: u64, id: OperationId) -> Progress {
        loop {
            if let Some(transfer) = self.read_window(id) {
                return transfer;
            }
            let operation = &self.operations[id.0 as usize];
            let left = operation.left.clone();
            if left.is_empty() {
                return self.copy(now_ns, id);
            }
            let page = left.start;
            if !self.pages.is(Flag::Cached, page) {
                self.reached_miss(id);
            } else if self.pages.is(Flag::Marker, page) {
                self.reached_marker(id);
            } else if self.pages.is(Flag::Reading, page) {
                return self.wait_for(id, page);
            } else {
                let there = |word: &Word| word.readable() & !word.of(Flag::Marker);
                let until = self.pages.run_end(left, there);
                self.use_pages(id, page..until);
            }
        }
    }

    /// The next page is not in the cache.
    fn reached_miss(&mut self, id: OperationId) {
        let operation = &mut self.operations[id.0 as usize];
        let OperationKind::Read(reading) = &mut operation.kind else { return };
        let (page, wanted) = (operation.left.start, operation.left.end - operation.left.start);
        let window = if reading.asked_for == Some(page) {
            // The window that was asked for is of another place: only this page, then.
            Window { start: page, pages: 1, ahead: 0 }
        } else {
            let read_ahead = &mut self.opened[operation.process as usize].read_ahead;
            read_ahead.on_miss(page, wanted, &self.pages)
        };
        reading.asked_for = Some(page);
        reading.is_ahead = window.range().end > operation.left.end;
        reading.window = window;
    }

    /// The next page has a marker.
    fn reached_marker(&mut self, id: OperationId) {
        let operation = &mut self.operations[id.0 as usize];
        let OperationKind::Read(reading) = &mut operation.kind else { return };
        let (page, wanted) = (operation.left.start, operation.left.end - operation.left.start);
        self.pages.clear(Flag::Marker, page..page + 1);
        if self.pages.is(Flag::Writeback, page) {
            return;
        }
        let read_ahead = &mut self.opened[operation.process as usize].read_ahead;
        if let Some(window) = read_ahead.on_marker(page, wanted, &self.pages) {
            reading.is_ahead = window.range().end > operation.left.end;
            reading.window = window;
        }
    }

    /// The next transfer of a window: one run of its pages that are not in the cache.
    fn read_window(&mut self, id: OperationId) -> Option<Progress> {
        let operation = &mut self.operations[id.0 as usize];
        let OperationKind::Read(Reading { window, is_ahead, .. }) = &mut operation.kind else {
            return None;
        };
        if window.pages == 0 {
            return None;
        }
        let (whole, marker, is_ahead) = (window.range(), window.marker(), *is_ahead);
        let missing = |word: &Word| !word.of(Flag::Cached);
        let Some(start) = self.pages.first(whole.clone(), missing) else {
            *window = Window::default();
            return None;
        };
        let end = self.pages.run_end(start..whole.end, missing);
        let pages = whole.end - end;
        *window = Window { start: end, pages, ahead: window.ahead.min(pages) };
        let ahead = start.max(operation.left.end).min(end)..end;
        self.pages.set(Flag::Reading, start..end);
        self.cache(start..end);
        if let Some(marker) = marker.filter(|marker| (start..end).contains(marker)) {
            self.pages.set(Flag::Marker, marker..marker + 1);
        }
        self.counts.read_ahead_pages += self.pages.set(Flag::Ahead, ahead);
        let transfer = self.transfer(TransferKind::Read, start..end, true);
        Some(Progress::Transfer(crate::cache::progress::Transfer {
            read_ahead: is_ahead,
            ..transfer
        }))
    }

    /// The next pages are there, and are used.
    fn use_pages(&mut self, id: OperationId, pages: Range<u64>) {
        let operation = &mut self.operations[id.0 as usize];
        operation.left.start = pages.end;
        let end_bytes = operation.end_bytes.min(pages.end * PAGE_BYTES);
        let process = operation.process as usize;
        let OperationKind::Read(reading) = &mut operation.kind else { return };
        let again = if std::mem::take(&mut reading.goes_on) { 1 } else { 0 };
        self.counts.read_ahead_used += self.pages.touch(pages.start + again..pages.end);
        self.opened[process].read_ahead.has_read_to(end_bytes);
    }
}
