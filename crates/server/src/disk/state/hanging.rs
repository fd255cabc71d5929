// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commands that the disk has for too long, as the scheduler and the log learn of them.

use super::pending::Pending;
use super::{DiskState, Export};
use crate::hanging::{PATIENCE_NS, Placed};
use crate::log_limit::MayLog;
use base::SECTOR_BYTES;
use base::text::time;
use blk::{Tag, TagState};

impl DiskState {
    /// The commands that have a place of the scheduler's.
    pub(crate) fn placed(&self) -> impl Iterator<Item = Placed> {
        let placed = self.layer.pool().iter();
        placed.filter(|request| request.state() == TagState::Issued).map(|request| Placed {
            tag: request.tag,
            owner: self.owner_of(request.tag),
            since_ns: request.dispatched_ns,
        })
    }

    /// When the scheduler chose a command.
    pub(crate) fn dispatched_ns(&self, tag: Tag) -> u64 {
        self.layer.pool()[tag].dispatched_ns
    }

    /// The scheduler goes on as if the command had ended; the client waits for its true end.
    pub(crate) fn set_overdue(&mut self, now_ns: u64, tag: Tag) {
        self.layer.set_overdue(now_ns, tag);
        self.settle(now_ns);
    }

    /// A command begins to hang, which the disk has had since then.
    pub(crate) fn log_hang(&mut self, now_ns: u64, tag: Tag, since_ns: u64) {
        let lasted = time(now_ns - since_ns);
        self.log_command(now_ns, tag, "hang", || {
            format!("the disk hangs: it has had a command for {lasted}, others do not wait for it")
        });
    }

    /// A command ends, which the disk has had since then; if it took so long that it hung, that is
    /// said.
    pub(crate) fn log_end_of_hang(&mut self, now_ns: u64, tag: Tag, since_ns: u64) {
        let lasted_ns = now_ns - since_ns;
        if lasted_ns >= PATIENCE_NS {
            self.log_command(now_ns, tag, "end of hang", || {
                format!("the disk took {} for a command", time(lasted_ns))
            });
        }
    }

    /// Says of a command what happened, with where in which export it is at work, and whose it is;
    /// of a flush, the first of those who asked for it.
    fn log_command(
        &mut self,
        now_ns: u64,
        tag: Tag,
        kind: &'static str,
        what: impl FnOnce() -> String,
    ) {
        let request = &self.layer.pool()[tag];
        let Some(bio) = self.layer.bios(tag).next() else { return };
        let &Pending { tenant, export, .. } = self.pending_of(&bio);
        let tenant = &self.tenants.get(tenant).spec.name;
        let Some(MayLog { left_out }) = self.log_limit.take(now_ns, kind, tenant) else { return };
        let Export { name, start_sector, .. } = self.export(export);
        let offset_bytes = request.sector.saturating_sub(*start_sector) * SECTOR_BYTES;
        let operation = request.op.name();
        tracing::warn!(tenant, export = name, operation, offset_bytes, left_out, "{}", what());
    }
}
