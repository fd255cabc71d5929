// SPDX-License-Identifier: MIT OR Apache-2.0
//! A request between its arrival and its answer.

use crate::buffers::Buffer;
use crate::disk::request::{Charge, Operation};
use crate::disk::slow::Times;
use blk::ProcessId;

/// A request on its way.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) client: ProcessId,
    pub(super) serial: u64,
    pub(super) export: usize,
    pub(super) tenant: usize,
    pub(super) cookie: u64,
    pub(super) operation: Operation,
    pub(super) durable: bool,
    /// First sector, as the scheduler sees it.
    pub(super) sector: u64,
    pub(super) sectors: u64,
    pub(super) stage: Stage,
    /// What a read has read.
    pub(super) read: Option<Buffer>,
    pub(super) charge: Charge,
    pub(super) times: Times,
}

impl Pending {
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
pub(super) enum Stage {
    /// What was asked for.
    First,
    /// Zeros are written one by one, since space could not be given back.
    WritingZeros,
    /// What was changed is made durable.
    Flushing,
}
