// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs that start, what they may take from others, and the tunables, at a disk that takes as
//! long for each request.

use super::state::TimeFair;
use crate::{
    Class, Config, Ioprio, NewRequest, Operation, ProcessAttributes, ProcessId, RequestId, Side,
    Time, scheduler::Scheduler, tunables::Tunable, why::Silent,
};
use std::vec::Vec;

const MS: u64 = 1_000_000;

/// Processes that read, each with a request of its own number.
struct Host {
    scheduler: Scheduler<Silent, TimeFair>,
    now_ns: u64,
    processes: Vec<ProcessId>,
    positions: Vec<u64>,
}

impl Host {
    fn new(rotational: bool) -> Self {
        let config = Config::new(rotational, 256);
        let scheduler = Scheduler::attach(Time::ZERO, config, Silent).expect("memory");
        Host { scheduler, now_ns: 0, processes: Vec::new(), positions: Vec::new() }
    }

    fn now(&self) -> Time {
        Time::from_ns(self.now_ns)
    }

    fn set(&mut self, tunable: Tunable, value: u64) {
        self.scheduler.set_tunable(self.now(), tunable, value);
    }

    /// A new process; returns its number.
    fn start(&mut self) -> usize {
        self.start_as(Class::BestEffort)
    }

    /// A new process of a class; returns its number.
    fn start_as(&mut self, class: Class) -> usize {
        let (now, root) = (self.now(), self.scheduler.root_group());
        let attributes = ProcessAttributes::with_ioprio(Ioprio::new(class, 4));
        let process = self.scheduler.add_process(now, root, attributes);
        self.processes.push(process.expect("memory"));
        self.positions.push((self.processes.len() as u64) << 30);
        self.processes.len() - 1
    }

    /// It reads the next 256 sectors.
    fn read(&mut self, who: usize) {
        let now = self.now();
        let new = NewRequest::read(self.processes[who], self.positions[who], 256, now);
        self.positions[who] += 256;
        self.scheduler.insert(now, RequestId::from_index(who), &new, false).expect("free");
    }

    fn dispatch(&mut self) -> Option<usize> {
        let now = self.now();
        self.scheduler.dispatch(now).map(RequestId::index)
    }

    /// After so long the request of a process is complete.
    fn complete(&mut self, who: usize, after_ns: u64) {
        self.now_ns += after_ns;
        let now = self.now();
        self.scheduler.complete(now, RequestId::from_index(who)).expect("in the device");
    }

    /// One request is served in 10 ms; its process reads on. Returns whose it was.
    fn serve(&mut self) -> usize {
        let who = self.serve_one();
        self.read(who);
        self.scheduler.check();
        who
    }

    /// One request is served in 10 ms. Returns whose it was.
    fn serve_one(&mut self) -> usize {
        loop {
            if let Some(who) = self.dispatch() {
                self.complete(who, 10 * MS);
                return who;
            }
            let timer = self.scheduler.next_timer().expect("the disk is idle, and has a reason");
            self.now_ns = self.now_ns.max(timer.as_ns());
            let now = self.now();
            self.scheduler.on_timer(now);
        }
    }

    fn vtime_ns(&self, who: usize) -> u64 {
        let queue = self.scheduler.linked_queue(self.processes[who], true, 0).expect("it reads");
        self.scheduler.policy.shares.at_weight_1(self.scheduler.node_of(queue)).as_ns()
    }

    fn is_on_loan(&mut self, who: usize) -> bool {
        let queue = self.scheduler.linked_queue(self.processes[who], true, 0).expect("it reads");
        self.scheduler.keeps_loan(queue)
    }
}

/// Three readers that have been there for 12 s, with or without `low_latency`.
fn three_readers(low_latency: u64) -> Host {
    let mut host = Host::new(true);
    host.set(Tunable::LowLatency, low_latency);
    for _ in 0..3 {
        let who = host.start();
        host.read(who);
    }
    for _ in 0..1200 {
        host.serve();
    }
    host
}

#[test]
fn who_starts_is_served_first() {
    // (low_latency, of the next 50 requests that are served)
    for (low_latency, expected) in [(1, 45..=50), (0, 0..=25)] {
        let mut host = three_readers(low_latency);
        let new = host.start();
        host.read(new);
        let served = (0..50).filter(|_| host.serve() == new).count();
        assert!(expected.contains(&served), "low_latency={low_latency}: {served} of 50");
    }
}

/// A process reads here and there, and again as soon as a read is complete.
struct Rereader {
    host: Host,
    who: usize,
    sectors: u32,
}

impl Rereader {
    /// With `at_a_time` reads of so many sectors.
    fn new(sectors: u32, at_a_time: usize) -> Self {
        let mut host = Host::new(false);
        let who = host.start();
        let mut reader = Rereader { host, who, sectors };
        (0..at_a_time).for_each(|id| reader.insert(id));
        reader
    }

    fn insert(&mut self, id: usize) {
        let Rereader { host, who, sectors } = self;
        host.positions[*who] += 1 << 14;
        let now = host.now();
        let read = NewRequest::read(host.processes[*who], host.positions[*who], *sectors, now);
        host.scheduler.insert(now, RequestId::from_index(id), &read, false).expect("free");
    }

    /// So many reads are served, in 0.1 ms each; the ones that follow them grow to `sectors`.
    fn serve(&mut self, reads: usize, sectors: u32) {
        for _ in 0..reads {
            let id = self.host.dispatch().expect("it has something to read");
            self.host.complete(id, MS / 10);
            self.insert(id);
            let (now, start) = (self.host.now(), self.host.positions[self.who]);
            let id = RequestId::from_index(id);
            self.host.scheduler.merged(now, id, Side::Back, start, sectors).expect("it waits");
        }
        self.host.scheduler.check();
    }

    fn is_on_loan(&mut self) -> bool {
        self.host.is_on_loan(self.who)
    }
}

#[test]
fn who_never_waits_for_all_that_it_asked_for_does_not_start() {
    // (reads at a time, how many follow them, of how many KiB each, whether it is on loan still)
    for (at_a_time, reads, kib, on_loan) in [
        (1, 511, 128, true),
        (2, 246, 128, true),
        (2, 262, 128, false),
        // Of what was asked for, most was added to a read while it waited.
        (2, 31, 1024, true),
        (2, 33, 1024, false),
    ] {
        let mut reader = Rereader::new(256, at_a_time);
        reader.serve(reads, 2 * kib);
        assert_eq!(reader.is_on_loan(), on_loan, "{reads} of {kib} KiB, {at_a_time} at a time");
    }
}

#[test]
fn who_reads_more_often_than_any_program_does_not_start() {
    let mut reader = Rereader::new(64, 1);
    reader.serve(4095, 64);
    assert!(reader.is_on_loan());
    reader.serve(1, 64);
    assert!(!reader.is_on_loan());
}

#[test]
fn who_reads_more_than_any_program_does_not_start() {
    let mut reader = Rereader::new(256, 1);
    reader.serve(2047, 256);
    assert!(reader.is_on_loan(), "256 MiB");
    reader.serve(1, 256);
    assert!(!reader.is_on_loan());
}

/// Beside who has always a read, a process starts whose reads here and there take 0.1 ms. After
/// each it pauses for 2 ms, while the device is kept free for it: that is taken from the other one.
#[test]
fn what_is_kept_free_for_who_starts_is_lent() {
    let mut host = Host::new(false);
    host.set(Tunable::LowLatency, 0);
    let old = host.start();
    for _ in 0..100 {
        host.read(old);
        assert_eq!(host.dispatch(), Some(old));
        host.complete(old, MS / 10);
    }
    host.read(old);
    host.set(Tunable::LowLatency, 1);
    let new = host.start();
    let (mut reads, mut kept_ns) = (0, 0);
    host.read(new);
    while host.is_on_loan(new) {
        let before_ns = host.vtime_ns(new);
        assert_eq!(host.dispatch(), Some(new));
        let charged_ns = (host.vtime_ns(new) - before_ns) * 40;
        assert!(charged_ns < MS / 5, "read {reads}: {charged_ns} ns");
        host.complete(new, MS / 10);
        assert_eq!(host.dispatch(), None, "it is waited for");
        host.now_ns += 2 * MS;
        host.positions[new] += 1 << 14;
        host.read(new);
        (reads, kept_ns) = (reads + 1, kept_ns + 2 * MS);
    }
    // Of three seconds a read of 0.1 ms takes a 21st; probes add a hundredth and at most 40 ms.
    assert!((2_850 * MS..3_070 * MS).contains(&kept_ns), "for {reads} reads");
}

#[test]
fn without_low_latency_no_loan_goes_on() {
    let mut host = three_readers(1);
    let new = host.start();
    host.read(new);
    host.serve();
    assert!(host.is_on_loan(new));
    host.set(Tunable::LowLatency, 0);
    assert!(!host.is_on_loan(new));
    host.scheduler.check();
}

/// A process starts each 100 ms: those on loan take 6 s at once from a reader, and a quarter of
/// the time after that.
#[test]
fn a_storm_of_starts_takes_what_the_pool_has() {
    let mut host = three_readers(1);
    let (began_ns, mut lent_ns, mut next_ns) = (host.now_ns, 0, host.now_ns);
    while host.now_ns < began_ns + 20_000 * MS {
        if host.now_ns >= next_ns {
            let new = host.start();
            host.read(new);
            next_ns += 100 * MS;
        }
        let before_ns = host.now_ns;
        let who = host.serve();
        if host.is_on_loan(who) {
            lent_ns += host.now_ns - before_ns;
        }
        let bound_ns = 6_000 * MS + (host.now_ns - began_ns) / 4;
        assert!(lent_ns <= bound_ns, "{lent_ns} ns by {} ns", host.now_ns - began_ns);
    }
    assert!(lent_ns > 8_000 * MS, "they may take more than {lent_ns} ns");
}

/// A new process beside three readers reads, pauses for 20 ms, which ends its loan, and reads what
/// lies this far behind. Returns how much less than the first of them it has got then, in ms.
fn begin_with_a_pause(host: &mut Host, sectors_left_out: u64) -> i64 {
    let new = host.start();
    host.read(new);
    loop {
        let who = host.serve_one();
        if who == new {
            break;
        }
        host.read(who);
    }
    host.now_ns += 20 * MS;
    host.positions[new] += sectors_left_out;
    host.read(new);
    assert!(!host.is_on_loan(new), "its pause is too long");
    host.scheduler.check();
    let least_ns = (0..3).map(|who| host.vtime_ns(who)).min().expect("three readers");
    (least_ns as i64 - host.vtime_ns(new) as i64) * 40 / MS as i64
}

/// Who reads in sequence, like a film, goes on as one that comes back after a pause.
#[test]
fn a_film_that_begins_does_not_pay_for_its_loan_at_once() {
    for (sectors_left_out, expected_ms) in [(0, 95..=105), (1 << 20, -15..=5)] {
        let lag_ms = begin_with_a_pause(&mut three_readers(1), sectors_left_out);
        assert!(expected_ms.contains(&lag_ms), "{sectors_left_out} left out: {lag_ms} ms");
    }
}

/// Two hundred films: that is taken from others, and bounded like all that is lent.
#[test]
fn a_storm_of_films_takes_what_the_pool_has() {
    let mut host = three_readers(1);
    let (began_ns, mut granted_ms) = (host.now_ns, 0);
    for film in 0..200 {
        if begin_with_a_pause(&mut host, 0) > 90 {
            granted_ms += 100;
        }
        let bound_ms = 6_000 + (host.now_ns - began_ns) / MS / 4;
        assert!(granted_ms <= bound_ms, "{granted_ms} ms, after {film} films");
    }
    assert!(granted_ms > 4_000, "they may take more than {granted_ms} ms");
}

/// Beside three readers, and a storm of starts, an idle process is served within two of its turns,
/// for each of which the others have 1.024 s, and a slot of 0.4 s; it gets about a 64th.
#[test]
fn an_idle_process_is_never_starved() {
    let mut host = three_readers(1);
    let idle = host.start_as(Class::Idle);
    host.read(idle);
    let (began_ns, mut served_ns, mut next_ns) = (host.now_ns, host.now_ns, host.now_ns);
    let mut turns = 0;
    while host.now_ns < began_ns + 20_000 * MS {
        if host.now_ns >= next_ns {
            let new = host.start();
            host.read(new);
            next_ns += 100 * MS;
        }
        if host.serve() == idle {
            (turns, served_ns) = (turns + 1, host.now_ns);
        }
        let waited_ms = (host.now_ns - served_ns) / MS;
        assert!(waited_ms <= 2 * 1024 + 400, "{waited_ms} ms");
    }
    // Of 2,000 requests a 64th are 31.
    assert!((24..=40).contains(&turns), "{turns} of 2000");
}

/// An idle process has the disk for itself; whoever else comes is served next, and goes on.
#[test]
fn an_idle_process_gives_way_at_once() {
    for class in [Class::BestEffort, Class::RealTime] {
        let mut host = Host::new(true);
        let idle = host.start_as(Class::Idle);
        host.read(idle);
        assert!((0..100).all(|_| host.serve() == idle), "it is alone");
        let other = host.start_as(class);
        host.read(other);
        assert!((0..50).all(|_| host.serve() == other), "{class:?}");
    }
}

/// Of 16 places of the pool 15 are taken by others while a process that starts has just got what it
/// read. If it waits for a place, its next read may come only once others have given theirs back.
#[test]
fn who_waits_for_a_place_is_not_waited_for() {
    for asks in [false, true] {
        let mut host = Host::new(false);
        host.set(Tunable::LowLatency, 0);
        host.scheduler.set_nr_requests(host.now(), 16).expect("memory");
        for _ in 0..15 {
            let who = host.start();
            host.read(who);
        }
        for _ in 0..100 {
            host.serve();
        }
        host.set(Tunable::LowLatency, 1);
        let new = host.start();
        host.read(new);
        assert_eq!(host.dispatch(), Some(new));
        host.complete(new, MS / 10);
        if asks {
            let (now, process) = (host.now(), Some(host.processes[new]));
            host.scheduler.allowed_requests(now, process, Operation::Read, true);
        }
        assert_eq!(host.dispatch().is_some(), asks);
        host.scheduler.check();
    }
}

/// A device was kept free for a process; then another one was served, which is not its debt.
#[test]
fn a_process_pays_for_the_time_that_was_kept_for_it_alone() {
    let mut host = Host::new(false);
    let [waited_for, other] = [0; 2].map(|_| host.start());
    // Until it is known what its requests take.
    for _ in 0..20 {
        host.read(waited_for);
        assert_eq!(host.dispatch(), Some(waited_for));
        host.complete(waited_for, MS / 10);
        assert_eq!(host.dispatch(), None);
    }
    let before_ns = host.vtime_ns(waited_for);
    host.now_ns += MS / 100;
    host.read(other);
    assert_eq!(host.dispatch(), Some(other));
    host.complete(other, 100 * MS);
    // The process does not come back: now it is given up.
    assert_eq!(host.dispatch(), None);
    let charged_ns = (host.vtime_ns(waited_for) - before_ns) * 40;
    assert!((9_900..=10_100).contains(&charged_ns), "{charged_ns} ns instead of 10 µs");
}

/// It is passed over while it has nothing but a request in the device, and loses its turn.
#[test]
fn who_has_a_request_in_the_device_is_not_new_when_it_comes_back() {
    let mut host = Host::new(false);
    // No turns are kept.
    host.set(Tunable::SliceIdle, 0);
    let [one, other] = [0; 2].map(|_| host.start());
    // Until it is known what their requests take, and one is behind the other.
    for who in [one; 20].into_iter().chain([other; 30]) {
        host.read(who);
        assert_eq!(host.dispatch(), Some(who));
        host.complete(who, MS / 10);
    }
    host.set(Tunable::LowLatency, 0);
    host.set(Tunable::LowLatency, 1);
    host.read(one);
    assert_eq!(host.dispatch(), Some(one));
    host.read(other);
    assert_eq!(host.dispatch(), Some(other));
    let now = host.now();
    let second = NewRequest::read(host.processes[one], host.positions[one], 256, now);
    host.scheduler.insert(now, RequestId::from_index(2), &second, false).expect("free");
    assert!(!host.is_on_loan(one));
}

#[test]
fn strict_2_is_one_request_at_a_time() {
    // (strict, requests in the device); the device is known before several are sent.
    for (strict, expected) in [(0, 2..=8), (1, 2..=8), (2, 1..=1)] {
        let mut host = Host::new(false);
        host.set(Tunable::Strict, strict);
        for _ in 0..8 {
            let who = host.start();
            host.read(who);
        }
        for _ in 0..40 {
            host.serve();
        }
        host.now_ns += 10 * MS;
        let now = host.now();
        host.scheduler.on_timer(now);
        let sent = (0..8).map_while(|_| host.dispatch()).count();
        assert!(expected.contains(&sent), "strict={strict}: {sent}");
    }
}

#[test]
fn slice_idle_0_keeps_the_device_free_for_nobody() {
    for rotational in [false, true] {
        let mut host = Host::new(rotational);
        host.set(Tunable::SliceIdle, 0);
        let [one, other] = [0; 2].map(|_| host.start());
        for turn in 0..50 {
            host.read(one);
            let who = host.dispatch();
            assert_eq!(who, Some(one), "rotational={rotational}, turn {turn}");
            host.complete(one, MS);
            host.read(other);
            assert_eq!(host.dispatch(), Some(other), "rotational={rotational}, turn {turn}");
            host.complete(other, MS);
        }
    }
}

/// On flash one of two has got far more than the other one, which has a request in the device and
/// nothing else. Its turn is kept for it; but with slice_idle=0 no turn is.
#[test]
fn slice_idle_0_keeps_no_turn_for_who_has_nothing_waiting() {
    for (slice_idle, expected) in [(8, None), (0, Some(1))] {
        let mut host = Host::new(false);
        let [one, other] = [0; 2].map(|_| host.start());
        for who in [one; 20].into_iter().chain([other; 200]) {
            host.read(who);
            assert_eq!(host.dispatch(), Some(who));
            host.complete(who, MS / 10);
        }
        host.set(Tunable::LowLatency, 0);
        host.set(Tunable::SliceIdle, slice_idle);
        host.read(one);
        assert_eq!(host.dispatch(), Some(one));
        host.read(other);
        assert_eq!(host.dispatch(), expected, "slice_idle={slice_idle}");
    }
}
