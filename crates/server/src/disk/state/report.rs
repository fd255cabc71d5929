// SPDX-License-Identifier: MIT OR Apache-2.0
//! What there is to see of a disk.

use super::{DiskState, StateError};
use crate::status::{DiskStatus, ExportStatus, SlowRequest};

impl DiskState {
    /// The disk now. Its name and what it is are not known here.
    pub fn status(&mut self, now_ns: u64) -> DiskStatus {
        let elevator = self.layer.elevator();
        let tunables = elevator.tunables();
        let busy_now_ns = self.busy_since_ns.map_or(0, |since_ns| now_ns - since_ns);
        let exports = self.exports.iter().flatten().map(|export| ExportStatus {
            name: export.name.clone(),
            tenant: self.tenants.get(export.tenant).spec.name.clone(),
            size_bytes: export.size_bytes,
            read_only: export.read_only,
            draining: export.draining,
            connections: export.connections,
        });
        DiskStatus {
            name: String::new(),
            ended: false,
            description: String::new(),
            scheduler: elevator.name().to_owned(),
            tunables: tunables.into_iter().map(|row| (row.name.to_owned(), row.value)).collect(),
            depth: self.layer.limits().depth,
            in_flight: self.layer.in_flight() + self.layer.overdue(),
            hanging: self.layer.overdue(),
            waiting: self.layer.waiting(),
            busy_ns: self.busy_ns + busy_now_ns,
            exports: exports.collect(),
            tenants: self.tenants.status(now_ns),
        }
    }

    /// The slowest requests of a tenant in the last minute, at most `count`.
    ///
    /// # Errors
    /// There is no such tenant.
    pub fn explain(
        &self,
        now_ns: u64,
        tenant: &str,
        count: usize,
    ) -> Result<Vec<SlowRequest>, StateError> {
        Ok(self.slow.slowest(now_ns, self.find_tenant(tenant)?, count))
    }
}
