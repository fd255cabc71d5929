// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is served at the moment, and who may use it. Handshakes and control look here; requests do
//! not.

use super::peer::Peer;
use super::worker::Handle;
use crate::config::{self, ExportSource};
use crate::disk::ExportKey;
use crate::identity::{FileId, Identity};
use crate::places::Places;
use nbd::server::Refusal;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// A disk that is served from.
#[derive(Clone)]
pub struct DiskEntry {
    /// How it is configured; of one that was found, what was assumed.
    pub spec: config::DiskConfig,
    /// What is the same for all that lies on it.
    pub identity: String,
    /// A table of the configuration says what it is; else it was found.
    pub has_table: bool,
    /// How its thread is reached.
    pub handle: Arc<Handle>,
}

impl DiskEntry {
    /// Its identity, with the name that it has.
    pub fn identity(&self) -> Identity {
        Identity { is: self.identity.clone(), name: self.spec.name.clone() }
    }

    /// Whether it is that very disk.
    pub fn is(&self, other: &DiskEntry) -> bool {
        Arc::ptr_eq(&self.handle, &other.handle)
    }
}

/// An export that is served.
#[derive(Clone)]
pub struct ExportEntry {
    /// How it is configured.
    pub spec: config::Export,
    /// The disk that it lies on, itself: keys of two disks may be equal.
    pub disk: DiskEntry,
    /// The file or device that was opened, if it is one.
    pub is: Option<FileId>,
    /// What its disk calls it.
    pub key: ExportKey,
    /// What clients are told of it.
    pub told: nbd::Export,
    /// It takes no new clients.
    pub draining: bool,
}

impl ExportEntry {
    /// It with its disk.
    pub fn placed(&self) -> (&DiskEntry, ExportKey) {
        (&self.disk, self.key)
    }

    /// Whether it is that very export: another one may have its name.
    fn is(&self, other: &ExportEntry) -> bool {
        self.key == other.key && self.disk.is(&other.disk)
    }

    /// Whether its path leads to another file by now than to the one that was opened.
    pub fn is_replaced(&self) -> bool {
        let ExportSource::Path(path) = &self.spec.source else { return false };
        // What is not there cannot be served instead.
        FileId::at(path).is_ok_and(|now| self.is.is_some_and(|is| is != now))
    }
}

/// An export that is not served any more, until nothing of it is under way.
#[derive(Clone)]
pub struct Retiring {
    /// The disk that it lies on, which may not be served from any more, either.
    pub disk: DiskEntry,
    /// What its disk calls it.
    pub key: ExportKey,
}

impl Retiring {
    /// An export that goes.
    pub fn of(export: &ExportEntry) -> Retiring {
        Retiring { disk: export.disk.clone(), key: export.key }
    }

    /// It with its disk.
    pub fn placed(&self) -> (&DiskEntry, ExportKey) {
        (&self.disk, self.key)
    }

    fn is(&self, other: &Retiring) -> bool {
        self.key == other.key && self.disk.is(&other.disk)
    }
}

/// A tenant and its connections.
#[derive(Clone)]
pub struct TenantEntry {
    /// How it is configured, with the weight it has now.
    pub spec: config::Tenant,
    /// Places for its connections.
    pub places: Arc<Places>,
}

/// All disks, exports and tenants that are served at present.
#[derive(Default)]
pub struct Registry {
    /// In the order of their coming.
    pub disks: Vec<DiskEntry>,
    /// The exports, by the names that clients ask for.
    pub exports: BTreeMap<String, ExportEntry>,
    /// Parents before their children.
    pub tenants: Vec<TenantEntry>,
    /// Exports that are not served any more, and have clients and requests still.
    pub retiring: Vec<Retiring>,
    /// The server stops: no client gets in any more, and requests in flight have until then.
    pub stops_at: Option<Instant>,
}

impl Registry {
    /// All disks at work: those that are served from, and then those that exports lie on which are
    /// not served any more.
    pub fn all_disks(&self) -> Vec<DiskEntry> {
        let mut all = self.disks.clone();
        for Retiring { disk, .. } in &self.retiring {
            if !all.iter().any(|there| there.is(disk)) {
                all.push(disk.clone());
            }
        }
        all
    }

    /// Whether this very export is served still: another of its name may have taken its place.
    pub fn has(&self, export: &ExportEntry) -> bool {
        self.exports.get(&export.spec.name).is_some_and(|there| there.is(export))
    }

    /// Nothing of these exports is under way any more.
    pub fn have_retired(&mut self, retired: &[Retiring]) {
        self.retiring.retain(|there| !retired.iter().any(|gone| gone.is(there)));
    }

    /// A tenant by its name.
    pub fn tenant(&self, name: &str) -> Option<&TenantEntry> {
        self.tenants.iter().find(|tenant| tenant.spec.name == name)
    }

    /// The exports that a client may see.
    pub fn seen_by<'a>(&'a self, peer: &Peer) -> impl Iterator<Item = &'a ExportEntry> {
        self.exports.values().filter(|export| peer.may(&export.spec.allow))
    }

    /// An export that a client asks for. The empty name is the default export: the one of that
    /// name, or the only one that the client may see.
    ///
    /// # Errors
    /// There is none, or none that the client may use.
    pub fn find(&self, name: &str, peer: &Peer) -> Result<&ExportEntry, Refusal> {
        if self.stops_at.is_some() {
            return Err(Refusal::Shutdown);
        }
        let by_name = self.exports.get(name);
        let only = || {
            let mut seen = self.seen_by(peer);
            seen.next().filter(|_| name.is_empty() && seen.next().is_none())
        };
        // Who may not use it does not get to know that it is there.
        let found = by_name.filter(|export| peer.may(&export.spec.allow)).or_else(only);
        found.ok_or(Refusal::Unknown)
    }
}
