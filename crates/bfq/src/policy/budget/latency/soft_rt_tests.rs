// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time lines of players, and of greedy processes that look like players. Times are in ms.

use super::super::raise::{INTERACTIVE_COEFFICIENT as INTERACTIVE, SOFT_RT_COEFFICIENT as SOFT_RT};
use crate::{
    Behaviour, Class, Config, Ioprio, NewRequest, ProcessAttributes, ProcessId, RequestId,
    Scheduler, Time, tunables::Tunable,
};

const BEHAVIOURS: [Behaviour; 2] = [Behaviour::Improved, Behaviour::Linux6_12];

fn ms(ms: u64) -> Time {
    Time::from_ns(ms * 1_000_000)
}

/// A disk with two actuators, the second one behind sector 1,000,000.
struct Line {
    bfq: Scheduler,
}

impl Line {
    fn new(behaviour: Behaviour) -> Self {
        let ends = [1_000_000, 2_000_000];
        let config = Config { actuator_ends: &ends, behaviour, ..Config::new(true, 64) };
        Line { bfq: Scheduler::new(ms(0), config).expect("memory") }
    }

    fn process(&mut self, attributes: ProcessAttributes) -> ProcessId {
        self.bfq.add_process(ms(0), self.bfq.root_group(), attributes).expect("memory")
    }

    /// A read that a process `asked` for, now; the disk gets it at once.
    fn read(&mut self, asked: u64, now: u64, tag: usize, process: ProcessId, at: u64, n: u32) {
        while let Some(timer) = self.bfq.next_timer().filter(|timer| *timer <= ms(now)) {
            self.bfq.on_timer(timer);
        }
        let read = NewRequest { asked_at: ms(asked), ..NewRequest::read(process, at, n, ms(now)) };
        let id = RequestId::from_index(tag);
        self.bfq.insert(ms(now), id, &read, false).expect("a free tag");
        assert_eq!(self.bfq.dispatch(ms(now)), Some(id));
        self.bfq.check();
    }

    fn complete(&mut self, now: u64, tag: usize) {
        self.bfq.complete(ms(now), RequestId::from_index(tag)).expect("dispatched");
        self.bfq.check();
    }

    fn coefficient(&self, process: ProcessId, actuator: u64) -> u32 {
        let queue = self.bfq.linked_queue(process, true, actuator as u8).expect("it has one");
        self.bfq.queue_state(queue).expect("it exists").weight.coefficient
    }
}

/// How a player that begins now, and looks interactive at first, is raised after ten frames of
/// `sectors`, each of which takes `latency`.
fn player(mut line: Line, period: u64, sectors: u32, latency: u64) -> u32 {
    let process = line.process(ProcessAttributes::default());
    for frame in 0..10 {
        let now = period * (frame + 1);
        line.read(now, now, 0, process, 8 + frame * u64::from(sectors), sectors);
        line.complete(now + latency, 0);
    }
    line.coefficient(process, 0)
}

#[test]
fn a_player_is_known_by_its_pace_and_its_pause() {
    for (period, sectors, latency, ours, reference, what) in [
        (40, 256, 7, SOFT_RT, SOFT_RT, "a film"),
        (40, 256, 8, SOFT_RT, INTERACTIVE, "8 ms, 20 ms of idling, and 12 ms of pause make 40"),
        (40, 256, 19, SOFT_RT, INTERACTIVE, "20 ms of idling are part of the pause"),
        (40, 256, 21, INTERACTIVE, INTERACTIVE, "the next frame comes before they are over"),
        (500, 2048, 100, SOFT_RT, SOFT_RT, "a long frame, twice a second"),
        (20, 128, 1, INTERACTIVE, INTERACTIVE, "always in service"),
        (40, 279, 5, SOFT_RT, SOFT_RT, "7000 sectors a second are 280 in 40 ms"),
        (40, 287, 5, INTERACTIVE, INTERACTIVE, "287 are more than a film needs"),
    ] {
        for (behaviour, expected) in BEHAVIOURS.into_iter().zip([ours, reference]) {
            let coefficient = player(Line::new(behaviour), period, sectors, latency);
            assert_eq!(coefficient, expected, "{what}, {behaviour:?}");
        }
    }
}

#[test]
fn the_pause_is_longer_than_slice_idle_and_four_ticks() {
    for (slice_idle_ms, latency, expected) in
        [(0, 35, SOFT_RT), (0, 36, INTERACTIVE), (25, 10, SOFT_RT), (25, 11, INTERACTIVE)]
    {
        let mut line = Line::new(Behaviour::Improved);
        line.bfq.set_tunable(ms(0), Tunable::SliceIdle, slice_idle_ms);
        let coefficient = player(line, 40, 256, latency);
        assert_eq!(coefficient, expected, "slice_idle {slice_idle_ms}, {latency} ms");
    }
}

#[test]
fn the_reference_counts_whole_ticks_of_slice_idle() {
    // After 20 ms of idling, a pause of more than 2.5 ms and four ticks: 7 ms.
    for (latency, expected) in [(13, SOFT_RT), (14, INTERACTIVE)] {
        let mut line = Line::new(Behaviour::Linux6_1);
        line.bfq.set_tunable(ms(0), Tunable::SliceIdleUs, 2500);
        assert_eq!(player(line, 40, 256, latency), expected, "{latency} ms");
    }
}

/// A reader that sends its next request as soon as it has the last, 50 ms later, while another
/// process has its turn all the time.
#[test]
fn a_greedy_reader_served_in_the_turns_of_others_is_no_player() {
    for (behaviour, expected) in BEHAVIOURS.into_iter().zip([INTERACTIVE, SOFT_RT]) {
        let mut line = Line::new(behaviour);
        let real_time = ProcessAttributes::with_ioprio(Ioprio::new(Class::RealTime, 4));
        let in_service = line.process(real_time);
        let greedy = line.process(ProcessAttributes::default());
        line.read(1, 1, 0, in_service, 8, 8);
        for round in 0..10 {
            let now = 50 * (round + 1);
            line.read(now, now, 1, greedy, 1_000_000 + 256 * round, 256);
            line.complete(now + 50, 1);
        }
        assert_eq!(line.coefficient(greedy, 1), expected, "{behaviour:?}");
    }
}

/// A greedy process that waits for a place in the pool, 50 ms each time.
#[test]
fn waiting_for_a_place_in_the_pool_is_no_pause() {
    for (behaviour, expected) in BEHAVIOURS.into_iter().zip([INTERACTIVE, SOFT_RT]) {
        let mut line = Line::new(behaviour);
        let process = line.process(ProcessAttributes::default());
        for round in 0..10 {
            let asked = 55 * (round + 1);
            line.read(asked, asked + 50, 0, process, 8 + 256 * round, 256);
            line.complete(asked + 55, 0);
        }
        assert_eq!(line.coefficient(process, 0), expected, "{behaviour:?}");
    }
}

/// The same for the two seconds of rest after which a queue looks interactive again.
#[test]
fn waiting_for_a_place_in_the_pool_is_no_rest() {
    for (asked, expected) in [(1100, 1), (8000, INTERACTIVE)] {
        let mut line = Line::new(Behaviour::Improved);
        let process = line.process(ProcessAttributes::default());
        line.read(10, 10, 0, process, 8, 120_001);
        line.complete(1000, 0);
        assert_eq!(line.coefficient(process, 0), 1, "120,001 sectors end an interactive raise");
        line.read(asked, 8000, 0, process, 120_009, 8);
        assert_eq!(line.coefficient(process, 0), expected, "asked at {asked}");
    }
}
