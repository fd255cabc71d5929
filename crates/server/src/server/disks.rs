// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which disk something lies on, and how a disk is started.

use super::error::StartError;
use super::registry::DiskEntry;
use super::shared::Shared;
use super::worker::Handle;
use crate::backend::{Backend, Emulated, Files};
use crate::config::{self, Backing, ExportSource};
use crate::drive::ServedDisk;
use crate::identity::{Identity, identity_of};
use device::Profile;
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;

/// The scheduler of a disk whose configuration names none: with moving parts, and of flash. On
/// flash the kernel's 8 ms of idling for a client that pauses cost more than they keep: a client
/// whose next request needs more than a millisecond is not waited for.
const SCHEDULERS: [&str; 2] = ["bfq", "bfq:slice_idle_us=1000"];

/// Commands that a real disk is given at a time unless the configuration says another number.
const DEPTH: u32 = 64;

/// The longest command of a real disk, in bytes.
const LARGEST_BYTES: u32 = 1 << 20;

fn found(path: &Path) -> Result<Identity, StartError> {
    identity_of(path).map_err(|error| StartError::File { path: path.to_path_buf(), error })
}

/// A name for a disk that was found: its own or, if another disk has that, the first one that is
/// free of those that have a number behind.
pub fn free_name(own: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let (mut name, mut number) = (own.to_owned(), 1_u64);
    while is_taken(&name) {
        number += 1;
        name = format!("{own}-{number}");
    }
    name
}

/// The identity of a disk of the configuration.
///
/// # Errors
/// What it is below is not there.
pub fn identity_of_disk(disk: &config::DiskConfig) -> Result<Identity, StartError> {
    match &disk.backing {
        Backing::Below(path) => Ok(Identity { name: disk.name.clone(), ..found(path)? }),
        Backing::Emulated { .. } => {
            Ok(Identity { is: format!("emulated {}", disk.name), name: disk.name.clone() })
        }
    }
}

/// The disk that an export lies on, of those there are; or what one for it would be.
///
/// # Errors
/// Its file is not there, or its disk is not configured.
pub fn disk_for<'a>(
    export: &config::Export,
    disks: impl IntoIterator<Item = &'a (Identity, config::DiskConfig)>,
) -> Result<(Identity, config::DiskConfig), StartError> {
    let mut disks = disks.into_iter();
    match &export.source {
        ExportSource::Emulated { disk, .. } => {
            let named = |(_, spec): &&(Identity, config::DiskConfig)| {
                spec.name == *disk && matches!(spec.backing, Backing::Emulated { .. })
            };
            disks.find(named).cloned().ok_or_else(|| {
                let (export, disk) = (&export.name, disk);
                StartError::Config(format!("export `{export}`: no emulated disk `{disk}`"))
            })
        }
        ExportSource::Path(path) => {
            let identity = found(path)?;
            let found = disks.find(|(known, _)| known.is == identity.is).cloned();
            let spec = || config::DiskConfig {
                name: identity.name.clone(),
                backing: Backing::Below(path.clone()),
                scheduler: None,
                rate_bytes_per_s: None,
                depth: None,
            };
            Ok(found.unwrap_or_else(|| (identity.clone(), spec())))
        }
    }
}

/// The scheduler that a disk is to have; `rotational`: it has moving parts.
pub fn scheduler_of(spec: &config::DiskConfig, rotational: bool) -> &str {
    let [of_moving, of_flash] = SCHEDULERS;
    spec.scheduler.as_deref().unwrap_or(if rotational { of_moving } else { of_flash })
}

/// Starts the thread of a disk, which all `tenants` share; `has_table`: the configuration has a
/// table of it.
///
/// # Errors
/// Its scheduler or profile is none.
pub fn start(
    identity: Identity,
    spec: config::DiskConfig,
    has_table: bool,
    tenants: Vec<config::Tenant>,
    shared: &Shared,
) -> Result<DiskEntry, StartError> {
    let told = spec.clone();
    let make = move || {
        let rate = spec.rate_bytes_per_s.and_then(NonZeroU64::new);
        let of_disk = |error| StartError::Disk { disk: spec.name.clone(), error };
        let backend = backend_of(&spec)?;
        let scheduler = scheduler_of(&spec, backend.limits().rotational);
        let mut disk = ServedDisk::new(backend, scheduler, rate).map_err(of_disk)?;
        for tenant in &tenants {
            disk.state.add_tenant(0, tenant).map_err(of_disk)?;
        }
        Ok::<ServedDisk, StartError>(disk)
    };
    let handle = Handle::start(&told.name, Arc::clone(&shared.refused), make)?;
    Ok(DiskEntry { spec: told, identity: identity.is, has_table, handle: Arc::new(handle) })
}

fn backend_of(spec: &config::DiskConfig) -> Result<Box<dyn Backend>, StartError> {
    match &spec.backing {
        Backing::Emulated { profile, .. } => {
            let profile = Profile::parse_argument(profile)
                .map_err(|error| StartError::Config(error.to_string()))?;
            Ok(Box::new(Emulated::new(&profile, spec.depth)))
        }
        Backing::Below(path) => {
            let disk = host::Disk::behind(path).ok();
            let description = match &disk {
                Some(disk) => disk.to_string(),
                None => format!("the file system of {}", path.display()),
            };
            let rotational = disk.is_some_and(|disk| disk.rotational);
            let depth = spec.depth.unwrap_or(DEPTH);
            Ok(Box::new(Files::new(description, rotational, depth, LARGEST_BYTES)))
        }
    }
}
