// SPDX-License-Identifier: MIT OR Apache-2.0
//! Another configuration while it runs: first everything that can fail, then everything else.

use super::registry::{DiskEntry, ExportEntry, TenantEntry};
use super::{
    Running, Server, control, disks, exports, in_order, listen, open_exports, reception_of,
};
use super::{close_exports, start_disks};
use crate::config::{self, Config};
use crate::control::ControlError;
use std::collections::BTreeMap;

use std::time::Duration;

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
    ) -> Result<Vec<String>, ControlError> {
        if running.front.is_none() {
            return Err(ControlError::Stopping);
        }
        let prepared = self.prepare(running, &config)?;
        let kept = |listener: &&config::Listener| {
            running.listeners.iter().any(|there| there.spec.address == listener.address)
        };
        let (old, new): (Vec<_>, Vec<_>) = config.listeners.iter().partition(kept);
        let new: Vec<config::Listener> = new.into_iter().cloned().collect();
        let met = listen(&new, &mut Vec::new()).and_then(|opened| {
            let there = running
                .listeners
                .iter()
                .filter(|there| old.iter().any(|spec| spec.address == there.spec.address));
            let listeners: Vec<_> = there.cloned().chain(opened).collect();
            Ok((reception_of(&config, &listeners)?, listeners))
        });
        let (reception, listeners) = match met {
            Ok(met) => met,
            Err(error) => {
                close_exports(&prepared.opened, &prepared.disks);
                return Err(error.into());
            }
        };
        let mut changes = self.commit(running, &config, prepared);
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

    /// Starts and opens what is new.
    fn prepare(&self, running: &Running, config: &Config) -> Result<Prepared, ControlError> {
        let tenants = in_order(&config.tenants)?;
        let present = self.disks();
        for tenant in &tenants {
            let registry = self.shared.registry();
            let there = registry.tenant(&tenant.name);
            if there.is_some_and(|there| there.spec.parent != tenant.parent) {
                let name = &tenant.name;
                let text = format!("tenant `{name}`: its parent can only be changed by a restart");
                return Err(ControlError::Refused(text));
            }
        }
        for disk in &config.disks {
            let fixed =
                |spec: &config::Disk| (spec.backing.clone(), spec.rate_bytes_per_s, spec.depth);
            let there = present.iter().find(|there| there.spec.name == disk.name);
            if there.is_some_and(|there| fixed(&there.spec) != fixed(disk)) {
                let name = &disk.name;
                let text =
                    format!("disk `{name}`: only its scheduler can be changed, not what it is");
                return Err(ControlError::Refused(text));
            }
            if let Some(scheduler) = &disk.scheduler {
                elevators::build(scheduler, 0, &blk::DeviceLimits::new(1, false))
                    .map_err(|error| ControlError::Refused(error.to_string()))?;
            }
        }
        let disks = start_disks(config, &tenants, &present, &self.shared)?;
        for disk in &disks {
            let tenants = tenants.clone();
            disk.handle.ask(move |worker| {
                let now_ns = worker.now_ns();
                let known = |tenant: &config::Tenant| worker.disk.state.has_tenant(&tenant.name);
                let new: Vec<_> = tenants.iter().filter(|tenant| !known(tenant)).collect();
                new.into_iter().try_for_each(|tenant| worker.disk.state.add_tenant(now_ns, tenant))
            })??;
        }
        let is_new = |export: &&config::Export| {
            let there = running.config.exports.iter().find(|there| there.name == export.name);
            there.is_none_or(|there| !is_same(there, export))
        };
        let new: Vec<config::Export> = config.exports.iter().filter(is_new).cloned().collect();
        let opened = open_exports(&new, &disks, &tenants)?;
        Ok(Prepared { tenants, disks, opened })
    }

    /// Puts what is ready into its place. What goes is drained beside it.
    fn commit(&self, running: &Running, config: &Config, prepared: Prepared) -> Vec<String> {
        let Prepared { tenants, disks, opened } = prepared;
        let mut changes = self.change_tenants(&tenants, &disks);
        changes.extend(change_schedulers(&running.config, config, &disks));
        let mut registry = self.shared.registry();
        let mut goes: Vec<ExportEntry> = Vec::new();
        let mut stays: BTreeMap<String, ExportEntry> = BTreeMap::new();
        for (name, mut entry) in std::mem::take(&mut registry.exports) {
            let spec = config.exports.iter().find(|spec| spec.name == name);
            match spec.filter(|spec| is_same(spec, &entry.spec)) {
                Some(spec) => {
                    if entry.spec != *spec {
                        changes.push(format!("export `{name}` has other permissions or words"));
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
        let old_disks = std::mem::replace(&mut registry.disks, disks);
        drop(registry);
        retire(goes, old_disks, config.drain_limit);
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

fn change_schedulers(old: &Config, new: &Config, disks: &[DiskEntry]) -> Vec<String> {
    let mut changes = Vec::new();
    for spec in &new.disks {
        let before = old.disks.iter().find(|disk| disk.name == spec.name);
        if before.is_none_or(|before| before.scheduler == spec.scheduler) {
            continue;
        }
        if let Some(disk) = disks.iter().find(|disk| disk.spec.name == spec.name) {
            let wanted = spec.clone();
            disk.handle.tell(move |worker| {
                let now_ns = worker.now_ns();
                let rotational = worker.disk.backend.limits().rotational;
                let scheduler = disks::scheduler_of(&wanted, rotational);
                if let Err(error) = worker.disk.state.set_scheduler(now_ns, scheduler) {
                    tracing::error!(scheduler, "not changed: {error}");
                }
            });
            let scheduler = spec.scheduler.as_deref().unwrap_or("of its kind of disk");
            changes.push(format!("disk `{}` has the scheduler {scheduler}", spec.name));
        }
    }
    changes
}

/// Whether an export may stay open: it is the same thing of the same tenant.
fn is_same(one: &config::Export, other: &config::Export) -> bool {
    (&one.source, &one.tenant, one.read_only) == (&other.source, &other.tenant, other.read_only)
}

/// Closes exports that are not served any more, in a thread of its own: their clients may take
/// their time.
fn retire(goes: Vec<ExportEntry>, disks: Vec<DiskEntry>, limit: Duration) {
    let run = move || {
        for export in &goes {
            if let Some(disk) = disks.iter().find(|disk| disk.spec.name == export.disk) {
                exports::drain(disk, export.key, limit, true);
                exports::remove(disk, export.key);
            }
        }
    };
    let name = "drain".to_owned();
    if let Err(error) = std::thread::Builder::new().name(name).spawn(run) {
        tracing::error!("exports that were removed stay open: {error}");
    }
}
