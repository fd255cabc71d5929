// SPDX-License-Identifier: MIT OR Apache-2.0
//! Clients of a disk in virtual time: each keeps a number of requests on their way, for ever. What
//! comes out is the same on every machine.

use base::IoprioValue;
use blk::ProcessId;
use device::Profile;
use server::ServedDisk;
use server::backend::{Backend, Emulated};
use server::config::{Export, ExportSource, Permission, Tenant, TenantLimits};
use server::disk::{Answer, DiskRequest, ExportKey, Failure, Operation};
use std::collections::BTreeMap;
use std::num::NonZeroU64;

pub const SECOND_NS: u64 = 1_000_000_000;
pub const MIB: u64 = 1 << 20;

/// What a client does.
#[derive(Debug, Clone, Copy)]
pub enum Does {
    /// It reads blocks of that size here and there.
    ReadsHereAndThere(u64),
    /// It reads one after the other.
    ReadsOn(u64),
    /// It writes one after the other.
    WritesOn(u64),
    /// It reads blocks of that size here and there, and pauses after each.
    ReadsNowAndThen { bytes: u64, pause_ns: u64 },
}

impl Does {
    fn length_bytes(self) -> u64 {
        match self {
            Does::ReadsHereAndThere(bytes) | Does::ReadsOn(bytes) | Does::WritesOn(bytes) => bytes,
            Does::ReadsNowAndThen { bytes, .. } => bytes,
        }
    }

    fn pause_ns(self) -> u64 {
        match self {
            Does::ReadsNowAndThen { pause_ns, .. } => pause_ns,
            _ => 0,
        }
    }
}

struct Client {
    does: Does,
    size_bytes: u64,
    next: u64,
    in_flight: u32,
    depth: u32,
    /// It asks for nothing before.
    pauses_until_ns: u64,
}

/// A disk and its clients.
pub struct World {
    pub disk: ServedDisk,
    pub now_ns: u64,
    clients: BTreeMap<ProcessId, Client>,
    random: u64,
    pub failures: Vec<(ProcessId, String)>,
    /// How late the disk's thread wakes up.
    pub late_ns: u64,
}

pub fn tenant(name: &str, weight: u32) -> Tenant {
    Tenant {
        name: name.into(),
        parent: None,
        weight,
        ioprio: IoprioValue::UNSET,
        limits: TenantLimits { connections: 10_000, requests: 10_000, memory_bytes: 1 << 30 },
    }
}

pub fn export(tenant: &str, size_bytes: u64) -> Export {
    Export {
        name: tenant.into(),
        source: ExportSource::Emulated { disk: "disk".into(), size_bytes },
        tenant: tenant.into(),
        read_only: false,
        allow: vec![Permission::Anyone],
        description: String::new(),
    }
}

impl World {
    /// An emulated disk with tenants, each with an export of its own.
    pub fn emulated(profile: &str, scheduler: &str, tenants: &[Tenant]) -> World {
        let profile = Profile::parse_argument(profile).expect("a profile");
        World::of(Box::new(Emulated::new(&profile, None)), scheduler, tenants)
    }

    pub fn of(backend: Box<dyn Backend>, scheduler: &str, tenants: &[Tenant]) -> World {
        World::held(backend, scheduler, tenants, None)
    }

    /// The same, held to a rate.
    pub fn held(
        backend: Box<dyn Backend>,
        scheduler: &str,
        tenants: &[Tenant],
        rate_bytes_per_s: Option<NonZeroU64>,
    ) -> World {
        let mut disk = ServedDisk::new(backend, scheduler, rate_bytes_per_s).expect("a scheduler");
        for tenant in tenants {
            disk.state.add_tenant(0, tenant).expect("a tenant");
            disk.add_export(&export(&tenant.name, 1 << 32)).expect("an export");
        }
        let (clients, failures) = (BTreeMap::new(), Vec::new());
        World { disk, now_ns: 0, clients, random: 1, failures, late_ns: 0 }
    }

    /// A client of the tenant's export, with its place among all tenants.
    pub fn client(&mut self, tenant: usize, does: Does, depth: u32) -> ProcessId {
        let key = self.keys()[tenant];
        let process = self.disk.state.connect(self.now_ns, key).expect("a connection");
        let next = 0;
        let client =
            Client { does, size_bytes: 1 << 32, next, in_flight: 0, depth, pauses_until_ns: 0 };
        self.clients.insert(process, client);
        process
    }

    fn keys(&self) -> Vec<ExportKey> {
        self.disk.state.export_keys().collect()
    }

    /// Lets all of them work for this time.
    pub fn run(&mut self, for_ns: u64) {
        let until_ns = self.now_ns + for_ns;
        loop {
            self.clients_ask();
            self.disk.step(self.now_ns).expect("the backend works");
            if self.take_answers() {
                continue;
            }
            let paused = self.clients.values().map(|client| client.pauses_until_ns);
            let pause_ends_ns = paused.filter(|&until_ns| until_ns > self.now_ns);
            match self.disk.next_event_ns().into_iter().chain(pause_ends_ns).min() {
                Some(next_ns) if next_ns <= until_ns => {
                    self.now_ns = self.now_ns.max(next_ns + self.late_ns);
                }
                _ => break,
            }
        }
        self.now_ns = self.now_ns.max(until_ns);
    }

    fn clients_ask(&mut self) {
        while self.disk.state.take_ready().is_some() {}
        let processes: Vec<ProcessId> = self.clients.keys().copied().collect();
        for process in processes {
            self.disk.state.plug(process);
            while self.ask(process) {}
            self.disk.state.unplug(self.now_ns, process);
        }
    }

    fn ask(&mut self, process: ProcessId) -> bool {
        let client = self.clients.get_mut(&process).expect("a client");
        if client.in_flight >= client.depth || self.now_ns < client.pauses_until_ns {
            return false;
        }
        let length = client.does.length_bytes();
        let Some(charge) = self.disk.state.admit(process, length) else { return false };
        let blocks = client.size_bytes / length;
        let block = match client.does {
            Does::ReadsOn(_) | Does::WritesOn(_) => client.next % blocks,
            _ => {
                self.random ^= self.random << 13;
                self.random ^= self.random >> 7;
                self.random ^= self.random << 17;
                self.random % blocks
            }
        };
        client.next += 1;
        client.in_flight += 1;
        let operation = match client.does {
            Does::WritesOn(_) => Operation::Write(self.disk.state.buffer(length as usize)),
            _ => Operation::Read,
        };
        let request = DiskRequest {
            cookie: 0,
            operation,
            offset_bytes: block * length,
            length_bytes: length,
            durable: false,
        };
        self.disk.state.submit(self.now_ns, process, request, charge);
        true
    }

    /// The answer to the only request that is on its way.
    pub fn answer(&mut self) -> Result<(), Failure> {
        loop {
            if let Some(Answer { result, charge, .. }) = self.disk.state.take_answer() {
                self.disk.state.release(charge);
                return result.map(|_| ());
            }
            self.disk.step(self.now_ns).expect("the backend works");
            self.now_ns = self.disk.next_event_ns().unwrap_or(self.now_ns);
        }
    }

    fn take_answers(&mut self) -> bool {
        let mut any = false;
        while let Some(answer) = self.disk.state.take_answer() {
            any = true;
            let Answer { client, result, charge, .. } = answer;
            let entry = self.clients.get_mut(&client).expect("a client");
            entry.in_flight -= 1;
            entry.pauses_until_ns = self.now_ns + entry.does.pause_ns();
            match result {
                Ok(Some(data)) => self.disk.state.give_buffer(data),
                Ok(None) => {}
                Err(failure) => self.failures.push((client, failure.to_string())),
            }
            self.disk.state.release(charge);
        }
        any
    }

    /// Bytes that each tenant has moved since the start.
    pub fn moved(&mut self) -> Vec<u64> {
        let tenants = self.disk.state.status(self.now_ns).tenants;
        tenants.iter().map(|tenant| tenant.done.read_bytes + tenant.done.written_bytes).collect()
    }

    /// What each tenant moves in this time, after a time to settle.
    pub fn measure(&mut self, settle_ns: u64, for_ns: u64) -> Vec<u64> {
        self.run(settle_ns);
        let before = self.moved();
        self.run(for_ns);
        self.moved().iter().zip(before).map(|(after, before)| after - before).collect()
    }
}

/// The part of the first in the sum, in per cent.
pub fn part_percent(moved: &[u64]) -> f64 {
    100.0 * moved[0] as f64 / moved.iter().sum::<u64>() as f64
}
