// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who shares a disk: what each tenant may hold, has got, and is entitled to.

use super::request::Charge;
use super::window::{LastLatencies, LastSecond};
use crate::config;
use crate::status::{Counts, TenantStatus};
use base::Op;
use blk::{GroupId, ProcessId};
use std::collections::VecDeque;

/// A tenant on one disk.
#[derive(Debug)]
pub(super) struct Tenant {
    pub spec: config::Tenant,
    pub group: GroupId,
    pub parent: Option<usize>,
    pub connections: u32,
    /// It goes as soon as nothing of it is left.
    leaves: bool,
    /// Nothing of it is left. Its place stays, as others are known by theirs.
    is_gone: bool,
    requests: u32,
    memory_bytes: u64,
    /// Requests that the scheduler has, or that wait for a place in it.
    pub submitted: u32,
    /// Commands that the disk has.
    pub in_flight: u32,
    /// Clients that are not read because of a limit, in the order of their coming. The first is let
    /// in before all others, so that small requests cannot keep a large one out for ever.
    parked: VecDeque<Parked>,
    done: Counts,
    errors: u64,
    moved: LastSecond,
    latencies: LastLatencies,
}

/// A client whose request waits for a limit of its tenant.
#[derive(Debug)]
struct Parked {
    client: ProcessId,
    /// The memory that its request needs.
    bytes: u64,
    /// It was named as one that may try again, and has not done so yet.
    is_named: bool,
}

/// All tenants of a disk, parents before their children.
#[derive(Debug, Default)]
pub(super) struct Tenants {
    all: Vec<Tenant>,
    /// The tenant of each group that is one's.
    of_group: Vec<Option<usize>>,
}

impl Tenants {
    pub fn find(&self, name: &str) -> Option<usize> {
        self.all.iter().position(|tenant| !tenant.is_gone && tenant.spec.name == name)
    }

    /// Lets all go as soon as nothing of them is left, but those of these names.
    pub fn keep(&mut self, names: &[String]) {
        for tenant in &mut self.all {
            tenant.leaves = !names.contains(&tenant.spec.name);
        }
    }

    /// Lets a tenant stay that was to go.
    pub fn stay(&mut self, tenant: usize) {
        self.all[tenant].leaves = false;
    }

    /// A tenant that is to go, of which nothing is left but perhaps exports; those that are below
    /// others come first. Then it is gone: its place, and its group.
    pub fn next_gone(&mut self, has_exports: impl Fn(usize) -> bool) -> Option<(usize, GroupId)> {
        let is_parent = |own: usize| {
            let mut below = self.all.iter().filter(|other| !other.is_gone);
            below.any(|other| other.parent == Some(own))
        };
        let place = (0..self.all.len()).rev().find(|&place| {
            let tenant = &self.all[place];
            let is_used = tenant.connections > 0 || tenant.requests > 0;
            tenant.leaves && !tenant.is_gone && !is_used && !is_parent(place) && !has_exports(place)
        })?;
        let tenant = &mut self.all[place];
        tenant.is_gone = true;
        tenant.latencies = LastLatencies::default();
        tenant.parked = VecDeque::new();
        self.of_group[tenant.group.index()] = None;
        Some((place, tenant.group))
    }

    /// The places of those that are there, and how many places there are.
    pub fn places(&self) -> (impl Iterator<Item = usize>, usize) {
        let all = self.all.len();
        ((0..all).filter(|&place| !self.all[place].is_gone), all)
    }

    pub fn of_group(&self, group: GroupId) -> Option<usize> {
        self.of_group.get(group.index()).copied().flatten()
    }

    pub fn get(&self, tenant: usize) -> &Tenant {
        &self.all[tenant]
    }

    pub fn get_mut(&mut self, tenant: usize) -> &mut Tenant {
        &mut self.all[tenant]
    }

    /// Adds a tenant, behind its parent.
    pub fn add(&mut self, spec: config::Tenant, group: GroupId, parent: Option<usize>) {
        if self.of_group.len() <= group.index() {
            self.of_group.resize(group.index() + 1, None);
        }
        self.of_group[group.index()] = Some(self.all.len());
        self.all.push(Tenant {
            spec,
            group,
            parent,
            connections: 0,
            leaves: false,
            is_gone: false,
            requests: 0,
            memory_bytes: 0,
            submitted: 0,
            in_flight: 0,
            parked: VecDeque::new(),
            done: Counts::default(),
            errors: 0,
            moved: LastSecond::default(),
            latencies: LastLatencies::default(),
        });
    }

    /// Lets a client's request in if its tenant's limits allow it and no other client waits for
    /// them; if not, the client is named by [`Tenants::next_parked`] when it is its turn.
    pub fn admit(&mut self, tenant: usize, client: ProcessId, bytes: u64) -> Option<Charge> {
        let entry = &mut self.all[tenant];
        let first = entry.parked.front().map(|first| first.client);
        let is_first = first == Some(client);
        // Who needs no memory, as for a flush, does not wait for that of others.
        let is_next = is_first || first.is_none() || bytes == 0;
        if !is_next || !entry.has_room(bytes) {
            entry.park(client, bytes);
            return None;
        }
        if is_first {
            entry.parked.pop_front();
        }
        entry.requests += 1;
        entry.memory_bytes += bytes;
        Some(Charge { tenant, bytes })
    }

    /// Takes a request's place and memory back.
    pub fn release(&mut self, charge: Charge) -> usize {
        let entry = &mut self.all[charge.tenant];
        entry.requests -= 1;
        entry.memory_bytes -= charge.bytes;
        charge.tenant
    }

    /// The client that has waited longest, if there is room for its request now; it keeps its place
    /// until it has tried again, and is named once for that.
    pub fn next_parked(&mut self, tenant: usize) -> Option<ProcessId> {
        let entry = &mut self.all[tenant];
        let &Parked { client, bytes, is_named } = entry.parked.front()?;
        if is_named || !entry.has_room(bytes) {
            return None;
        }
        entry.parked[0].is_named = true;
        Some(client)
    }

    /// A client is gone; [`Tenants::next_parked`] may name another one now.
    pub fn forget(&mut self, tenant: usize, client: ProcessId) {
        self.all[tenant].parked.retain(|parked| parked.client != client);
        self.all[tenant].connections -= 1;
    }

    /// A request has been answered.
    pub fn ended(&mut self, now_ns: u64, tenant: usize, ended: &Ended) {
        let entry = &mut self.all[tenant];
        entry.latencies.add(now_ns, ended.latency_ns);
        if !ended.well {
            entry.errors += 1;
            return;
        }
        let done = &mut entry.done;
        match ended.op {
            Op::Read => {
                done.reads += 1;
                done.read_bytes += ended.bytes;
                entry.moved.add(now_ns, ended.bytes);
            }
            Op::Write => {
                done.writes += 1;
                done.written_bytes += ended.bytes;
                entry.moved.add(now_ns, ended.bytes);
            }
            Op::Discard => done.discards += 1,
            Op::Flush => done.flushes += 1,
        }
    }

    /// A request was refused before it was one of the disk's.
    pub fn refused(&mut self, tenant: usize) {
        self.all[tenant].errors += 1;
    }

    /// What there is to see of all.
    pub fn status(&mut self, now_ns: u64) -> Vec<TenantStatus> {
        let moved: Vec<u64> =
            self.all.iter_mut().map(|tenant| tenant.moved.bytes(now_ns)).collect();
        let all_bytes: u64 = moved.iter().sum();
        let entitled = self.entitled(&moved);
        let with_children = self.with_children(&moved);
        let busiest = |other: usize| {
            let others = self.all.iter().enumerate().filter(|(index, _)| *index != other);
            let busiest = others.max_by_key(|(_, tenant)| tenant.in_flight);
            let busiest = busiest.filter(|(_, tenant)| tenant.in_flight > 0);
            busiest.map(|(_, tenant)| tenant.spec.name.clone())
        };
        let waits_for: Vec<Option<String>> = (0..self.all.len())
            .map(|index| (self.all[index].waiting() > 0).then(|| busiest(index)).flatten())
            .collect();
        let part = |bytes: u64| bytes as f64 / all_bytes.max(1) as f64;
        self.all
            .iter_mut()
            .zip(waits_for)
            .enumerate()
            .filter(|(_, (tenant, _))| !tenant.is_gone)
            .map(|(index, (tenant, waits_for))| TenantStatus {
                name: tenant.spec.name.clone(),
                parent: tenant.spec.parent.clone(),
                weight: tenant.spec.weight,
                connections: tenant.connections,
                done: tenant.done,
                errors: tenant.errors,
                waiting: tenant.waiting(),
                in_flight: tenant.in_flight,
                memory_bytes: tenant.memory_bytes,
                share: part(with_children[index]),
                entitled: entitled[index],
                latency: tenant.latencies.quantiles(now_ns),
                waits_for,
            })
            .collect()
    }

    fn with_children(&self, own: &[u64]) -> Vec<u64> {
        let mut sums = own.to_vec();
        for (index, tenant) in self.all.iter().enumerate().rev() {
            if let Some(parent) = tenant.parent {
                sums[parent] += sums[index];
            }
        }
        sums
    }

    /// The part of each that wants the disk, or has a child that does; the others get nothing.
    fn entitled(&self, moved: &[u64]) -> Vec<f64> {
        let own = self.all.iter().zip(moved);
        let own: Vec<u64> =
            own.map(|(tenant, &bytes)| u64::from(tenant.submitted > 0 || bytes > 0)).collect();
        let wants = self.with_children(&own);
        let mut parts: Vec<f64> = vec![0.0; self.all.len()];
        for (index, tenant) in self.all.iter().enumerate().filter(|(index, _)| wants[*index] > 0) {
            let siblings = self.all.iter().zip(&wants);
            let among: u64 = siblings
                .filter(|(other, wants)| other.parent == tenant.parent && **wants > 0)
                .map(|(other, _)| u64::from(other.spec.weight))
                .sum();
            let of_parent = tenant.parent.map_or(1.0, |parent| parts[parent]);
            parts[index] = of_parent * f64::from(tenant.spec.weight) / among as f64;
        }
        parts
    }
}

impl Tenant {
    /// A request larger than all memory is let in when nothing else is held.
    fn has_room(&self, bytes: u64) -> bool {
        let limits = &self.spec.limits;
        let fits = self.memory_bytes.saturating_add(bytes) <= limits.memory_bytes;
        let has_memory = bytes == 0 || fits || self.memory_bytes == 0;
        self.requests < limits.requests.max(1) && has_memory
    }

    /// Lets a client wait, in the place that it has if it waits already.
    fn park(&mut self, client: ProcessId, bytes: u64) {
        let parked = Parked { client, bytes, is_named: false };
        match self.parked.iter_mut().find(|there| there.client == client) {
            Some(there) => *there = parked,
            None => self.parked.push_back(parked),
        }
    }

    fn waiting(&self) -> u32 {
        self.submitted.saturating_sub(self.in_flight)
    }
}

/// A request that has been answered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ended {
    pub op: Op,
    pub bytes: u64,
    pub well: bool,
    pub latency_ns: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::TenantLimits;
    use base::IoprioValue;

    fn tenant(name: &str, parent: Option<&str>, weight: u32) -> config::Tenant {
        config::Tenant {
            name: name.into(),
            parent: parent.map(Into::into),
            weight,
            ioprio: IoprioValue::UNSET,
            limits: TenantLimits { connections: 2, requests: 2, memory_bytes: 100 },
        }
    }

    #[test]
    fn what_is_entitled_goes_down_the_tree_among_those_who_want() {
        let mut tenants = Tenants::default();
        tenants.add(tenant("a", None, 100), GroupId(1), None);
        tenants.add(tenant("b", None, 300), GroupId(2), None);
        tenants.add(tenant("b1", Some("b"), 10), GroupId(3), Some(1));
        tenants.add(tenant("b2", Some("b"), 30), GroupId(4), Some(1));
        tenants.add(tenant("rests", None, 10_000), GroupId(5), None);
        assert_eq!(tenants.entitled(&[1, 0, 1, 1, 0]), [0.25, 0.75, 0.1875, 0.5625, 0.0]);
        assert_eq!(tenants.entitled(&[1, 0, 1, 0, 0]), [0.25, 0.75, 0.75, 0.0, 0.0]);
        tenants.get_mut(4).submitted = 1;
        let alone = tenants.entitled(&[0; 5]);
        assert_eq!(alone, [0.0, 0.0, 0.0, 0.0, 1.0]);
        assert_eq!(tenants.with_children(&[1, 2, 3, 4, 5]), [1, 9, 3, 4, 5]);
    }

    /// What was known of its latencies once stayed, 145 kB for each that was removed.
    #[test]
    fn of_a_tenant_that_is_gone_little_is_left() {
        let mut tenants = Tenants::default();
        tenants.add(tenant("a", None, 100), GroupId(1), None);
        let charge = tenants.admit(0, ProcessId(1), 1).expect("room");
        tenants.ended(0, 0, &Ended { op: Op::Read, bytes: 1, well: true, latency_ns: 1 });
        tenants.keep(&[]);
        assert_eq!(tenants.next_gone(|_| false), None, "it has a request");
        assert!(!tenants.get(0).latencies.is_empty());
        tenants.release(charge);
        assert_eq!(tenants.next_gone(|_| false), Some((0, GroupId(1))));
        assert!(tenants.get(0).latencies.is_empty());
        assert!(tenants.status(0).is_empty());
    }

    #[test]
    fn limits_park_clients_until_there_is_room() {
        let mut tenants = Tenants::default();
        tenants.add(tenant("a", None, 100), GroupId(1), None);
        let (one, two) = (ProcessId(1), ProcessId(2));
        let large = tenants.admit(0, one, 1000).expect("nothing else is held");
        assert!(tenants.admit(0, two, 1).is_none(), "memory");
        assert_eq!(tenants.next_parked(0), None);
        tenants.release(large);
        assert_eq!(tenants.next_parked(0), Some(two));
        let first = tenants.admit(0, two, 50).expect("room");
        let second = tenants.admit(0, two, 50).expect("room");
        assert!(tenants.admit(0, two, 0).is_none(), "requests");
        tenants.release(first);
        assert_eq!(tenants.next_parked(0), Some(two));
        assert_eq!(tenants.next_parked(0), None);
        tenants.release(second);
    }

    /// Whoever asked for little once got in whenever something ended, and who asked for much never.
    #[test]
    fn no_request_overtakes_one_that_waits() {
        let mut tenants = Tenants::default();
        tenants.add(tenant("a", None, 100), GroupId(1), None);
        tenants.get_mut(0).connections = 2;
        let (small, large) = (ProcessId(1), ProcessId(2));
        let first = tenants.admit(0, small, 50).expect("room");
        let second = tenants.admit(0, small, 40).expect("room");
        assert!(tenants.admit(0, large, 60).is_none(), "no room");
        tenants.release(second);
        assert_eq!(tenants.next_parked(0), None, "the large one does not fit");
        assert!(tenants.admit(0, small, 40).is_none(), "it is not its turn");
        let flush = tenants.admit(0, ProcessId(3), 0).expect("it needs no memory");
        assert_eq!(tenants.release(flush), 0);
        tenants.release(first);
        assert_eq!(tenants.next_parked(0), Some(large));
        assert!(tenants.admit(0, small, 40).is_none(), "it is not its turn yet");
        let large_one = tenants.admit(0, large, 60).expect("its turn");
        assert_eq!(tenants.next_parked(0), Some(small));
        let small_one = tenants.admit(0, small, 40).expect("its turn");
        tenants.release(small_one);
        tenants.release(large_one);
        // One that leaves while it waits makes room for the next.
        let first = tenants.admit(0, small, 50).expect("room");
        assert!(tenants.admit(0, large, 60).is_none() && tenants.admit(0, small, 40).is_none());
        tenants.forget(0, large);
        assert_eq!(tenants.next_parked(0), Some(small));
        tenants.release(first);
    }
}
