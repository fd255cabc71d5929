// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a process's I/O does in the cache, step by step. Reading is in `reading`; writing, syncing
//! and dropping are in `writing`.

use super::PageCache;
use super::operation::{Kind, State};
use super::progress::{OperationId, Progress};

impl PageCache {
    /// What an operation does now. After [`Progress::Done`] it is forgotten.
    pub fn step(&mut self, now_ns: u64, id: OperationId) -> Progress {
        let operation = &self.operations[id.0 as usize];
        let progress = match operation.state {
            State::Waiting | State::Flushing => Progress::Wait,
            State::Pausing { until_ns, .. } | State::Copying { until_ns } if now_ns < until_ns => {
                Progress::Sleep { until_ns }
            }
            State::Copying { .. } => Progress::Done(operation.result),
            State::Flushed => self.sync_is_over(id),
            State::Pausing { again, .. } => {
                let pause = if again { self.balance(now_ns, id) } else { None };
                pause.unwrap_or_else(|| self.work(now_ns, id))
            }
            State::Working => self.work(now_ns, id),
        };
        if let Progress::Done(_) = progress {
            self.free_operations.push(id);
        }
        progress
    }

    fn work(&mut self, now_ns: u64, id: OperationId) -> Progress {
        let operation = &mut self.operations[id.0 as usize];
        operation.state = State::Working;
        if operation.result.is_err() && !matches!(operation.kind, Kind::Sync { .. }) {
            return Progress::Done(operation.result);
        }
        match operation.kind {
            Kind::Read(_) => self.read(now_ns, id),
            Kind::Write => self.write_on(now_ns, id),
            Kind::Sync { .. } => self.sync(now_ns, id),
            Kind::Drop { .. } => self.drop_on(now_ns, id),
        }
    }

    /// Everything is there; what is left is to copy it.
    pub(super) fn copy(&mut self, now_ns: u64, id: OperationId) -> Progress {
        let operation = &mut self.operations[id.0 as usize];
        let until_ns = now_ns + operation.copy_ns;
        operation.state = State::Copying { until_ns };
        Progress::Sleep { until_ns }
    }

    pub(super) fn wait_for(&mut self, id: OperationId, page: u64) -> Progress {
        self.operations[id.0 as usize].state = State::Waiting;
        self.waiting.insert((page, id));
        Progress::Wait
    }
}
