// SPDX-License-Identifier: MIT OR Apache-2.0
//! Timings of any commands on any disk: they fill the time, and watching changes nothing.

use super::Phase;
use crate::command::{Command, Completion};
use crate::device::Device;
use crate::profile::Profile;
use crate::tests::timeline::Timeline;
use base::Op;
use proptest::prelude::*;

const US: u64 = 1_000;

/// A command, and how long after the one before it comes.
#[derive(Clone, Copy, Debug)]
struct Step {
    after_ns: u64,
    op: Op,
    sector: u64,
    sectors: u32,
}

fn step() -> impl Strategy<Value = Step> {
    let op = prop_oneof![
        8 => Just(Op::Read),
        8 => Just(Op::Write),
        1 => Just(Op::Flush),
        1 => Just(Op::Discard),
    ];
    // Few places, so that caches are hit and runs merge; some beyond the end of the disk.
    let sector = prop_oneof![9 => 0..5_000_u64, 9 => 0..1_900_000_u64, 1 => Just(u64::MAX - 7)];
    let after_ns = prop_oneof![3 => Just(0), 3 => 0..300 * US, 1 => 0..80_000 * US];
    (after_ns, op, sector, 1..700_u32).prop_map(|(after_ns, op, sector, sectors)| Step {
        after_ns,
        op,
        sector,
        sectors: if op == Op::Flush { 0 } else { sectors },
    })
}

/// The disks: all that are built in, and some whose caches are full soon.
const DISKS: [&str; 13] = [
    "reference-hdd",
    "reference-hdd:depth=4,servers=2",
    "reference-flat",
    "reference-ssd",
    "hdd-desktop",
    "hdd-desktop:write_cache=256KiB,write_segments=4",
    "hdd-desktop:write_cache=0,depth=1",
    "hdd-laptop-2007",
    "hdd-desktop-2008",
    "ssd-sata",
    "ssd-sata:capacity=1GiB,spare=1,fast_cache=0,write_cache=256KiB",
    "ssd-nvme",
    "ssd-nvme:capacity=1GiB,spare=1,fast_cache=0,write_cache=256KiB",
];

fn disk(argument: &str, seed: u64) -> Device {
    let profile = Profile::parse_argument(argument).unwrap_or_else(|error| panic!("{error}"));
    Device::from_profile(&profile, seed)
}

/// Plays the steps; all completions in order. Of a watched disk, each timing is looked at.
fn played(mut disk: Device, steps: &[Step], watched: bool) -> Vec<Completion> {
    if watched {
        disk.watch();
    }
    let (mut now_ns, mut all, mut submitted_ns) = (0, Vec::new(), Vec::new());
    let advance = |disk: &mut Device, now_ns, all: &mut Vec<Completion>, submitted_ns: &[u64]| {
        let first = all.len();
        disk.advance(now_ns, all);
        for completion in &all[first..] {
            let timing = disk.take_timing(completion);
            assert_eq!(timing.is_some(), watched);
            let Some(timing) = timing else { continue };
            assert_eq!(timing.from_ns(), submitted_ns[completion.tag as usize]);
            let mut from_ns = timing.from_ns();
            for part in timing.parts() {
                assert!(part.until_ns > from_ns, "parts follow one another: {timing:?}");
                from_ns = part.until_ns;
            }
            assert_eq!(from_ns, completion.at_ns, "and fill the time: {timing:?}");
            assert_eq!(disk.take_timing(completion), None, "a timing is taken once");
        }
    };
    for (number, step) in steps.iter().enumerate() {
        now_ns += step.after_ns;
        while let Some(event_ns) = disk
            .next_event_ns()
            .filter(|&event_ns| event_ns <= now_ns || disk.in_flight() == disk.depth())
        {
            now_ns = now_ns.max(event_ns);
            advance(&mut disk, event_ns, &mut all, &submitted_ns);
        }
        submitted_ns.push(now_ns);
        let &Step { op, sector, sectors, .. } = step;
        let command = Command { tag: number as u32, op, sector, sectors };
        disk.submit(now_ns, command).expect("room for one more");
    }
    while let Some(event_ns) = disk.next_event_ns() {
        advance(&mut disk, event_ns, &mut all, &submitted_ns);
        if all.len() == steps.len() {
            break;
        }
    }
    assert_eq!(all.len(), steps.len());
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn parts_add_up_and_watching_changes_nothing(
        steps in prop::collection::vec(step(), 1..150),
        seed in any::<u64>(),
    ) {
        for name in DISKS {
            let watched = played(disk(name, seed), &steps, true);
            let unwatched = played(disk(name, seed), &steps, false);
            prop_assert_eq!(watched, unwatched, "{}", name);
        }
    }
}

#[test]
fn a_simple_disk_knows_its_queue_seek_and_bus() {
    let mut line = Timeline::new(disk("reference-hdd:depth=2", 1));
    let first = line.read(0, 0, 512);
    let second = line.read(0, 4096, 512);
    let own =
        [(Phase::Controller, 100 * US), (Phase::Seek, 8_000 * US), (Phase::Interface, 2_621_440)];
    assert_eq!(line.parts_ns(first), own);
    let waited = (Phase::Queue, 10_721_440);
    assert_eq!(line.parts_ns(second), [waited, own[0], own[1], own[2]]);
}
