// SPDX-License-Identifier: MIT OR Apache-2.0
//! What becomes of a request: one bio or several, and then an answer.
//!
//! A durable write is followed by a flush; zeros that the disk cannot make by giving space back
//! are written, some at a time; what is longer than a bio can be is done one piece after the other.

use super::DiskState;
use super::pending::{Pending, PendingStage};
use crate::disk::export_key::ExportKey;
use crate::disk::request::{Answer, Charge, DiskRequest, Failure, Operation};
use crate::disk::slow::Times;
use crate::disk::tenants::Ended;
use crate::log_limit::MayLog;
use crate::status::SlowRequest;
use base::{Op, SECTOR_BYTES};
use blk::{Bio, Done, IoError, ProcessId, Submission};

impl DiskState {
    /// A client begins a batch; its requests are sorted and merged before the scheduler sees them.
    pub fn plug(&mut self, process: ProcessId) {
        self.layer.plug(process);
    }

    /// The batch is over.
    pub fn unplug(&mut self, now_ns: u64, process: ProcessId) {
        self.layer.unplug(now_ns, process);
        self.settle(now_ns);
    }

    /// Takes a request that was [let in](DiskState::admit).
    pub fn submit(
        &mut self,
        now_ns: u64,
        process: ProcessId,
        request: DiskRequest,
        charge: Charge,
    ) {
        let client = self.clients[process.index()].as_ref().expect("a client that is there");
        let (serial, export, tenant) = (client.serial, client.export, client.tenant);
        let refused = self.refusal(export, &request);
        let DiskRequest { cookie, operation, offset_bytes, length_bytes, durable } = request;
        let read = match operation {
            Operation::Read if refused.is_none() => Some(self.buffers.take(length_bytes as usize)),
            _ => None,
        };
        let pending = Pending {
            client: process,
            serial,
            export,
            tenant,
            cookie,
            operation,
            durable,
            sector: self.export(export).start_sector + offset_bytes / SECTOR_BYTES,
            sectors: length_bytes / SECTOR_BYTES,
            done_sectors: 0,
            stage: PendingStage::First,
            flush_error: None,
            read,
            charge,
            times: Times::new(now_ns),
        };
        self.tenants.get_mut(tenant).submitted += 1;
        let index = match self.free_pending.pop() {
            Some(index) => index,
            None => {
                self.pending.push(None);
                self.pending.len() as u32 - 1
            }
        };
        self.pending[index as usize] = Some(pending);
        match refused {
            Some(failure) => self.answer(now_ns, index, Err(failure)),
            None => self.submit_stage(now_ns, index),
        }
        self.settle(now_ns);
    }

    fn refusal(&self, export: ExportKey, request: &DiskRequest) -> Option<Failure> {
        let export = self.export(export);
        if request.operation.changes() && export.read_only {
            return Some(Failure::ReadOnly);
        }
        if matches!(request.operation, Operation::Flush) {
            return None;
        }
        let blocks = |bytes: u64| bytes.is_multiple_of(u64::from(export.block_bytes));
        let end = request.offset_bytes.checked_add(request.length_bytes);
        if end.is_none_or(|end| end > export.size_bytes) {
            return Some(Failure::BeyondEnd);
        }
        if request.length_bytes == 0
            || !blocks(request.offset_bytes)
            || !blocks(request.length_bytes)
        {
            return Some(Failure::NotWholeBlocks);
        }
        let one_by_one =
            matches!(request.operation, Operation::Zero { may_punch: false, only_fast: true });
        one_by_one.then_some(Failure::NotFast)
    }

    /// Submits the bio of the present stage. The flush of a durable write has no client, so that it
    /// can follow while the client sleeps: flushes are not scheduled.
    fn submit_stage(&mut self, now_ns: u64, index: u32) {
        let pending = self.pending[index as usize].as_ref().expect("a request that is there");
        let op = match (pending.stage, &pending.operation) {
            (PendingStage::Flushing, _) | (_, Operation::Flush) => Op::Flush,
            (_, Operation::Write(_)) => Op::Write,
            (_, Operation::Read) => Op::Read,
            (_, Operation::Zero { may_punch: false, .. }) => Op::Write,
            (_, Operation::Zero { .. } | Operation::Trim) => Op::Discard,
        };
        // A flush has no place, and begins where its request does for those who read the log.
        let (sector, sectors) = if op == Op::Flush { (pending.sector, 0) } else { pending.piece() };
        let process = (pending.stage != PendingStage::Flushing).then_some(pending.client);
        let bio = Bio {
            token: u64::from(index),
            op,
            sync: true,
            metadata: false,
            read_ahead: false,
            sector,
            sectors,
            process,
        };
        if let Some(process) = process
            && let Some(client) = self.clients[process.index()].as_mut()
        {
            if client.asleep {
                client.deferred.push(index);
                return;
            }
            let sleeping = self.layer.submit(now_ns, bio) == Submission::Sleeping;
            client.asleep = sleeping;
            return;
        }
        // No client is named that sleeps for a bio without process.
        let _ = self.layer.submit(now_ns, bio);
    }

    /// Takes what the scheduler has to say: bios that have ended, clients that are awake.
    pub(super) fn settle(&mut self, now_ns: u64) {
        while self.layer.has_news() {
            while let Some(done) = self.layer.take_completed() {
                self.bio_ended(now_ns, &done);
            }
            while let Some(process) = self.layer.take_woken() {
                self.woken(now_ns, process);
            }
        }
    }

    fn woken(&mut self, now_ns: u64, process: ProcessId) {
        let client = self.clients.get_mut(process.index()).and_then(Option::as_mut);
        let Some(client) = client else { return };
        client.asleep = false;
        for index in std::mem::take(&mut client.deferred) {
            self.submit_stage(now_ns, index);
        }
        self.ready.push_back(process);
    }

    fn bio_ended(&mut self, now_ns: u64, done: &Done) {
        let index = done.token as u32;
        let pending = self.pending[index as usize].as_mut().expect("a bio has its request");
        if pending.stage != PendingStage::Flushing {
            pending.times.piece_ended(pending.done_sectors == 0, done);
        }
        let result = pending.flush_error.map_or(done.result, Err);
        let cannot = matches!(result, Err(IoError::NotSupported));
        let continues =
            result.is_ok() && pending.stage != PendingStage::Flushing && pending.is_continued();
        let next = match (&pending.operation, pending.stage, result) {
            (Operation::Zero { may_punch: true, only_fast }, PendingStage::First, Err(_))
                if cannot =>
            {
                if *only_fast {
                    return self.answer(now_ns, index, Err(Failure::NotFast));
                }
                pending.operation = Operation::Zero { may_punch: false, only_fast: false };
                PendingStage::First
            }
            (Operation::Trim, PendingStage::First, Err(_)) if cannot => {
                return self.answer(now_ns, index, Ok(()));
            }
            (_, stage, Ok(())) if continues => stage,
            (operation, PendingStage::First, Ok(())) if pending.durable && operation.changes() => {
                PendingStage::Flushing
            }
            (_, _, result) => {
                return self.answer(now_ns, index, result.map_err(Failure::Disk));
            }
        };
        pending.stage = next;
        if next != PendingStage::Flushing && self.is_gone(index) {
            return self.forget(index);
        }
        self.submit_stage(now_ns, index);
    }

    fn is_gone(&self, index: u32) -> bool {
        let Some(pending) = &self.pending[index as usize] else { return true };
        let client = self.clients[pending.client.index()].as_ref();
        client.is_none_or(|client| client.serial != pending.serial)
    }

    fn take_pending(&mut self, index: u32) -> Pending {
        let pending = self.pending[index as usize].take().expect("a request that is there");
        self.free_pending.push(index);
        self.tenants.get_mut(pending.tenant).submitted -= 1;
        pending
    }

    /// The request has ended; its client, if it is still there, is told.
    fn answer(&mut self, now_ns: u64, index: u32, result: Result<(), Failure>) {
        let gone = self.is_gone(index);
        let mut pending = self.take_pending(index);
        pending.times.ended_ns = now_ns;
        // Who asks whether zeros are fast here has met no error.
        if result != Err(Failure::NotFast) {
            self.count(now_ns, &pending, result.is_ok());
        }
        if let Err(Failure::Disk(error)) = result {
            self.log_failure(now_ns, &pending, error);
        }
        if let Operation::Write(data) = pending.operation {
            self.buffers.give(data);
        }
        if gone {
            if let Some(read) = pending.read {
                self.buffers.give(read);
            }
            return self.release(pending.charge);
        }
        let result = match result {
            Ok(()) => Ok(pending.read),
            Err(failure) => {
                if let Some(read) = pending.read {
                    self.buffers.give(read);
                }
                Err(failure)
            }
        };
        let Pending { client, cookie, charge, .. } = pending;
        self.answers.push_back(Answer { client, cookie, result, charge });
    }

    fn log_failure(&mut self, now_ns: u64, pending: &Pending, error: IoError) {
        let tenant = &self.tenants.get(pending.tenant).spec.name;
        let Some(MayLog { left_out }) = self.log_limit.take(now_ns, "failure", tenant) else {
            return;
        };
        let export = self.export(pending.export);
        let offset_bytes = (pending.sector - export.start_sector) * SECTOR_BYTES;
        let export = &export.name;
        tracing::warn!(tenant, export, offset_bytes, left_out, "the disk fails: {error}");
    }

    fn count(&mut self, now_ns: u64, pending: &Pending, well: bool) {
        let op = match pending.operation {
            Operation::Read => Op::Read,
            Operation::Write(_) | Operation::Zero { may_punch: false, .. } => Op::Write,
            // Space that was given back cost the disk no bytes.
            Operation::Zero { may_punch: true, .. } | Operation::Trim => Op::Discard,
            Operation::Flush => Op::Flush,
        };
        let bytes = pending.sectors * SECTOR_BYTES;
        let latency_ns = pending.times.latency_ns();
        let ended = Ended { op, bytes, well, latency_ns };
        self.tenants.ended(now_ns, pending.tenant, &ended);
        if self.slow.wants(now_ns, pending.tenant, latency_ns) {
            let export = self.export(pending.export);
            let request = SlowRequest {
                export: export.name.clone(),
                operation: op.name().to_owned(),
                offset_bytes: (pending.sector - export.start_sector) * SECTOR_BYTES,
                length_bytes: bytes,
                ..SlowRequest::default()
            };
            let name = |tenant: usize| self.tenants.get(tenant).spec.name.as_str();
            self.slow.take(pending.tenant, request, pending.times, &self.turns, name);
        }
    }

    /// A request was refused before it could be [submitted](DiskState::submit).
    pub(crate) fn count_refused(&mut self, process: ProcessId) {
        if let Some(Some(client)) = self.clients.get(process.index()) {
            self.tenants.refused(client.tenant);
        }
    }

    /// Forgets a request for which nothing is on its way, and whose client is gone.
    pub(super) fn forget(&mut self, index: u32) {
        let pending = self.take_pending(index);
        self.release(pending.charge);
    }
}
