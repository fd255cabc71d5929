// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who asks now and then beside two readers, on a disk with moving parts that does one request at a
//! time: 1 ms where the head is, 10 ms elsewhere. If it is left alone for 8 ms it reads ahead.

use crate::{
    Config, NewRequest, ProcessAttributes, ProcessId, RequestId, Time, policy::time::TimeFair,
    scheduler::Scheduler, tunables::Tunable, why::Silent,
};
use core::ops::Range;
use std::vec::Vec;

const MS: u64 = 1_000_000;
/// Sectors of a read.
const READ: u64 = 128;

/// A process that reads.
struct Reader {
    process: ProcessId,
    position: u64,
    /// What it leaves out after each read, in sectors.
    left_out: u64,
    /// Its pause after each read.
    pause_ns: u64,
    /// When its next read comes; none while it waits for one.
    next_ns: Option<u64>,
    asked_ns: u64,
}

/// A read that is complete.
struct Done {
    who: usize,
    asked_ns: u64,
    began_ns: u64,
    ended_ns: u64,
}

struct Host {
    scheduler: Scheduler<Silent, TimeFair>,
    now_ns: u64,
    head: u64,
    /// Whether it has a cache to read ahead into, and what is in it.
    has_cache: bool,
    ahead: Range<u64>,
    /// The read in the device.
    in_device: Option<Done>,
    readers: Vec<Reader>,
    done: Vec<Done>,
}

impl Host {
    /// Readers, each with the sectors that it leaves out and its pause after each read.
    fn new(readers: &[(u64, u64)]) -> Self {
        let mut scheduler =
            Scheduler::attach(Time::ZERO, Config::new(true, 64), Silent).expect("memory");
        // Without it, processes that begin would be served first.
        scheduler.set_tunable(Time::ZERO, Tunable::LowLatency, 0);
        let root = scheduler.root_group();
        let mut start = |(number, &(left_out, pause_ns)): (usize, &(u64, u64))| {
            let process = scheduler.add_process(Time::ZERO, root, ProcessAttributes::default());
            Reader {
                process: process.expect("memory"),
                position: (number as u64) << 32,
                left_out,
                pause_ns,
                next_ns: Some(0),
                asked_ns: 0,
            }
        };
        let readers = readers.iter().enumerate().map(&mut start).collect();
        Host {
            scheduler,
            now_ns: 0,
            head: 0,
            has_cache: true,
            ahead: 0..0,
            in_device: None,
            readers,
            done: Vec::new(),
        }
    }

    fn now(&self) -> Time {
        Time::from_ns(self.now_ns)
    }

    /// Runs host and scheduler for `span_ns`: asks, dispatches and completes as events come.
    fn run(&mut self, span_ns: u64) {
        let end_ns = self.now_ns + span_ns;
        while self.now_ns < end_ns {
            self.ask();
            self.dispatch();
            let arrivals = self.readers.iter().filter_map(|reader| reader.next_ns);
            let timer = self.scheduler.next_timer().map(Time::as_ns);
            let completion = self.in_device.as_ref().map(|done| done.ended_ns);
            let next = arrivals.chain(timer).chain(completion).min().expect("something happens");
            self.now_ns = next.max(self.now_ns);
            let now = self.now();
            if timer.is_some_and(|timer| timer <= self.now_ns) {
                self.scheduler.on_timer(now);
            }
            self.complete();
            self.scheduler.check();
        }
    }

    fn ask(&mut self) {
        let now = self.now();
        for (who, reader) in self.readers.iter_mut().enumerate() {
            if reader.next_ns.take_if(|next_ns| *next_ns <= self.now_ns).is_some() {
                let new = NewRequest::read(reader.process, reader.position, READ as u32, now);
                reader.asked_ns = self.now_ns;
                let id = RequestId::from_index(who);
                self.scheduler.insert(now, id, &new, false).expect("free");
            }
        }
    }

    fn dispatch(&mut self) {
        if self.in_device.is_some() {
            return;
        }
        let Some(id) = self.scheduler.dispatch(self.now()) else { return };
        let who = id.index();
        let reader = &self.readers[who];
        let free_ns = self.now_ns - self.done.last().map_or(0, |done| done.ended_ns);
        if self.has_cache && free_ns >= 8 * MS {
            self.ahead = self.head..self.head + 8 * READ;
        }
        let is_near = reader.position == self.head || self.ahead.contains(&reader.position);
        let took_ns = if is_near { MS } else { 10 * MS };
        let (asked_ns, began_ns) = (reader.asked_ns, self.now_ns);
        self.in_device = Some(Done { who, asked_ns, began_ns, ended_ns: began_ns + took_ns });
    }

    fn complete(&mut self) {
        let now_ns = self.now_ns;
        let Some(done) = self.in_device.take_if(|done| done.ended_ns <= now_ns) else { return };
        let id = RequestId::from_index(done.who);
        self.scheduler.complete(self.now(), id).expect("it was dispatched");
        let reader = &mut self.readers[done.who];
        if !self.ahead.contains(&reader.position) {
            self.head = reader.position + READ;
        }
        reader.position += READ + reader.left_out;
        reader.next_ns = Some(now_ns + reader.pause_ns);
        self.done.push(done);
    }

    /// Forgets what was done.
    fn forget(&mut self) {
        self.done.clear();
    }

    /// How many reads of a reader are complete.
    fn count(&self, who: usize) -> u64 {
        self.done.iter().filter(|done| done.who == who).count() as u64
    }

    /// The longest that a read of a reader took, with its wait.
    fn longest_ns(&self, who: usize) -> u64 {
        let own = self.done.iter().filter(|done| done.who == who);
        own.map(|done| done.ended_ns - done.asked_ns).max().expect("it reads")
    }
}

#[test]
fn who_asks_now_and_then_is_served_in_the_slots_of_others() {
    for (what, left_out) in [("a player", 0), ("a shell", 1 << 24)] {
        let mut host = Host::new(&[(0, 0), (0, 0), (left_out, 100 * MS)]);
        host.run(2000 * MS);
        host.forget();
        host.run(10_000 * MS);
        // It waits for the read in the device, and the head comes to it.
        let longest_ns = host.longest_ns(2);
        assert!(longest_ns <= 20 * MS, "{what}: {} ms", longest_ns / MS);
        assert!(host.count(2) > 80, "{what}");
        // Slots are not cut up: the head comes back to the reader that it left.
        let turns: Vec<_> = host.done.iter().filter(|done| done.who != 2).collect();
        let turns = turns.windows(2).filter(|pair| pair[0].who != pair[1].who).count();
        assert!(turns < 80, "{what}: {turns} turns");
    }
}

#[test]
fn a_visitor_that_has_had_its_share_waits_for_its_turn() {
    // Each of its reads takes 10 ms, and it pauses for as long: it wants half of the disk's time.
    let mut host = Host::new(&[(0, 0), (0, 0), (1 << 24, 10 * MS)]);
    host.run(2000 * MS);
    host.forget();
    host.run(30_000 * MS);
    // A third of the time is due to it, with the way back of the head.
    let of_time = host.count(2) * 10 * 100 / 30_000;
    assert!((12..=34).contains(&of_time), "{of_time} % of the time");
    let longest_ns = host.longest_ns(2);
    assert!(longest_ns > 50 * MS, "it never waits: {} ms", longest_ns / MS);
    // The readers are not hurt by the ways that the head makes for it.
    let reads = host.count(0);
    assert!(reads >= 6000, "{reads} reads of a reader in 30 s");
}

#[test]
fn the_disk_reads_ahead_after_a_visitor_that_reads_on() {
    // How often it is left alone in 100 visits or so, and how often the head moves for a visit.
    for (what, left_out, has_cache, slice_idle_us, left_alone, moves) in [
        ("it reads on", 0, true, 8000, 8..=20, 8..=40),
        ("it reads on, and there is no cache", 0, false, 8000, 1..=8, 80..=110),
        ("it jumps", 1 << 24, true, 8000, 0..=0, 80..=110),
        ("no queue is waited for", 0, true, 0, 0..=0, 80..=110),
    ] {
        let mut host = Host::new(&[(0, 0), (left_out, 100 * MS)]);
        host.has_cache = has_cache;
        host.scheduler.set_tunable(Time::ZERO, Tunable::SliceIdleUs, slice_idle_us);
        host.run(2000 * MS);
        host.forget();
        host.run(11_000 * MS);
        let visits = host.done.windows(2).filter(|pair| pair[0].who == 1);
        let pauses: Vec<_> = visits.map(|pair| pair[1].began_ns - pair[0].ended_ns).collect();
        let alone = pauses.iter().filter(|pause| **pause == 8 * MS).count();
        assert!(left_alone.contains(&alone), "{what}: {alone} of {}", pauses.len());
        let moved = host.done.iter().filter(|done| done.who == 1);
        let moved = moved.filter(|done| done.ended_ns - done.began_ns > MS).count();
        assert!(moves.contains(&moved), "{what}: {moved} moves");
    }
}

#[test]
fn all_visitors_together_take_a_part_of_the_time() {
    // Thirty that pause for 40 ms want all of the time by themselves.
    let readers: Vec<_> = [(0, 0)].into_iter().chain((0..30).map(|_| (1 << 24, 40 * MS))).collect();
    let mut host = Host::new(&readers);
    host.run(2000 * MS);
    host.forget();
    host.run(10_000 * MS);
    let ways = host.done.windows(2).filter(|pair| pair[0].who == 0 && pair[1].who != 0).count();
    // A visit takes 20 ms with the way back, and a quarter of 10 s may be visits.
    assert!(ways <= 10_000 / 4 / 20 + 60, "the head left the reader {ways} times");
}
