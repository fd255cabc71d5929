// SPDX-License-Identifier: MIT OR Apache-2.0
//! Clients, exports and tenants of a disk, and the scheduler that they share.
//!
//! A tenant is a group of the scheduler, a client a process in it. What becomes of a request is in
//! `requests`, what the disk does in `commands`, what there is to see in `report`; how tenants come
//! and go is in `tenancy`.

mod commands;
mod hanging;
mod pending;
mod report;
mod requests;
mod tenancy;

use super::export_key::ExportKey;
use super::request::{Answer, Charge};
use super::slow::SlowRequests;
use super::space::Space;
use super::tenants::Tenants;
use super::turns::TurnKeeper;
use crate::buffers::{Buffer, Buffers};
use crate::config::{self, Permission};
use crate::log_limit::LogLimit;
use base::{OutOfMemory, SECTOR_BYTES};
use blk::{
    BlockLayer, DeviceLimits, IdentityError, ProcessId, ProcessSpec, QueueSettings, TunableError,
};
use elevators::BuildError;
use pending::Pending;
use std::collections::VecDeque;

/// Requests that the scheduler can hold, of all tenants: enough that one which floods the disk
/// leaves places for the others.
const POOL_REQUESTS: u32 = 1024;

/// The largest read or write that the disk is given, in KiB.
const LARGEST_KIB: u32 = 1024;

/// Why something cannot be on this disk.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The scheduler cannot be had.
    #[error(transparent)]
    Scheduler(#[from] BuildError),
    /// A group or process was refused.
    #[error(transparent)]
    Identity(#[from] IdentityError),
    /// A tunable was refused.
    #[error(transparent)]
    Tunable(#[from] TunableError),
    /// There is no memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// There is no such tenant on this disk.
    #[error("no tenant `{0}`")]
    UnknownTenant(String),
    /// A tenant that was removed is to come again below another one.
    #[error(
        "tenant `{0}`: it is still leaving, with the parent that it had; expected that one, or \
         another try when its last client has left"
    )]
    OtherParent(String),
    /// The disk has no place for an export of this size.
    #[error("the disk has no room for {0} more bytes")]
    NoRoom(u64),
    /// The export was removed, or is being drained.
    #[error("the export is closed")]
    Closed,
}

/// An export as the disk knows it.
#[derive(Debug)]
struct Export {
    key: ExportKey,
    name: String,
    tenant: usize,
    read_only: bool,
    /// Whom it lets in.
    allow: Vec<Permission>,
    start_sector: u64,
    size_bytes: u64,
    block_bytes: u32,
    draining: bool,
    connections: u32,
}

/// A client as the disk knows it.
#[derive(Debug)]
struct Client {
    /// Tells it from others that had the same process before.
    serial: u64,
    export: ExportKey,
    tenant: usize,
    /// The scheduler has no place for its last request yet: it must not submit more.
    asleep: bool,
    /// What is to be submitted for it when it is awake.
    deferred: Vec<u32>,
}

/// Clients, exports and tenants of a disk.
pub struct DiskState {
    layer: BlockLayer,
    /// The scheduler as it was chosen, with its tunables; none if one of these is another by now.
    chosen: Option<String>,
    tenants: Tenants,
    space: Space,
    exports: Vec<Option<Export>>,
    /// How many exports there were so far.
    export_serials: u64,
    /// The clients, indexed by the number of their process in the block layer.
    clients: Vec<Option<Client>>,
    serials: u64,
    pending: Vec<Option<Pending>>,
    free_pending: Vec<u32>,
    answers: VecDeque<Answer>,
    ready: VecDeque<ProcessId>,
    buffers: Buffers,
    slow: SlowRequests,
    /// What the present scheduler decides.
    turns: TurnKeeper,
    busy_ns: u64,
    busy_since_ns: Option<u64>,
    log_limit: LogLimit,
}

impl DiskState {
    /// A disk without exports under a scheduler.
    ///
    /// # Errors
    /// There is no such scheduler.
    pub fn new(scheduler: &str, limits: DeviceLimits) -> Result<DiskState, StateError> {
        let settings = QueueSettings {
            nr_requests: Some(POOL_REQUESTS),
            max_sectors_kb: LARGEST_KIB,
            ..QueueSettings::default()
        };
        let turns = TurnKeeper::default();
        let elevator = elevators::build_observed(scheduler, 0, &limits, turns.clone())?;
        Ok(DiskState {
            layer: BlockLayer::new(settings, limits, elevator),
            chosen: Some(scheduler.to_owned()),
            tenants: Tenants::default(),
            space: Space::new(limits.capacity_sectors),
            exports: Vec::new(),
            export_serials: 0,
            clients: Vec::new(),
            serials: 0,
            pending: Vec::new(),
            free_pending: Vec::new(),
            answers: VecDeque::new(),
            ready: VecDeque::new(),
            buffers: Buffers::default(),
            slow: SlowRequests::default(),
            turns,
            busy_ns: 0,
            busy_since_ns: None,
            log_limit: LogLimit::default(),
        })
    }

    /// The longest read or write that the backend is given, in bytes.
    pub fn largest_bytes(&self) -> u32 {
        self.layer.settings().max_sectors(self.layer.limits()) * SECTOR_BYTES as u32
    }

    /// Sets a tunable of the scheduler.
    ///
    /// # Errors
    /// It has no such tunable, or not with such a value.
    pub fn set_tunable(&mut self, now_ns: u64, name: &str, value: &str) -> Result<(), StateError> {
        self.layer.set_tunable(now_ns, name, value)?;
        self.chosen = None;
        Ok(())
    }

    /// Whether the scheduler is the one that was chosen so, and none of its tunables was changed.
    pub fn is_under(&self, scheduler: &str) -> bool {
        self.chosen.as_deref() == Some(scheduler)
    }

    /// Puts another scheduler in the place of the present one; nothing is lost.
    ///
    /// # Errors
    /// There is no such scheduler.
    pub fn set_scheduler(&mut self, now_ns: u64, scheduler: &str) -> Result<(), StateError> {
        let (there, all) = self.tenants.places();
        let turns = TurnKeeper::among(there, all);
        let limits = self.layer.limits();
        let elevator = elevators::build_observed(scheduler, now_ns, limits, turns.clone())?;
        self.layer.switch_elevator(now_ns, elevator)?;
        self.turns = turns;
        self.chosen = Some(scheduler.to_owned());
        self.settle(now_ns);
        Ok(())
    }

    /// Serves something on this disk. Requests are whole blocks of `block_bytes`, a power of two
    /// from 512.
    ///
    /// # Errors
    /// There is no such tenant, or no room.
    pub fn add_export(
        &mut self,
        spec: &config::Export,
        size_bytes: u64,
        block_bytes: u32,
    ) -> Result<ExportKey, StateError> {
        let tenant = self.find_tenant(&spec.tenant)?;
        let sectors = size_bytes / SECTOR_BYTES;
        let start_sector = self.space.take(sectors).ok_or(StateError::NoRoom(size_bytes))?;
        let free = self.exports.iter().position(Option::is_none);
        let place = free.unwrap_or(self.exports.len());
        self.export_serials += 1;
        let key = ExportKey { place, serial: self.export_serials };
        let export = Export {
            key,
            name: spec.name.clone(),
            tenant,
            read_only: spec.read_only,
            allow: spec.allow.clone(),
            start_sector,
            size_bytes: sectors * SECTOR_BYTES,
            block_bytes,
            draining: false,
            connections: 0,
        };
        match free {
            Some(free) => self.exports[free] = Some(export),
            None => self.exports.push(Some(export)),
        }
        Ok(key)
    }

    /// The exports there are.
    pub fn export_keys(&self) -> impl Iterator<Item = ExportKey> {
        self.exports.iter().flatten().map(|export| export.key)
    }

    /// The first sector of an export, as commands have it.
    pub fn start_sector(&self, export: ExportKey) -> u64 {
        self.export(export).start_sector
    }

    /// The size of an export and its smallest block, in bytes.
    pub fn size_of(&self, export: ExportKey) -> (u64, u32) {
        let export = self.export(export);
        (export.size_bytes, export.block_bytes)
    }

    /// Whom an export lets in; nothing if it was removed.
    pub fn allow_of(&self, export: ExportKey) -> Option<&[Permission]> {
        self.find_export(export).map(|export| &export.allow[..])
    }

    /// Lets others in; nothing if it was removed.
    pub fn set_allow(&mut self, export: ExportKey, allow: Vec<Permission>) {
        if let Some(export) = self.find_export_mut(export) {
            export.allow = allow;
        }
    }

    /// Takes no new clients for an export, or takes them again; nothing if it was removed.
    pub fn set_draining(&mut self, export: ExportKey, draining: bool) {
        if let Some(export) = self.find_export_mut(export) {
            export.draining = draining;
        }
    }

    /// Whether an export is there and takes no new clients.
    pub fn is_draining(&self, export: ExportKey) -> bool {
        self.find_export(export).is_some_and(|export| export.draining)
    }

    /// The clients of an export.
    pub fn clients_of(&self, export: ExportKey) -> impl Iterator<Item = ProcessId> {
        let clients = self.clients.iter().enumerate();
        let of_export = move |client: &Client| client.export == export;
        clients
            .filter(move |(_, client)| client.as_ref().is_some_and(of_export))
            .map(|(process, _)| ProcessId(process as u32))
    }

    /// Whether requests of an export are on their way, of clients that are gone as well.
    pub fn is_busy(&self, export: ExportKey) -> bool {
        self.pending.iter().flatten().any(|pending| pending.export == export)
    }

    /// An export without clients and requests is not served any more. Whether it was until now:
    /// another may have removed it before.
    pub fn remove_export(&mut self, now_ns: u64, export: ExportKey) -> bool {
        let is_removed = self.withdraw_export(export);
        if is_removed {
            self.let_tenants_go(now_ns);
        }
        is_removed
    }

    /// The same of an export that was added just now.
    pub(crate) fn withdraw_export(&mut self, export: ExportKey) -> bool {
        let there = self.exports.get_mut(export.place);
        let removed = there.and_then(|there| there.take_if(|there| there.key == export));
        if let Some(export) = &removed {
            self.space.free(export.start_sector);
        }
        removed.is_some()
    }

    /// A client begins to use an export.
    ///
    /// # Errors
    /// The export is closed.
    pub fn connect(&mut self, now_ns: u64, export: ExportKey) -> Result<ProcessId, StateError> {
        let entry = self.find_export(export);
        let entry = entry.filter(|export| !export.draining).ok_or(StateError::Closed)?;
        let tenant_key = entry.tenant;
        let name = format!("{}:{}", self.tenants.get(tenant_key).spec.name, entry.name);
        let tenant = self.tenants.get_mut(tenant_key);
        let spec = ProcessSpec { group: tenant.group, ioprio: tenant.spec.ioprio, name };
        let process = self.layer.add_process(now_ns, spec)?;
        tenant.connections += 1;
        self.serials += 1;
        let client = Client {
            serial: self.serials,
            export,
            tenant: tenant_key,
            asleep: false,
            deferred: Vec::new(),
        };
        if self.clients.len() <= process.index() {
            self.clients.resize_with(process.index() + 1, || None);
        }
        self.clients[process.index()] = Some(client);
        self.export_mut(export).connections += 1;
        Ok(process)
    }

    /// The tenant of a client.
    pub fn tenant_name(&self, process: ProcessId) -> &str {
        let client = self.clients.get(process.index()).and_then(Option::as_ref);
        client.map_or("", |client| &self.tenants.get(client.tenant).spec.name)
    }

    /// A client is gone. What it asked for ends, without an answer.
    pub fn disconnect(&mut self, now_ns: u64, process: ProcessId) {
        let Some(client) = self.clients.get_mut(process.index()).and_then(Option::take) else {
            return;
        };
        let exited = self.layer.exit_process(now_ns, process);
        debug_assert!(exited.is_ok(), "a client is a process");
        self.tenants.forget(client.tenant, process);
        self.ready.extend(self.tenants.next_parked(client.tenant));
        self.export_mut(client.export).connections -= 1;
        self.ready.retain(|&ready| ready != process);
        for _ in 0..self.answers.len() {
            match self.answers.pop_front() {
                Some(answer) if answer.client == process => self.release(answer.charge),
                answer => self.answers.extend(answer),
            }
        }
        for pending in client.deferred {
            self.forget(pending);
        }
        self.settle(now_ns);
    }

    /// A buffer for the data of a request.
    pub fn buffer(&mut self, length: usize) -> Buffer {
        self.buffers.take(length)
    }

    /// Takes a buffer back.
    pub fn give_buffer(&mut self, buffer: Buffer) {
        self.buffers.give(buffer);
    }

    /// Lets a request with `bytes` of data in, if the scheduler has a place for the client
    /// and the limits of its tenant allow it. If not, [`DiskState::take_ready`] names the client
    /// when it may try again.
    pub fn admit(&mut self, process: ProcessId, bytes: u64) -> Option<Charge> {
        let client = self.clients[process.index()].as_ref().filter(|client| !client.asleep)?;
        let tenant = client.tenant;
        let charge = self.tenants.admit(tenant, process, bytes)?;
        self.ready.extend(self.tenants.next_parked(tenant));
        Some(charge)
    }

    /// An answer has been sent, or no client waits for it.
    pub fn release(&mut self, charge: Charge) {
        let tenant = self.tenants.release(charge);
        self.ready.extend(self.tenants.next_parked(tenant));
    }

    /// How many clients there are for [`DiskState::take_ready`].
    pub fn ready_clients(&self) -> usize {
        self.ready.len()
    }

    /// A client goes on when others that can have done so.
    pub(crate) fn let_go_on_later(&mut self, process: ProcessId) {
        if !self.ready.contains(&process) {
            self.ready.push_back(process);
        }
    }

    /// A client that can go on: requests of it were not let in, and may be now.
    pub fn take_ready(&mut self) -> Option<ProcessId> {
        self.ready.pop_front()
    }

    /// An answer for a client.
    pub fn take_answer(&mut self) -> Option<Answer> {
        self.answers.pop_front()
    }

    /// Asserts what always holds. For tests.
    pub fn check(&self) {
        self.layer.check();
        let held = self.pending.iter().flatten().count();
        assert_eq!(held + self.free_pending.len(), self.pending.len(), "places of requests");
    }

    fn find_export(&self, export: ExportKey) -> Option<&Export> {
        self.exports.get(export.place)?.as_ref().filter(|there| there.key == export)
    }

    fn find_export_mut(&mut self, export: ExportKey) -> Option<&mut Export> {
        self.exports.get_mut(export.place)?.as_mut().filter(|there| there.key == export)
    }

    fn export(&self, export: ExportKey) -> &Export {
        self.find_export(export).expect("an export in use is there")
    }

    fn export_mut(&mut self, export: ExportKey) -> &mut Export {
        self.find_export_mut(export).expect("an export in use is there")
    }
}
