// SPDX-License-Identifier: MIT OR Apache-2.0
//! What goes over the device: fio's `disk_util`.

use base::Op;
use blk::Request;
use report::DiskUtil;

/// Requests of one operation.
#[derive(Clone, Copy, Debug, Default)]
struct Requests {
    count: u64,
    merges: u64,
    held_ns: u64,
}

/// Counts of the requests that left the device, and the time it was busy.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    /// What was done, by operation.
    requests: [Requests; Op::ALL.len()],
    on_device: u32,
    busy_since_ns: u64,
    busy_ns: u64,
    idle_since_ns: u64,
    visits: u64,
}

/// A pause of the device that is at least so long ends a visit: a scheduler that waited that long
/// on a rotating disk might as well have served another process meanwhile.
const PAUSE_NS: u64 = 1_000_000;

/// How the device was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// How long it had a request, ns.
    pub busy_ns: u64,
    /// How often it got one after a pause of 1 ms or more; the first time counts.
    pub visits: u64,
}

impl Traffic {
    /// A request goes to the device.
    #[inline]
    pub(crate) fn issued(&mut self, now_ns: u64) {
        if self.on_device == 0 {
            self.busy_since_ns = now_ns;
            let pause_ns = now_ns - self.idle_since_ns;
            self.visits += u64::from(self.visits == 0 || pause_ns >= PAUSE_NS);
        }
        self.on_device += 1;
    }

    /// A request left the device, done or not.
    #[inline]
    pub(crate) fn left(&mut self, now_ns: u64) {
        self.on_device -= 1;
        if self.on_device == 0 {
            self.busy_ns += now_ns - self.busy_since_ns;
            self.idle_since_ns = now_ns;
        }
    }

    /// A request of `bios` bios has ended.
    #[inline]
    pub(crate) fn ended(&mut self, now_ns: u64, request: &Request, bios: u64) {
        let requests = &mut self.requests[request.op as usize];
        requests.count += 1;
        requests.merges += bios.saturating_sub(1);
        requests.held_ns += now_ns - request.allocated_ns;
    }

    /// How the device was used until `now_ns`.
    pub(crate) fn usage(&self, now_ns: u64) -> Usage {
        let open_ns = if self.on_device > 0 { now_ns - self.busy_since_ns } else { 0 };
        Usage { busy_ns: self.busy_ns + open_ns, visits: self.visits }
    }

    /// The figures of a run that has lasted until `now_ns`.
    pub(crate) fn disk_util(&self, now_ns: u64, name: &str) -> DiskUtil {
        let busy_ns = self.usage(now_ns).busy_ns;
        let [reads, writes] = [Op::Read, Op::Write].map(|op| self.requests[op as usize]);
        let (read_ticks, write_ticks) = (reads.held_ns / 1_000_000, writes.held_ns / 1_000_000);
        DiskUtil {
            name: name.to_owned(),
            read_ios: reads.count,
            write_ios: writes.count,
            read_merges: reads.merges,
            write_merges: writes.merges,
            read_ticks,
            write_ticks,
            in_queue: read_ticks + write_ticks,
            util: (busy_ns as f64 * 1e8 / now_ns.max(1) as f64).round() / 1e6,
        }
    }
}
