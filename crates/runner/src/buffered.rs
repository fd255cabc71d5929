// SPDX-License-Identifier: MIT OR Apache-2.0
//! Buffered I/O: the operations of a page cache, as processes and the threads of the kernel carry
//! them on, and their transfers.

use crate::token::token;
use base::{Op, SECTOR_BYTES};
use blk::{Bio, BlockLayer, ProcessId, Submission};
use workload::cache::{OperationId, PageCache, Progress, Transfer, TransferKind};
use workload::{Io, Region};

/// In a token's number of an I/O: the rest is that of a transfer.
const TRANSFER: u32 = 1 << 31;

/// The number of the transfer that the I/O of a bio's token is, if it is one.
pub(crate) fn transfer_of(io: u32) -> Option<u32> {
    (io & TRANSFER != 0).then_some(io & !TRANSFER)
}

/// Gives a transfer of the cache to the layer, in the name of process `number`, known
/// there as `id`.
pub(crate) fn submit(
    now_ns: u64,
    layer: &mut BlockLayer,
    number: u32,
    id: ProcessId,
    transfer: &Transfer,
) -> Submission {
    let bio = Bio {
        token: token(number, TRANSFER | transfer.id.0),
        op: match transfer.kind {
            TransferKind::Read => Op::Read,
            TransferKind::Write => Op::Write,
            TransferKind::Flush => Op::Flush,
        },
        sync: transfer.sync,
        metadata: false,
        read_ahead: transfer.read_ahead,
        sector: transfer.offset_bytes / SECTOR_BYTES,
        sectors: (transfer.length_bytes / SECTOR_BYTES) as u32,
        process: Some(id),
    };
    layer.submit(now_ns, bio)
}

/// An operation of a process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Running {
    pub id: OperationId,
    /// The I/O that it is, and when the process wanted it; none: the process drops its file.
    pub io: Option<(Io, u64)>,
    /// When to step it; `u64::MAX`: when it is woken.
    at_ns: u64,
}

/// How an operation was carried on.
pub(crate) enum Carried {
    /// It has nothing to do for now.
    On,
    /// Its last transfer waits for a request; so does the process.
    Asleep,
    /// The operation has ended, well or with an errno.
    Ended(Result<(), i32>),
}

impl Running {
    pub(crate) fn new(id: OperationId, io: Option<(Io, u64)>, now_ns: u64) -> Running {
        Running { id, io, at_ns: now_ns }
    }

    /// It can go on.
    pub(crate) fn wake(&mut self) {
        self.at_ns = 0;
    }

    /// Carries the operation on as far as it goes now.
    pub(crate) fn carry_on(
        &mut self,
        now_ns: u64,
        layer: &mut BlockLayer,
        cache: &mut PageCache,
        number: u32,
        process: ProcessId,
    ) -> Carried {
        while self.at_ns <= now_ns {
            match cache.step(now_ns, self.id) {
                Progress::Transfer(transfer) => {
                    let submission = submit(now_ns, layer, number, process, &transfer);
                    if submission == Submission::Sleeping {
                        return Carried::Asleep;
                    }
                }
                Progress::Sleep { until_ns } => self.at_ns = until_ns,
                Progress::Wait => self.at_ns = u64::MAX,
                Progress::Done(result) => return Carried::Ended(result),
            }
        }
        Carried::On
    }
}

/// The operations of a process.
#[derive(Debug)]
pub(crate) struct Buffered {
    /// What the process drops from the cache at the start of each pass (`invalidate`).
    drops: Option<Region>,
    /// Submission returns when the I/O has ended, so that all its time is submission's.
    pub(crate) blocks: bool,
    /// The pass for which it has done so.
    dropped_for: Option<u64>,
    pub operations: Vec<Running>,
}

impl Buffered {
    /// Of a process that drops a region at the start of each pass, or does not; that `blocks` in
    /// submissions, or does not.
    pub(crate) fn new(drops: Option<Region>, blocks: bool) -> Buffered {
        Buffered { drops, blocks, dropped_for: None, operations: Vec::new() }
    }

    /// The region to be dropped before an I/O of that pass; told once.
    pub(crate) fn take_drop(&mut self, pass: u64) -> Option<Region> {
        let is_new = self.dropped_for.replace(pass) != Some(pass);
        self.drops.filter(|_| is_new)
    }

    /// Whether the process is dropping its file.
    pub(crate) fn is_dropping(&self) -> bool {
        self.operations.iter().any(|running| running.io.is_none())
    }

    /// An operation can go on.
    pub(crate) fn woken(&mut self, id: OperationId) {
        if let Some(running) = self.operations.iter_mut().find(|running| running.id == id) {
            running.wake();
        }
    }

    /// When the next operation is to be stepped, ns, if none is woken before.
    pub(crate) fn next_ns(&self) -> Option<u64> {
        let times = self.operations.iter().map(|running| running.at_ns);
        times.min().filter(|&at_ns| at_ns < u64::MAX)
    }
}
