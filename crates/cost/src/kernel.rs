// SPDX-License-Identifier: MIT OR Apache-2.0
//! The core alone, called as a kernel calls it: what `bfq` adds to each I/O there.
//!
//! One CPU, and a device that completes a request while it is dispatched (null_blk without
//! interrupts). A process submits 4 KiB random reads, a batch at a time, which the block layer
//! inserts; then it dispatches what it gets, and completes that. No bio continues a request that
//! waits, which the module sees without the core; so while anything waits, the core is asked for a
//! bio only if it watches bios ([`Scheduler::watches_bios`]). A process goes on until its time
//! slice is over or as many of its requests wait as it keeps going. Only what happens inside
//! [`calls`] is counted.

use base::OutOfMemory;
use bfq::{Config, NewRequest, ProcessAttributes, ProcessId, RequestId, Scheduler, Time};
use cost::places::Places;
use recording::{Recorded, Sink};

/// Requests that each process keeps going.
const PROCESS_DEPTH: u32 = 32;
/// Size of the pool.
const NR_REQUESTS: u32 = 256;
/// How often the clock of the modelled kernel ticks in a second.
const HZ: u32 = 250;
/// Time between two submissions of a process, for each request.
const STEP_NS: u64 = 16_000;
/// Time until another process has its turn.
const TIME_SLICE_NS: u64 = 4_000_000;
/// Time between the starts of two processes: else they would be taken for one application.
const START_GAP_NS: u64 = 1_000_000_000;
/// Size of a read, sectors.
const SECTORS: u32 = 8;

/// Where a recording would go, if there were one: the scheduler is the module's, which can be
/// recorded and is not.
#[derive(Debug)]
struct Nowhere;

impl Sink for Nowhere {
    fn write(&mut self, _: &[u8]) -> bool {
        false
    }
}

/// The scheduler as the kernel module has it.
type Core = Recorded<Nowhere>;

/// Which processes submit requests.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Its name on the command line.
    pub name: &'static str,
    processes: usize,
    /// Groups that the processes are spread over; 0: all are in the root group.
    groups: usize,
    /// How deep these are: 1 is just below the root group, 2 is below another one, and so on.
    depth: usize,
    /// Requests submitted at a time.
    batch: u32,
}

const fn shape(name: &'static str, processes: usize, groups: usize, batch: u32) -> Shape {
    Shape { name, processes, groups, depth: 1, batch }
}

/// All shapes that are measured.
pub const SHAPES: [Shape; 6] = [
    shape("single", 1, 0, 1),
    shape("batches", 1, 0, 16),
    shape("processes", 64, 0, 1),
    shape("groups", 64, 8, 1),
    shape("groups-batches", 64, 8, 16),
    Shape { depth: 8, ..shape("nested", 1, 1, 1) },
];

impl Shape {
    /// The shape of a name.
    pub fn from_name(name: &str) -> Option<&'static Shape> {
        SHAPES.iter().find(|shape| shape.name == name)
    }
}

/// The host, and the scheduler that it calls.
pub struct Kernel {
    scheduler: Core,
    shape: Shape,
    processes: Vec<ProcessId>,
    /// Requests that each process has going.
    going: Vec<u32>,
    /// Requests inserted and not dispatched.
    waiting: u32,
    kick: bool,
    free_tags: Vec<RequestId>,
    /// Who has which request.
    owners: Vec<usize>,
    running: usize,
    time_slice_end_ns: u64,
    now_ns: u64,
    places: Places,
    served: u64,
    // Reused, so that nothing is allocated while instructions are counted.
    batch: Vec<(RequestId, NewRequest)>,
    dispatched: Vec<RequestId>,
}

impl Kernel {
    /// A flash device with the processes of `shape`.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn new(shape: &Shape) -> Result<Kernel, OutOfMemory> {
        let config = Config { hz: HZ, ..Config::new(false, NR_REQUESTS) };
        let mut scheduler = Core::new(Scheduler::with_observer(Time::ZERO, config, None)?);
        let mut groups = Vec::new();
        for _ in 0..shape.groups {
            let mut group = scheduler.root_group();
            for _ in 0..shape.depth {
                group = scheduler.add_group(Time::ZERO, group).map_err(|_| OutOfMemory)?;
            }
            groups.push(group);
        }
        let mut processes = Vec::new();
        for process in 0..shape.processes {
            let group =
                *groups.get(process % groups.len().max(1)).unwrap_or(&scheduler.root_group());
            let added = scheduler.add_process(Time::ZERO, group, ProcessAttributes::default());
            processes.push(added.map_err(|_| OutOfMemory)?);
        }
        let mut this = Kernel {
            scheduler,
            shape: *shape,
            going: vec![0; processes.len()],
            waiting: 0,
            kick: false,
            processes,
            free_tags: (0..NR_REQUESTS as usize).rev().map(RequestId::from_index).collect(),
            owners: vec![0; NR_REQUESTS as usize],
            running: 0,
            time_slice_end_ns: 0,
            now_ns: 0,
            places: Places::new(SECTORS),
            served: 0,
            batch: Vec::new(),
            dispatched: Vec::new(),
        };
        for process in 0..this.shape.processes {
            this.now_ns += START_GAP_NS;
            this.submit(process);
            this.run_queue();
            while this.going[process] > 0 {
                this.now_ns += STEP_NS;
                this.run_timer();
            }
        }
        Ok(this)
    }

    /// Goes on until `requests` more are served.
    pub fn run(&mut self, requests: u64) -> u64 {
        let goal = self.served + requests;
        while self.served < goal {
            match self.runnable() {
                Some(process) => self.submit(process),
                None => self.now_ns = self.timer_ns().unwrap_or(self.now_ns + STEP_NS),
            }
            self.run_queue();
            self.run_timer();
        }
        self.served + requests - goal
    }

    /// The process that runs next, unless all of them wait.
    fn runnable(&mut self) -> Option<usize> {
        if self.now_ns >= self.time_slice_end_ns {
            self.running += 1;
            self.time_slice_end_ns = self.now_ns + TIME_SLICE_NS;
        }
        let count = self.processes.len();
        let may_run = |process: &usize| self.going[*process] + self.shape.batch <= PROCESS_DEPTH;
        let found = (0..count).map(|offset| (self.running + offset) % count).find(may_run);
        self.running = found.filter(|_| self.free_tags.len() >= self.shape.batch as usize)?;
        found
    }

    /// A process submits a batch.
    fn submit(&mut self, process: usize) {
        for _ in 0..self.shape.batch {
            self.now_ns += STEP_NS;
            let now = Time::from_ns(self.now_ns);
            let owner = self.processes[process];
            let read = NewRequest::read(owner, self.places.next_sector(), SECTORS, now);
            if self.waiting > 0 && self.scheduler.watches_bios() {
                assert_eq!(calls::merge(&mut self.scheduler, now, &read), [None; 2]);
            }
            let tag = self.free_tags.pop().expect("a process runs only if there are enough");
            self.owners[tag.index()] = process;
            self.batch.push((tag, read));
        }
        self.going[process] += self.shape.batch;
        let now = Time::from_ns(self.now_ns);
        for (tag, read) in self.batch.drain(..) {
            self.waiting += 1;
            self.kick |= calls::insert(&mut self.scheduler, now, tag, &read);
        }
    }

    /// Gives the device what it gets, which it completes at once.
    fn run_queue(&mut self) {
        loop {
            let now = Time::from_ns(self.now_ns);
            while self.waiting > 0
                && let Some(tag) = calls::dispatch(&mut self.scheduler, now)
            {
                self.waiting -= 1;
                self.dispatched.push(tag);
            }
            for tag in self.dispatched.drain(..) {
                self.kick |= calls::complete(&mut self.scheduler, now, tag);
                self.going[self.owners[tag.index()]] -= 1;
                self.free_tags.push(tag);
                self.served += 1;
            }
            if !std::mem::take(&mut self.kick) {
                return;
            }
        }
    }

    /// When the timer fires, not before now.
    fn timer_ns(&self) -> Option<u64> {
        self.scheduler.next_timer().map(|timer| timer.as_ns().max(self.now_ns))
    }

    /// Fires the timer if it is due.
    fn run_timer(&mut self) {
        if self.timer_ns() == Some(self.now_ns) {
            self.kick |= calls::timer(&mut self.scheduler, Time::from_ns(self.now_ns));
            self.run_queue();
        }
    }
}

/// The calls of a kernel, each by its own function, as a kernel in C needs it, and followed by a
/// look at the timer. Those that may ask for another run say whether they do.
///
/// None is inlined, so that callgrind knows when the core is at work.
mod calls {
    use super::Core;
    use bfq::{BioMerge, NewRequest, RequestId, Time};
    use std::hint::black_box;

    #[inline(never)]
    pub fn merge(core: &mut Core, now: Time, bio: &NewRequest) -> [Option<BioMerge>; 2] {
        let found = core.merge_candidates(now, bio);
        black_box(core.next_timer());
        found
    }

    #[inline(never)]
    pub fn insert(core: &mut Core, now: Time, id: RequestId, read: &NewRequest) -> bool {
        core.insert(now, id, read, false).expect("the number was free");
        black_box(core.next_timer());
        core.take_kick()
    }

    #[inline(never)]
    pub fn dispatch(core: &mut Core, now: Time) -> Option<RequestId> {
        let dispatched = core.dispatch(now);
        black_box(core.next_timer());
        dispatched
    }

    #[inline(never)]
    pub fn complete(core: &mut Core, now: Time, id: RequestId) -> bool {
        core.complete(now, id).expect("it was dispatched");
        black_box(core.next_timer());
        core.take_kick()
    }

    #[inline(never)]
    pub fn timer(core: &mut Core, now: Time) -> bool {
        core.on_timer(now);
        core.take_kick()
    }
}
