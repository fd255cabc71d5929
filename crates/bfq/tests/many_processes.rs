// SPDX-License-Identifier: MIT OR Apache-2.0
//! Twenty thousand processes on one disk: shares as with a hundred, and memory in small pieces.

use bfq::{
    Config, GroupId, NewRequest, ProcessAttributes, ProcessId, RequestId, Scheduler, Time,
    tunables::Tunable,
};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    collections::VecDeque,
};

/// The most that is allocated where a host cannot wait: larger pieces it has ready.
const LARGEST_PIECE_BYTES: usize = 8 << 10;
const MS: u64 = 1_000_000;
/// Size of the request pool, and how many of these the device takes.
const POOL: u32 = 64;
const DEVICE_DEPTH: usize = 8;
/// How long it takes for each.
const SERVICE_NS: u64 = 2 * MS;
/// Reads that a reader keeps going.
const READER_DEPTH: usize = 16;
const READ_SECTORS: u32 = 8;

thread_local! {
    /// The largest piece that this thread has allocated since it began to look, but for the ready.
    static LARGEST: Cell<Option<usize>> = const { Cell::new(None) };
    /// The sizes of the pieces that the host allocated before it took its lock.
    static READY: Cell<Vec<usize>> = const { Cell::new(Vec::new()) };
}

/// Takes a piece from those that are ready.
fn was_ready(bytes: usize) -> bool {
    let mut ready = READY.take();
    let found = ready.iter().position(|&piece| piece == bytes);
    found.map(|at| ready.swap_remove(at));
    READY.set(ready);
    found.is_some()
}

struct Watching;

// SAFETY: it is the system's allocator.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _at_exit = LARGEST.try_with(|largest| {
            if let Some(most) = largest.get()
                && !(layout.size() > LARGEST_PIECE_BYTES && was_ready(layout.size()))
            {
                largest.set(Some(most.max(layout.size())));
            }
        });
        // SAFETY: as asked for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as asked for.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watching = Watching;

/// Calls the scheduler as a host does that holds a lock.
fn locked<T>(call: impl FnOnce() -> T) -> T {
    LARGEST.set(Some(0));
    let answer = call();
    let largest = LARGEST.take().unwrap_or(0);
    assert!(largest <= LARGEST_PIECE_BYTES, "{largest} bytes under the lock");
    answer
}

/// A disk, and the time there.
struct Disk {
    bfq: Scheduler,
    now_ns: u64,
    free: Vec<RequestId>,
    /// Whose request it is.
    owners: Vec<Option<ProcessId>>,
    /// Which requests are in the device, and until when.
    in_device: VecDeque<(u64, RequestId)>,
    random: u64,
    /// Writes asynchronously, other than all others.
    writer: Option<ProcessId>,
}

impl Disk {
    fn new() -> Disk {
        let mut bfq = Scheduler::new(Time::ZERO, Config::new(false, POOL)).expect("memory");
        bfq.set_tunable(Time::ZERO, Tunable::LowLatency, 0);
        Disk {
            bfq,
            now_ns: MS,
            free: (0..POOL as usize).map(RequestId::from_index).collect(),
            owners: vec![None; POOL as usize],
            in_device: VecDeque::new(),
            random: 1,
            writer: None,
        }
    }

    fn now(&self) -> Time {
        Time::from_ns(self.now_ns)
    }

    /// A process comes; then the host sees to it that what the next ones need is ready.
    fn add_process(&mut self, group: GroupId) -> ProcessId {
        let now = self.now();
        let attributes = ProcessAttributes::default();
        let process = locked(|| self.bfq.add_process(now, group, attributes)).expect("memory");
        READY.set(self.bfq.next_pieces_bytes().into_iter().filter(|&bytes| bytes > 0).collect());
        process
    }

    /// A process of which the host knows, or does not know, whose read it is.
    fn read(&mut self, process: Option<ProcessId>) {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let sector = (self.random >> 36) * u64::from(READ_SECTORS) * 2;
        let (tag, now) = (self.free.pop().expect("a free tag"), self.now());
        let somebody = ProcessId::from_index(0);
        let read = NewRequest::read(process.unwrap_or(somebody), sector, READ_SECTORS, now);
        let io = match process.filter(|_| self.writer == process) {
            Some(writer) => NewRequest::write(writer, sector, READ_SECTORS, false, now),
            None => NewRequest { process, ..read },
        };
        locked(|| self.bfq.insert(now, tag, &io, false)).expect("as it should be");
        self.owners[tag.index()] = process;
    }

    /// Fills the device, and goes on to the next event. If that is the end of a request, whose?
    fn step(&mut self) -> Option<Option<ProcessId>> {
        while self.in_device.len() < DEVICE_DEPTH {
            let now = self.now();
            let Some(tag) = locked(|| self.bfq.dispatch(now)) else { break };
            self.in_device.push_back((self.now_ns + SERVICE_NS, tag));
        }
        let end_ns = self.in_device.front().map_or(u64::MAX, |&(end_ns, _)| end_ns);
        let timer_ns = self.bfq.next_timer().map_or(u64::MAX, Time::as_ns);
        self.now_ns = self.now_ns.max(end_ns.min(timer_ns));
        let now = self.now();
        if timer_ns < end_ns {
            locked(|| self.bfq.on_timer(now));
            return None;
        }
        let (_, tag) = self.in_device.pop_front()?;
        locked(|| self.bfq.complete(now, tag)).expect("it was dispatched");
        self.free.push(tag);
        Some(self.owners[tag.index()])
    }

    /// A process reads once, while no other does.
    fn read_once(&mut self, process: ProcessId) {
        self.read(Some(process));
        while self.step().is_none() {}
    }
}

/// How many reads each of `readers`, who keep some going, gets in ten seconds.
fn compete(disk: &mut Disk, readers: &[Option<ProcessId>]) -> Vec<u32> {
    let mut served = vec![0; readers.len()];
    for _ in 0..READER_DEPTH {
        readers.iter().for_each(|&reader| disk.read(reader));
    }
    let end_ns = disk.now_ns + 10_000 * MS;
    while disk.now_ns < end_ns {
        let Some(process) = disk.step() else { continue };
        let reader = readers.iter().position(|&reader| reader == process).expect("one of them");
        served[reader] += 1;
        disk.read(process);
    }
    served
}

/// What processes of groups of weights 100 and 400 get beside `others` that have read once.
fn shares_beside(others: usize) -> (u32, u32) {
    let mut disk = Disk::new();
    let root = disk.bfq.root_group();
    for _ in 0..others {
        let process = disk.add_process(root);
        disk.read_once(process);
    }
    let readers = [100, 400].map(|weight| {
        let now = disk.now();
        let group = disk.bfq.add_group(now, root).expect("memory");
        disk.bfq.set_group_weight(now, group, weight).expect("it is there");
        Some(disk.add_process(group))
    });
    let served = compete(&mut disk, &readers);
    disk.bfq.check();
    (served[0], served[1])
}

#[test]
fn twenty_thousand_processes_leave_shares_as_they_are() {
    let few = shares_beside(100);
    let many = shares_beside(20_000);
    for (light, heavy) in [few, many] {
        let ratio = f64::from(heavy) / f64::from(light);
        assert!((3.8..4.2).contains(&ratio), "100:400 gets {light} and {heavy}");
    }
    assert!(many.0.abs_diff(few.0) <= few.0 / 50, "{few:?} beside 100, {many:?} beside 20,000");
}

/// The queue of those that have none of their own is one of asynchronous requests.
#[test]
fn requests_of_nobody_get_what_those_of_an_asynchronous_writer_get() {
    let beside = |second: fn(&mut Disk) -> Option<ProcessId>| {
        let mut disk = Disk::new();
        let root = disk.bfq.root_group();
        let readers = [Some(disk.add_process(root)), second(&mut disk)];
        let served = compete(&mut disk, &readers);
        disk.bfq.check();
        f64::from(served[1]) / f64::from(served[0])
    };
    let nobody = beside(|_| None);
    let writer = beside(|disk| {
        disk.writer = Some(disk.add_process(disk.bfq.root_group()));
        disk.writer
    });
    assert!((0.98..1.02).contains(&(nobody / writer)), "nobody {nobody}, a writer {writer}");
}

#[test]
fn many_processes_end_one_by_one() {
    let mut disk = Disk::new();
    let root = disk.bfq.root_group();
    let processes: Vec<_> = (0..2000)
        .map(|_| {
            let process = disk.add_process(root);
            disk.read_once(process);
            process
        })
        .collect();
    for process in processes {
        let now = disk.now();
        locked(|| disk.bfq.exit_process(now, process)).expect("it lives");
    }
    disk.bfq.check();
}
