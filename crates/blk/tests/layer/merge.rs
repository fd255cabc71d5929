// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time lines of merging: bios, coalescing, insertion merges, limits, `nomerges`.

use crate::lab::Lab;
use base::{Class, IoprioValue, Op};
use blk::{DeviceLimits, GroupId, GroupSpec, Tag};

#[test]
fn bios_join_waiting_requests_at_both_ends() {
    let mut lab = Lab::new(32, "");
    let (p, q) = (lab.process(), lab.process());
    lab.read(0, p, 100, 8);
    lab.read(0, q, 108, 8);
    lab.read(0, p, 92, 8);
    assert_eq!(lab.log(), ["insert 0", "grown 0 Back", "grown 0 Front"]);
    let bios: Vec<_> = lab.layer.bios(Tag(0)).map(|bio| (bio.token, bio.sector)).collect();
    assert_eq!(bios, [(3, 92), (1, 100), (2, 108)], "in sector order");
    assert_eq!(lab.issue(0), ["0: 92+24"]);
    lab.complete(1, 0);
    assert_eq!(lab.done(), [3, 1, 2]);
    assert_eq!((lab.statistic("back_merges"), lab.statistic("front_merges")), (1, 1));
}

#[test]
fn a_request_on_its_way_takes_nobody() {
    let mut lab = Lab::new(1, "");
    let p = lab.process();
    lab.read(0, p, 0, 8);
    lab.read(0, p, 100, 8);
    lab.issue(0);
    lab.read(1, p, 8, 8);
    lab.read(1, p, 108, 8);
    assert_eq!(lab.statistic("back_merges"), 0, "0 is on the device, 100 refused by it and kept");
}

#[test]
fn a_filled_gap_makes_one_of_two() {
    let mut lab = Lab::new(32, "");
    let p = lab.process();
    lab.read(0, p, 100, 8);
    lab.read(0, p, 116, 8);
    lab.read(0, p, 108, 8);
    assert_eq!(lab.log(), ["insert 0", "insert 1", "0 absorbs 1"], "back merge reaching 116");
    assert_eq!(lab.issue(0), ["0: 100+24"]);

    lab.read(1, p, 500, 8);
    lab.read(1, p, 516, 8);
    lab.read(1, p, 524, 8);
    lab.log();
    lab.read(1, p, 508, 8);
    assert_eq!(lab.log(), ["1 absorbs 2"], "front merge into the hint 516, reaching 500");
    assert_eq!(lab.issue(1), ["1: 500+32"]);
    assert_eq!(lab.statistic("coalesced"), 2);
}

#[test]
fn a_freed_tag_of_an_absorbed_request_wakes_a_sleeper() {
    let mut lab = Lab::new(32, "nr_requests=2");
    let (p, q) = (lab.process(), lab.process());
    lab.read(0, p, 100, 8);
    lab.read(0, p, 116, 8);
    assert!(!lab.read(0, q, 1000, 8));
    lab.read(0, p, 108, 8);
    assert_eq!(lab.woken(), [q]);
    assert_eq!(lab.issue(0), ["0: 100+24", "1: 1000+8"]);
}

#[test]
fn a_request_from_a_plug_is_appended_as_a_whole() {
    let mut lab = Lab::new(32, "");
    let (p, q) = (lab.process(), lab.process());
    lab.layer.plug(q);
    lab.read(0, q, 108, 8);
    lab.read(0, q, 900, 8);
    lab.read(0, p, 100, 8);
    lab.log();
    lab.layer.unplug(0, q);
    lab.layer.check();
    assert_eq!(lab.log(), ["2 absorbs 0", "insert 1"]);
    assert_eq!(lab.statistic("insertion_merges"), 1);
    assert_eq!(lab.issue(0), ["2: 100+16", "1: 900+8"]);
}

#[test]
fn insertion_merges_go_on_with_the_survivor_but_only_backwards() {
    let mut lab = Lab::new(32, "");
    let (p, q, r) = (lab.process(), lab.process(), lab.process());
    for process in [p, q, r] {
        lab.layer.plug(process);
    }
    lab.read(0, p, 108, 8);
    lab.read(0, q, 100, 8);
    lab.read(0, r, 116, 8);
    lab.log();
    lab.layer.unplug(0, p);
    lab.layer.unplug(0, q);
    assert_eq!(lab.log(), ["insert 0", "insert 1"], "100 is not put before 108");
    lab.layer.unplug(0, r);
    lab.layer.check();
    assert_eq!(lab.log(), ["0 absorbs 2", "1 absorbs 0"]);
    assert_eq!(lab.issue(0), ["1: 100+24"]);
    lab.complete(1, 1);
    assert_eq!(lab.done(), [2, 1, 3], "in sector order");
}

#[test]
fn nothing_is_merged_beyond_the_size_limits() {
    let limits = DeviceLimits { max_discard_sectors: 10, ..DeviceLimits::new(32, false) };
    let mut lab = Lab::with_limits(limits, "max_sectors_kb=8");
    let p = lab.process();
    lab.read(0, p, 0, 8);
    lab.read(0, p, 8, 8);
    lab.read(0, p, 16, 8);
    lab.read(0, p, 24, 1);
    lab.submit(0, Some(p), Op::Discard, 800, 8);
    lab.submit(0, Some(p), Op::Discard, 808, 2);
    lab.submit(0, Some(p), Op::Discard, 810, 1);
    assert_eq!(lab.issue(0), ["0: 0+16", "1: 16+9", "2: 800+10", "3: 810+1"]);
}

#[test]
fn neighbours_that_would_be_too_large_together_stay_two() {
    let mut lab = Lab::new(32, "max_sectors_kb=8");
    let p = lab.process();
    lab.read(0, p, 0, 8);
    lab.read(0, p, 12, 8);
    lab.log();
    lab.read(0, p, 8, 4);
    assert_eq!(lab.log(), ["grown 0 Back"]);
    assert_eq!(lab.issue(0), ["0: 0+12", "1: 12+8"]);
}

#[test]
fn operation_group_and_ioprio_must_be_the_same() {
    let mut lab = Lab::new(32, "");
    let (p, q, r) = (lab.process(), lab.process(), lab.process());
    let spec = GroupSpec { parent: None, weight: 100, path: "a".to_owned() };
    let group = lab.layer.add_group(0, spec).expect("group");
    lab.layer.move_process(0, q, group).expect("q lives");
    let idle = IoprioValue { class: Some(Class::Idle), level: 7 };
    lab.layer.set_ioprio(0, r, idle).expect("r lives");
    lab.log();

    lab.read(0, p, 0, 8);
    lab.read(0, q, 8, 8);
    lab.read(0, r, 8, 8);
    lab.write(0, p, 8, 8);
    assert_eq!(lab.log(), ["insert 0", "insert 1", "insert 2", "insert 3"]);
    let pool = lab.layer.pool();
    assert_eq!((pool[Tag(1)].group, pool[Tag(0)].group), (group, GroupId::ROOT));
    assert_eq!(pool[Tag(2)].ioprio, idle);
}

#[test]
fn nomerges_1_tries_the_hint_and_2_nothing() {
    for (level, merged) in [(0, 2), (1, 1), (2, 0)] {
        let mut lab = Lab::new(32, &format!("nomerges={level}"));
        let p = lab.process();
        lab.read(0, p, 0, 8);
        lab.read(0, p, 100, 8);
        lab.read(0, p, 8, 8); // the hint is 0
        lab.read(0, p, 108, 8); // only the hash knows 100
        assert_eq!(lab.statistic("back_merges"), merged, "nomerges={level}");

        lab.layer.plug(p);
        lab.read(0, p, 500, 8);
        lab.read(0, p, 508, 8);
        assert_eq!(lab.statistic("plug_merges"), u64::from(level < 2), "nomerges={level}");
        lab.layer.unplug(0, p);
        lab.layer.check();
    }
}
