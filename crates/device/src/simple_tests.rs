// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time lines of the simple disk; the three disks are those of the reference results.

use crate::command::{Command, CommandError, Completion, DeviceFull};
use crate::device::Device;
use crate::profile::Profile;
use crate::tests::timeline::Timeline;
use base::Op;

fn disk(argument: &str) -> Timeline {
    let profile = Profile::parse_argument(argument).expect("a good profile");
    Timeline::new(Device::from_profile(&profile, 1))
}

#[test]
fn a_sequential_reader_on_the_rotational_disk() {
    // Recorded: issue at 52 µs, end at 10774 µs; the next 13498 to 16221 µs and so on: 8 ms seek
    // for the first command even at sector 0, then 0.1 ms and 256 KiB at 100 MB/s each.
    let mut line = disk("reference-hdd:depth=1");
    for (start_ns, sector, end_ns) in [
        (52_480, 0, 10_773_920),
        (10_775_552, 512, 13_496_992),
        (13_498_880, 1024, 16_220_320),
        (16_222_208, 4096, 26_943_648),
    ] {
        let tag = line.read(start_ns, sector, 512);
        assert_eq!(line.end_ns(tag), end_ns, "read of sector {sector}");
    }
    assert_eq!(line.statistic("seeks"), 2);
    assert_eq!(line.statistic("bus_busy_ns"), 4 * 2_621_440);
}

#[test]
fn eight_servers_share_one_bus() {
    let mut line = disk("reference-ssd");
    for sector in 0..9 {
        line.read(0, sector * 1000, 8);
    }
    // The first eight queue at the bus only; the ninth gets the server of the first.
    let first_eight = (1..=8).map(|n| 80_000 + n * 8_192);
    let expected: Vec<u64> = first_eight.chain([88_192 + 80_000 + 8_192]).collect();
    assert_eq!(line.ends_ns(), expected);
}

#[test]
fn commands_are_served_in_order_of_acceptance() {
    let mut line = disk("reference-hdd");
    line.read(0, 1_000_000, 8);
    line.read(0, 2_000_000, 8);
    line.read(0, 1_000_008, 8);
    let service_ns = 8_000_000 + 100_000 + 40_960;
    assert_eq!(line.ends_ns(), [service_ns, 2 * service_ns, 3 * service_ns]);
    assert_eq!(line.statistic("seeks"), 3);
}

#[test]
fn a_flush_waits_for_what_came_before_it() {
    let mut line = disk("reference-hdd");
    let write = line.write(0, 0, 8);
    let flush = line.flush(1000);
    assert_eq!(line.end_ns(write), 8_140_960);
    assert_eq!(line.end_ns(flush), 8_140_960 + 100_000);
}

#[test]
fn what_costs_nothing_takes_a_nanosecond() {
    let mut line = disk("reference-flat");
    let read = line.read(0, 0, 8);
    let discard = line.submit(50_000, Op::Discard, 0, 8);
    let flush = line.flush(60_000);
    let ends = [read, discard, flush].map(|tag| line.end_ns(tag));
    assert_eq!(ends, [40_960, 50_001, 60_001], "a read takes the bus, and so not one more");
}

#[test]
fn a_full_disk_refuses_and_forgets() {
    let profile = Profile::parse_argument("reference-flat:depth=2").expect("a good profile");
    let mut disk = Device::from_profile(&profile, 1);
    let command = |tag| Command { tag, op: Op::Read, sector: 0, sectors: 8 };
    assert_eq!(disk.submit(0, command(0)), Ok(()));
    assert_eq!(disk.submit(0, command(1)), Ok(()));
    assert_eq!(disk.submit(0, command(2)), Err(DeviceFull { depth: 2 }));
    assert_eq!(disk.in_flight(), 2);
    let mut completions = Vec::new();
    disk.advance(40_959, &mut completions);
    assert_eq!(completions, []);
    disk.advance(40_960, &mut completions);
    assert_eq!(completions, [Completion { tag: 0, at_ns: 40_960, result: Ok(()) }]);
    assert_eq!((disk.in_flight(), disk.next_event_ns()), (1, Some(81_920)));
}

#[test]
fn senseless_commands_end_at_once_with_an_error() {
    for name in Profile::builtin_names() {
        let profile = Profile::builtin(name).expect("built in");
        let mut disk = Device::from_profile(&profile, 1);
        let capacity = disk.capacity_sectors();
        let cases = [
            (capacity - 8, 8, Ok(())),
            (capacity - 8, 9, Err(CommandError::OutOfRange)),
            (u64::MAX, 8, Err(CommandError::OutOfRange)),
            (0, 0, Err(CommandError::Empty)),
        ];
        for (sector, sectors, expected) in cases {
            let command = Command { tag: 3, op: Op::Read, sector, sectors };
            assert_eq!(disk.submit(7, command), Ok(()));
            let mut completions = Vec::new();
            while disk.in_flight() > 0 {
                let event_ns = disk.next_event_ns().expect("one is under way");
                disk.advance(event_ns, &mut completions);
            }
            assert_eq!(completions[0].result, expected, "{name}: {sectors} from {sector} on");
            assert_eq!(completions[0].at_ns == 7, expected.is_err());
            // The next case starts with a disk that nothing was asked of.
            disk = Device::from_profile(&profile, 1);
        }
    }
}
