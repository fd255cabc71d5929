// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tenants of a disk, as they come, change and go: each is a group of the scheduler.

use super::{DiskState, StateError};
use crate::config;
use blk::{GroupSpec, ProcessId};

impl DiskState {
    /// Adds a tenant; its parent comes first.
    ///
    /// # Errors
    /// Its parent is not there, or its weight is none.
    pub fn add_tenant(&mut self, now_ns: u64, spec: &config::Tenant) -> Result<(), StateError> {
        let parent = spec.parent.as_deref().map(|name| self.find_tenant(name)).transpose()?;
        let above = parent.map(|parent| self.tenants.get(parent));
        let path = match above {
            Some(above) => format!("{}/{}", above.spec.name, spec.name),
            None => spec.name.clone(),
        };
        let group = GroupSpec { parent: above.map(|above| above.group), weight: spec.weight, path };
        let group = self.layer.add_group(now_ns, group)?;
        self.tenants.add(spec.clone(), group, parent);
        Ok(())
    }

    /// Adds a tenant, if it is not there; whether it was. One that is there stays as it is, until
    /// [`DiskState::keep_tenants`] says otherwise: also one that was leaving.
    ///
    /// # Errors
    /// Its parent is not there, or it is there with another one, or its weight is none.
    pub fn have_tenant(&mut self, now_ns: u64, spec: &config::Tenant) -> Result<bool, StateError> {
        let Some(tenant) = self.tenants.find(&spec.name) else {
            return self.add_tenant(now_ns, spec).map(|()| false);
        };
        if self.tenants.get(tenant).spec.parent != spec.parent {
            return Err(StateError::OtherParent(spec.name.clone()));
        }
        self.tenants.stay(tenant);
        Ok(true)
    }

    /// Adds a tenant, or gives one that is there the weight, class and limits of `spec`.
    ///
    /// # Errors
    /// Its parent is not there or another one, or there is no such weight.
    pub fn put_tenant(&mut self, now_ns: u64, spec: &config::Tenant) -> Result<(), StateError> {
        if !self.have_tenant(now_ns, spec)? {
            return Ok(());
        }
        self.set_weight(now_ns, &spec.name, spec.weight)?;
        let tenant = self.find_tenant(&spec.name)?;
        for (process, client) in self.clients.iter().enumerate() {
            if client.as_ref().is_some_and(|client| client.tenant == tenant) {
                self.layer.set_ioprio(now_ns, ProcessId(process as u32), spec.ioprio)?;
            }
        }
        let entry = &mut self.tenants.get_mut(tenant).spec;
        (entry.ioprio, entry.limits) = (spec.ioprio, spec.limits);
        while let Some(client) = self.tenants.next_parked(tenant) {
            self.ready.push_back(client);
        }
        Ok(())
    }

    /// Lets tenants of other names go: each as soon as it has no exports, clients and requests, and
    /// no tenant below it.
    pub fn keep_tenants(&mut self, now_ns: u64, names: &[String]) {
        self.tenants.keep(names);
        self.let_tenants_go(now_ns);
    }

    pub(super) fn let_tenants_go(&mut self, now_ns: u64) {
        let DiskState { exports, tenants, layer, slow, .. } = self;
        let has_exports =
            |tenant: usize| exports.iter().flatten().any(|export| export.tenant == tenant);
        while let Some((tenant, group)) = tenants.next_gone(has_exports) {
            slow.forget(tenant);
            let removed = layer.remove_group(now_ns, group);
            debug_assert!(removed.is_ok(), "nothing is left of it");
        }
    }

    /// Gives a tenant another weight.
    ///
    /// # Errors
    /// There is no such tenant, or no such weight.
    pub fn set_weight(&mut self, now_ns: u64, name: &str, weight: u32) -> Result<(), StateError> {
        let tenant = self.find_tenant(name)?;
        self.layer.set_group_weight(now_ns, self.tenants.get(tenant).group, weight)?;
        self.tenants.get_mut(tenant).spec.weight = weight;
        Ok(())
    }

    pub(super) fn find_tenant(&self, name: &str) -> Result<usize, StateError> {
        self.tenants.find(name).ok_or_else(|| StateError::UnknownTenant(name.to_owned()))
    }
}
