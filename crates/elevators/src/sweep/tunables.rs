// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tunables of sweeps and batches (peers.md §3.1).

use blk::{NumberSyntax, TunableSpec};

use super::direction::Direction;
use crate::units::INT_MAX;

pub(crate) const NS_PER_MS: i64 = crate::units::NS_PER_MS as i64;

/// The values, in the units of their files.
#[derive(Debug, Clone)]
pub(crate) struct SweepTunables {
    read_expire_ms: i64,
    write_expire_ms: i64,
    pub writes_starved: i64,
    pub front_merges: bool,
    pub fifo_batch: i64,
}

impl Default for SweepTunables {
    fn default() -> SweepTunables {
        SweepTunables {
            read_expire_ms: 500,
            write_expire_ms: 5000,
            writes_starved: 2,
            front_merges: true,
            fifo_batch: 16,
        }
    }
}

impl SweepTunables {
    /// The time from arrival to deadline, ns.
    pub fn expire_ns(&self, direction: Direction) -> i64 {
        match direction {
            Direction::Read => self.read_expire_ms * NS_PER_MS,
            Direction::Write => self.write_expire_ms * NS_PER_MS,
        }
    }
}

impl AsRef<SweepTunables> for SweepTunables {
    fn as_ref(&self) -> &SweepTunables {
        self
    }
}

impl AsMut<SweepTunables> for SweepTunables {
    fn as_mut(&mut self) -> &mut SweepTunables {
        self
    }
}

/// The rows of an elevator's table that are about sweeps and batches.
pub(crate) const fn rows<T: AsRef<SweepTunables> + AsMut<SweepTunables>>() -> [TunableSpec<T>; 5] {
    [
        TunableSpec {
            name: "read_expire",
            unit: "ms",
            doc: "deadline of a read after its arrival (soft: looked at when a batch begins)",
            min: 0,
            max: INT_MAX,
            syntax: NumberSyntax::SignedAnyBase,
            default: |_| 500,
            get: |of| of.as_ref().read_expire_ms,
            set: |of, value| of.as_mut().read_expire_ms = value,
        },
        TunableSpec {
            name: "write_expire",
            unit: "ms",
            doc: "deadline of a write after its arrival (soft: looked at when a batch begins)",
            min: 0,
            max: INT_MAX,
            syntax: NumberSyntax::SignedAnyBase,
            default: |_| 5000,
            get: |of| of.as_ref().write_expire_ms,
            set: |of, value| of.as_mut().write_expire_ms = value,
        },
        TunableSpec {
            name: "writes_starved",
            unit: "batches",
            doc: "batches of reads that may pass over waiting writes",
            min: i32::MIN as i64,
            max: INT_MAX,
            syntax: NumberSyntax::SignedAnyBase,
            default: |_| 2,
            get: |of| of.as_ref().writes_starved,
            set: |of, value| of.as_mut().writes_starved = value,
        },
        TunableSpec {
            name: "front_merges",
            unit: "bool",
            doc: "whether requests are sought that a bio can be put before (the hint may find one \
                anyway)",
            min: 0,
            max: 1,
            syntax: NumberSyntax::SignedAnyBase,
            default: |_| 1,
            get: |of| of.as_ref().front_merges as i64,
            set: |of, value| of.as_mut().front_merges = value != 0,
        },
        TunableSpec {
            name: "fifo_batch",
            unit: "requests",
            doc: "requests of a batch: in sector order, of one direction",
            min: 0,
            max: INT_MAX,
            syntax: NumberSyntax::SignedAnyBase,
            default: |_| 16,
            get: |of| of.as_ref().fifo_batch,
            set: |of, value| of.as_mut().fifo_batch = value,
        },
    ]
}
