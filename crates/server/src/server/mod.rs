// SPDX-License-Identifier: MIT OR Apache-2.0
//! A running server: its threads, and what can be asked of it.

mod apply;
mod control;
mod disks;
mod error;
mod exports;
mod front;
mod handshake;
mod lingering;
mod listening;
mod origins;
mod peer;
mod registry;
mod shared;
mod wakefulness;
mod worker;

use crate::config::{self, Config};
use crate::identity::Identity;
use crate::net::acceptor;
use crate::places::Places;
pub use error::StartError;
use front::{Front, Reception};
use listening::Listening;
use registry::{DiskEntry, ExportEntry, TenantEntry};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use shared::Shared;
use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// A server that runs: its disks, connections and threads.
pub struct Server {
    shared: Arc<Shared>,
    running: Mutex<Running>,
    start: Instant,
}

/// What changes only by a call.
struct Running {
    config: Config,
    listeners: Vec<Arc<Listening>>,
    /// Nothing if the server was stopped.
    front: Option<Front>,
}

/// What a configuration comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// A file: what was changed by hand becomes as it says.
    File,
    /// What is in force, and a change by hand.
    Present,
}

/// Starts a server. Sockets that the service manager has opened are given with their names.
///
/// # Errors
/// Something cannot be as `config` says; nothing is left behind.
pub fn start(
    config: Config,
    mut inherited: Vec<(String, OwnedFd)>,
) -> Result<Arc<Server>, StartError> {
    raise_descriptors();
    let shared = Arc::new(Shared::new(config.limits.connections));
    let tenants = in_order(&config.tenants)?;
    let disks = start_disks(&config, &tenants, &Present::default(), &shared)?;
    let exports = open_exports(&config.exports, &disks, &tenants, &BTreeMap::new())?;
    let listeners = listen(&config.listeners, &mut inherited)?;
    for (name, _) in inherited {
        // Clients that come there wait for ever: the service manager has the socket, too.
        tracing::warn!("the service manager gave the socket `{name}`, which no [[listen]] takes");
    }
    {
        let mut registry = shared.registry();
        registry.tenants = tenants
            .into_iter()
            .map(|spec| TenantEntry { places: Places::new(spec.limits.connections), spec })
            .collect();
        registry.disks = disks;
        let by_name = exports.into_iter().map(|export| (export.spec.name.clone(), export));
        registry.exports = by_name.collect();
    }
    let reception = reception_of(&config, &listeners)?;
    let front = Some(Front::start(Arc::clone(&shared), reception)?);
    let running = Mutex::new(Running { config, listeners, front });
    Ok(Arc::new(Server { shared, running, start: Instant::now() }))
}

impl Server {
    /// Addresses of its TCP listeners, whose ports the system may have chosen.
    pub fn tcp_addresses(&self) -> Vec<SocketAddr> {
        let running = self.running();
        running.listeners.iter().filter_map(|listener| listener.tcp_address()).collect()
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        // It is whole between any two calls, whoever panicked.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets this process have as many descriptors as it may: each connection is one.
fn raise_descriptors() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        tracing::info!("the limit on open files stays as it is: {error}");
    }
}

/// The tenants, parents before their children.
fn in_order(tenants: &[config::Tenant]) -> Result<Vec<config::Tenant>, StartError> {
    let mut ordered: Vec<config::Tenant> = Vec::new();
    let mut left: Vec<&config::Tenant> = tenants.iter().collect();
    while !left.is_empty() {
        let known = |name: &String| ordered.iter().any(|tenant| tenant.name == *name);
        let (ready, waiting): (Vec<_>, Vec<_>) =
            left.into_iter().partition(|tenant| tenant.parent.as_ref().is_none_or(known));
        if ready.is_empty() {
            let tenant = &waiting[0];
            let parent = tenant.parent.as_deref().unwrap_or_default();
            let text = format!("tenant `{}`: no parent `{parent}` above it", tenant.name);
            return Err(StartError::Config(text));
        }
        ordered.extend(ready.into_iter().cloned());
        left = waiting;
    }
    Ok(ordered)
}

/// What is at work while another configuration is made ready.
#[derive(Default)]
struct Present {
    /// Also of exports that are not served any more and have clients or requests still: what comes
    /// again meanwhile finds them.
    disks: Vec<DiskEntry>,
    /// Of exports that stay, by their names, the disk of what was opened: their paths may lead to
    /// another one by now.
    disk_of_export: BTreeMap<String, DiskEntry>,
}

impl Present {
    fn disk(&self, name: &str) -> Option<&DiskEntry> {
        self.disks.iter().find(|disk| disk.spec.name == name)
    }

    /// The disk of a configuration: one that is at work stays what it is, wherever the path below
    /// which it was found leads now.
    ///
    /// # Errors
    /// What it is below is not there.
    fn identity_of_disk(&self, spec: &config::DiskConfig) -> Result<Identity, StartError> {
        match self.disk(&spec.name) {
            Some(there) => Ok(there.identity()),
            None => disks::identity_of_disk(spec),
        }
    }
}

/// Starts the disks that `config` needs and that are not at work yet; the answer has both.
fn start_disks(
    config: &Config,
    tenants: &[config::Tenant],
    present: &Present,
    shared: &Shared,
) -> Result<Vec<DiskEntry>, StartError> {
    let mut wanted: Vec<(Identity, config::DiskConfig)> = Vec::new();
    for disk in &config.disks {
        let identity = present.identity_of_disk(disk)?;
        if let Some((_, twin)) = wanted.iter().find(|(known, _)| known.is == identity.is) {
            let (name, twin) = (&disk.name, &twin.name);
            return Err(StartError::Config(format!(
                "[disks.{name}] and [disks.{twin}] are the same disk: expected one table for it"
            )));
        }
        wanted.push((identity, disk.clone()));
    }
    for export in &config.exports {
        let (identity, mut spec) = match present.disk_of_export.get(&export.name) {
            Some(there) => (there.identity(), there.spec.clone()),
            None => disks::disk_for(export, &wanted)?,
        };
        if wanted.iter().any(|(known, _)| known.is == identity.is) {
            continue;
        }
        let is_taken = |name: &str| {
            let is_other = |is: &str| is != identity.is;
            let mut there = present.disks.iter();
            wanted.iter().any(|(_, other)| other.name == name)
                || there.any(|other| other.spec.name == name && is_other(&other.identity))
        };
        spec.name = disks::free_name(&spec.name, is_taken);
        wanted.push((Identity { name: spec.name.clone(), ..identity }, spec));
    }
    let mut entries = Vec::new();
    for (identity, spec) in wanted {
        let there = present.disks.iter().find(|disk| disk.identity == identity.is);
        entries.push(match there {
            Some(there) => there.clone(),
            None => {
                let has_table = config.disk(&spec.name).is_some();
                disks::start(identity, spec, has_table, tenants.to_vec(), shared)?
            }
        });
    }
    Ok(entries)
}

fn disk_of<'a>(
    export: &config::Export,
    disks: &'a [DiskEntry],
) -> Result<&'a DiskEntry, StartError> {
    let known: Vec<(Identity, config::DiskConfig)> =
        disks.iter().map(|disk| (disk.identity(), disk.spec.clone())).collect();
    let (identity, _) = disks::disk_for(export, &known)?;
    disks.iter().find(|disk| disk.identity == identity.is).ok_or_else(|| {
        StartError::Config(format!("export `{}`: its disk was not started", export.name))
    })
}

/// Opens exports, which replace those of their names that are `served`; if one cannot be, none is.
fn open_exports(
    specs: &[config::Export],
    disks: &[DiskEntry],
    tenants: &[config::Tenant],
    served: &BTreeMap<String, ExportEntry>,
) -> Result<Vec<ExportEntry>, StartError> {
    let mut opened: Vec<ExportEntry> = Vec::new();
    for spec in specs {
        let export = match tenants.iter().any(|tenant| tenant.name == spec.tenant) {
            true => disk_of(spec, disks)
                .and_then(|disk| exports::open(disk, spec, served.get(&spec.name))),
            false => {
                let text = format!("export `{}`: no tenant `{}`", spec.name, spec.tenant);
                Err(StartError::Config(text))
            }
        };
        match export {
            Ok(export) => opened.push(export),
            Err(error) => {
                close_exports(&opened);
                return Err(error);
            }
        }
    }
    Ok(opened)
}

/// Closes exports that no client has seen.
fn close_exports(opened: &[ExportEntry]) {
    opened.iter().for_each(|export| exports::remove(export.placed()));
}

fn listen(
    specs: &[config::Listener],
    inherited: &mut Vec<(String, OwnedFd)>,
) -> Result<Vec<Arc<Listening>>, StartError> {
    let mut listeners = Vec::new();
    for spec in specs {
        let opened = Listening::open(spec, inherited);
        let opened = opened.map_err(|error| cannot_listen(spec, error))?;
        listeners.extend(opened.into_iter().map(Arc::new));
    }
    Ok(listeners)
}

fn cannot_listen(spec: &config::Listener, error: io::Error) -> StartError {
    let address = match &spec.address {
        config::Address::Unix { path, .. } => path.display().to_string(),
        config::Address::Tcp(address) => address.to_string(),
        config::Address::Inherited(name) => format!("the inherited socket `{name}`"),
    };
    StartError::Listen { address, error }
}

/// What clients are met with by this configuration.
fn reception_of(config: &Config, listeners: &[Arc<Listening>]) -> Result<Reception, StartError> {
    let policy_of = |listener: &Arc<Listening>| {
        let spec = config.listeners.iter().find(|spec| spec.address.is_at(&listener.spec.address));
        (Arc::clone(listener), spec.map_or(listener.spec.tls, |spec| spec.tls))
    };
    let acceptor_of =
        |tls: &config::Tls| acceptor(&tls.certificate, &tls.key, tls.client_authority.as_deref());
    Ok(Reception {
        listeners: listeners.iter().map(policy_of).collect(),
        tls: config.tls.as_ref().map(acceptor_of).transpose()?,
        limits: config.limits,
    })
}
