// SPDX-License-Identifier: MIT OR Apache-2.0
//! peers.md §5.7: how much goes to the device, and which request first.

use super::line::*;

#[test]
fn a_queue_has_so_many_requests_on_the_device() {
    let sectors: Vec<u64> = (0..64).map(|number| number * SECTORS).collect();
    for (generation, ioprio, others, expected) in [
        ("2.6.32", best_effort(4), true, 4),
        ("2.6.32", best_effort(4), false, 16),
        // Before the first completion a slice of generation B may end soon.
        ("2.6.35", best_effort(4), true, 4),
        ("2.6.35", best_effort(4), false, 64),
        ("2.6.35", idle(), false, 1),
    ] {
        let mut line = Line::on(true, generation, &[]);
        let process = line.process(ioprio);
        line.reads(process, &sectors);
        if others {
            let other = line.process(ioprio);
            line.reads(other, &[1 << 40]);
        }
        let mut dispatched = line.all();
        dispatched.retain(|sector| *sector != 1 << 40);
        assert_eq!(dispatched.len(), expected, "{generation}, {ioprio:?}, others: {others}");
    }
}

#[test]
fn generation_b_gives_the_whole_quantum_while_the_slice_lasts() {
    // In flight × 8 ms must fit what is left of the 100 ms.
    for (left_ms, in_flight) in [(100, 8), (60, 8), (52, 7), (36, 5), (28, 4), (8, 4)] {
        let mut line = Line::b(&[]);
        let (process, other) = (line.process(best_effort(4)), line.process(best_effort(4)));
        line.reads(process, &[0]);
        line.next();
        line.completes(0);
        let sectors: Vec<u64> = (1..40).map(|number| number * SECTORS).collect();
        line.reads(process, &[sectors[0]]);
        line.next();
        line.pass(100 - left_ms);
        line.reads(process, &sectors[1..]);
        line.reads(other, &[1 << 40]);
        line.completes(sectors[0]);
        assert_eq!(line.all().len(), in_flight, "{left_ms} ms left");
    }
}

#[test]
fn the_quantum_is_a_tunable() {
    for (generation, quantum, expected) in
        [("2.6.32", "1", 1), ("2.6.32", "9", 9), ("2.6.35", "1", 1), ("2.6.35", "9", 4)]
    {
        let mut line = Line::on(true, generation, &[("quantum", quantum)]);
        let (process, other) = (line.process(best_effort(4)), line.process(best_effort(4)));
        line.reads(process, &(0..20).map(|number| number * SECTORS).collect::<Vec<_>>());
        line.reads(other, &[1 << 40]);
        assert_eq!(line.all().len(), expected, "{generation}, quantum={quantum}");
    }
}

#[test]
fn asynchronous_requests_drain_before_synchronous_ones_and_the_other_way_round() {
    for generation in ["2.6.32", "2.6.35"] {
        let mut line = Line::on(true, generation, &[]);
        line.writes(&[0, SECTORS]);
        assert_eq!(line.all().len(), 2);
        let reader = line.process(best_effort(4));
        line.reads(reader, &[1 << 30]);
        assert_eq!(line.next(), None, "writes are on the device");
        line.completes(0);
        assert_eq!(line.next(), None);
        line.completes(SECTORS);
        assert_eq!(line.next(), Some(1 << 30));

        let mut line = Line::on(true, generation, &[("slice_idle", "0")]);
        let reader = line.process(best_effort(4));
        line.reads(reader, &[1 << 30]);
        assert_eq!(line.next(), Some(1 << 30));
        line.writes(&[0]);
        assert_eq!(line.next(), None, "a read is on the device");
        line.completes(1 << 30);
        assert_eq!(line.next(), Some(0));
    }
}

#[test]
fn asynchronous_requests_come_back_slowly_after_a_read() {
    // Time since a read completed → writes on the device.
    for (generation, low_latency, since_ms, on_device) in [
        ("2.6.32", "1", 0, 1),
        ("2.6.32", "1", 196, 1),
        ("2.6.32", "1", 200, 2),
        ("2.6.32", "1", 1600, 16),
        ("2.6.32", "1", 9000, 16),
        ("2.6.32", "0", 0, 16),
        // The read was not slow, so no request delayed it.
        ("2.6.35", "1", 0, 40),
    ] {
        let mut line = Line::on(true, generation, &[("low_latency", low_latency)]);
        let reader = line.process(best_effort(4));
        line.read_for(reader, 1 << 30, 4);
        line.cfq.process_ends(line.now_ticks(), reader);
        line.pass(since_ms);
        line.writes(&(0..40).map(|number| number * SECTORS).collect::<Vec<_>>());
        let text = format!("{generation}, low_latency={low_latency}, after {since_ms} ms");
        assert_eq!(line.all().len(), on_device, "{text}");
    }
}

#[test]
fn generation_b_holds_writes_back_after_a_read_that_took_longer_than_its_deadline() {
    for (read_ms, on_device) in [(128, 40), (132, 1)] {
        let mut line = Line::b(&[]);
        let reader = line.process(best_effort(4));
        line.read_for(reader, 1 << 30, read_ms);
        line.cfq.process_ends(line.now_ticks(), reader);
        line.writes(&(0..40).map(|number| number * SECTORS).collect::<Vec<_>>());
        assert_eq!(line.all().len(), on_device, "a read of {read_ms} ms");
    }
}

#[test]
fn an_asynchronous_queue_has_so_many_requests_in_a_slice() {
    let line = Line::a(&[]);
    let requests = |line: &Line| -> Vec<i64> {
        let priority = |level| best_effort(level).effective();
        (0..8).map(|level| line.cfq.async_requests(priority(level))).collect()
    };
    assert_eq!(requests(&line), [32, 28, 24, 20, 16, 12, 8, 4]);
    let line = Line::a(&[("slice_async_rq", "1")]);
    assert_eq!(requests(&line), [16, 14, 12, 10, 8, 6, 4, 2]);
}

#[test]
fn after_so_many_requests_others_have_their_turn_though_the_slice_lasts() {
    for (slice_async_rq, requests) in [("2", 16), ("1", 8)] {
        let mut line = Line::a(&[
            ("slice_async", "400"),
            ("slice_sync", "400"),
            ("low_latency", "0"),
            ("slice_async_rq", slice_async_rq),
        ]);
        let mut loads = [Load::reader(line.process(best_effort(4))), Load::writeback()];
        let turns = line.run(&mut loads, 20_000);
        let writes: Vec<u64> = turns[..turns.len() - 1]
            .iter()
            .filter(|turn| turn.load == 1)
            .map(|turn| turn.requests)
            .collect();
        assert!(writes.len() > 10 && writes.iter().all(|count| *count == requests), "{writes:?}");
    }
}

#[test]
fn asynchronous_requests_have_their_turn_between_readers() {
    for generation in ["2.6.32", "2.6.35"] {
        let mut line = Line::on(true, generation, &[]);
        let reader = line.process(best_effort(4));
        let turns = line.run(&mut [Load::reader(reader), Load::writeback()], 10_000);
        let writes: Vec<u64> =
            turns.iter().filter(|turn| turn.load == 1).map(|turn| turn.requests).collect();
        assert!(writes.len() > 10, "{generation}: writes are not starved: {turns:?}");
        let all: u64 = turns.iter().map(|turn| turn.requests).sum();
        assert!(3 * writes.iter().sum::<u64>() < all, "{generation}: nor do they starve reads");
    }
}

#[test]
fn the_oldest_request_goes_first_when_late_once_in_a_slice() {
    for (late, order) in [(false, [500, 600, 700, 100]), (true, [100, 500, 600, 700])] {
        let mut line = Line::a(&[("back_seek_max", "0")]);
        let process = line.process(best_effort(4));
        line.cfq.head_sector = 400;
        line.reads(process, &[100]);
        line.pass(if late { 128 } else { 124 });
        line.reads(process, &[500, 600, 700]);
        assert_eq!(line.all(), order, "late: {late}");
    }
    let mut line = Line::a(&[("back_seek_max", "0")]);
    let process = line.process(best_effort(4));
    line.cfq.head_sector = 400;
    line.reads(process, &[100, 50, 500]);
    line.pass(128);
    assert_eq!(line.all(), [100, 500, 50], "the deadline of 50 has passed, too");
    assert_eq!(line.statistic("deadlines_passed"), 1);
}

#[test]
fn the_next_request_is_near_ahead_or_a_little_behind() {
    for (head, back_seek_max, sectors, first) in [
        (1000, "16384", [1500, 900], 900),
        (1000, "16384", [1150, 900], 1150),
        (1000, "16384", [1200, 900], 1200),
        (1000, "0", [1500, 900], 1500),
        (1000, "0", [800, 900], 800),
        (1000, "16384", [1000, 1000], 1000),
    ] {
        let mut line = Line::a(&[("back_seek_max", back_seek_max)]);
        let process = line.process(best_effort(4));
        line.cfq.head_sector = head;
        line.reads(process, &sectors);
        assert_eq!(line.next(), Some(first), "{sectors:?} with the head at {head}");
    }
}

#[test]
fn what_comes_back_from_the_device_goes_first() {
    let mut line = Line::a(&[]);
    let process = line.process(best_effort(4));
    line.reads(process, &[0, 1000]);
    assert_eq!(line.next(), Some(0));
    let tag = blk::Tag(0);
    line.cfq.leaves_device(tag);
    let request = line.request(Some(process), true, 0);
    line.cfq.come_back(tag, request);
    assert_eq!(line.all(), [0, 1000]);
    assert_eq!(line.queue(process).in_flight, 1, "it counts for no queue now");
    line.completes(0);
    line.completes(1000);
    assert_eq!(line.cfq.in_flight, [0, 0]);
}
