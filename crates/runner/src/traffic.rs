// SPDX-License-Identifier: MIT OR Apache-2.0
//! What goes over the device: fio's `disk_util`.

use base::Op;
use blk::Request;
use report::DiskUtil;

/// Requests of one direction.
#[derive(Clone, Copy, Debug, Default)]
struct Direction {
    requests: u64,
    merges: u64,
    held_ns: u64,
}

/// Counts of the requests that left the device, and the time it was busy.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    reads: Direction,
    writes: Direction,
    on_device: u32,
    busy_since_ns: u64,
    busy_ns: u64,
}

impl Traffic {
    /// A request goes to the device.
    #[inline]
    pub(crate) fn issued(&mut self, now_ns: u64) {
        if self.on_device == 0 {
            self.busy_since_ns = now_ns;
        }
        self.on_device += 1;
    }

    /// A request left the device, done or not.
    #[inline]
    pub(crate) fn left(&mut self, now_ns: u64) {
        self.on_device -= 1;
        if self.on_device == 0 {
            self.busy_ns += now_ns - self.busy_since_ns;
        }
    }

    /// A request of `bios` bios has ended.
    #[inline]
    pub(crate) fn ended(&mut self, now_ns: u64, request: &Request, bios: u64) {
        let direction = match request.op {
            Op::Read => &mut self.reads,
            Op::Write => &mut self.writes,
            Op::Discard | Op::Flush => return,
        };
        direction.requests += 1;
        direction.merges += bios.saturating_sub(1);
        direction.held_ns += now_ns - request.allocated_ns;
    }

    /// The figures of a run that has lasted until `now_ns`.
    pub(crate) fn disk_util(&self, now_ns: u64, name: &str) -> DiskUtil {
        let open_ns = if self.on_device > 0 { now_ns - self.busy_since_ns } else { 0 };
        let busy_ns = self.busy_ns + open_ns;
        let (read_ticks, write_ticks) =
            (self.reads.held_ns / 1_000_000, self.writes.held_ns / 1_000_000);
        DiskUtil {
            name: name.to_owned(),
            read_ios: self.reads.requests,
            write_ios: self.writes.requests,
            read_merges: self.reads.merges,
            write_merges: self.writes.merges,
            read_ticks,
            write_ticks,
            in_queue: read_ticks + write_ticks,
            util: (busy_ns as f64 * 1e8 / now_ns.max(1) as f64).round() / 1e6,
        }
    }
}
