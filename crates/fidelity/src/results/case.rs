// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is simulated in one go, and the host on which it was recorded.

use device::{Profile, ProfileError};
use sim::{CpuTimes, SimulatedHost};

/// Scenarios of many readers that all look alike to bfq with its defaults: the order of events at
/// the same time decides which of them is merged or raised, and so their totals.
const CHAOTIC: [&str; 4] = ["onoff1", "onoff8", "softrt", "start10"];
/// In how many orders a chaotic scenario is simulated.
pub const ORDERS: u64 = 20;

/// The behaviour of the recorded kernel.
pub(super) const RECORDED: &str = "linux-6.1";
/// Requests in the recording host's pool.
pub(super) const POOL_REQUESTS: u32 = 256;
/// By how much each reading of the recording host's clock advanced it, ns.
pub(super) const CLOCK_READ_NS: u64 = 256;
/// The largest I/O of the scenarios, MB: throughputs that differ by one of them agree.
pub(super) const LARGEST_IO_MB: f64 = 0.262_144;

/// What is simulated in one go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the disk.
    pub disk: String,
    /// Depth of its queue.
    pub depth: u32,
    /// The scheduler as the recordings call it.
    pub scheduler: String,
}

impl Case {
    /// The scheduler and its tunables, as `elevators::build` reads them, our bfq
    /// with that behaviour.
    pub fn elevator(&self, behaviour: &str) -> String {
        let Some(suffix) = self.scheduler.strip_prefix("bfq") else {
            return match self.scheduler.as_str() {
                "mq-deadline" => format!("mq-deadline:async_depth={}", self.write_tags()),
                _ => self.scheduler.clone(),
            };
        };
        let tunables = match suffix {
            "-ll0" => ",low_latency=0",
            "-ll0-si0" => ",low_latency=0,slice_idle=0",
            "-ll0-strict" => ",low_latency=0,strict_guarantees=1",
            _ => "",
        };
        format!("bfq:behaviour={behaviour}{tunables}")
    }

    /// How many requests of the pool were open to writes under mq-deadline. Linux 6.1 lets them
    /// have three quarters of each of the pool's four words, but of the pool as it was when the
    /// scheduler was attached: twice the depth of the disk. It was enlarged to 256 later.
    fn write_tags(&self) -> u32 {
        let first_pool = 2 * self.depth.min(128);
        let of_word = (first_pool * 3 / 4).max(1);
        (4 * of_word).min(POOL_REQUESTS)
    }

    pub(super) fn profile(&self) -> Result<Profile, ProfileError> {
        Profile::parse_argument(&format!("reference-{}:depth={}", self.disk, self.depth))
    }

    /// The recording host. Under bfq it read its clock six times for an I/O, under the others five
    /// times (by the elapsed times of `seq1`), the last time to issue it; twice to issue one before
    /// its process goes on (decision log `t1`). What was under way at the end of a scenario was not
    /// counted. From the first drawn history to the last a process needs from one reading less to
    /// one more: events no farther from each other than that count as simultaneous, too.
    pub(super) fn host(&self, seed: u64) -> SimulatedHost {
        let reads = if self.is_of_bfq() { 5 } else { 4 };
        let process_ns = match seed {
            0 => reads * CLOCK_READ_NS,
            _ => (reads - 1) * CLOCK_READ_NS + 2 * CLOCK_READ_NS * seed / ORDERS,
        };
        let times = CpuTimes { process_ns, run_ns: CLOCK_READ_NS, issue_ns: CLOCK_READ_NS };
        SimulatedHost { cpu: Some(times), stops_on_time: true }
    }

    /// What one slot of service may move, MB: the budget timeout of 125 ms at the disk's full rate.
    /// Schedulers without slots: one I/O.
    pub(super) fn slot_mb(&self) -> f64 {
        match (self.is_of_bfq(), self.disk.as_str()) {
            (true, "ssd") => 62.5,
            (true, _) => 12.5,
            (false, _) => LARGEST_IO_MB,
        }
    }

    /// Whether a comparison makes sense: this program has the scheduler, and the recording is
    /// no lottery, as `none` is on a device that takes one request (the first process to ask
    /// gets the tag).
    pub fn is_comparable(&self) -> bool {
        if self.scheduler == "none" && self.depth == 1 {
            return false;
        }
        let elevator = self.elevator(RECORDED);
        let name = elevator.split(':').next().unwrap_or(&elevator);
        elevators::names().any(|known| known == name)
    }

    /// Whether it is one of our scheduler.
    pub fn is_of_bfq(&self) -> bool {
        self.scheduler.starts_with("bfq")
    }

    /// Whether the totals depend on the order of events at the same time.
    pub fn is_chaotic(&self) -> bool {
        self.scheduler == "bfq" && CHAOTIC.contains(&self.scenario.as_str())
    }
}
