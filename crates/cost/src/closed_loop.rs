// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scheduler alone, in a closed loop: as soon as a request completes, its process sends it again.
//!
//! One turn is one insertion, one dispatch and one completion. Requests are 4 KiB random reads; the
//! device takes [`DEVICE_DEPTH`] at a time and completes them in order, one each 10 µs.

use crate::places::Places;
use base::{IoprioValue, Op};
use blk::{Bio, BlockLayer, DeviceLimits, Elevator, ProcessId, ProcessSpec, QueueSettings, Tag};
use std::collections::VecDeque;

/// Numbers of processes that are measured.
pub const PROCESSES: [u32; 3] = [16, 1000, 10_000];
/// Requests in the device.
pub const DEVICE_DEPTH: u32 = 32;
/// Requests that each process keeps going.
pub const PROCESS_DEPTH: u32 = 8;
/// Time between two completions of the device, ns: 10 µs.
const STEP_NS: u64 = 10_000;
/// Time between the starts of two processes: bfq would take processes that start at the same time
/// for one application, and give them one queue.
const START_GAP_NS: u64 = 1_000_000_000;
/// Time before the loop begins, so that no process is new any more.
const SETTLE_NS: u64 = 30_000_000_000;
/// Size of a read, sectors.
const SECTORS: u32 = 8;

/// The loop, with everything in its steady state.
pub struct ClosedLoop {
    elevator: Box<dyn Elevator>,
    /// Holds the requests; its own scheduler is not used.
    layer: BlockLayer,
    in_flight: VecDeque<Tag>,
    now_ns: u64,
}

impl ClosedLoop {
    /// A loop of `processes` processes under the scheduler that `spec` names.
    ///
    /// # Errors
    /// If there is no such scheduler.
    pub fn new(spec: &str, processes: u32) -> Result<ClosedLoop, elevators::BuildError> {
        let requests = processes * PROCESS_DEPTH;
        let limits = DeviceLimits::new(requests, false);
        let mut elevator = elevators::build(spec, 0, &DeviceLimits::new(DEVICE_DEPTH, false))?;
        let mut layer = filled_layer(limits, processes);
        elevator.pool_resized(0, requests, requests);
        for process in 0..processes {
            elevator.process_added(0, ProcessId(process), &process_spec());
        }
        let mut tags: Vec<Tag> =
            std::iter::from_fn(|| layer.next_command(0)).map(|command| command.tag).collect();
        tags.sort_unstable_by_key(|&tag| (layer.pool()[tag].process, tag));
        let mut now_ns = 0;
        for of_process in tags.chunks(PROCESS_DEPTH as usize) {
            now_ns += START_GAP_NS;
            for &tag in of_process {
                elevator.insert(now_ns, tag, false, layer.pool());
            }
        }
        now_ns += SETTLE_NS;
        let mut this = ClosedLoop { elevator, layer, in_flight: VecDeque::new(), now_ns };
        this.fill_device();
        Ok(this)
    }

    fn fill_device(&mut self) {
        while self.in_flight.len() < DEVICE_DEPTH as usize && self.elevator.has_work() {
            let Some(tag) = self.elevator.dispatch(self.now_ns, self.layer.pool()) else { break };
            self.in_flight.push_back(tag);
        }
    }

    /// Runs `turns` turns; returns how many requests were served.
    pub fn run(&mut self, turns: u64) -> u64 {
        let mut served = 0;
        for _ in 0..turns {
            self.now_ns += STEP_NS;
            if let Some(timer_ns) = self.elevator.next_timer_ns()
                && timer_ns <= self.now_ns
            {
                self.elevator.on_timer(self.now_ns);
            }
            if let Some(tag) = self.in_flight.pop_front() {
                served += 1;
                self.elevator.completed(self.now_ns, tag, self.layer.pool());
                self.elevator.take_kick();
                self.elevator.insert(self.now_ns, tag, false, self.layer.pool());
            }
            self.fill_device();
        }
        served
    }
}

fn process_spec() -> ProcessSpec {
    ProcessSpec { group: blk::GroupId::ROOT, ioprio: IoprioValue::default(), name: String::new() }
}

/// A layer whose pool holds every request of every process.
fn filled_layer(limits: DeviceLimits, processes: u32) -> BlockLayer {
    let settings = QueueSettings { nr_requests: Some(limits.depth), ..QueueSettings::default() };
    let elevator = elevators::build("none", 0, &limits).expect("`none` exists");
    let mut layer = BlockLayer::new(settings, limits, elevator);
    for _ in 0..processes {
        layer.add_process(0, process_spec()).expect("the root group exists");
    }
    let mut places = Places::new(SECTORS);
    for n in 0..processes * PROCESS_DEPTH {
        let bio = Bio {
            token: u64::from(n),
            op: Op::Read,
            sync: true,
            metadata: false,
            read_ahead: false,
            sector: places.next_sector(),
            sectors: SECTORS,
            process: Some(ProcessId(n % processes)),
        };
        let _ = layer.submit(0, bio);
    }
    layer
}
