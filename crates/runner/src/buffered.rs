// SPDX-License-Identifier: MIT OR Apache-2.0
//! Buffered I/O: how the operations of a page cache are carried out by processes and by the threads
//! of the kernel.

use crate::flows::Flows;
use crate::process::{JobProcess, Next, is_flush, token};
use base::{Op, SECTOR_BYTES};
use blk::{Bio, BlockLayer, ProcessId, Submission};
use report::{Direction, Sample};
use workload::cache::{OperationId, PageCache, Progress, Transfer, TransferKind};
use workload::{Io, Region, Step};

/// In a token's slot: the rest is the number of a transfer.
const TRANSFER: u32 = 1 << 31;

/// The number of the transfer that a slot of a bio's token stands for, if it stands for one.
pub(crate) fn transfer_of(slot: usize) -> Option<u32> {
    let slot = slot as u32;
    (slot & TRANSFER != 0).then_some(slot & !TRANSFER)
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
    /// It has ended.
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
    blocks: bool,
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

/// The way of a process through the page cache.
impl JobProcess {
    /// Carries all operations on, and begins I/Os as there is room for them.
    pub(crate) fn go_on_buffered(
        &mut self,
        now_ns: u64,
        layer: &mut BlockLayer,
        cache: &mut PageCache,
        flows: &mut Flows,
    ) -> Next {
        let (mut until_ns, mut follows) = (None, None);
        loop {
            if !self.carry_all_on(now_ns, layer, cache) {
                self.asleep = true;
                return Next::Event;
            }
            let Some(buffered) = &self.buffered else { return Next::Event };
            if self.in_flight >= self.depth || buffered.is_dropping() {
                break;
            }
            let io = match self.held.take() {
                Some(io) => io,
                None => match self.poll(now_ns, flows) {
                    Step::Submit(io) => io,
                    Step::Sleep { until_ns: u64::MAX } => break,
                    Step::Sleep { until_ns: time_ns } => {
                        until_ns = Some(time_ns);
                        break;
                    }
                    Step::Wait => break,
                    Step::Follow { clone, completed_ios } => {
                        follows = Some(self.follow(clone, completed_ios));
                        break;
                    }
                    Step::Done => return Next::Ended,
                },
            };
            if is_flush(io.kind) && self.in_flight > 0 {
                self.held = Some(io);
                break;
            }
            self.begin_buffered(now_ns, io, cache);
        }
        let own_ns = self.buffered.as_ref().and_then(Buffered::next_ns);
        match (own_ns.into_iter().chain(until_ns).min(), follows) {
            (Some(time_ns), _) => Next::At(time_ns),
            (None, Some(follow)) => Next::Follow(follow),
            (None, None) => Next::Event,
        }
    }

    /// Begins an I/O, or first the dropping of the file if a pass begins with the I/O.
    fn begin_buffered(&mut self, now_ns: u64, io: Io, cache: &mut PageCache) {
        let pass = self.issuer.pass();
        let Some(buffered) = &mut self.buffered else { return };
        if let Some(region) = buffered.take_drop(pass) {
            self.held = Some(io);
            let drop = cache.begin_drop(self.number, region);
            buffered.operations.push(Running::new(drop, None, now_ns));
            return;
        }
        let operation = cache.begin(self.number, &io);
        buffered.operations.push(Running::new(operation, Some((io, now_ns)), now_ns));
        self.in_flight += 1;
        self.recorder.submitted(now_ns, 1, self.in_flight);
    }

    /// Carries operations on; false if the process has to sleep for a request.
    fn carry_all_on(&mut self, now_ns: u64, layer: &mut BlockLayer, cache: &mut PageCache) -> bool {
        let (number, id) = (self.number, self.id);
        let mut index = 0;
        while let Some(buffered) = &mut self.buffered
            && let Some(running) = buffered.operations.get_mut(index)
        {
            match running.carry_on(now_ns, layer, cache, number, id) {
                Carried::On => index += 1,
                Carried::Asleep => return false,
                Carried::Ended(result) => {
                    let ended = buffered.operations.remove(index);
                    let blocks = buffered.blocks;
                    if let Some((io, created_ns)) = ended.io {
                        let sample = Sample {
                            direction: Direction::Read,
                            bytes: u64::from(io.length_bytes),
                            created_ns,
                            accepted_ns: if blocks { now_ns } else { created_ns },
                        };
                        self.recorder.reaped(now_ns, 1);
                        self.io_ended(now_ns, io.ticket, io.kind, result, sample);
                    }
                }
            }
        }
        true
    }
}
