// SPDX-License-Identifier: MIT OR Apache-2.0
//! A request between its arrival and its answer.

use crate::buffers::Buffer;
use crate::disk::export_key::ExportKey;
use crate::disk::request::{Charge, Operation};
use crate::disk::slow::Times;
use blk::{IoError, ProcessId};

/// The most sectors of one bio, whose length has 32 bits: 1 TiB, whole blocks of any size.
const BIO_SECTORS_MAX: u32 = 1 << 31;

/// The most sectors of zeros that are written one by one at a time, 4 MiB: they keep a disk busy,
/// and between two pieces it is asked whether their client is still there. Else all the zeros that
/// a client had asked for would be written after it has gone, over what others have written since
/// and were told is written.
const ZEROS_SECTORS_MAX: u32 = 8192;

/// A request on its way.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) client: ProcessId,
    pub(super) serial: u64,
    pub(super) export: ExportKey,
    pub(super) tenant: usize,
    pub(super) cookie: u64,
    pub(super) operation: Operation,
    pub(super) durable: bool,
    /// First sector, as the scheduler sees it.
    pub(super) sector: u64,
    pub(super) sectors: u64,
    /// How many from the first on are done: what is longer than a bio, or than zeros are written
    /// at a time, is done in pieces.
    pub(super) done_sectors: u64,
    pub(super) stage: PendingStage,
    /// Why the flush that it shares with other exports has failed for its own.
    pub(super) flush_error: Option<IoError>,
    /// What a read has read.
    pub(super) read: Option<Buffer>,
    pub(super) charge: Charge,
    pub(super) times: Times,
}

impl Pending {
    /// First sector and length of the bio that is next.
    pub(super) fn piece(&self) -> (u64, u32) {
        let left = self.sectors - self.done_sectors;
        let most = match self.operation {
            Operation::Zero { may_punch: false, .. } => ZEROS_SECTORS_MAX,
            _ => BIO_SECTORS_MAX,
        };
        let sectors = u32::try_from(left).unwrap_or(u32::MAX).min(most);
        (self.sector + self.done_sectors, sectors)
    }

    /// The bio of the present piece has ended well; whether there is another piece.
    pub(super) fn is_continued(&mut self) -> bool {
        let (_, sectors) = self.piece();
        self.done_sectors += u64::from(sectors);
        self.done_sectors < self.sectors
    }

    /// The data of a write, or the memory for those of a read.
    pub(super) fn data_mut(&mut self) -> Option<&mut Buffer> {
        match &mut self.operation {
            Operation::Write(data) => Some(data),
            _ => self.read.as_mut(),
        }
    }
}

/// How far a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PendingStage {
    /// What was asked for.
    First,
    /// What was changed is made durable.
    Flushing,
}
