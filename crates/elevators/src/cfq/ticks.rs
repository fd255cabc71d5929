// SPDX-License-Identifier: MIT OR Apache-2.0
//! The coarse clock of CFQ's hosts: 250 ticks a second, as most distributions built them
//! (peers.md §5.1, §7).

/// The length of a tick: 4 ms.
pub(super) const TICK_NS: u64 = 4_000_000;
const TICK_MS: i64 = (TICK_NS / 1_000_000) as i64;
/// Ticks of a second.
pub(super) const HZ: i64 = 1000 / TICK_MS;

/// The tick in which a time lies.
pub(super) fn tick_at(time_ns: u64) -> i64 {
    (time_ns / TICK_NS) as i64
}

/// A span of milliseconds in ticks, begun ones counted whole.
pub(super) fn ticks_of_ms(span_ms: i64) -> i64 {
    (span_ms + TICK_MS - 1) / TICK_MS
}
