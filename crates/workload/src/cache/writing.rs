// SPDX-License-Identifier: MIT OR Apache-2.0
//! Buffered writes, syncs, and the dropping of files.

use super::PageCache;
use super::operation::{OperationKind, OperationState};
use super::pages::{Flag, Word};
use super::throttle::{ThrottleDecision, Writer};
use crate::cache::progress::{OperationId, Progress, TransferKind};

impl PageCache {
    /// Goes on with a write, as many pages at a time as a writer may dirty before it is looked at.
    pub(super) fn write_on(&mut self, now_ns: u64, id: OperationId) -> Progress {
        loop {
            let operation = &mut self.operations[id.0 as usize];
            let process = operation.process as usize;
            let start = operation.left.start;
            let end = operation.left.end.min(start + Writer::LOOKED_AT_PAGES);
            if start == end {
                return self.copy(now_ns, id);
            }
            operation.left.start = end;
            let dirtied = self.make_dirty(now_ns, self.opened[process].file, start..end);
            self.cache(start..end);
            self.counts.read_ahead_used += self.pages.touch(start..end);
            self.counts.write_pages += end - start;
            let writer = &mut self.opened[process].writer;
            writer.dirtied(dirtied);
            if writer.is_due()
                && let Some(pause) = self.balance(now_ns, id)
            {
                return pause;
            }
        }
    }

    /// May the writer go on? If not, it pauses.
    pub(super) fn balance(&mut self, now_ns: u64, id: OperationId) -> Option<Progress> {
        let operation = &mut self.operations[id.0 as usize];
        let writer = &mut self.opened[operation.process as usize].writer;
        let unclean = self.files.dirty + self.files.writeback;
        let verdict = writer.balance(now_ns, unclean, &self.limits, &mut self.rates);
        let pause = match verdict {
            ThrottleDecision::GoOn => None,
            ThrottleDecision::Pause { until_ns, again } => {
                operation.state = OperationState::Pausing { until_ns, again };
                self.counts.throttled += 1;
                self.counts.throttled_ns += until_ns - now_ns;
                Some(Progress::Sleep { until_ns })
            }
        };
        if self.files.dirty > self.limits.background {
            self.wake_flusher_from_rest();
        }
        pause
    }

    /// Goes on with fsync or sync: first what is dirty is written, then what is being written is
    /// waited for, then the device flushes. Each page is looked at once, so that writers who go on
    /// dirtying pages do not keep a sync for ever.
    pub(super) fn sync(&mut self, now_ns: u64, id: OperationId) -> Progress {
        let left = self.operations[id.0 as usize].left.clone();
        if let Some(start) = self.pages.first(left.clone(), |word| word.of(Flag::Dirty)) {
            let operation = &mut self.operations[id.0 as usize];
            operation.left.start = start;
            if self.pages.is(Flag::Writeback, start) {
                return self.wait_for(id, start);
            }
            let end = self.end_of_write(start, left.end);
            self.operations[id.0 as usize].left.start = end;
            return Progress::Transfer(self.write(now_ns, start..end, true));
        }
        let operation = &mut self.operations[id.0 as usize];
        operation.left.start = left.end;
        let OperationKind::Sync { waited, .. } = &mut operation.kind else { return Progress::Wait };
        let on_its_way = |word: &Word| word.of(Flag::Writeback);
        if let Some(page) = self.pages.first(*waited..left.end, on_its_way) {
            *waited = page + 1;
            return self.wait_for(id, page);
        }
        *waited = left.end;
        operation.state = OperationState::Flushing;
        let transfer = self.transfer(TransferKind::Flush, 0..0, true);
        self.transfers[transfer.id.0 as usize].operation = Some(id);
        Progress::Transfer(transfer)
    }

    /// The device has flushed. Failures to write that were not reported yet are this sync's.
    pub(super) fn sync_is_over(&mut self, id: OperationId) -> Progress {
        let operation = &mut self.operations[id.0 as usize];
        if let OperationKind::Sync { whole, .. } = &operation.kind {
            let failure = self.files.take_error(whole.clone());
            operation.fail_with(failure);
        }
        Progress::Done(operation.result)
    }

    /// Goes on with dropping pages: what is dirty is being written from now on and stays,
    /// the rest goes.
    pub(super) fn drop_on(&mut self, now_ns: u64, id: OperationId) -> Progress {
        let operation = &mut self.operations[id.0 as usize];
        let left = operation.left.clone();
        if let Some(start) = self.pages.first(left.clone(), Word::writable) {
            let end = self.end_of_write(start, left.end);
            self.operations[id.0 as usize].left.start = end;
            return Progress::Transfer(self.write(now_ns, start..end, false));
        }
        let OperationKind::Drop { whole } = &operation.kind else { return Progress::Wait };
        let dropped = self.memory.drop_range(&mut self.pages, whole.clone());
        self.counts.invalidated_pages += dropped.pages;
        self.counts.read_ahead_wasted += dropped.wasted;
        Progress::Done(Ok(()))
    }
}
