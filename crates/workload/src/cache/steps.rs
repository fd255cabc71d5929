// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a process's I/O does in the cache, step by step. Reading is in `reading`; writing, syncing
//! and dropping are in `writing`.

use super::PageCache;
use super::operation::{OperationKind, OperationState};
use super::progress::{OperationId, Progress};

impl PageCache {
    /// What an operation does now. After [`Progress::Done`] it is forgotten.
    pub fn step(&mut self, now_ns: u64, id: OperationId) -> Progress {
        let operation = &self.operations[id.0 as usize];
        let progress = match operation.state {
            OperationState::Waiting | OperationState::Flushing => Progress::Wait,
            OperationState::Pausing { until_ns, .. } | OperationState::Copying { until_ns }
                if now_ns < until_ns =>
            {
                Progress::Sleep { until_ns }
            }
            OperationState::Copying { .. } => Progress::Done(operation.result),
            OperationState::Flushed => self.sync_is_over(id),
            OperationState::Pausing { again, .. } => {
                let pause = if again { self.balance(now_ns, id) } else { None };
                pause.unwrap_or_else(|| self.work(now_ns, id))
            }
            OperationState::Working => self.work(now_ns, id),
        };
        if let Progress::Done(_) = progress {
            self.free_operations.push(id);
        }
        progress
    }

    fn work(&mut self, now_ns: u64, id: OperationId) -> Progress {
        let operation = &mut self.operations[id.0 as usize];
        operation.state = OperationState::Working;
        if operation.result.is_err() && !matches!(operation.kind, OperationKind::Sync { .. }) {
            return Progress::Done(operation.result);
        }
        match operation.kind {
            OperationKind::Read(_) => self.read(now_ns, id),
            OperationKind::Write => self.write_on(now_ns, id),
            OperationKind::Sync { .. } => self.sync(now_ns, id),
            OperationKind::Drop { .. } => self.drop_on(now_ns, id),
        }
    }

    /// Everything is there; what is left is to copy it, when the process has copied what was there
    /// before.
    pub(super) fn copy(&mut self, now_ns: u64, id: OperationId) -> Progress {
        let operation = &mut self.operations[id.0 as usize];
        let copies_until_ns = &mut self.opened[operation.process as usize].copies_until_ns;
        let until_ns = now_ns.max(*copies_until_ns) + operation.copy_ns;
        *copies_until_ns = until_ns;
        operation.state = OperationState::Copying { until_ns };
        Progress::Sleep { until_ns }
    }

    pub(super) fn wait_for(&mut self, id: OperationId, page: u64) -> Progress {
        self.operations[id.0 as usize].state = OperationState::Waiting;
        self.waiting.insert((page, id));
        Progress::Wait
    }
}
