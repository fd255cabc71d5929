// SPDX-License-Identifier: MIT OR Apache-2.0
//! Another configuration while it runs: first everything that can fail, then everything else.

use super::front::Reception;
use super::listening::Listening;
use super::registry::{DiskEntry, ExportEntry, Retiring, TenantEntry};
use super::shared::Shared;
use super::worker::Worker;
use super::{
    Origin, Present, Running, Server, StartError, cannot_listen, close_exports, control, disks,
    exports, in_order, listen, open_exports, reception_of, start_disks,
};
use crate::config::{self, Address, Config};
use crate::control::ControlError;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Disks, exports and listeners that are ready to take the places of the present ones.
struct Prepared {
    tenants: Vec<config::Tenant>,
    disks: Vec<DiskEntry>,
    opened: Vec<ExportEntry>,
}

impl Server {
    /// Makes the server what `config` says, or changes nothing.
    pub(super) fn apply_to(
        &self,
        running: &mut Running,
        config: Config,
        origin: Origin,
    ) -> Result<Vec<String>, ControlError> {
        if running.front.is_none() {
            return Err(ControlError::Stopping);
        }
        let done = self.prepare(&config, origin).and_then(|prepared| {
            match listeners_of(running, &config) {
                Ok(met) => Ok((prepared, met)),
                Err(error) => {
                    close_exports(&prepared.opened);
                    Err(error.into())
                }
            }
        });
        let (prepared, (reception, listeners)) = match done {
            Ok(done) => done,
            Err(error) => {
                self.let_tenants_go();
                return Err(error);
            }
        };
        let mut changes = self.commit(&config, prepared, origin);
        if running.config.listeners != config.listeners {
            changes.push("the listening sockets are others".to_owned());
        }
        if let Some(front) = &running.front {
            front.receive_with(Some(reception));
        }
        running.listeners = listeners;
        self.shared.places.set_most(config.limits.connections);
        running.config = config;
        Ok(changes)
    }

    /// Tenants that are not served, or not any more, leave the disks with the last that is theirs.
    fn let_tenants_go(&self) {
        let registry = self.shared.registry();
        let names: Vec<String> =
            registry.tenants.iter().map(|entry| entry.spec.name.clone()).collect();
        for disk in registry.all_disks() {
            let names = names.clone();
            disk.handle.tell(move |worker| {
                let now_ns = worker.now_ns();
                worker.disk.state.keep_tenants(now_ns, &names);
            });
        }
    }

    /// Starts and opens what is new.
    fn prepare(&self, config: &Config, origin: Origin) -> Result<Prepared, ControlError> {
        let tenants = in_order(&config.tenants)?;
        let new = self.new_exports(config, origin);
        let present = self.present(&new);
        for tenant in &tenants {
            let registry = self.shared.registry();
            let there = registry.tenant(&tenant.name);
            if there.is_some_and(|there| there.spec.parent != tenant.parent) {
                let name = &tenant.name;
                let text = format!("tenant `{name}`: its parent can only be changed by a restart");
                return Err(ControlError::Refused(text));
            }
        }
        check_disks(config, &present)?;
        let disks = start_disks(config, &tenants, &present, &self.shared)?;
        check_removed_disks(config, &disks)?;
        for disk in &disks {
            let tenants = tenants.clone();
            disk.handle.ask(move |worker| {
                let now_ns = worker.now_ns();
                let state = &mut worker.disk.state;
                tenants.iter().try_for_each(|tenant| state.have_tenant(now_ns, tenant).map(drop))
            })??;
        }
        // Others that have had these names may have clients still; what they wrote is not served.
        let served = self.shared.registry().exports.clone();
        let opened = open_exports(&new, &disks, &tenants, &served)?;
        Ok(Prepared { tenants, disks, opened })
    }

    /// Exports that are not served yet, or not as they are to be.
    fn new_exports(&self, config: &Config, origin: Origin) -> Vec<config::Export> {
        // Looking at a file may take its time, and handshakes need the registry.
        let served = self.shared.registry().exports.clone();
        let stays = |there: &ExportEntry, export: &config::Export| {
            is_same(&there.spec, export) && !(origin == Origin::File && there.is_replaced())
        };
        let is_new = |export: &&config::Export| {
            served.get(&export.name).is_none_or(|there| !stays(there, export))
        };
        config.exports.iter().filter(is_new).cloned().collect()
    }

    /// What is at work, where all exports stay but those that are `new`.
    fn present(&self, new: &[config::Export]) -> Present {
        let registry = self.shared.registry();
        let stays = |name: &String| !new.iter().any(|export| export.name == *name);
        let staying = registry.exports.iter().filter(|(name, _)| stays(name));
        let disk_of_export = staying.map(|(name, entry)| (name.clone(), entry.disk.clone()));
        Present { disks: registry.all_disks(), disk_of_export: disk_of_export.collect() }
    }

    /// Puts what is ready into its place. What goes is drained beside it.
    fn commit(&self, config: &Config, prepared: Prepared, origin: Origin) -> Vec<String> {
        let Prepared { tenants, disks, opened } = prepared;
        let mut changes = self.change_tenants(&tenants, &disks);
        if origin == Origin::File {
            changes.extend(change_schedulers(config, &disks));
        }
        let mut registry = self.shared.registry();
        let mut goes: Vec<ExportEntry> = Vec::new();
        let mut stays: BTreeMap<String, ExportEntry> = BTreeMap::new();
        for (name, mut entry) in std::mem::take(&mut registry.exports) {
            let spec = config.exports.iter().find(|spec| spec.name == name);
            let is_opened_anew = opened.iter().any(|new| new.spec.name == name);
            match spec.filter(|_| !is_opened_anew) {
                Some(spec) => {
                    if entry.spec != *spec {
                        changes.push(format!("export `{name}` has other permissions or words"));
                    }
                    if entry.spec.allow != spec.allow {
                        let (key, allow) = (entry.key, spec.allow.clone());
                        let call = move |worker: &mut Worker| worker.let_in_only(key, allow);
                        entry.disk.handle.tell(call);
                    }
                    if entry.draining && origin == Origin::File {
                        entry.draining = false;
                        exports::set_draining(entry.placed(), false);
                        changes.push(format!("export `{name}` takes connections again"));
                    }
                    entry.told.description.clone_from(&spec.description);
                    entry.spec = spec.clone();
                    stays.insert(name, entry);
                }
                None => goes.push(entry),
            }
        }
        for entry in opened {
            let name = entry.spec.name.clone();
            let verb =
                if goes.iter().any(|old| old.spec.name == name) { "changed" } else { "added" };
            changes.push(format!("export `{name}` is {verb}"));
            stays.insert(name, entry);
        }
        for entry in &goes {
            if !stays.contains_key(&entry.spec.name) {
                changes.push(format!("export `{}` is removed", entry.spec.name));
            }
        }
        registry.exports = stays;
        // Those that end now are waited for, which may need the registry.
        let _old_disks = std::mem::replace(&mut registry.disks, disks);
        let goes: Vec<Retiring> = goes.iter().map(Retiring::of).collect();
        // Before the lock is given up, so that a stop that comes now waits for their clients.
        registry.retiring.extend(goes.iter().cloned());
        drop(registry);
        self.let_tenants_go();
        retire(goes, config.drain_limit, Arc::clone(&self.shared));
        changes
    }

    fn change_tenants(&self, tenants: &[config::Tenant], disks: &[DiskEntry]) -> Vec<String> {
        let mut changes = Vec::new();
        let mut registry = self.shared.registry();
        let mut entries = Vec::new();
        for tenant in tenants {
            let there = registry.tenant(&tenant.name);
            match there {
                Some(there) if there.spec == *tenant => {}
                Some(_) => changes.push(format!("tenant `{}` is changed", tenant.name)),
                None => changes.push(format!("tenant `{}` is added", tenant.name)),
            }
            let most = tenant.limits.connections;
            let places = control::places_of(there.map(|there| &there.places), most);
            entries.push(TenantEntry { spec: tenant.clone(), places });
        }
        for entry in &registry.tenants {
            if !tenants.iter().any(|tenant| tenant.name == entry.spec.name) {
                changes.push(format!("tenant `{}` is removed", entry.spec.name));
            }
        }
        registry.tenants = entries;
        drop(registry);
        for disk in disks {
            let tenants = tenants.to_vec();
            disk.handle.tell(move |worker| {
                let now_ns = worker.now_ns();
                for tenant in &tenants {
                    if let Err(error) = worker.disk.state.put_tenant(now_ns, tenant) {
                        tracing::error!(tenant = tenant.name, "not changed: {error}");
                    }
                }
            });
        }
        changes
    }
}

/// Listeners as `config` has them, and what clients are met with there. What can fail comes first:
/// if it does, the present ones are as they were.
fn listeners_of(
    running: &Running,
    config: &Config,
) -> Result<(Reception, Vec<Arc<Listening>>), StartError> {
    let mut kept: Vec<(&config::Listener, &Arc<Listening>)> = Vec::new();
    let mut new: Vec<config::Listener> = Vec::new();
    for spec in &config.listeners {
        let is_it = |there: &&Arc<Listening>| there.spec.address.is_at(&spec.address);
        let present: Vec<_> = running.listeners.iter().filter(is_it).collect();
        if present.is_empty() {
            new.push(spec.clone());
        }
        kept.extend(present.into_iter().map(|there| (spec, there)));
    }
    let opened = listen(&new, &mut Vec::new())?;
    let listeners: Vec<_> = kept.iter().map(|(_, there)| Arc::clone(there)).chain(opened).collect();
    let reception = reception_of(config, &listeners)?;
    set_modes(&kept)?;
    Ok((reception, listeners))
}

/// Gives listeners the permissions of `config`, or leaves all as they were.
fn set_modes(kept: &[(&config::Listener, &Arc<Listening>)]) -> Result<(), StartError> {
    let mut changed: Vec<(&Listening, u32)> = Vec::new();
    for (spec, there) in kept {
        let Address::Unix { mode, .. } = spec.address else { continue };
        match there.set_mode(mode) {
            Ok(before) => changed.extend(before.map(|before| (&***there, before))),
            Err(error) => {
                for (there, before) in changed {
                    if let Err(error) = there.set_mode(before) {
                        tracing::error!("a socket keeps other permissions: {error}");
                    }
                }
                return Err(cannot_listen(spec, error));
            }
        }
    }
    Ok(())
}

/// Whether disks can be as `config` says while those that are `present` are at work.
fn check_disks(config: &Config, present: &Present) -> Result<(), ControlError> {
    let refused = |text: String| Err(ControlError::Refused(text));
    for disk in &config.disks {
        let fixed =
            |spec: &config::DiskConfig| (spec.backing.clone(), spec.rate_bytes_per_s, spec.depth);
        let name = &disk.name;
        let there = present.disk(name);
        if there.is_some_and(|there| fixed(&there.spec) != fixed(disk)) {
            return refused(format!(
                "disk `{name}`: only its scheduler can be changed, not what it is"
            ));
        }
        let identity = present.identity_of_disk(disk)?;
        let same = |there: &&DiskEntry| there.identity == identity.is;
        if let Some(there) =
            present.disks.iter().find(same).filter(|there| there.spec.name != *name)
        {
            return refused(format!(
                "disk `{name}`: it is at work under the name `{}`, with the rate and depth it has: \
                 that can only be changed by a restart",
                there.spec.name
            ));
        }
        if let Some(scheduler) = &disk.scheduler {
            elevators::build(scheduler, 0, &blk::DeviceLimits::new(1, false))
                .map_err(|error| ControlError::Refused(error.to_string()))?;
        }
    }
    Ok(())
}

/// A disk that is still served from keeps its table: its rate and depth cannot change.
fn check_removed_disks(config: &Config, disks: &[DiskEntry]) -> Result<(), ControlError> {
    let names = disks.iter().filter(|disk| disk.has_table).map(|disk| &disk.spec.name);
    match names.into_iter().find(|name| config.disk(name).is_none()) {
        None => Ok(()),
        Some(name) => {
            let text = format!(
                "disk `{name}`: exports still lie on it, and [disks.{name}] can only be removed by \
                 a restart then"
            );
            Err(ControlError::Refused(text))
        }
    }
}

/// Gives disks the schedulers that `config` says, with the tunables that it says.
fn change_schedulers(config: &Config, disks: &[DiskEntry]) -> Vec<String> {
    let mut changes = Vec::new();
    for disk in disks {
        // A disk without a table has the scheduler of its kind.
        let name = &disk.spec.name;
        let wanted = config.disk(name).unwrap_or(&disk.spec).clone();
        let told = wanted.scheduler.clone();
        let changed = disk.handle.ask(move |worker| {
            let now_ns = worker.now_ns();
            let rotational = worker.disk.backend.limits().rotational;
            let scheduler = disks::scheduler_of(&wanted, rotational);
            let state = &mut worker.disk.state;
            if state.is_under(scheduler) {
                return false;
            }
            let changed = state.set_scheduler(now_ns, scheduler);
            if let Err(error) = &changed {
                tracing::error!(scheduler, "not changed: {error}");
            }
            changed.is_ok()
        });
        if changed == Ok(true) {
            let scheduler = told.as_deref().unwrap_or("of its kind of disk");
            changes.push(format!("disk `{name}` has the scheduler {scheduler}"));
        }
    }
    changes
}

/// Whether an export may stay open: it is the same thing of the same tenant.
fn is_same(one: &config::Export, other: &config::Export) -> bool {
    (&one.source, &one.tenant, one.read_only) == (&other.source, &other.tenant, other.read_only)
}

/// Closes exports that are not served any more, in a thread of its own: their clients may take
/// their time. All are told at once that they are to leave, as others may write the same files from
/// now on, and none waits for those of another export.
fn retire(goes: Vec<Retiring>, limit: Duration, shared: Arc<Shared>) {
    let run = move || {
        let placed: Vec<exports::Placed> = goes.iter().map(Retiring::placed).collect();
        placed.iter().for_each(|&export| exports::let_leave(export));
        exports::drain_and_remove(placed, Instant::now() + limit);
        shared.registry().have_retired(&goes);
    };
    let name = "drain".to_owned();
    if let Err(error) = std::thread::Builder::new().name(name).spawn(run) {
        tracing::error!("exports that were removed stay open: {error}");
    }
}
