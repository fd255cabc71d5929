// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tunables of kyber (peers.md §4.1).

use blk::{NumberSyntax, TunableSpec};

use super::domain::Domain;
use crate::units::NS_PER_MS;

const READ_TARGET_NS: u64 = 2 * NS_PER_MS;
const WRITE_TARGET_NS: u64 = 10 * NS_PER_MS;
/// The latency target of discards, ns: 5 s. No tunable sets it.
const DISCARD_TARGET_NS: u64 = 5000 * NS_PER_MS;

/// The values, in the units of their files.
#[derive(Debug, Clone)]
pub(super) struct Tunables {
    read_lat_ns: u64,
    write_lat_ns: u64,
}

impl Default for Tunables {
    fn default() -> Tunables {
        Tunables { read_lat_ns: READ_TARGET_NS, write_lat_ns: WRITE_TARGET_NS }
    }
}

impl Tunables {
    /// The latency that a domain's requests should have at most, ns.
    pub fn target_ns(&self, domain: Domain) -> Option<u64> {
        match domain {
            Domain::Read => Some(self.read_lat_ns),
            Domain::Write => Some(self.write_lat_ns),
            Domain::Discard => Some(DISCARD_TARGET_NS),
            Domain::Other => None,
        }
    }
}

/// All tunables of kyber.
pub(super) const TABLE: &[TunableSpec<Tunables, u64>] = &[
    TunableSpec {
        name: "read_lat_nsec",
        unit: "ns",
        doc: "latency that reads should have at most; depths of queues are adjusted to it",
        min: 0,
        max: u64::MAX,
        syntax: NumberSyntax::Unsigned,
        default: |_| READ_TARGET_NS,
        get: |tunables| tunables.read_lat_ns,
        set: |tunables, value| tunables.read_lat_ns = value,
    },
    TunableSpec {
        name: "write_lat_nsec",
        unit: "ns",
        doc: "latency that writes should have at most; depths of queues are adjusted to it",
        min: 0,
        max: u64::MAX,
        syntax: NumberSyntax::Unsigned,
        default: |_| WRITE_TARGET_NS,
        get: |tunables| tunables.write_lat_ns,
        set: |tunables, value| tunables.write_lat_ns = value,
    },
];
