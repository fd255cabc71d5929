// SPDX-License-Identifier: MIT OR Apache-2.0
//! Each rule of peers.md §4.4 about samples and evaluations as a time line.

use super::*;

const MS: u64 = NS_PER_MS;
/// The target of all domains here, so that a latency in ms is its bucket, plus one.
const TARGET_NS: u64 = 4 * MS;

/// A control fed with latencies in ms.
#[derive(Default)]
struct Line(LatencyControl);

impl Line {
    fn complete(&mut self, now_ms: u64, domain: Domain, times: u32, total_ms: u64, device_ms: u64) {
        for _ in 0..times {
            let (total_ns, device_ns) = (total_ms * MS, device_ms * MS);
            self.0.completed(now_ms * MS, domain, TARGET_NS, total_ns, device_ns);
        }
    }

    fn timer_ms(&self) -> Option<u64> {
        self.0.timer_ns().map(|timer_ns| timer_ns / MS)
    }

    /// Whether the device is congested, and the factors of reads, writes and discards in quarters.
    fn evaluate(&mut self, now_ms: u64) -> (bool, [Option<u32>; 3]) {
        let verdicts = self.0.evaluate(now_ms * MS);
        (verdicts.congested, verdicts.depth_factors)
    }
}

const UNCHANGED: [Option<u32>; 3] = [None; 3];

#[test]
fn the_timer_fires_100_ms_after_the_first_completion() {
    let mut line = Line::default();
    assert_eq!(line.timer_ms(), None);
    line.complete(50, Domain::Read, 1, 1, 1);
    line.complete(120, Domain::Write, 1, 1, 1);
    assert_eq!(line.timer_ms(), Some(150), "later completions do not put it off");
    line.evaluate(150);
    assert_eq!(line.timer_ms(), None, "nothing new, no timer");
    line.complete(170, Domain::Read, 1, 1, 1);
    assert_eq!(line.timer_ms(), Some(270));
}

#[test]
fn five_hundred_samples_are_enough() {
    for (samples, verdict) in [(499, (false, UNCHANGED)), (500, (true, [Some(6), None, None]))] {
        let mut line = Line::default();
        line.complete(0, Domain::Read, samples, 6, 6);
        assert_eq!(line.evaluate(100), verdict, "{samples} samples");
    }
}

#[test]
fn a_single_sample_is_enough_a_second_after_the_first_evaluation_that_saw_it() {
    let mut line = Line::default();
    line.complete(0, Domain::Write, 1, 1, 5);
    for now_ms in [100, 200, 1099] {
        assert_eq!(line.evaluate(now_ms), (false, UNCHANGED), "at {now_ms} ms");
    }
    assert!(line.evaluate(1100).0, "1 s after 100 ms");
}

#[test]
fn an_evaluation_consumes_the_samples() {
    let mut line = Line::default();
    line.complete(0, Domain::Read, 500, 6, 6);
    assert!(line.evaluate(100).0);
    assert_eq!(line.evaluate(2000), (false, UNCHANGED));
    line.complete(2000, Domain::Read, 500, 3, 3);
    assert!(!line.evaluate(2100).0, "the bad ones are forgotten");
}

#[test]
fn the_second_is_shared_and_the_device_latencies_use_it_up() {
    let mut line = Line::default();
    for now_ms in (0..3000).step_by(100) {
        line.complete(now_ms, Domain::Read, 10, 8, 8);
        let verdict = line.evaluate(now_ms + 100);
        // First seen at 100 ms, so the second ends at 1100; the total latencies, looked at next,
        // begin the next one.
        let refreshed = [1100, 2100].contains(&(now_ms + 100));
        assert_eq!(verdict, (refreshed, UNCHANGED), "at {} ms", now_ms + 100);
    }
    // The total latencies have had 300 samples by now, and wait for the five hundredth.
    line.complete(3000, Domain::Read, 199, 8, 8);
    assert_eq!(line.evaluate(3099).1, UNCHANGED);
    line.complete(3099, Domain::Read, 1, 8, 8);
    assert_eq!(line.evaluate(3099).1, [Some(8), None, None]);
}

#[test]
fn total_latencies_get_the_second_if_no_device_latencies_wait() {
    let mut line = Line::default();
    line.complete(0, Domain::Read, 1, 8, 1);
    line.evaluate(100);
    line.evaluate(1100); // of the device; the total latencies' second begins
    assert_eq!(line.evaluate(2099), (false, UNCHANGED));
    assert_eq!(line.evaluate(2100), (false, [Some(8), None, None]));
}

#[test]
fn each_domain_has_a_second_of_its_own() {
    let mut line = Line::default();
    line.complete(0, Domain::Read, 1, 1, 8);
    line.evaluate(100);
    line.complete(500, Domain::Write, 1, 1, 8);
    line.evaluate(600);
    assert!(line.evaluate(1100).0, "reads");
    assert!(!line.evaluate(1599).0);
    assert!(line.evaluate(1600).0, "writes");
}

#[test]
fn the_device_is_congested_if_a_tenth_and_more_of_some_domain_is_slow_in_it() {
    for (slow, congested) in [(49, false), (50, false), (51, true)] {
        for domain in Domain::WITH_TARGET {
            let mut line = Line::default();
            line.complete(0, domain, 500 - slow, 1, 4);
            line.complete(0, domain, slow, 1, 5);
            assert_eq!(line.evaluate(100).0, congested, "{slow} slow ones of {domain:?}");
        }
    }
}

#[test]
fn good_latencies_ask_for_nothing_unless_the_device_is_congested() {
    for (total_ms, calm, congested) in [
        (1, None, Some(1)),
        (2, None, Some(2)),
        (3, None, Some(3)),
        (4, None, Some(4)),
        (5, Some(5), Some(5)),
        (6, Some(6), Some(6)),
        (7, Some(7), Some(7)),
        (8, Some(8), Some(8)),
        (9, Some(8), Some(8)),
    ] {
        for (device_ms, factor) in [(1, calm), (9, congested)] {
            let mut line = Line::default();
            line.complete(0, Domain::Write, 500, total_ms, 1);
            line.complete(0, Domain::Read, 500, 1, device_ms);
            let (_, [_, writes, _]) = line.evaluate(100);
            assert_eq!(writes, factor, "{total_ms} ms, reads {device_ms} ms in the device");
        }
    }
}

#[test]
fn the_hundredth_part_of_the_slowest_is_overlooked() {
    for (slow, factor) in [(5, None), (6, Some(8))] {
        let mut line = Line::default();
        line.complete(0, Domain::Read, 500 - slow, 1, 1);
        line.complete(0, Domain::Read, slow, 9, 1);
        assert_eq!(line.evaluate(100).1[0], factor, "{slow} slow ones");
    }
}

#[test]
fn in_congestion_the_remembered_percentile_serves_once() {
    let mut line = Line::default();
    line.complete(0, Domain::Write, 500, 2, 1);
    assert_eq!(line.evaluate(100), (false, UNCHANGED), "good: remembered");
    line.complete(150, Domain::Read, 500, 1, 9);
    assert_eq!(line.evaluate(200), (true, [Some(1), Some(2), None]));
    line.complete(250, Domain::Read, 500, 1, 9);
    assert_eq!(line.evaluate(300), (true, [Some(1), None, None]), "forgotten");
}

#[test]
fn in_congestion_a_fresh_percentile_counts_and_the_remembered_one_is_forgotten() {
    let mut line = Line::default();
    line.complete(0, Domain::Write, 500, 2, 1);
    line.evaluate(100);
    line.complete(150, Domain::Read, 500, 1, 9);
    line.complete(150, Domain::Write, 500, 3, 1);
    assert_eq!(line.evaluate(200), (true, [Some(1), Some(3), None]));
    line.complete(250, Domain::Read, 500, 1, 9);
    assert_eq!(line.evaluate(300), (true, [Some(1), None, None]), "neither 2 nor 3 is left");
}

#[test]
fn without_congestion_the_last_percentile_is_remembered_and_not_applied_again() {
    let mut line = Line::default();
    line.complete(0, Domain::Write, 500, 6, 1);
    assert_eq!(line.evaluate(100), (false, [None, Some(6), None]), "bad: applied at once");
    line.complete(150, Domain::Read, 1, 1, 1);
    assert_eq!(line.evaluate(200), (false, UNCHANGED));
    line.complete(250, Domain::Read, 500, 1, 9);
    assert_eq!(line.evaluate(300), (true, [Some(1), Some(6), None]), "and remembered all the time");
}
