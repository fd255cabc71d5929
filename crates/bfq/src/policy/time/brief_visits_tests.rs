// SPDX-License-Identifier: MIT OR Apache-2.0
//! A program that starts and computes for 2 ms between its reads, beside processes that pause for
//! longer, on a flash disk on which each read takes a tenth of a millisecond.

use crate::{
    Class, Config, Ioprio, NewRequest, ProcessAttributes, ProcessId, RequestId, Time,
    policy::time::TimeFair, scheduler::Scheduler, tunables::Tunable, why::Silent,
};
use std::{cmp::Reverse, collections::BinaryHeap, vec::Vec};

const US: u64 = 1000;
const MS: u64 = 1000 * US;
const READ_NS: u64 = 100 * US;
const PAUSE_OF_PROGRAM_NS: u64 = 2 * MS;

/// What happens next: the earliest first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Comes(RequestId),
    Completes(RequestId),
}

/// What has been served in the first second, in which the program is on loan all the time.
struct Served {
    reads_of_program: u64,
    /// What it was charged.
    charged_ns: u64,
    /// The longest that a read of another process waited, of those that came after 100 ms, or
    /// that still wait at the end.
    longest_wait_ns: u64,
}

impl Served {
    /// A read of another process waited until now, if one did.
    fn note_wait(&mut self, since_ns: Option<u64>, now_ns: u64) {
        let waited_ns = since_ns.map_or(0, |since_ns| now_ns - since_ns);
        self.longest_wait_ns = self.longest_wait_ns.max(waited_ns);
    }
}

/// Serves a program and others of a class: so many, which pause for so long, with such a value of
/// `strict`.
fn serve(others: usize, pause_ns: u64, class: Class, strict: u64) -> Served {
    let mut scheduler: Scheduler<Silent, TimeFair> =
        Scheduler::attach(Time::ZERO, Config::new(false, 256), Silent).expect("memory");
    scheduler.set_tunable(Time::ZERO, Tunable::Strict, strict);
    let root = scheduler.root_group();
    let processes: Vec<ProcessId> = (0..=others)
        .map(|index| {
            let class = if index == 0 { Class::BestEffort } else { class };
            let attributes = ProcessAttributes::with_ioprio(Ioprio::new(class, 4));
            scheduler.add_process(Time::ZERO, root, attributes)
        })
        .collect::<Result<_, _>>()
        .expect("memory");
    let mut events: BinaryHeap<_> = (0..=others)
        .map(|index| Reverse((index as u64 * MS, Event::Comes(RequestId::from_index(index)))))
        .collect();
    let mut waits_since_ns = std::vec![None; processes.len()];
    let mut served = Served { reads_of_program: 0, charged_ns: 0, longest_wait_ns: 0 };
    let (mut now_ns, mut sector) = (0, 0);
    while now_ns < 1000 * MS {
        let timer_ns = scheduler.next_timer().map(Time::as_ns);
        let event_ns = events.peek().map(|Reverse((at_ns, _))| *at_ns);
        now_ns = [timer_ns, event_ns].into_iter().flatten().min().expect("pauses end").max(now_ns);
        let now = Time::from_ns(now_ns);
        if timer_ns.is_some_and(|timer_ns| timer_ns <= now_ns) {
            scheduler.on_timer(now);
        }
        while events.peek().is_some_and(|Reverse((at_ns, _))| *at_ns <= now_ns) {
            let Reverse((_, event)) = events.pop().expect("it was seen");
            match event {
                Event::Comes(id) => {
                    sector += 1 << 20;
                    let new = NewRequest::read(processes[id.index()], sector, 8, now);
                    scheduler.insert(now, id, &new, false).expect("free");
                    waits_since_ns[id.index()] = Some(now_ns);
                }
                Event::Completes(id) => {
                    scheduler.complete(now, id).expect("in the device");
                    let is_program = id.index() == 0;
                    served.reads_of_program += u64::from(is_program);
                    let pause_ns = if is_program { PAUSE_OF_PROGRAM_NS } else { pause_ns };
                    events.push(Reverse((now_ns + pause_ns, Event::Comes(id))));
                }
            }
        }
        while let Some(id) = scheduler.dispatch(now) {
            let since_ns = waits_since_ns[id.index()].take();
            let counts = |since_ns: &u64| id.index() > 0 && *since_ns > 100 * MS;
            served.note_wait(since_ns.filter(counts), now_ns);
            events.push(Reverse((now_ns + READ_NS, Event::Completes(id))));
        }
        scheduler.check();
    }
    waits_since_ns.iter().skip(1).for_each(|&since_ns| served.note_wait(since_ns, now_ns));
    let queue = scheduler.linked_queue(processes[0], true, 0).expect("it reads");
    let weight = u64::from(Ioprio::DEFAULT.weight());
    let at_weight_1 = scheduler.policy.shares.at_weight_1(scheduler.node_of(queue));
    served.charged_ns = at_weight_1.as_ns() * weight;
    served
}

#[test]
fn who_pauses_for_longer_than_a_program_that_starts_does_not_wait_for_its_pauses() {
    // Others and how long they pause.
    for (others, pause_ms) in [(1, 10), (1, 50), (4, 20)] {
        let served = serve(others, pause_ms * MS, Class::BestEffort, 1);
        let longest_us = served.longest_wait_ns / US;
        assert!(longest_us < 1000, "{others} pause {pause_ms} ms: {longest_us} us");
        // Each pause and each read of the program takes its time, and few are disturbed.
        assert!(served.reads_of_program > 440, "{others}: {}", served.reads_of_program);
        // It pays for its reads, and not for the part of a pause that a visit ended.
        let charged_us = served.charged_ns / served.reads_of_program / US;
        assert!(charged_us < 150, "{others}: {charged_us} us for a read");
    }
}

#[test]
fn visits_take_a_quarter_of_the_time_at_most() {
    // Twice as many reads as there would be time for: 200 processes that pause for 10 ms.
    let served = serve(200, 10 * MS, Class::BestEffort, 1);
    // In the other three quarters the program has a read every 2.1 ms, but for those 100 ms that
    // were saved for visits, and for loans of others in the first 100 ms.
    let least = (1000 - 100 - 100) * 3 / 4 * MS / (PAUSE_OF_PROGRAM_NS + READ_NS);
    assert!(served.reads_of_program >= least, "{}, {least}", served.reads_of_program);
}

#[test]
fn no_visitor_is_of_a_lower_class_nor_where_one_is_served_at_a_time() {
    for (class, strict) in [(Class::Idle, 1), (Class::BestEffort, 2)] {
        let served = serve(1, 20 * MS, class, strict);
        assert!(served.longest_wait_ns > 100 * MS, "{class:?}: {}", served.longest_wait_ns);
    }
}
