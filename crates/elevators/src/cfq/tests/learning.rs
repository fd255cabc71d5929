// SPDX-License-Identifier: MIT OR Apache-2.0
//! peers.md §5.2, §5.10: think time, seeking, queueing.

use crate::cfq::generation::Generation;
use crate::cfq::queueing::{Load, Queueing};
use crate::cfq::seek::{SeekDistance, SeekHistory};
use crate::cfq::think_time::ThinkTime;

#[test]
fn think_time_is_trusted_from_the_third_sample_on() {
    let mut think_time = ThinkTime::new(0);
    let mut now_ticks = 0;
    let mut seen = Vec::new();
    for thought_ticks in [1, 1, 1, 2, 1000, 0] {
        now_ticks += thought_ticks;
        think_time.arrived(now_ticks, 4);
        seen.push(think_time.trusted_ticks());
        think_time.completed(now_ticks);
    }
    // Rounded up generously while there are few. A second counts as the cap of four ticks.
    assert_eq!(seen, [None, None, Some(2), Some(2), Some(3), Some(2)]);
}

#[test]
fn think_time_settles_at_what_is_thought() {
    for thought_ticks in [0, 1, 2, 3, 10] {
        let mut think_time = ThinkTime::new(0);
        for _ in 0..40 {
            think_time.completed(0);
            think_time.arrived(thought_ticks, 100);
        }
        assert_eq!(think_time.trusted_ticks(), Some(thought_ticks));
    }
}

#[test]
fn think_time_counts_from_the_last_completion_for_each_arrival() {
    let mut think_time = ThinkTime::new(0);
    (1..40).for_each(|now_ticks| think_time.arrived(now_ticks, 100));
    let mean_ticks = think_time.trusted_ticks().expect("many samples");
    assert!(mean_ticks > 25, "1, 2, 3, … ticks after the beginning: {mean_ticks}");
}

/// Requests of 16 sectors so far from each other's ends.
fn distances(distances: &[u64]) -> SeekDistance {
    let mut seek = SeekDistance::default();
    let mut sector = 1 << 40;
    seek.arrived(sector, sector + 16);
    for distance in distances {
        sector += 16 + distance;
        seek.arrived(sector, sector + 16);
    }
    seek
}

#[test]
fn generation_a_seeks_with_a_mean_beyond_8192_sectors() {
    for (list, near_sectors, seeky) in [
        (&[0; 20][..], 0, false),
        (&[100; 20], 98, false),
        (&[7900; 60], 7900, false),
        (&[8300; 60], 8300, true),
        // One far request, clipped to 2 Mi sectors while young and to 128 Ki (+ 4 × mean) later.
        (&[1 << 40], 8192, true),
        (&[0, 0, 0, 0, 0, 1 << 40], 27_000, true),
        (&[0, 0, 0, 0, 0, 1 << 40, 0, 0, 0, 0, 0, 0, 0, 0], 6_600, false),
    ] {
        let seek = distances(list);
        let near = seek.near_sectors();
        assert!(near.abs_diff(near_sectors) <= near_sectors / 5, "{list:?}: near is {near}");
        assert_eq!(seek.is_seeky(), seeky, "{list:?}");
    }
}

#[test]
fn generation_b_seeks_with_more_than_four_of_32() {
    for (far, near_after, rotational, sectors, seeky) in [
        (4, 0, true, 16, false),
        (5, 0, true, 16, true),
        (5, 27, true, 16, true),
        (5, 28, true, 16, false),
        // Where nothing rotates, small ones count, wherever they are.
        (0, 4, false, 16, false),
        (0, 5, false, 16, true),
        (5, 0, false, 64, false),
    ] {
        let mut history = SeekHistory::default();
        let mut sector = 1 << 40;
        if far > 0 && rotational {
            history.arrived(sector, sector + sectors, rotational);
        }
        for number in 0..far + near_after {
            sector += sectors + if number < far { 801 } else { 800 };
            history.arrived(sector, sector + sectors, rotational);
        }
        let text = format!("{far} far, then {near_after} of {sectors} sectors");
        assert_eq!(history.is_seeky(), seeky, "{text}, rotational: {rotational}");
    }
}

/// What is thought of the device after that number of completions with that load.
fn after(generation: Generation, completions: u32, load: Load) -> bool {
    let mut queueing = Queueing::new(generation);
    (0..completions).for_each(|_| queueing.completes(load));
    queueing.queues()
}

#[test]
fn a_device_queues_until_fifty_completions_show_otherwise() {
    use Generation::{Linux2_6_32 as A, Linux2_6_35 as B};
    for (generation, completions, in_flight, waiting, waited_for, queues) in [
        (A, 49, 1, 6, None, true),
        (A, 50, 1, 6, None, false),
        (A, 500, 1, 5, None, true),
        (A, 50, 4, 6, None, false),
        (A, 50, 5, 6, None, true),
        (A, 50, 6, 0, None, true),
        (B, 49, 1, 5, None, true),
        (B, 50, 1, 5, None, false),
        (B, 500, 1, 4, None, true),
        (B, 50, 5, 6, None, false),
        (B, 50, 6, 0, None, true),
        // A queue that is waited for has too few requests to show anything.
        (B, 500, 1, 5, Some(4), true),
        (B, 50, 1, 5, Some(5), false),
        (B, 50, 5, 1, Some(4), false),
    ] {
        let text =
            format!("{generation:?}, {completions} × {in_flight} of {waiting}, {waited_for:?}");
        let load = Load { in_flight, waiting, waited_for };
        assert_eq!(after(generation, completions, load), queues, "{text}");
    }
}

#[test]
fn only_generation_a_changes_its_mind() {
    for (generation, queues) in [(Generation::Linux2_6_32, false), (Generation::Linux2_6_35, true)]
    {
        let mut queueing = Queueing::new(generation);
        let deep = Load { in_flight: 20, waiting: 20, waited_for: None };
        let flat = Load { in_flight: 1, waiting: 20, waited_for: None };
        (0..50).for_each(|_| queueing.completes(deep));
        (0..50).for_each(|_| queueing.completes(flat));
        assert_eq!(queueing.queues(), queues, "{generation:?}");
    }
}
