// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be asked of a running server and changed in it.

use super::registry::{DiskEntry, ExportEntry, Registry, Retiring};
use super::worker::{Ended, Worker};
use super::{Origin, Running, Server, StartError, exports};
use crate::config::{Config, Export, ExportSource, Machine, check_sharing};
use crate::control::{Control, ControlError};
use crate::disk::StateError;
use crate::identity::FileId;
use crate::places::Places;
use crate::status::{DiskStatus, SlowRequest, Status};
use base::suggest::meant_or_all;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

impl From<Ended> for ControlError {
    fn from(_: Ended) -> ControlError {
        ControlError::Stopping
    }
}

impl From<StateError> for ControlError {
    fn from(error: StateError) -> ControlError {
        ControlError::Refused(error.to_string())
    }
}

impl From<StartError> for ControlError {
    fn from(error: StartError) -> ControlError {
        ControlError::Refused(error.to_string())
    }
}

impl Server {
    /// Looks for an export that writes the file that this one is to write, by what was opened: the
    /// path that led there may lead elsewhere by now.
    ///
    /// # Errors
    /// There is one.
    fn refuse_second_writer(&self, export: &Export) -> Result<(), ControlError> {
        let ExportSource::Path(path) = &export.source else { return Ok(()) };
        let Ok(is) = FileId::at(path) else { return Ok(()) };
        let registry = self.shared.registry();
        let writes = |entry: &&ExportEntry| !entry.spec.read_only && entry.is == Some(is);
        match registry.exports.values().find(writes) {
            Some(entry) if !export.read_only => Err(ControlError::Configuration(format!(
                "{} is what export `{}` writes; expected a file for each, or `read_only = true`",
                path.display(),
                entry.spec.name
            ))),
            _ => Ok(()),
        }
    }

    fn disk(&self, name: &str) -> Result<DiskEntry, ControlError> {
        let disks = self.disks();
        let found = disks.iter().find(|disk| disk.spec.name == name);
        found.cloned().ok_or_else(|| {
            let names = disks.iter().map(|disk| disk.spec.name.as_str());
            unknown("disk", name, names)
        })
    }

    fn has_tenant(&self, name: &str) -> Result<(), ControlError> {
        let registry = self.shared.registry();
        match registry.tenant(name) {
            Some(_) => Ok(()),
            None => {
                let names = registry.tenants.iter().map(|tenant| tenant.spec.name.as_str());
                Err(unknown("tenant", name, names))
            }
        }
    }

    fn export(&self, name: &str) -> Result<ExportEntry, ControlError> {
        let registry = self.shared.registry();
        registry.exports.get(name).cloned().ok_or_else(|| {
            let names = registry.exports.keys().map(String::as_str);
            unknown("export", name, names)
        })
    }

    /// All disks at work, as [`Control::status`] lists them.
    fn disks(&self) -> Vec<DiskEntry> {
        self.shared.registry().all_disks()
    }

    /// Takes no new clients for an export, or takes them again, if it is served still. The disk is
    /// told under the lock, so that what it was told last is what is said here.
    ///
    /// # Errors
    /// The server stops: its exports take no clients any more.
    fn set_draining(&self, export: &ExportEntry, draining: bool) -> Result<(), ControlError> {
        let mut registry = self.shared.registry();
        if registry.stops_at.is_some() {
            return Err(ControlError::Stopping);
        }
        if registry.has(export)
            && let Some(there) = registry.exports.get_mut(&export.spec.name)
        {
            there.draining = draining;
            exports::set_draining(export.placed(), draining);
        }
        Ok(())
    }

    /// Takes an export that was drained off what is served. Nothing changes, which is the answer,
    /// if that is not this export any more.
    fn take_off(&self, running: &mut Running, export: &ExportEntry) -> Result<bool, ControlError> {
        let mut registry = self.shared.registry();
        let is_there = is_drained(&registry, export)?;
        if is_there {
            let name = &export.spec.name;
            registry.exports.remove(name);
            registry.retiring.push(Retiring::of(export));
            running.config.exports.retain(|there| there.name != *name);
        }
        Ok(is_there)
    }
}

/// Whether an export that was drained is served still. It was drained without a lock, so others may
/// have changed what is served meanwhile.
///
/// # Errors
/// It takes connections again.
fn is_drained(registry: &Registry, export: &ExportEntry) -> Result<bool, ControlError> {
    let name = &export.spec.name;
    let there = registry.exports.get(name).filter(|_| registry.has(export));
    match there.map(|there| there.draining) {
        None => Ok(false),
        Some(true) => Ok(true),
        Some(false) => {
            Err(ControlError::Refused(format!("export `{name}` takes connections again: it stays")))
        }
    }
}

impl Control for Server {
    fn status(&self) -> Status {
        let of_disk = |disk: DiskEntry| {
            let status = disk.handle.ask(status_of);
            let gone = |Ended| DiskStatus { ended: true, ..DiskStatus::default() };
            DiskStatus { name: disk.spec.name.clone(), ..status.unwrap_or_else(gone) }
        };
        Status {
            uptime_ns: u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX),
            handshakes: self.shared.handshakes.load(Ordering::Relaxed),
            refused: self.shared.refused.load(Ordering::Relaxed),
            disks: self.disks().into_iter().map(of_disk).collect(),
        }
    }

    fn set_weight(&self, tenant: &str, weight: u32) -> Result<(), ControlError> {
        let mut running = self.running();
        self.has_tenant(tenant)?;
        for disk in self.disks() {
            let tenant = tenant.to_owned();
            let done = disk.handle.ask(move |worker| {
                let now_ns = worker.now_ns();
                worker.disk.state.set_weight(now_ns, &tenant, weight)
            });
            match done {
                // A disk whose thread has ended serves nobody: the others have the new weight. And
                // the tenant may have left a disk already from which nothing is served any more.
                Ok(Ok(()) | Err(StateError::UnknownTenant(_))) | Err(Ended) => {}
                Ok(Err(error)) => return Err(error.into()),
            }
        }
        let config = running.config.tenants.iter_mut().find(|spec| spec.name == tenant);
        if let Some(config) = config {
            config.weight = weight;
        }
        let mut registry = self.shared.registry();
        if let Some(entry) = registry.tenants.iter_mut().find(|entry| entry.spec.name == tenant) {
            entry.spec.weight = weight;
        }
        Ok(())
    }

    fn set_tunable(&self, disk: &str, name: &str, value: &str) -> Result<(), ControlError> {
        let (name, value) = (name.to_owned(), value.to_owned());
        Ok(self.disk(disk)?.handle.ask(move |worker| {
            let now_ns = worker.now_ns();
            worker.disk.state.set_tunable(now_ns, &name, &value)
        })??)
    }

    fn set_scheduler(&self, disk: &str, scheduler: &str) -> Result<(), ControlError> {
        let scheduler = scheduler.to_owned();
        Ok(self.disk(disk)?.handle.ask(move |worker| {
            let now_ns = worker.now_ns();
            worker.disk.state.set_scheduler(now_ns, &scheduler)
        })??)
    }

    fn add_export(&self, export: Export) -> Result<(), ControlError> {
        let mut running = self.running();
        if self.shared.registry().exports.contains_key(&export.name) {
            return Err(ControlError::Refused(format!("export `{}` is there", export.name)));
        }
        self.has_tenant(&export.tenant)?;
        // What is served, not what a file says: exports may have been added and removed since.
        let mut config = running.config.clone();
        if let Some(mistake) = check_sharing(&config.exports, &export, &Machine) {
            return Err(ControlError::Configuration(mistake.to_string()));
        }
        self.refuse_second_writer(&export)?;
        config.exports.push(export);
        self.apply_to(&mut running, config, Origin::Present)?;
        Ok(())
    }

    fn drain_export(&self, name: &str, limit: Duration, remove: bool) -> Result<(), ControlError> {
        let export = self.export(name)?;
        self.set_draining(&export, true)?;
        let until = Instant::now() + limit;
        exports::drain(&[export.placed()], || until);
        if !remove {
            return is_drained(&self.shared.registry(), &export).map(drop);
        }
        let is_taken_off = self.take_off(&mut self.running(), &export)?;
        // This waits for the disk, in which a command may hang: others can go on meanwhile.
        if is_taken_off {
            exports::remove(export.placed());
            self.shared.registry().have_retired(&[Retiring::of(&export)]);
        }
        Ok(())
    }

    fn resume_export(&self, name: &str) -> Result<(), ControlError> {
        self.set_draining(&self.export(name)?, false)
    }

    fn explain(&self, tenant: &str, count: usize) -> Result<Vec<SlowRequest>, ControlError> {
        self.has_tenant(tenant)?;
        let mut slowest = Vec::new();
        for disk in self.disks() {
            let tenant = tenant.to_owned();
            let found = disk.handle.ask(move |worker| {
                let now_ns = worker.now_ns();
                worker.disk.state.explain(now_ns, &tenant, count)
            });
            match found {
                Ok(Ok(found)) => slowest.extend(found),
                // What a disk knew is lost if its thread has ended, or the tenant has left it.
                Ok(Err(StateError::UnknownTenant(_))) | Err(Ended) => {}
                Ok(Err(error)) => return Err(error.into()),
            }
        }
        slowest.sort_by_key(|request| std::cmp::Reverse(request.latency_ns));
        slowest.truncate(count);
        Ok(slowest)
    }

    fn apply(&self, config: Config) -> Result<Vec<String>, ControlError> {
        self.apply_to(&mut self.running(), config, Origin::File)
    }

    fn stop(&self, limit: Duration) {
        let until = Instant::now() + limit;
        {
            let stops_at = &mut self.shared.registry().stops_at;
            let before = stops_at.replace(stops_at.map_or(until, |other| other.min(until)));
            if before.is_some() {
                // Whoever has stopped it goes on when that time has come.
                return;
            }
        }
        let stops_at = || self.shared.registry().stops_at.unwrap_or(until);
        let mut running = self.running();
        // No client comes any more, and the files of sockets go.
        running.front = None;
        running.listeners.clear();
        let exports: Vec<ExportEntry> = self.shared.registry().exports.values().cloned().collect();
        // Clients of what a reload has removed have their limit, but none that is longer than this.
        let retiring = self.shared.registry().retiring.clone();
        let goes =
            exports.iter().map(ExportEntry::placed).chain(retiring.iter().map(Retiring::placed));
        let goes: Vec<exports::Placed> = goes.collect();
        goes.iter().for_each(|&export| exports::let_leave(export));
        exports::drain(&goes, stops_at);
        let mut registry = self.shared.registry();
        registry.exports.clear();
        let ended = std::mem::take(&mut registry.disks);
        // Their threads are waited for, who may need the registry.
        drop(registry);
        drop((exports, ended, retiring));
    }
}

fn status_of(worker: &mut Worker) -> DiskStatus {
    let now_ns = worker.now_ns();
    let description = worker.disk.backend.description();
    DiskStatus { description, ..worker.disk.state.status(now_ns) }
}

fn unknown<'a>(
    kind: &'static str,
    name: &str,
    names: impl Iterator<Item = &'a str>,
) -> ControlError {
    // The default export has no name that could be told.
    let known: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    let hint = meant_or_all(name, &known);
    ControlError::Unknown { kind, name: name.to_owned(), hint }
}

/// Places of a tenant, those it has if it is there.
pub(super) fn places_of(there: Option<&Arc<Places>>, most: u32) -> Arc<Places> {
    match there {
        Some(places) => {
            places.set_most(most);
            Arc::clone(places)
        }
        None => Places::new(most),
    }
}

#[cfg(test)]
#[path = "control_tests.rs"]
mod tests;
