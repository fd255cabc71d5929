// SPDX-License-Identifier: MIT OR Apache-2.0
//! The disk's side: commands that the scheduler gives it, the data they move, and their ends.

use super::pending::Pending;
use super::{ExportKey, State};
use crate::disk::request::{Operation, Piece};
use crate::disk::slow::Served;
use base::{Op, SECTOR_BYTES};
use blk::{Bio, Command, IoError, Tag};

impl State {
    /// What the disk is to do next; see [`blk::BlockLayer::next_command`].
    pub fn next_command(&mut self, now_ns: u64) -> Option<Command> {
        let command = self.layer.next_command(now_ns)?;
        self.busy_since_ns.get_or_insert(now_ns);
        if let Some(tenant) = self.tenant_of(command.tag) {
            self.tenants.get_mut(tenant).in_flight += 1;
        }
        Some(command)
    }

    /// When [`State::on_timer`] is wanted.
    pub fn next_timer_ns(&self) -> Option<u64> {
        self.layer.next_timer_ns()
    }

    /// The time has come.
    pub fn on_timer(&mut self, now_ns: u64) {
        self.layer.on_timer(now_ns);
        self.settle(now_ns);
    }

    /// The export that a command with sectors lies in: no command reaches into two.
    pub fn export_of(&self, tag: Tag) -> ExportKey {
        let bio = self.layer.bios(tag).next().expect("a command has a bio");
        ExportKey(self.pending_of(&bio).export)
    }

    /// The exports whose changes a flush makes durable, perhaps one of them several times.
    pub fn exports_of(&self, tag: Tag) -> impl Iterator<Item = ExportKey> {
        self.layer.bios(tag).map(|bio| ExportKey(self.pending_of(&bio).export))
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
        let State { layer, pending, .. } = self;
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

    /// The disk has done a command, or failed to; the data of a read are in place.
    pub fn complete(&mut self, now_ns: u64, tag: Tag, result: Result<(), IoError>) {
        let request = &self.layer.pool()[tag];
        let (op, dispatched_ns) = (request.op, request.dispatched_ns);
        let bytes = match op {
            Op::Read | Op::Write => u64::from(request.sectors) * SECTOR_BYTES,
            Op::Discard | Op::Flush => 0,
        };
        if let Some(tenant) = self.tenant_of(tag) {
            self.tenants.get_mut(tenant).in_flight -= 1;
            self.slow.served(Served { tenant, dispatched_ns, ended_ns: now_ns, bytes });
        }
        self.layer.complete(now_ns, tag, result);
        if self.layer.in_flight() == 0
            && let Some(since_ns) = self.busy_since_ns.take()
        {
            self.busy_ns += now_ns - since_ns;
        }
        self.settle(now_ns);
    }

    fn pending_of(&self, bio: &Bio) -> &Pending {
        self.pending[bio.token as usize].as_ref().expect("a bio has its request")
    }

    /// Flushes, which are shared, are nobody's.
    fn tenant_of(&self, tag: Tag) -> Option<usize> {
        let request = &self.layer.pool()[tag];
        if request.op == Op::Flush { None } else { self.tenants.of_group(request.group) }
    }
}

/// The bytes of a bio in the data of its request, which begins at `first_sector`.
fn range_within(bio: &Bio, first_sector: u64) -> std::ops::Range<usize> {
    let start = ((bio.sector - first_sector) * SECTOR_BYTES) as usize;
    start..start + bio.sectors as usize * SECTOR_BYTES as usize
}
