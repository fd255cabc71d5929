// SPDX-License-Identifier: MIT OR Apache-2.0
//! What peers.md says of the older deadline, as time lines; what it shares with mq-deadline is
//! tested there and only touched here.

use base::{Class, IoprioValue, Op};
use blk::{
    BlockLayer, DeviceLimits, GroupId, NumberSyntax, ProcessId, ProcessSpec, QueueSettings,
    Submission, Values,
};

use super::Direction::{Read, Write};
use super::*;

const MS: i64 = 1_000_000;

/// A scheduler whose requests are named by their start sectors.
struct Line {
    deadline: Deadline,
    sectors: Vec<u64>,
}

impl Line {
    fn new(tunables: &[(&str, &str)]) -> Line {
        let mut deadline = Deadline::new();
        deadline.pool_resized(0, 256, 256);
        for (name, value) in tunables {
            deadline.set_tunable(0, name, value).expect(name);
        }
        Line { deadline, sectors: Vec::new() }
    }

    fn arrive(&mut self, now_ms: i64, direction: Direction, sectors: &[u64]) {
        for &sector in sectors {
            let tag = Tag(self.sectors.len() as u32);
            self.sectors.push(sector);
            self.deadline.enter(now_ms * MS, tag, direction, sector);
        }
    }

    fn next_ones(&mut self, now_ms: i64, count: usize) -> Vec<u64> {
        let next = |_| Some(self.sectors[self.deadline.dispatch_one(now_ms * MS)?.index()]);
        (0..count).map_while(next).collect()
    }

    fn statistic(&self, name: &str) -> u64 {
        let all = self.deadline.statistics();
        all.iter().find(|statistic| statistic.name == name).expect(name).value
    }
}

#[test]
fn a_sweep_begins_with_the_oldest_and_goes_up_to_the_end() {
    let mut line = Line::new(&[]);
    line.arrive(0, Read, &[300, 100, 400, 200, 500]);
    assert_eq!(line.next_ones(0, 3), [300, 400, 500]);
    assert_eq!(line.next_ones(0, 3), [100, 200], "again the oldest, and up from there");
    assert_eq!(line.statistic("batches_wrapped"), 2);
}

#[test]
fn what_arrives_before_the_next_request_does_not_join_the_sweep() {
    let mut line = Line::new(&[]);
    line.arrive(0, Read, &[100, 200, 300]);
    assert_eq!(line.next_ones(0, 1), [100]);
    line.arrive(0, Read, &[150, 250]);
    assert_eq!(line.next_ones(0, 4), [200, 250, 300, 150], "250 is above the next one, 150 not");
}

#[test]
fn nor_does_what_arrives_at_the_end_of_a_sweep() {
    let mut line = Line::new(&[]);
    line.arrive(0, Read, &[100, 200]);
    assert_eq!(line.next_ones(0, 2), [100, 200]);
    line.arrive(1, Read, &[50, 300]);
    assert_eq!(line.next_ones(1, 2), [50, 300], "the oldest, though 300 is above 200");
}

#[test]
fn each_direction_keeps_the_place_of_its_sweep() {
    let mut line = Line::new(&[("fifo_batch", "2")]);
    line.arrive(0, Read, &[100, 110, 120, 130, 140, 150, 160]);
    line.arrive(0, Write, &[7, 5, 6, 8]);
    assert_eq!(line.next_ones(0, 6), [100, 110, 120, 130, 7, 8]);
    assert_eq!(line.next_ones(0, 5), [140, 150, 160, 5, 6], "writes are at their end, reads go on");
}

#[test]
fn two_batches_of_reads_for_one_of_writes() {
    let mut line = Line::new(&[("fifo_batch", "1")]);
    line.arrive(0, Read, &[10, 11, 12, 13, 14]);
    line.arrive(0, Write, &[1, 2]);
    assert_eq!(line.next_ones(0, 7), [10, 11, 1, 12, 13, 2, 14], "reads first");
    assert_eq!(line.statistic("writes_after_starving"), 2);
}

#[test]
fn deadlines_are_looked_at_when_a_batch_begins() {
    let mut line = Line::new(&[("fifo_batch", "2"), ("read_expire", "50")]);
    line.arrive(0, Read, &[100, 110, 120, 130]);
    assert_eq!(line.next_ones(0, 1), [100]);
    line.arrive(1, Read, &[20]);
    assert_eq!(line.next_ones(49, 2), [110, 120], "130 is the next, and nothing is late yet");
    assert_eq!(line.next_ones(51, 1), [130], "20 is late since now, but the batch goes on");
    assert_eq!(line.next_ones(51, 1), [20]);
    assert_eq!(line.statistic("batches_expired"), 1);
}

#[test]
fn a_late_request_begins_the_sweep_anew() {
    let mut line = Line::new(&[("fifo_batch", "2")]);
    line.arrive(0, Read, &[500, 100, 600, 700, 110]);
    assert_eq!(line.next_ones(0, 2), [500, 600]);
    assert_eq!(line.next_ones(500, 2), [100, 110], "100 is the oldest and late");
    assert_eq!(line.next_ones(501, 2), [700]);
}

#[test]
fn the_table_of_tunables() {
    let mut deadline = Deadline::new();
    let (int_min, int_max) = (i128::from(i32::MIN), i128::from(i32::MAX));
    let table = [
        ("read_expire", "500", 0..=int_max, ("-1", "0")),
        ("write_expire", "5000", 0..=int_max, ("0x10", "16")),
        ("writes_starved", "2", int_min..=int_max, ("-3", "-3")),
        ("front_merges", "1", 0..=1, ("7", "1")),
        ("fifo_batch", "16", 0..=int_max, ("010", "8")),
    ];
    let rows = deadline.tunables();
    assert_eq!(rows.len(), table.len());
    for (row, (name, default, range, (written, value))) in rows.iter().zip(table) {
        assert_eq!((row.name, &row.value[..], &row.default[..]), (name, default, default));
        let syntax = NumberSyntax::SignedAnyBase;
        assert_eq!(row.values, Values::Numbers { range, syntax }, "{name}");
        deadline.set_tunable(0, name, written).expect(name);
        let now = deadline.tunables().into_iter().find(|row| row.name == name).expect(name);
        assert_eq!(now.value, value, "{name}={written}");
        assert_eq!(deadline.set_tunable(0, name, "x").expect_err(name).errno(), 22);
        assert_eq!(deadline.set_tunable(0, name, "2147483648").expect_err(name).errno(), 34);
    }
    let aging = deadline.set_tunable(0, "prio_aging_expire", "1");
    assert_eq!(aging.expect_err("mq-deadline only").errno(), 2);
}

/// Deadline in the layer over a device of depth 1.
struct World(BlockLayer);

impl World {
    fn new(tunables: &[(&str, &str)]) -> World {
        let limits = DeviceLimits::new(1, true);
        let settings = QueueSettings { nr_requests: Some(64), ..QueueSettings::default() };
        let mut layer = BlockLayer::new(settings, limits, Box::new(Deadline::new()));
        for (name, value) in tunables {
            layer.set_tunable(0, name, value).expect(name);
        }
        World(layer)
    }

    fn process(&mut self, class: Option<Class>) -> ProcessId {
        let ioprio = IoprioValue { class, level: 4 };
        let spec = ProcessSpec { group: GroupId::ROOT, ioprio, name: "process".to_owned() };
        self.0.add_process(0, spec).expect("a process")
    }

    fn submit(&mut self, now_ms: u64, process: Option<ProcessId>, sync: bool, sector: u64) {
        let (token, op, metadata, read_ahead, sectors) = (sector, Op::Read, false, false, 8);
        let bio = Bio { token, op, sync, metadata, read_ahead, sector, sectors, process };
        assert_eq!(self.0.submit(now_ms * MS as u64, bio), Submission::Queued);
        self.0.check();
    }

    fn reads(&mut self, now_ms: u64, sectors: &[u64]) {
        sectors.iter().for_each(|&sector| self.submit(now_ms, None, true, sector));
    }

    fn next(&mut self, now_ms: u64) -> Option<(u64, u32)> {
        let command = self.0.next_command(now_ms * MS as u64)?;
        self.0.complete(now_ms * MS as u64, command.tag, Ok(()));
        self.0.check();
        Some((command.sector, command.sectors))
    }

    fn order(&mut self, now_ms: u64) -> Vec<(u64, u32)> {
        std::iter::from_fn(|| self.next(now_ms)).collect()
    }
}

#[test]
fn classes_do_not_matter() {
    let mut world = World::new(&[]);
    let processes = [Some(Class::Idle), Some(Class::BestEffort), Some(Class::RealTime)]
        .map(|class| world.process(class));
    for (process, sector) in processes.into_iter().zip([100, 200, 300]) {
        world.submit(0, Some(process), true, sector);
    }
    assert_eq!(world.order(0), [(100, 8), (200, 8), (300, 8)]);
}

#[test]
fn asynchronous_requests_may_use_the_whole_pool() {
    let mut world = World::new(&[]);
    let process = world.process(None);
    (0..64).for_each(|number| world.submit(0, Some(process), false, number * 100));
    assert_eq!(world.0.waiting(), 64);
}

#[test]
fn without_front_merges_only_the_hint_takes_bios_at_its_front() {
    for (front_merges, expected) in
        [("1", &[(92, 16), (192, 16)][..]), ("0", &[(92, 16), (192, 8), (200, 8)])]
    {
        let mut world = World::new(&[("front_merges", front_merges)]);
        world.reads(0, &[100, 200, 92, 192]);
        assert_eq!(world.order(0), expected, "front_merges={front_merges}");
    }
}

#[test]
fn coalesced_requests_take_the_earlier_deadline() {
    let mut world = World::new(&[("fifo_batch", "1")]);
    world.reads(0, &[1000]);
    world.order(0);
    world.reads(100, &[116]);
    world.reads(200, &[50]);
    world.reads(300, &[100]);
    world.reads(301, &[108]); // joins 100, which then absorbs 116 of 100 ms
    assert_eq!(world.order(600), [(100, 24), (50, 8)], "late since 600 ms");
}

#[test]
fn a_sweep_goes_on_behind_a_next_request_that_was_absorbed() {
    let mut world = World::new(&[]);
    world.reads(0, &[100, 200, 216, 300]);
    assert_eq!(world.next(0), Some((100, 8)));
    assert_eq!(world.next(0), Some((200, 8)), "216 is the next");
    world.reads(0, &[200]);
    world.reads(0, &[208]); // joins 200, which then absorbs 216
    assert_eq!(world.order(0), [(300, 8), (200, 24)]);
}

#[test]
fn a_sweep_goes_on_with_a_next_request_that_grew_at_its_front() {
    let mut world = World::new(&[]);
    world.reads(0, &[100, 200, 300]);
    assert_eq!(world.next(0), Some((100, 8)));
    world.reads(0, &[150, 192]);
    assert_eq!(world.order(0), [(192, 16), (300, 8), (150, 8)], "192 joined 200, the next");
}

#[test]
fn what_comes_back_goes_first() {
    let mut world = World::new(&[]);
    world.reads(0, &[100]);
    let command = world.0.next_command(0).expect("one");
    world.reads(0, &[50, 200]);
    world.0.requeue(0, command.tag);
    world.0.check();
    assert_eq!(world.order(0), [(100, 8), (50, 8), (200, 8)]);
}
