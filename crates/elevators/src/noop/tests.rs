// SPDX-License-Identifier: MIT OR Apache-2.0
//! Each rule of peers.md §2 as a time line.

use base::Op;
use blk::{BlockLayer, DeviceLimits, ProcessId, ProcessSpec, QueueSettings, Submission};

use super::*;

/// Noop in the layer over a device of depth 1.
struct World(BlockLayer);

impl World {
    fn new(settings: &str) -> World {
        let settings = QueueSettings::parse(&format!("nr_requests=64,{settings}"));
        let limits = DeviceLimits::new(1, true);
        World(BlockLayer::new(settings.expect("settings"), limits, Box::new(Noop::new())))
    }

    fn submit(&mut self, process: Option<ProcessId>, sector: u64, sectors: u32) {
        let (op, sync, metadata, read_ahead) = (Op::Read, true, false, false);
        let token = sector;
        let bio = Bio { token, op, sync, metadata, read_ahead, sector, sectors, process };
        assert_eq!(self.0.submit(0, bio), Submission::Queued);
        self.0.check();
    }

    fn reads(&mut self, sectors: &[u64]) {
        sectors.iter().for_each(|&sector| self.submit(None, sector, 8));
    }

    /// All that waits, in the order of its dispatch, as (sector, sectors).
    fn order(&mut self) -> Vec<(u64, u32)> {
        let mut order = Vec::new();
        while let Some(command) = self.0.next_command(0) {
            order.push((command.sector, command.sectors));
            self.0.complete(0, command.tag, Ok(()));
            self.0.check();
        }
        order
    }
}

#[test]
fn requests_go_in_the_order_of_their_coming() {
    let mut world = World::new("");
    world.reads(&[300, 100, 200]);
    assert_eq!(world.order(), [(300, 8), (100, 8), (200, 8)]);
}

#[test]
fn a_bio_joins_the_end_of_any_waiting_request() {
    let mut world = World::new("");
    let sectors: Vec<u64> = (1..=20).map(|number| number * 1000).collect();
    world.reads(&sectors);
    world.reads(&[1008, 5008]);
    let order = world.order();
    assert_eq!((order.len(), order[0], order[4]), (20, (1000, 16), (5000, 16)));
}

#[test]
fn a_bio_joins_the_front_of_the_hint_only() {
    let mut world = World::new("");
    world.reads(&[100, 200, 192, 92]);
    assert_eq!(world.order(), [(92, 16), (200, 8), (192, 8)], "the hint is the first that waits");

    let mut world = World::new("");
    world.reads(&[100, 200, 208, 192]);
    assert_eq!(world.order(), [(100, 8), (192, 24)], "or the one that grew last");
}

#[test]
fn one_hit_is_the_hint() {
    let mut world = World::new("nomerges=1");
    world.reads(&[100, 200, 208, 108]);
    assert_eq!(world.order(), [(100, 16), (200, 8), (208, 8)]);
}

#[test]
fn requests_that_came_one_after_the_other_become_one_when_they_meet() {
    let mut world = World::new("");
    world.reads(&[100, 116, 500, 108]);
    assert_eq!(world.order(), [(100, 24), (500, 8)], "100 grew at its end and took 116 over");

    let mut world = World::new("");
    world.reads(&[700, 100, 116, 124, 108]);
    assert_eq!(world.order(), [(700, 8), (100, 32)], "116 had grown before");
}

#[test]
fn requests_that_meet_in_the_disk_but_not_in_the_line_stay_apart() {
    let mut world = World::new("");
    world.reads(&[100, 500, 116, 108]);
    assert_eq!(world.order(), [(100, 16), (500, 8), (116, 8)]);
}

#[test]
fn a_request_out_of_a_plug_is_appended_to_one_that_waits() {
    let mut world = World::new("");
    let spec = ProcessSpec {
        group: blk::GroupId::ROOT,
        ioprio: base::IoprioValue::default(),
        name: "batch".to_owned(),
    };
    let process = world.0.add_process(0, spec).expect("a process");
    world.0.plug(process);
    world.submit(Some(process), 108, 8);
    world.submit(Some(process), 300, 8);
    world.reads(&[100]);
    world.0.unplug(0, process);
    world.0.check();
    assert_eq!(world.order(), [(100, 16), (300, 8)]);
}

#[test]
fn what_comes_back_goes_first() {
    let mut world = World::new("");
    world.reads(&[100]);
    let command = world.0.next_command(0).expect("one");
    world.reads(&[200, 300]);
    world.0.requeue(0, command.tag);
    world.0.check();
    assert_eq!(world.order(), [(100, 8), (200, 8), (300, 8)]);
}

#[test]
fn there_is_nothing_to_set() {
    assert!(Noop::new().tunables().is_empty());
    assert_eq!(Noop::new().set_tunable(0, "fifo_batch", "1").expect_err("unknown").errno(), 2);
}
