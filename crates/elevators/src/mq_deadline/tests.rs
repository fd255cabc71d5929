// SPDX-License-Identifier: MIT OR Apache-2.0
//! Each rule of peers.md §3 as a time line.

use base::{Class, IoprioValue, Op};
use blk::{
    Bio, BlockLayer, Elevator, GroupId, NumberSyntax, ProcessId, ProcessSpec, Submission, Values,
};

use super::Direction::{Read, Write};
use super::*;
use base::Class::{BestEffort, RealTime};

const MS: i64 = 1_000_000;

/// A scheduler whose requests are named by their start sectors.
struct Line {
    mq: MqDeadline,
    next_tag: u32,
    sectors: Vec<u64>,
}

impl Line {
    fn new(tunables: &[(&str, &str)]) -> Line {
        let mut mq = MqDeadline::new(&DeviceLimits::new(128, true));
        mq.pool_resized(0, 256, 256);
        for (name, value) in tunables {
            mq.set_tunable(0, name, value).expect(name);
        }
        Line { mq, next_tag: 0, sectors: Vec::new() }
    }

    fn arrives(&mut self, now_ms: i64, priority: Class, direction: Direction, sector: u64) -> Tag {
        let tag = Tag(self.next_tag);
        self.next_tag += 1;
        self.sectors.push(sector);
        self.mq.enter(now_ms * MS, tag, priority, direction, sector);
        tag
    }

    /// A batch of best-effort arrivals.
    fn arrive(&mut self, now_ms: i64, direction: Direction, sectors: &[u64]) {
        for &sector in sectors {
            self.arrives(now_ms, BestEffort, direction, sector);
        }
    }

    fn tag(&self, sector: u64) -> Tag {
        let tag = self.sectors.iter().rposition(|other| *other == sector).expect("it arrived");
        Tag(tag as u32)
    }

    fn next(&mut self, now_ms: i64) -> Option<u64> {
        let tag = self.mq.dispatch_one(now_ms * MS)?;
        Some(self.sectors[tag.index()])
    }

    fn next_ones(&mut self, now_ms: i64, count: usize) -> Vec<u64> {
        (0..count).map_while(|_| self.next(now_ms)).collect()
    }

    fn completes(&mut self, sector: u64) {
        let tag = self.tag(sector);
        self.mq.level_of(tag).pending -= 1;
    }

    fn statistic(&self, name: &str) -> u64 {
        let all = self.mq.statistics();
        all.iter().find(|statistic| statistic.name == name).expect(name).value
    }
}

#[test]
fn a_sweep_goes_up_and_starts_again_with_the_oldest() {
    let mut line = Line::new(&[]);
    line.arrive(0, Read, &[500, 300, 400]);
    assert_eq!(line.next_ones(1, 2), [300, 400], "from position 0 upwards");
    line.arrive(2, Read, &[350, 450, 400]);
    assert_eq!(line.next_ones(3, 3), [400, 450, 500], "at or above 400; arrivals join the sweep");
    line.arrive(4, Read, &[100, 50]);
    assert_eq!(line.next(5), Some(350), "nothing above 500: the oldest, not the lowest");
    assert_eq!(line.next(5), Some(100), "again the end of the sweep, again the oldest");
    assert_eq!(line.next(5), Some(50));
    assert_eq!(line.next(5), None);
    assert_eq!(line.statistic("batches_wrapped"), 3);
}

#[test]
fn equal_starts_go_in_order_of_arrival() {
    let mut line = Line::new(&[]);
    let tags: Vec<Tag> = (0..3).map(|_| line.arrives(0, BestEffort, Read, 7)).collect();
    let dispatched: Vec<Tag> = (0..3).filter_map(|_| line.mq.dispatch_one(0)).collect();
    assert_eq!(dispatched, tags);
}

#[test]
fn two_batches_of_reads_for_one_of_writes() {
    let mut line = Line::new(&[("fifo_batch", "2")]);
    line.arrive(0, Read, &[1000]);
    assert_eq!(line.next(0), Some(1000), "so that reads have the last word");
    line.arrive(0, Read, &[1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008]);
    line.arrive(0, Write, &[1, 2, 3, 4]);
    assert_eq!(line.next(0), Some(1001), "the second of the batch");
    assert_eq!(line.next_ones(0, 4), [1002, 1003, 1004, 1005]);
    assert_eq!(line.next_ones(0, 2), [1, 2]);
    assert_eq!(line.next_ones(0, 3), [1006, 1007, 1008]);
    assert_eq!(line.next_ones(0, 2), [3, 4], "no reads wait any more");
    assert_eq!(line.statistic("writes_after_starving"), 1);
}

#[test]
fn the_first_request_of_all_continues_a_batch_of_writes() {
    let mut line = Line::new(&[]);
    line.arrive(0, Read, &[10]);
    line.arrive(0, Write, &[20, 30]);
    assert_eq!(line.next_ones(0, 3), [20, 30, 10]);
    assert_eq!(line.statistic("batches"), 1);
}

#[test]
fn starvation_counts_only_batches_begun_while_writes_wait() {
    let mut line = Line::new(&[("fifo_batch", "1")]);
    line.arrive(0, Read, &[10, 11, 12, 13, 14, 15, 16]);
    assert_eq!(line.next_ones(0, 3), [10, 11, 12], "no write starves");
    line.arrive(0, Write, &[1, 2, 3]);
    assert_eq!(line.next_ones(0, 3), [13, 14, 1]);
    assert_eq!(line.next_ones(0, 3), [15, 16, 2], "the count began anew");
    line.arrive(0, Read, &[17, 18, 19]);
    assert_eq!(line.next_ones(0, 3), [17, 18, 3], "… also after writes that no read competed with");
}

#[test]
fn writes_starved_may_be_anything() {
    for (value, order) in [("0", [1, 2, 10, 11]), ("-5", [1, 2, 10, 11]), ("1", [10, 1, 11, 2])] {
        let mut line = Line::new(&[("fifo_batch", "1"), ("writes_starved", value)]);
        line.arrive(0, Read, &[9]);
        line.next(0);
        line.arrive(0, Read, &[10, 11]);
        line.arrive(0, Write, &[1, 2]);
        assert_eq!(line.next_ones(0, 4), order, "writes_starved={value}");
    }
}

#[test]
fn a_batch_of_no_requests_is_a_new_batch_for_each() {
    let mut line = Line::new(&[("fifo_batch", "0")]);
    line.arrive(0, Read, &[3, 1, 2]);
    assert_eq!(line.next_ones(0, 3), [1, 2, 3]);
    assert_eq!(line.statistic("batches"), 3);
}

#[test]
fn deadlines_are_looked_at_when_a_batch_begins() {
    let mut line = Line::new(&[("fifo_batch", "2")]);
    line.arrive(0, Read, &[100]);
    assert_eq!(line.next(0), Some(100));
    line.arrive(1, Read, &[50]);
    line.arrive(2, Read, &[110, 120, 130]);
    assert_eq!(line.next(600), Some(110), "50 is late, but the batch goes on");
    assert_eq!(line.next(600), Some(50), "a new batch begins with the late one");
    assert_eq!(line.next_ones(600, 2), [120, 130], "and goes on above it");
}

#[test]
fn the_deadline_itself_is_late() {
    for (now_ms, first) in [(499, 200), (500, 90)] {
        let mut line = Line::new(&[("fifo_batch", "1")]);
        line.arrive(0, Read, &[100]);
        line.next(0);
        line.arrive(0, Read, &[90, 200]);
        assert_eq!(line.next(now_ms), Some(first), "at {now_ms} ms");
    }
}

#[test]
fn late_writes_are_not_preferred_to_reads() {
    let mut line = Line::new(&[("fifo_batch", "1")]);
    line.arrive(0, Read, &[9]);
    line.next(0);
    line.arrive(0, Write, &[1]);
    line.arrive(9000, Read, &[10, 11, 12]);
    assert_eq!(line.next_ones(9000, 4), [10, 11, 1, 12]);
}

#[test]
fn each_direction_has_its_expiry() {
    let mut line = Line::new(&[("fifo_batch", "1"), ("write_expire", "50")]);
    line.arrive(0, Write, &[100]);
    line.next(0);
    line.arrive(0, Write, &[90, 200]);
    assert_eq!(line.next(49), Some(200));
    line.arrive(49, Write, &[300]);
    assert_eq!(line.next(50), Some(90));
}

#[test]
fn higher_classes_go_first_and_lower_ones_wait_until_they_are_done() {
    let mut line = Line::new(&[]);
    line.arrives(0, Class::Idle, Read, 3);
    line.arrives(0, BestEffort, Read, 2);
    line.arrives(0, RealTime, Read, 1);
    assert_eq!(line.next(0), Some(1));
    assert_eq!(line.next(0), None, "1 is on the device");
    line.completes(1);
    assert_eq!(line.next(0), Some(2));
    assert_eq!(line.next(0), None, "2 is on the device");
    line.completes(2);
    assert_eq!(line.next(0), Some(3));
    assert_eq!(line.statistic("held_back"), 2);
}

#[test]
fn no_class_is_best_effort_and_levels_do_not_matter() {
    let class = |class, level| IoprioValue { class, level }.effective().class();
    assert_eq!(class(None, 0), BestEffort);
    assert_eq!(class(Some(Class::BestEffort), 7), BestEffort);
    assert_eq!(class(Some(Class::RealTime), 7), RealTime);
    assert_eq!(class(Some(Class::Idle), 0), Class::Idle);
    assert_eq!(Direction::of(Op::Discard), Write);
}

#[test]
fn who_has_waited_long_enough_goes_before_higher_classes() {
    let mut line = Line::new(&[]);
    line.arrives(0, Class::Idle, Read, 3);
    line.arrives(1, BestEffort, Read, 2);
    for sector in [10, 11, 12, 13] {
        line.arrives(1, RealTime, Read, sector);
    }
    assert_eq!(line.next(9_999), Some(10));
    assert_eq!(line.next(10_000), Some(3), "best effort is tried first, but came 1 ms later");
    assert_eq!(line.next(10_000), Some(11));
    assert_eq!(line.next(10_001), Some(2));
    assert_eq!(line.next(20_000), Some(12));
    assert_eq!(line.statistic("aged"), 2);
}

#[test]
fn without_competition_nobody_ages() {
    let mut line = Line::new(&[("prio_aging_expire", "0")]);
    line.arrives(0, BestEffort, Read, 2);
    assert_eq!(line.next(5), Some(2));
    assert_eq!(line.statistic("aged"), 0);
    line.arrives(5, Class::Idle, Read, 3);
    assert_eq!(line.next(5), Some(3), "best effort has one on the device: that is competition");
    assert_eq!(line.statistic("aged"), 1);
}

#[test]
fn the_arrival_is_computed_with_the_present_expiry() {
    let mut line = Line::new(&[]);
    line.arrives(0, BestEffort, Read, 2);
    line.arrives(0, RealTime, Read, 1);
    line.mq.set_tunable(0, "read_expire", "5500").expect("known");
    assert_eq!(line.next(5_000), Some(2), "deadline 500 - 5500: it seems to have come at -5000 ms");
}

#[test]
fn a_vain_try_of_the_aged_begins_a_batch_all_the_same() {
    let mut line = Line::new(&[]);
    for sector in [10, 11, 12] {
        line.arrives(0, RealTime, Read, sector);
    }
    assert_eq!(line.next(0), Some(10));
    line.arrives(0, RealTime, Write, 500);
    line.arrives(0, BestEffort, Write, 900);
    // Best effort is asked first: no reads, so it begins a batch of writes, and 900 is too young.
    assert_eq!(line.next(0), Some(500), "the batch of writes goes on in the real-time class");
}

#[test]
fn batch_direction_and_starvation_are_shared_by_all_classes_but_not_the_position() {
    let mut line = Line::new(&[("fifo_batch", "2")]);
    line.arrive(0, Read, &[100]);
    assert_eq!(line.next(0), Some(100));
    line.completes(100);
    line.arrives(0, RealTime, Read, 50);
    assert_eq!(line.next(0), Some(50), "second of the batch; real time has its own position");
    line.arrives(0, RealTime, Write, 10);
    line.arrives(0, RealTime, Read, 60);
    assert_eq!(line.next(0), Some(60), "a new batch");
    for sector in [50, 60] {
        line.completes(sector);
    }
    assert_eq!(line.next_ones(0, 2), [10]);
    line.completes(10);
    line.arrive(0, Read, &[90, 110]);
    assert_eq!(line.next(0), Some(110), "best effort goes on from 100");
}

#[test]
fn what_came_back_goes_first_and_moves_the_position_but_not_the_batch() {
    let mut line = Line::new(&[("fifo_batch", "3")]);
    line.arrive(0, Read, &[10, 20, 30, 40, 50]);
    assert_eq!(line.next_ones(0, 2), [10, 20]);
    let tag = line.tag(20);
    line.completes(20);
    line.mq.enter_at_head(tag, BestEffort, Read, 20);
    let tag = line.tag(10);
    line.completes(10);
    line.mq.enter_at_head(tag, BestEffort, Read, 10);
    assert!(line.mq.has_work());
    assert_eq!(line.next_ones(0, 2), [10, 20], "the last one at head first");
    line.arrive(0, Read, &[25]);
    assert_eq!(line.next(0), Some(25), "third of the batch, above 20");
    let batches = line.statistic("batches");
    assert_eq!(line.next(0), Some(30));
    assert_eq!(line.statistic("batches"), batches + 1);
}

#[test]
fn a_class_is_busy_with_what_came_back() {
    let mut line = Line::new(&[]);
    line.arrives(0, RealTime, Read, 1);
    line.arrives(0, BestEffort, Read, 2);
    assert_eq!(line.next(0), Some(1));
    let tag = line.tag(1);
    line.completes(1);
    line.mq.enter_at_head(tag, RealTime, Read, 1);
    assert_eq!(line.next(0), Some(1));
    assert_eq!(line.next(0), None);
    line.completes(1);
    assert_eq!(line.next(0), Some(2));
}

#[test]
fn everything_but_synchronous_reads_is_limited_to_async_depth() {
    let mut mq = MqDeadline::new(&DeviceLimits::new(32, false));
    let allowed = |mq: &mut MqDeadline| {
        [(Op::Read, true), (Op::Read, false), (Op::Write, true), (Op::Discard, false)]
            .map(|(op, sync)| mq.allowed_requests(0, None, op, sync))
    };
    assert_eq!(allowed(&mut mq), [u32::MAX, 64, 64, 64], "by default the whole pool");
    mq.pool_resized(0, 100, 100);
    assert_eq!(allowed(&mut mq), [u32::MAX, 100, 100, 100]);
    mq.set_tunable(0, "async_depth", "7").expect("known");
    mq.pool_resized(0, 50, 100);
    assert_eq!(allowed(&mut mq), [u32::MAX, 7, 7, 7]);
}

#[test]
fn the_table_of_tunables() {
    let mut mq = MqDeadline::new(&DeviceLimits::new(32, false));
    let (int_min, int_max) = (i128::from(i32::MIN), i128::from(i32::MAX));
    for (name, default, range, writes) in [
        ("read_expire", "500", 0..=int_max, [("-1", "0"), ("0x10\n", "16")]),
        ("write_expire", "5000", 0..=int_max, [("-9", "0"), ("2147483647", "2147483647")]),
        ("writes_starved", "2", int_min..=int_max, [("-3", "-3"), ("010", "8")]),
        ("front_merges", "1", 0..=1, [("7", "1"), ("-7", "0")]),
        ("fifo_batch", "16", 0..=int_max, [("+1", "1"), ("-2147483648", "0")]),
        ("async_depth", "64", 1..=int_max, [("0", "1"), ("1000", "1000")]),
        ("prio_aging_expire", "10000", 0..=int_max, [("0", "0"), ("1", "1")]),
    ] {
        let read = |mq: &MqDeadline| {
            mq.tunables().into_iter().find(|tunable| tunable.name == name).expect(name)
        };
        let tunable = read(&mq);
        assert_eq!((&tunable.value[..], &tunable.default[..]), (default, default), "{name}");
        let syntax = NumberSyntax::SignedAnyBase;
        assert_eq!(tunable.values, Values::Numbers { range, syntax }, "{name}");
        for (written, value) in writes {
            mq.set_tunable(0, name, written).expect(written);
            assert_eq!(read(&mq).value, value, "{name}={written}");
        }
        for (written, errno) in [("", 22), ("1x", 22), ("2147483648", 34), ("-2147483649", 34)] {
            let error = mq.set_tunable(0, name, written).expect_err(written);
            assert_eq!(error.errno(), errno, "{name}={written}");
        }
    }
    assert_eq!(mq.tunables().len(), 7);
    assert_eq!(mq.set_tunable(0, "quantum", "1").expect_err("unknown").errno(), 2);
}

/// The layer over mq-deadline, for what needs merging.
struct Merging {
    layer: BlockLayer,
    next_token: u64,
}

impl Merging {
    fn new(tunables: &[(&str, &str)]) -> Merging {
        let limits = DeviceLimits::new(1, true);
        let settings = QueueSettings { nr_requests: Some(64), ..QueueSettings::default() };
        let mut layer = BlockLayer::new(settings, limits, Box::new(MqDeadline::new(&limits)));
        for (name, value) in tunables {
            layer.set_tunable(0, name, value).expect(name);
        }
        Merging { layer, next_token: 0 }
    }

    fn process(&mut self, class: Option<Class>) -> ProcessId {
        let ioprio = IoprioValue { class, level: 4 };
        let spec = ProcessSpec { group: GroupId::ROOT, ioprio, name: "process".to_owned() };
        self.layer.add_process(0, spec).expect("process")
    }

    fn submit(&mut self, now_ms: u64, process: Option<ProcessId>, op: Op, sector: u64) {
        self.next_token += 1;
        let token = self.next_token;
        let bio = Bio {
            token,
            op,
            sync: true,
            metadata: false,
            read_ahead: false,
            sector,
            sectors: 8,
            process,
        };
        assert_eq!(self.layer.submit(now_ms * MS as u64, bio), Submission::Queued);
        self.layer.check();
    }

    fn reads(&mut self, now_ms: u64, sectors: &[u64]) {
        for &sector in sectors {
            self.submit(now_ms, None, Op::Read, sector);
        }
    }

    /// All that waits, in the order of its dispatch, as (sector, sectors).
    fn order(&mut self, now_ms: u64) -> Vec<(u64, u32)> {
        let mut order = Vec::new();
        while let Some(command) = self.layer.next_command(now_ms * MS as u64) {
            order.push((command.sector, command.sectors));
            self.layer.complete(now_ms * MS as u64, command.tag, Ok(()));
            self.layer.check();
        }
        order
    }
}

#[test]
fn bios_join_requests_of_any_process_of_their_class() {
    let mut world = Merging::new(&[]);
    let (p, q) = (world.process(None), world.process(None));
    let rt = world.process(Some(Class::RealTime));
    world.submit(0, Some(p), Op::Read, 100);
    world.submit(0, Some(q), Op::Read, 108);
    world.submit(0, Some(rt), Op::Read, 116);
    world.submit(0, Some(q), Op::Read, 92);
    world.submit(0, Some(rt), Op::Read, 84);
    assert_eq!(world.order(0), [(84, 8), (116, 8), (92, 24)]);
}

#[test]
fn after_a_front_merge_a_request_is_sorted_again() {
    let mut world = Merging::new(&[]);
    world.reads(0, &[100, 96, 92]);
    assert_eq!(world.order(0), [(92, 16), (96, 8)], "100 came before 96 by 92; they overlap");
}

#[test]
fn without_front_merges_only_the_hint_takes_bios_at_its_front() {
    for (front_merges, expected) in [("1", [(92, 16), (192, 16)]), ("0", [(92, 16), (192, 8)])] {
        let mut world = Merging::new(&[("front_merges", front_merges)]);
        world.reads(0, &[100, 200, 92, 192]);
        assert_eq!(world.order(0)[..2], expected, "front_merges={front_merges}");
    }
}

#[test]
fn coalesced_requests_take_the_earlier_deadline_and_its_place() {
    let mut world = Merging::new(&[("fifo_batch", "1")]);
    world.reads(0, &[1000]);
    world.order(0);
    world.reads(100, &[116]);
    world.reads(200, &[50]);
    world.reads(300, &[100]);
    world.reads(301, &[108]); // joins 100, which then absorbs 116 of 100 ms
    world.reads(302, &[2000]);
    assert_eq!(world.order(600), [(100, 24), (2000, 8), (50, 8)], "late since 600 ms; 50 from 700");

    let mut world = Merging::new(&[("fifo_batch", "1")]);
    world.reads(0, &[1000]);
    world.order(0);
    world.reads(100, &[100]);
    world.reads(200, &[50]);
    world.reads(300, &[116]);
    world.reads(301, &[108]);
    world.reads(302, &[2000]);
    assert_eq!(world.order(600), [(100, 24), (2000, 8), (50, 8)], "100 keeps its own");
}
