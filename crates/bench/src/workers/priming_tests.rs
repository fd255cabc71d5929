// SPDX-License-Identifier: MIT OR Apache-2.0
//! What bfq makes of ten processes that begin at once on flash, and of what starts beside them.

use super::{PrimingReads, UNUSUAL};
use crate::model::Level;
use crate::scenarios::Pace;
use base::{Class, Ioprio};
use bfq::why::{Decision, Observer};
use bfq::{
    Behaviour, Config, NewRequest, ProcessAttributes, ProcessId, RequestId, Scheduler, Span, Time,
};
use std::time::Duration;

/// What became of queues.
#[derive(Debug, Default, PartialEq, Eq, Clone, Copy)]
struct Fates {
    raised: usize,
    merged: usize,
    in_large_burst: usize,
}

impl Observer for Fates {
    fn decided(&mut self, _: Time, decision: &Decision) {
        match decision {
            Decision::Raised { .. } => self.raised += 1,
            Decision::Merged { .. } => self.merged += 1,
            Decision::InLargeBurst { .. } => self.in_large_burst += 1,
            _ => {}
        }
    }
}

/// A flash disk whose processes read once each.
struct Disk {
    scheduler: Scheduler<Fates>,
    now: Time,
    reads: usize,
}

impl Disk {
    fn new(behaviour: Behaviour) -> Self {
        let now = Time::from_ns(60_000_000_000);
        let config = Config { behaviour, ..Config::new(false, 64) };
        let scheduler = Scheduler::with_observer(now, config, Fates::default()).unwrap();
        Disk { scheduler, now, reads: 0 }
    }

    fn wait(&mut self, time: Duration) {
        self.now = self.now + Span::from_ns(time.as_nanos() as u64);
    }

    fn process(&mut self, level: u8) -> ProcessId {
        let ioprio = Some(Ioprio::new(Class::BestEffort, level));
        let attributes = ProcessAttributes { ioprio, ..ProcessAttributes::default() };
        let root = self.scheduler.root_group();
        self.scheduler.add_process(self.now, root, attributes).unwrap()
    }

    fn insert(&mut self, process: ProcessId) {
        let read = NewRequest::read(process, self.reads as u64 * 100_000, 8, self.now);
        let request = RequestId::from_index(self.reads);
        self.scheduler.insert(self.now, request, &read, false).unwrap();
        self.reads += 1;
    }

    /// Each of these processes reads, all at the same time; the answer is what became of them.
    fn read_at_once(&mut self, levels: &[u8]) -> Fates {
        *self.scheduler.observer_mut() = Fates::default();
        for &level in levels {
            let process = self.process(level);
            self.insert(process);
        }
        *self.scheduler.observer()
    }

    /// The disk does all that waits, and is not kept idle any more for who might want more of it.
    fn serve(&mut self) {
        while let Some(request) = self.scheduler.dispatch(self.now) {
            self.wait(Duration::from_micros(100));
            self.scheduler.complete(self.now, request).unwrap();
        }
        if let Some(timer) = self.scheduler.next_timer() {
            self.now = self.now.max(timer);
            self.scheduler.on_timer(self.now);
        }
    }
}

#[test]
fn a_load_with_priming_is_a_large_burst_and_what_starts_beside_it_is_raised() {
    const EARLIER: [Option<u64>; 5] = [None, Some(1), Some(150), Some(300), Some(550)];
    for behaviour in [Behaviour::Linux6_1, Behaviour::Linux6_12, Behaviour::Improved] {
        // What another process did, and how many milliseconds before.
        for earlier_ms in EARLIER {
            let mut disk = Disk::new(behaviour);
            if let Some(ms) = earlier_ms {
                disk.read_at_once(&[4]);
                disk.serve();
                disk.wait(Duration::from_millis(ms));
            }
            for level in [UNUSUAL.level, 4] {
                disk.read_at_once(&[level]);
                disk.serve();
            }
            disk.wait(PrimingReads::GAP);
            let load = disk.read_at_once(&[4; 10]);
            assert_eq!((load.merged, load.in_large_burst), (0, 10), "{behaviour:?} {earlier_ms:?}");

            disk.wait(Pace::of(Level::Quick).lead);
            let program = disk.read_at_once(&[4]);
            let expected = Fates { raised: 1, merged: 0, in_large_burst: 0 };
            assert_eq!(program, expected, "{behaviour:?} {earlier_ms:?}");
        }
    }
}

#[test]
fn without_priming_it_is_one_program_that_is_raised() {
    for behaviour in [Behaviour::Linux6_1, Behaviour::Linux6_12, Behaviour::Improved] {
        let load = Disk::new(behaviour).read_at_once(&[4; 10]);
        assert_eq!(load, Fates { raised: 1, merged: 9, in_large_burst: 0 }, "{behaviour:?}");
    }
}
