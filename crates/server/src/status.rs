// SPDX-License-Identifier: MIT OR Apache-2.0
//! What there is to see of a running server, as values that become JSON, metrics and the live page.

use serde::{Deserialize, Serialize};

/// A whole server at one instant.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// How long it has run, in nanoseconds.
    pub uptime_ns: u64,
    /// Connections in their handshake.
    pub handshakes: u32,
    /// Connections that were refused or closed by a limit or an error, since the start.
    pub refused: u64,
    /// The disks that it serves from.
    pub disks: Vec<DiskStatus>,
}

/// A disk and who uses it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DiskStatus {
    /// The name it is known by.
    pub name: String,
    /// It serves nothing any more, after an error that is in the log; the rest is unknown then.
    #[serde(default)]
    pub ended: bool,
    /// What it is, for people: the device and model, or the profile.
    pub description: String,
    /// The name of the scheduler that the disk has now.
    pub scheduler: String,
    /// Its tunables: names and values.
    pub tunables: Vec<(String, String)>,
    /// The most commands that it is given at a time.
    pub depth: u32,
    /// Commands that it has now.
    pub in_flight: u32,
    /// Those of them that others do not wait for, since they hang or follow ones that do.
    #[serde(default)]
    pub hanging: u32,
    /// Requests that wait in the scheduler.
    pub waiting: u32,
    /// Time with at least one command in flight, in nanoseconds since the start.
    pub busy_ns: u64,
    /// What is served from it.
    pub exports: Vec<ExportStatus>,
    /// Who has exports on it, parents before their children.
    pub tenants: Vec<TenantStatus>,
}

/// An export as it is now.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ExportStatus {
    /// The name that clients ask for.
    pub name: String,
    /// The tenant it is charged to.
    pub tenant: String,
    /// Its size, in bytes.
    pub size_bytes: u64,
    /// Whether clients are refused writes, discards and zeroing.
    pub read_only: bool,
    /// It takes no new connections.
    pub draining: bool,
    /// Connections that use it.
    pub connections: u32,
}

/// What a tenant gets, is entitled to and waits for, on one disk.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TenantStatus {
    /// The name it is known by.
    pub name: String,
    /// The tenant it is part of.
    pub parent: Option<String>,
    /// Its weight among its siblings.
    pub weight: u32,
    /// Connections at a time.
    pub connections: u32,
    /// Requests that went well, and their bytes, since the start; cache and block-status requests
    /// do not count.
    pub done: Counts,
    /// Requests that failed or were refused, since the start.
    pub errors: u64,
    /// Requests that wait in the scheduler, or for a place in it.
    pub waiting: u32,
    /// Requests that the disk has.
    pub in_flight: u32,
    /// Bytes of data held for it.
    pub memory_bytes: u64,
    /// Its part of the bytes that the disk moved in the last second, from 0 to 1.
    pub share: f64,
    /// The part it is entitled to among those who want the disk now, from 0 to 1.
    pub entitled: f64,
    /// From a request's arrival to its answer, of those of the last ten seconds.
    pub latency: LatencyStatus,
    /// Who has the disk that it waits for, if it waits.
    pub waits_for: Option<String>,
}

/// Finished requests by what they did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Reads that ended well; failed ones are errors.
    pub reads: u64,
    /// Bytes that were read.
    pub read_bytes: u64,
    /// Writes that ended; zeros that were written are among them.
    pub writes: u64,
    /// Bytes that were written.
    pub written_bytes: u64,
    /// Discards that ended well; failed ones are errors.
    pub discards: u64,
    /// Flushes that ended well; failed ones are errors.
    pub flushes: u64,
}

/// Quantiles of latency, in nanoseconds; 0 if nothing ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatencyStatus {
    /// The median: half of the requests took at most this long.
    pub median_ns: u64,
    /// One of a hundred was slower.
    pub p99_ns: u64,
    /// The slowest of them.
    pub worst_ns: u64,
}

/// A request that was slow, and what it waited for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SlowRequest {
    /// The name of the export that it was sent to.
    pub export: String,
    /// `read`, `write`, `discard` or `flush`.
    pub operation: String,
    /// Where it begins, in bytes.
    pub offset_bytes: u64,
    /// Its length, in bytes.
    pub length_bytes: u64,
    /// How long ago it ended, in nanoseconds.
    pub ended_ago_ns: u64,
    /// From its arrival to its end, in nanoseconds.
    pub latency_ns: u64,
    /// Of that, before it had a place in the scheduler.
    pub before_scheduler_ns: u64,
    /// Of that, in the scheduler.
    pub in_scheduler_ns: u64,
    /// Of that, in the disk.
    pub in_disk_ns: u64,
    /// Why, a sentence for each cause, the longest first.
    pub reasons: Vec<String>,
}
