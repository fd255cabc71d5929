//! The tunables of mq-deadline (peers.md §3.1).

use blk::{NumberSyntax, TunableSpec};

const NS_PER_MS: i64 = 1_000_000;
const INT_MAX: i64 = i32::MAX as i64;

/// The values, in the units of their files.
#[derive(Debug, Clone)]
pub(super) struct Tunables {
    read_expire_ms: i64,
    write_expire_ms: i64,
    pub writes_starved: i64,
    pub front_merges: bool,
    pub fifo_batch: i64,
    /// `None` until written: the whole pool.
    async_depth: Option<i64>,
    prio_aging_expire_ms: i64,
    pub nr_requests: u32,
}

impl Tunables {
    pub fn new(nr_requests: u32) -> Tunables {
        Tunables {
            read_expire_ms: 500,
            write_expire_ms: 5000,
            writes_starved: 2,
            front_merges: true,
            fifo_batch: 16,
            async_depth: None,
            prio_aging_expire_ms: 10_000,
            nr_requests,
        }
    }

    /// The time from arrival to deadline of a read, ns.
    pub fn read_expire_ns(&self) -> i64 {
        self.read_expire_ms * NS_PER_MS
    }

    /// The time from arrival to deadline of a write, ns.
    pub fn write_expire_ns(&self) -> i64 {
        self.write_expire_ms * NS_PER_MS
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

/// All tunables.
pub(super) const TABLE: &[TunableSpec<Tunables>] = &[
    TunableSpec {
        name: "read_expire",
        unit: "ms",
        doc: "deadline of a read after its arrival (soft: looked at when a batch begins)",
        min: 0,
        max: INT_MAX,
        syntax: NumberSyntax::SignedAnyBase,
        default: |_| 500,
        get: |tunables| tunables.read_expire_ms,
        set: |tunables, value| tunables.read_expire_ms = value,
    },
    TunableSpec {
        name: "write_expire",
        unit: "ms",
        doc: "deadline of a write after its arrival (soft: looked at when a batch begins)",
        min: 0,
        max: INT_MAX,
        syntax: NumberSyntax::SignedAnyBase,
        default: |_| 5000,
        get: |tunables| tunables.write_expire_ms,
        set: |tunables, value| tunables.write_expire_ms = value,
    },
    TunableSpec {
        name: "writes_starved",
        unit: "batches",
        doc: "batches of reads that may pass over waiting writes",
        min: i32::MIN as i64,
        max: INT_MAX,
        syntax: NumberSyntax::SignedAnyBase,
        default: |_| 2,
        get: |tunables| tunables.writes_starved,
        set: |tunables, value| tunables.writes_starved = value,
    },
    TunableSpec {
        name: "front_merges",
        unit: "bool",
        doc: "whether requests are sought that a bio can be put before (the hint may find one anyway)",
        min: 0,
        max: 1,
        syntax: NumberSyntax::SignedAnyBase,
        default: |_| 1,
        get: |tunables| tunables.front_merges.into(),
        set: |tunables, value| tunables.front_merges = value != 0,
    },
    TunableSpec {
        name: "fifo_batch",
        unit: "requests",
        doc: "requests of a batch: in sector order, of one direction",
        min: 0,
        max: INT_MAX,
        syntax: NumberSyntax::SignedAnyBase,
        default: |_| 16,
        get: |tunables| tunables.fifo_batch,
        set: |tunables, value| tunables.fifo_batch = value,
    },
    TunableSpec {
        name: "async_depth",
        unit: "requests",
        doc: "share of the request pool for everything but synchronous reads; by default all of it",
        min: 1,
        max: INT_MAX,
        syntax: NumberSyntax::SignedAnyBase,
        default: |tunables| tunables.nr_requests.into(),
        get: |tunables| tunables.async_depth().into(),
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
];
