// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tunables of both generations, one table (peers.md §5.1).

use blk::{NumberSyntax, TunableSpec};

use super::generation::Generation;
use super::ticks::ticks_of_ms;
use crate::units::INT_MAX;

/// The values, in the units of their files.
#[derive(Debug, Clone)]
pub(super) struct Tunables {
    pub generation: Generation,
    /// `None` until written: the generation's own.
    quantum: Option<i64>,
    fifo_expire_sync_ms: i64,
    fifo_expire_async_ms: i64,
    back_seek_max_kib: i64,
    pub back_seek_penalty: i64,
    slice_sync_ms: i64,
    slice_async_ms: i64,
    pub slice_async_rq: i64,
    slice_idle_ms: i64,
    pub low_latency: bool,
    pub group_isolation: bool,
}

impl Tunables {
    pub fn new(generation: Generation) -> Tunables {
        Tunables {
            generation,
            quantum: None,
            fifo_expire_sync_ms: 125,
            fifo_expire_async_ms: 250,
            back_seek_max_kib: 16384,
            back_seek_penalty: 2,
            slice_sync_ms: 100,
            slice_async_ms: 40,
            slice_async_rq: 2,
            slice_idle_ms: 8,
            low_latency: true,
            group_isolation: false,
        }
    }

    /// Requests that a queue may have in flight.
    pub fn quantum(&self) -> i64 {
        self.quantum.unwrap_or(self.generation.quantum())
    }

    /// From the arrival of a request to its deadline.
    pub fn fifo_expire_ticks(&self, sync: bool) -> i64 {
        ticks_of_ms(if sync { self.fifo_expire_sync_ms } else { self.fifo_expire_async_ms })
    }

    /// How far behind the head a request may lie and still be worth going back for.
    pub fn back_seek_max_sectors(&self) -> u64 {
        self.back_seek_max_kib as u64 * 2
    }

    /// The slice of a queue of level 4.
    pub fn base_slice_ticks(&self, sync: bool) -> i64 {
        ticks_of_ms(if sync { self.slice_sync_ms } else { self.slice_async_ms })
    }

    /// How long a queue is waited for; 0: not at all.
    pub fn slice_idle_ticks(&self) -> i64 {
        ticks_of_ms(self.slice_idle_ms)
    }
}

/// The tunables that a generation has.
pub(super) fn table(generation: Generation) -> &'static [TunableSpec<Tunables>] {
    match generation {
        Generation::Linux2_6_32 => &TABLE[..TABLE.len() - 1],
        Generation::Linux2_6_35 => TABLE,
    }
}

macro_rules! row {
    ($name:ident, $field:ident, $unit:literal, $min:literal, $default:literal, $doc:literal) => {
        TunableSpec {
            name: stringify!($name),
            unit: $unit,
            doc: $doc,
            min: $min,
            max: INT_MAX,
            syntax: NumberSyntax::Unsigned,
            default: |_| $default,
            get: |tunables| tunables.$field,
            set: |tunables, value| tunables.$field = value,
        }
    };
}

macro_rules! switch {
    ($name:ident, $default:literal, $doc:literal) => {
        TunableSpec {
            name: stringify!($name),
            unit: "bool",
            doc: $doc,
            min: 0,
            max: 1,
            syntax: NumberSyntax::Unsigned,
            default: |_| $default,
            get: |tunables| tunables.$name.into(),
            set: |tunables, value| tunables.$name = value != 0,
        }
    };
}

/// All tunables; the last one came with groups.
const TABLE: &[TunableSpec<Tunables>] = &[
    TunableSpec {
        name: "quantum",
        unit: "requests",
        doc: "how many requests a queue may have on the device while others wait; by default 4, \
            in generation 2.6.35 8",
        min: 1,
        max: INT_MAX,
        syntax: NumberSyntax::Unsigned,
        default: |tunables| tunables.generation.quantum(),
        get: |tunables| tunables.quantum(),
        set: |tunables, value| tunables.quantum = Some(value),
    },
    row!(
        fifo_expire_sync,
        fifo_expire_sync_ms,
        "ms",
        1,
        125,
        "deadline of a synchronous request inside its queue (looked at once in a slice)"
    ),
    row!(
        fifo_expire_async,
        fifo_expire_async_ms,
        "ms",
        1,
        250,
        "deadline of an asynchronous request inside its queue (looked at once in a slice)"
    ),
    row!(
        back_seek_max,
        back_seek_max_kib,
        "KiB",
        0,
        16384,
        "how far behind the head a request may lie and still be chosen before one ahead"
    ),
    row!(
        back_seek_penalty,
        back_seek_penalty,
        "factor",
        1,
        2,
        "a distance backwards counts as this multiple of one forwards"
    ),
    row!(
        slice_sync,
        slice_sync_ms,
        "ms",
        1,
        100,
        "time slice of a process's queue at ioprio level 4; a fifth more or less for each level"
    ),
    row!(
        slice_async,
        slice_async_ms,
        "ms",
        1,
        40,
        "time slice of a queue of asynchronous requests at ioprio level 4"
    ),
    row!(
        slice_async_rq,
        slice_async_rq,
        "requests",
        1,
        2,
        "base of the number of asynchronous requests in a slice (level 4: eight times as many)"
    ),
    row!(
        slice_idle,
        slice_idle_ms,
        "ms",
        0,
        8,
        "how long to wait for the next request of the process being served; 0: never"
    ),
    switch!(
        low_latency,
        1,
        "hold asynchronous requests back for processes that wait; generation 2.6.35: shorten \
            slices so that every queue has its turn within 300 ms"
    ),
    switch!(
        group_isolation,
        0,
        "keep queues that seek in their group rather than move them to the root, for fairness at \
            the cost of throughput"
    ),
];
