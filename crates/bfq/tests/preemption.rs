// SPDX-License-Identifier: MIT OR Apache-2.0
//! Preemption, on a disk that seeks and holds several commands (spec 3.15; docs/decisions.md, "A
//! reader that was preempted keeps its place").

use bfq::{
    Behaviour, Config, NewRequest, ProcessAttributes, ProcessId, RequestId, Scheduler, Span, Time,
    tunables::Tunable, why::Silent,
};
use std::collections::VecDeque;

const READ_SECTORS: u64 = 512;
const CONTINUED: Span = Span::from_ms(1);
const SEEK: Span = Span::from_ms(12);
/// The readers start so far apart that none is merged with another.
const STARTS_S: [u64; 3] = [0, 1, 2];
const RUN: Span = Span::from_s(6);

/// A process that has one read at a time; request number and process have the same index.
struct Reader {
    process: ProcessId,
    next_sector: u64,
    /// How far the next read begins behind the end of the last.
    gap_sectors: u64,
    reads_done: u64,
}

/// Two sequential readers and a random one on a disk that takes all they have, one after the other.
/// Returns how many reads each got done once all had started.
fn reads_done(behaviour: Behaviour) -> [u64; 3] {
    let config = Config { behaviour, ..Config::new(true, 64) };
    let mut s = Scheduler::<Silent>::new(Time::ZERO, config).expect("memory");
    s.set_tunable(Time::ZERO, Tunable::LowLatency, 0);
    let root = s.root_group();
    let mut readers =
        [(0, 0), (1 << 30, 0), (1 << 31, 1 << 22)].map(|(next_sector, gap_sectors)| {
            let process =
                s.add_process(Time::ZERO, root, ProcessAttributes::default()).expect("memory");
            Reader { process, next_sector, gap_sectors, reads_done: 0 }
        });
    let readers_total = readers.len();
    let mut ready = Vec::new();
    let mut started = 0;
    let mut disk = VecDeque::new();
    let (mut now, mut arm) = (Time::ZERO, u64::MAX);
    while now < Time::ZERO + RUN {
        while STARTS_S.get(started).is_some_and(|&start| Time::ZERO + Span::from_s(start) <= now) {
            ready.push(started);
            started += 1;
        }
        for reader in ready.drain(..) {
            let (id, state) = (RequestId::from_index(reader), &readers[reader]);
            let request =
                NewRequest::read(state.process, state.next_sector, READ_SECTORS as u32, now);
            s.insert(now, id, &request, false).expect("free");
        }
        while let Some(id) = s.dispatch(now) {
            disk.push_back(id);
        }
        s.check();
        match disk.pop_front() {
            Some(id) => {
                let reader = &mut readers[id.index()];
                now = now + if reader.next_sector == arm { CONTINUED } else { SEEK };
                arm = reader.next_sector + READ_SECTORS;
                reader.next_sector = arm + reader.gap_sectors;
                reader.reads_done += u64::from(started == readers_total);
                s.complete(now, id).expect("dispatched");
                ready.push(id.index());
            }
            None => {
                now = s.next_timer().expect("nothing in the disk, nothing dispatched: it idles");
                s.on_timer(now);
            }
        }
    }
    readers.map(|reader| reader.reads_done)
}

#[test]
fn sequential_readers_do_not_take_turns_at_every_read() {
    let [a, b, random] = reads_done(Behaviour::Improved);
    let [reference_a, reference_b, reference_random] = reads_done(Behaviour::Linux6_1);
    assert!(a + b > 2 * (reference_a + reference_b), "{a} + {b}, {reference_a} + {reference_b}");
    assert!(a.abs_diff(b) < (a + b) / 5, "{a}, {b}: both have the same share");
    assert!(
        random > reference_random,
        "{random}, {reference_random}: nor does the random one wait"
    );
}
