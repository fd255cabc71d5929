// SPDX-License-Identifier: MIT OR Apache-2.0
//! The disk's side: commands that the scheduler gives it, the data they move, and their ends.

use super::DiskState;
use super::pending::Pending;
use crate::buffers::Buffer;
use crate::disk::export_key::ExportKey;
use crate::disk::request::{Operation, Piece};
use crate::disk::slow::Served;
use crate::log_limit::MayLog;
use base::{Op, SECTOR_BYTES};
use blk::{Bio, Command, IoError, Tag};

impl DiskState {
    /// Whether nothing that was asked for is waiting or on the disk.
    pub fn is_idle(&self) -> bool {
        self.layer.idle()
    }

    /// What the disk is to do next; see [`blk::BlockLayer::next_command`].
    pub fn next_command(&mut self, now_ns: u64) -> Option<Command> {
        let command = self.layer.next_command(now_ns)?;
        self.busy_since_ns.get_or_insert(now_ns);
        if let Some(tenant) = self.owner_of(command.tag) {
            self.tenants.get_mut(tenant).in_flight += 1;
        }
        Some(command)
    }

    /// When [`DiskState::on_timer`] is wanted.
    pub fn next_timer_ns(&self) -> Option<u64> {
        self.layer.next_timer_ns()
    }

    /// When [`DiskState::tell_left_out`] is wanted.
    pub fn next_log_ns(&self) -> Option<u64> {
        self.log_limit.due_ns()
    }

    /// Logs how many lines were left out, if that is due.
    pub fn tell_left_out(&mut self, now_ns: u64) {
        self.log_limit.tell(now_ns);
    }

    /// Whether a line of this kind about clients from there may be logged now.
    pub(crate) fn may_log(
        &mut self,
        now_ns: u64,
        kind: &'static str,
        origin: &str,
    ) -> Option<MayLog> {
        self.log_limit.take(now_ns, kind, origin)
    }

    /// The disk stops: logs what was left out.
    pub(crate) fn tell_all_left_out(&mut self) {
        self.log_limit.tell_all();
    }

    /// The time has come.
    pub fn on_timer(&mut self, now_ns: u64) {
        self.layer.on_timer(now_ns);
        self.settle(now_ns);
    }

    /// The export that a command with sectors lies in: no command reaches into two.
    pub fn export_of(&self, tag: Tag) -> ExportKey {
        let bio = self.layer.bios(tag).next().expect("a command has a bio");
        self.pending_of(&bio).export
    }

    /// The exports whose changes a flush makes durable, perhaps one of them several times.
    pub fn exports_of(&self, tag: Tag) -> impl Iterator<Item = ExportKey> {
        self.layer.bios(tag).map(|bio| self.pending_of(&bio).export)
    }

    /// A flush cannot make the changes of this export durable. Who shares it for another export is
    /// not concerned: the exports of a disk are files of their own, and errors are those of a file.
    pub fn fail_flush(&mut self, tag: Tag, export: ExportKey, error: IoError) {
        let DiskState { layer, pending, .. } = self;
        for bio in layer.bios(tag) {
            let pending = pending[bio.token as usize].as_mut().expect("a bio has its request");
            if pending.export == export {
                pending.flush_error.get_or_insert(error);
            }
        }
    }

    /// The data of a write, in the order of its sectors, without gaps.
    pub fn pieces(&self, tag: Tag) -> impl Iterator<Item = Piece<'_>> {
        self.layer.bios(tag).map(|bio| {
            let pending = self.pending_of(&bio);
            let range = range_within(&bio, pending.sector);
            match &pending.operation {
                Operation::Write(data) => Piece::Data(&data[range]),
                _ => Piece::Zeros(range.len()),
            }
        })
    }

    /// Lets `read` fill what a command has read: it is given the place in the command's data, in
    /// bytes, and what is to be filled from there.
    pub fn fill(&mut self, tag: Tag, mut read: impl FnMut(usize, &mut [u8])) {
        let DiskState { layer, pending, .. } = self;
        let first_sector = layer.pool()[tag].sector;
        for bio in layer.bios(tag) {
            let pending = pending[bio.token as usize].as_mut().expect("a bio has its request");
            let range = range_within(&bio, pending.sector);
            if let Some(buffer) = &mut pending.read {
                let place = (bio.sector - first_sector) * SECTOR_BYTES;
                read(place as usize, &mut buffer[range]);
            }
        }
    }

    /// Moves the data of a read or write, or the memory for them, into `buffers`, in the order of
    /// its sectors, until [`DiskState::take_back`]; whether it did. It does not if that would be
    /// more than `most` buffers, or if another command has a part of one: a request may be split.
    pub fn lend(&mut self, tag: Tag, most: usize, buffers: &mut Vec<Buffer>) -> bool {
        let DiskState { layer, pending, .. } = self;
        let is_whole = |bio: Bio| {
            let pending = pending[bio.token as usize].as_mut().expect("a bio has its request");
            let range = range_within(&bio, pending.sector);
            pending.data_mut().is_some_and(|data| range == (0..data.len()))
        };
        if layer.bios(tag).count() > most || !layer.bios(tag).all(is_whole) {
            return false;
        }
        for bio in layer.bios(tag) {
            let pending = pending[bio.token as usize].as_mut().expect("a bio has its request");
            buffers.extend(pending.data_mut().map(std::mem::take));
        }
        true
    }

    /// Takes back what was lent to a command, in the same order.
    pub fn take_back(&mut self, tag: Tag, buffers: &mut Vec<Buffer>) {
        let DiskState { layer, pending, .. } = self;
        for (bio, buffer) in layer.bios(tag).zip(buffers.drain(..)) {
            let pending = pending[bio.token as usize].as_mut().expect("a bio has its request");
            if let Some(data) = pending.data_mut() {
                *data = buffer;
            }
        }
    }

    /// The disk has done a command, or failed to; the data of a read are in place.
    pub fn complete(&mut self, now_ns: u64, tag: Tag, result: Result<(), IoError>) {
        let request = &self.layer.pool()[tag];
        let (op, dispatched_ns) = (request.op, request.dispatched_ns);
        let bytes = match op {
            Op::Read | Op::Write => u64::from(request.sectors) * SECTOR_BYTES,
            Op::Discard | Op::Flush => 0,
        };
        if let Some(tenant) = self.owner_of(tag) {
            self.tenants.get_mut(tenant).in_flight -= 1;
            self.slow.served(Served { tenant, dispatched_ns, ended_ns: now_ns, bytes });
        }
        self.layer.complete(now_ns, tag, result);
        if self.layer.in_flight() + self.layer.overdue() == 0
            && let Some(since_ns) = self.busy_since_ns.take()
        {
            self.busy_ns += now_ns - since_ns;
        }
        self.settle(now_ns);
    }

    pub(super) fn pending_of(&self, bio: &Bio) -> &Pending {
        self.pending[bio.token as usize].as_ref().expect("a bio has its request")
    }

    /// The tenant whose command it is. Flushes, which are shared, have none.
    pub(crate) fn owner_of(&self, tag: Tag) -> Option<usize> {
        let request = &self.layer.pool()[tag];
        if request.op == Op::Flush { None } else { self.tenants.of_group(request.group) }
    }
}

/// The bytes of a bio in the data of its request, which begins at `first_sector`.
fn range_within(bio: &Bio, first_sector: u64) -> std::ops::Range<usize> {
    let start = ((bio.sector - first_sector) * SECTOR_BYTES) as usize;
    start..start + bio.sectors as usize * SECTOR_BYTES as usize
}
