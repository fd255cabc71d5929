// SPDX-License-Identifier: MIT OR Apache-2.0
//! A whole host in virtual time: a device, processes that think, the scheduler's timer
//! and its kicks.
//!
//! While a process copies a file, a user starts a program, which reads two hundred small pieces
//! one after the other. In a real host the clock is the machine's, `Event::Device` is an interrupt
//! or a completion queue, and the loop sleeps instead of jumping to the next event.
//!
//! `cargo run -p bfq --example host_with_timer`

use bfq::{Config, NewRequest, ProcessAttributes, ProcessId, RequestId, Scheduler, Span, Time};
use std::error::Error;
use std::io::{self, Write};

/// The pool: the first request is the program's, the others are the copy's.
const POOL: usize = 32;
const OF_PROGRAM: usize = 0;
/// How long the copy has gone on when the program starts.
const START: Span = Span::from_s(30);
const PROGRAM_READS: u64 = 200;
/// What the program does with a piece before it reads the next one.
const THINKING: Span = Span::from_ms(1);
/// How soon a host asks again for what is held back, if nothing else happens.
const POLL: Span = Span::from_ms(4);

/// What can happen next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Event {
    /// The device is done with its request.
    Device(RequestId),
    /// The program reads on.
    Program,
    /// The timer that the scheduler asked for is due.
    Timer,
    /// Time to ask again.
    Poll,
}

/// A hard disk that does one request at a time: to go elsewhere it takes 8 ms.
#[derive(Default)]
struct Disk {
    head: u64,
    busy: Option<(Time, RequestId)>,
}

impl Disk {
    fn start(&mut self, now: Time, request: RequestId, sector: u64, sectors: u32) {
        let seek = if sector == self.head { Span::ZERO } else { Span::from_ms(8) };
        // 100 MB/s: 5.12 µs a sector.
        let done = now + seek + Span::from_ns(5_120) * u64::from(sectors);
        self.head = sector + u64::from(sectors);
        self.busy = Some((done, request));
    }
}

struct Host {
    now: Time,
    bfq: Scheduler,
    disk: Disk,
    program: ProcessId,
    copier: ProcessId,
    /// Where each request of the pool reads: first sector and number of them.
    reads: [(u64, u32); POOL],
    copied_sectors: u64,
    program_reads: u64,
    /// When the program reads on; none while it waits for a read.
    program_continues: Option<Time>,
    /// The last attempt to dispatch gave nothing, although something waits.
    poll: Option<Time>,
}

impl Host {
    fn new() -> Result<Self, Box<dyn Error>> {
        let now = Time::ZERO;
        let mut bfq = Scheduler::new(now, Config::new(true, POOL as u32))?;
        let root = bfq.root_group();
        let program = bfq.add_process(now, root, ProcessAttributes::default())?;
        let copier = bfq.add_process(now, root, ProcessAttributes::default())?;
        let mut host = Host {
            now,
            bfq,
            disk: Disk::default(),
            program,
            copier,
            reads: [(0, 0); POOL],
            copied_sectors: 0,
            program_reads: 0,
            program_continues: Some(now + START),
            poll: None,
        };
        for tag in 1..POOL {
            host.copy_on(RequestId::from_index(tag))?;
        }
        Ok(host)
    }

    /// Hands a request over to the scheduler.
    fn ask(
        &mut self,
        request: RequestId,
        process: ProcessId,
        sector: u64,
        sectors: u32,
    ) -> Result<(), bfq::HostError> {
        self.reads[request.index()] = (sector, sectors);
        let read = NewRequest::read(process, sector, sectors, self.now);
        self.bfq.insert(self.now, request, &read, false)
    }

    fn copy_on(&mut self, request: RequestId) -> Result<(), bfq::HostError> {
        let sector = self.copied_sectors;
        self.copied_sectors += 256;
        self.ask(request, self.copier, sector, 256)
    }

    fn read_on(&mut self) -> Result<(), bfq::HostError> {
        self.program_continues = None;
        let somewhere = (1 << 30) + self.program_reads * 1_000_003;
        self.ask(RequestId::from_index(OF_PROGRAM), self.program, somewhere, 8)
    }

    fn completed(&mut self, request: RequestId) -> Result<(), bfq::HostError> {
        self.disk.busy = None;
        self.bfq.complete(self.now, request)?;
        if request.index() != OF_PROGRAM {
            return self.copy_on(request);
        }
        self.program_reads += 1;
        self.program_continues = Some(self.now + THINKING);
        Ok(())
    }

    /// Gives the device what it has room for. None although something waits is no error: the disk
    /// is kept idle on purpose.
    fn dispatch(&mut self) {
        // Whatever happened, the device is asked below, so a kick needs nothing more.
        self.bfq.take_kick();
        self.poll = None;
        while self.disk.busy.is_none() {
            let Some(request) = self.bfq.dispatch(self.now) else {
                self.poll = self.bfq.has_work().then(|| self.now + POLL);
                return;
            };
            let (sector, sectors) = self.reads[request.index()];
            self.disk.start(self.now, request, sector, sectors);
        }
    }

    fn next_event(&self) -> Option<(Time, Event)> {
        let device = self.disk.busy.map(|(at, request)| (at, Event::Device(request)));
        let program = self.program_continues.map(|at| (at, Event::Program));
        let timer = self.bfq.next_timer().map(|at| (at, Event::Timer));
        let poll = self.poll.map(|at| (at, Event::Poll));
        [device, program, timer, poll].into_iter().flatten().min_by_key(|(at, _)| *at)
    }

    fn run(&mut self) -> Result<(), Box<dyn Error>> {
        self.dispatch();
        while self.program_reads < PROGRAM_READS {
            let (at, event) = self.next_event().ok_or("the copy never ends")?;
            self.now = at;
            match event {
                Event::Device(request) => self.completed(request)?,
                Event::Program => self.read_on()?,
                Event::Timer => self.bfq.on_timer(at),
                Event::Poll => {}
            }
            self.dispatch();
        }
        Ok(())
    }
}

/// How long the program took to start in ms, and how much was copied until then in MB.
fn run(out: &mut impl Write) -> Result<(u64, u64), Box<dyn Error>> {
    let mut host = Host::new()?;
    host.run()?;
    let start_ms = host.now.since(Time::ZERO + START).as_ms();
    let copied_mb = host.copied_sectors * 512 / 1_000_000;
    writeln!(out, "the program starts within {start_ms} ms")?;
    writeln!(out, "{copied_mb} MB are copied until then")?;
    Ok((start_ms, copied_mb))
}

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut io::stdout()).map(drop)
}

#[test]
fn the_program_starts_soon_although_the_disk_is_busy() {
    let mut out = Vec::new();
    let (start_ms, copied_mb) = run(&mut out).unwrap();
    let told = String::from_utf8(out).unwrap();
    // Alone it would take 1.8 s. First come, first served, each read would wait for the 31 of the
    // copy that are before it: 10 s.
    assert!((1800..3000).contains(&start_ms), "{told}");
    assert!(copied_mb > 2500, "{told}");
    assert_eq!(told.lines().count(), 2, "{told}");
}
