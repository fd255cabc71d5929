// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tunables of mq-deadline (peers.md §3.1).

use blk::{NumberSyntax, TunableSpec};

use crate::sweep::{NS_PER_MS, SweepTunables, tunable_rows};
use crate::units::INT_MAX;

/// The values, in the units of their files.
#[derive(Debug, Clone)]
pub(super) struct Tunables {
    pub sweep: SweepTunables,
    /// `None` until written: the whole pool.
    async_depth: Option<i64>,
    prio_aging_expire_ms: i64,
    pub nr_requests: u32,
}

impl Tunables {
    pub fn new(nr_requests: u32) -> Tunables {
        Tunables {
            sweep: SweepTunables::default(),
            async_depth: None,
            prio_aging_expire_ms: 10_000,
            nr_requests,
        }
    }

    /// The waiting time after which a lower class is served, ns.
    pub fn prio_aging_expire_ns(&self) -> i64 {
        self.prio_aging_expire_ms * NS_PER_MS
    }

    /// How much of the pool everything but synchronous reads may use, requests.
    pub fn async_depth(&self) -> u32 {
        self.async_depth.map_or(self.nr_requests, |depth| depth as u32)
    }
}

impl AsRef<SweepTunables> for Tunables {
    fn as_ref(&self) -> &SweepTunables {
        &self.sweep
    }
}

impl AsMut<SweepTunables> for Tunables {
    fn as_mut(&mut self) -> &mut SweepTunables {
        &mut self.sweep
    }
}

/// All tunables of mq-deadline.
pub(super) const TABLE: &[TunableSpec<Tunables>] = {
    let [read_expire, write_expire, writes_starved, front_merges, fifo_batch] = tunable_rows();
    &[
        read_expire,
        write_expire,
        writes_starved,
        front_merges,
        fifo_batch,
        TunableSpec {
            name: "async_depth",
            unit: "requests",
            doc: "share of the request pool for everything but synchronous reads; by default all \
                of it",
            min: 1,
            max: INT_MAX,
            syntax: NumberSyntax::SignedAnyBase,
            default: |tunables| tunables.nr_requests as i64,
            get: |tunables| tunables.async_depth() as i64,
            set: |tunables, value| tunables.async_depth = Some(value),
        },
        TunableSpec {
            name: "prio_aging_expire",
            unit: "ms",
            doc: "waiting time after which a request of a lower class goes before higher ones",
            min: 0,
            max: INT_MAX,
            syntax: NumberSyntax::SignedAnyBase,
            default: |_| 10_000,
            get: |tunables| tunables.prio_aging_expire_ms,
            set: |tunables, value| tunables.prio_aging_expire_ms = value,
        },
    ]
};
