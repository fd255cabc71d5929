// SPDX-License-Identifier: MIT OR Apache-2.0
//! Each rule of peers.md §1.3 as a time line.

use base::Op;
use blk::{Bio, BlockLayer, DeviceLimits, QueueSettings, Submission};

use super::*;

fn layer(depth: u32, settings: &str) -> BlockLayer {
    let settings = QueueSettings::parse(settings).expect("settings");
    BlockLayer::new(settings, DeviceLimits::new(depth, false), Box::new(Fifo::new()))
}

/// Whether the submitter may go on.
fn submit(layer: &mut BlockLayer, sector: u64) -> bool {
    let (op, sync, metadata, read_ahead) = (Op::Read, true, false, false);
    let bio =
        Bio { token: sector, op, sync, metadata, read_ahead, sector, sectors: 8, process: None };
    let submission = layer.submit(0, bio);
    layer.check();
    submission == Submission::Queued
}

fn order(layer: &mut BlockLayer) -> Vec<(u64, u32)> {
    std::iter::from_fn(|| layer.next_command(0))
        .map(|command| (command.sector, command.sectors))
        .collect()
}

#[test]
fn requests_go_in_the_order_of_their_coming() {
    let mut layer = layer(8, "");
    for sector in [300, 100, 200] {
        assert!(submit(&mut layer, sector));
    }
    assert_eq!(order(&mut layer), [(300, 8), (100, 8), (200, 8)]);
}

#[test]
fn the_pool_is_the_device() {
    let mut layer = layer(2, "nr_requests=64,nomerges=2");
    assert_eq!(layer.pool().nr_requests(), 2);
    submit(&mut layer, 0);
    submit(&mut layer, 100);
    assert!(!submit(&mut layer, 200));
    assert_eq!(order(&mut layer).len(), 2);
}

#[test]
fn bios_are_tried_against_the_last_eight_requests() {
    for (others, merged) in [(7, true), (8, false)] {
        let mut layer = layer(32, "");
        submit(&mut layer, 100);
        for other in 1..=others {
            submit(&mut layer, 1000 * other);
        }
        submit(&mut layer, 108);
        let first = order(&mut layer)[0];
        assert_eq!(first, if merged { (100, 16) } else { (100, 8) }, "{others} others");
    }
}

#[test]
fn the_newest_of_several_takes_the_bio_and_nothing_coalesces() {
    let mut layer = layer(32, "");
    for sector in [100, 116, 108] {
        submit(&mut layer, sector);
    }
    assert_eq!(order(&mut layer), [(100, 8), (108, 16)], "in front of 116, not behind 100");
}

#[test]
fn one_hit_is_the_newest_request() {
    let mut layer = layer(32, "nomerges=1");
    for sector in [100, 200, 108, 116] {
        submit(&mut layer, sector);
    }
    assert_eq!(order(&mut layer), [(100, 8), (200, 8), (108, 16)]);
}

#[test]
fn what_comes_back_goes_first() {
    let mut layer = layer(8, "");
    submit(&mut layer, 100);
    let command = layer.next_command(0).expect("one");
    submit(&mut layer, 200);
    layer.requeue(0, command.tag);
    layer.check();
    assert_eq!(order(&mut layer), [(100, 8), (200, 8)]);
}
