// SPDX-License-Identifier: MIT OR Apache-2.0
//! What mends a made-up machine: the lines that say it, and `--fix`, which does it.

#[allow(dead_code, reason = "not every test uses all of it")]
mod fixture;

use doctor::{Machine, Report};
use fixture::cases::CASES;
use fixture::machine::{Fixture, GROUPS};
use host::restore::restore_left_over;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn report(machine: &Fixture) -> Report {
    Report::of(&Machine::read(&machine.host(), &[]).unwrap())
}

fn rules_of(report: &Report) -> BTreeSet<&str> {
    report.findings.iter().map(|finding| finding.rule).collect()
}

/// Mends what was found: what became of each finding, and what is wrong after that.
fn mend(machine: &Fixture, journals: &Path, before: &Report) -> (Vec<String>, Report) {
    let mut said = Vec::new();
    let look = || Ok(report(machine));
    let mut tell = |one: &doctor::Mended<'_>| said.push(format!("{:?}", one.outcome));
    let after = doctor::mend(&machine.host(), journals, before, &look, &mut tell).unwrap();
    (said, after)
}

/// A weight of 100 that says so in another way than the kernel: what is to be written instead is
/// refused, as if somebody had been faster.
const REFUSED: &str = "100";

/// Adds a scope that uses the disk; its weight is in the file that is not read.
fn loses_weight(machine: &Fixture, scope: &str, weight: u32) {
    let group = format!("system.slice/{scope}.scope");
    machine.group(&group, 100);
    machine.uses(&group, "8:0");
    machine.group_file(&group, "io.weight", &format!("default {weight}"));
}

/// A machine whose rotating disk has an elevator that ignores weights.
fn under_mq_deadline() -> Fixture {
    let machine = (CASES[0].machine)();
    assert_eq!(CASES[0].rule, "elevator-ignores-weights");
    machine
}

/// The lines that mend the elevator of a disk.
fn lines_for(machine: &Fixture) -> Vec<String> {
    let report = report(machine);
    let mut findings = report.findings.into_iter();
    findings.find(|one| one.rule == "elevator-ignores-weights").unwrap().mend
}

/// The weight is in a file that the new elevator does not read: only then that can be seen.
#[test]
fn what_one_change_brings_to_light_is_mended_too() {
    let machine = under_mq_deadline();
    let group = "system.slice/db.service";
    machine.group_file(group, "io.weight", "default 500");
    machine.group_file(group, "io.bfq.weight", "default 100");
    let journals = tempfile::tempdir().unwrap();
    let (said, after) = mend(&machine, journals.path(), &report(&machine));
    assert!(said.iter().all(|outcome| outcome.starts_with("Done")), "{said:?}");
    assert!(after.findings.iter().all(|finding| !finding.is_fixable), "{after}");
    assert_eq!(machine.text("sys/devices/sda/queue/scheduler"), "bfq");
    assert_eq!(machine.text(&format!("{GROUPS}/{group}/io.bfq.weight")), "500");
    restore_left_over(&machine.host(), journals.path(), &|_| {}).unwrap();
    assert_eq!(machine.text("sys/devices/sda/queue/scheduler"), "mq-deadline");
    assert_eq!(machine.text(&format!("{GROUPS}/{group}/io.bfq.weight")), "default 100");
}

/// What is told not to be mended is as it was.
#[test]
fn an_elevator_that_lacks_a_tunable_is_not_left_in_force() {
    let machine = under_mq_deadline();
    machine.remove("sys/devices/sda/queue/iosched/low_latency");
    let journals = tempfile::tempdir().unwrap();
    let (said, _) = mend(&machine, journals.path(), &report(&machine));
    let expected = "Refused { error: NoTunable";
    assert!(said.len() == 1 && said[0].starts_with(expected), "{said:?}");
    assert!(said[0].ends_with("has_changes: false }"), "{said:?}");
    assert_eq!(machine.text("sys/devices/sda/queue/scheduler"), "mq-deadline");
    assert_eq!(fs::read_dir(journals.path()).unwrap().count(), 0);
}

#[test]
fn a_disk_is_known_at_the_next_start_by_what_stays() {
    let machine = under_mq_deadline();
    machine.file("sys/devices/sda/device/wwid", "naa.5000c500a1b2c3d4\n");
    let lines = lines_for(&machine);
    let rule = lines.last().unwrap();
    assert!(rule.contains("ATTR{device/wwid}==\"naa.5000c500a1b2c3d4\", "), "{rule}");
    assert!(!rule.contains("KERNEL"), "{rule}");
}

#[test]
fn udev_has_a_slash_where_sysfs_has_an_exclamation_mark() {
    let machine = under_mq_deadline();
    for link in ["sys/block/sda", "sys/class/block/sda", "sys/dev/block/8:0"] {
        machine.remove(link);
    }
    machine.disk("8:0", "cciss!c0d0", "none [mq-deadline] bfq");
    machine.file("sys/devices/cciss!c0d0/queue/rotational", "1\n");
    let lines = lines_for(&machine);
    assert_eq!(lines[0], "echo bfq >'/sys/block/cciss!c0d0/queue/scheduler'");
    let rule = lines.last().unwrap();
    assert!(rule.starts_with("/etc/udev/rules.d/60-cciss-c0d0-scheduler.rules: "), "{rule}");
    assert!(rule.contains("KERNEL==\"cciss?c0d0\", "), "{rule}");
}

/// Udev is not told of the paths, which the kernel hides.
#[test]
fn all_paths_of_an_nvme_disk_are_set() {
    let machine = under_mq_deadline();
    for group in ["system.slice", "system.slice/db.service", "system.slice/batch.service"] {
        machine.uses(group, "259:0");
    }
    machine.remove("sys/devices/nvme0n1/queue/scheduler");
    for (path, number) in [("nvme0c0n1", "0:1"), ("nvme0c1n1", "0:2")] {
        machine.disk(number, path, "[none] mq-deadline bfq");
        machine.remove(&format!("sys/devices/{path}/dev"));
        machine.remove(&format!("sys/dev/block/{number}"));
    }
    let file = "/etc/tmpfiles.d/60-nvme0n1-scheduler.conf: w";
    let (one, two) = ("/sys/block/nvme0c0n1/queue", "/sys/block/nvme0c1n1/queue");
    assert_eq!(
        lines_for(&machine),
        [
            format!("echo bfq >{one}/scheduler"),
            format!("echo 0 >{one}/iosched/low_latency"),
            format!("echo bfq >{two}/scheduler"),
            format!("echo 0 >{two}/iosched/low_latency"),
            format!("{file} {one}/scheduler - - - - bfq"),
            format!("{file} {one}/iosched/low_latency - - - - 0"),
            format!("{file} {two}/scheduler - - - - bfq"),
            format!("{file} {two}/iosched/low_latency - - - - 0"),
        ]
    );
}

/// Settings only: an elevator is more than a file.
#[test]
fn what_is_mended_is_found_no_more_and_found_again_when_it_is_undone() {
    let mut mended = 0;
    for case in &CASES {
        let machine = (case.machine)();
        let before = report(&machine);
        let finding = before.findings.iter().find(|finding| finding.rule == case.rule).unwrap();
        let is_setting = matches!(finding.fixes.first(), Some(doctor::Fix::Setting { .. }));
        if !is_setting {
            continue;
        }
        let journals = tempfile::tempdir().unwrap();
        mend(&machine, journals.path(), &before);
        assert!(!rules_of(&report(&machine)).contains(case.rule), "{}", case.rule);
        restore_left_over(&machine.host(), journals.path(), &|_| {}).unwrap();
        assert!(rules_of(&report(&machine)).contains(case.rule), "{}", case.rule);
        assert_eq!(fs::read_dir(journals.path()).unwrap().count(), 0);
        mended += 1;
    }
    assert_eq!(mended, 5);
}

/// A file of a group is for all of its disks.
#[test]
fn what_two_disks_ask_of_one_file_is_written_once() {
    let machine = (CASES[1].machine)();
    machine.disk("8:16", "sdb", "none [bfq]");
    for group in ["system.slice", "system.slice/db.service", "system.slice/batch.service"] {
        let stat = "8:0 rbytes=9 wbytes=9\n8:16 rbytes=9 wbytes=9\n";
        machine.group_file(group, "io.stat", stat);
    }
    let before = report(&machine);
    let disks: Vec<_> = before.findings.iter().map(|one| one.disk.as_deref().unwrap()).collect();
    assert_eq!(disks, ["sda", "sdb"], "{before}");
    for (text, outcome) in [(REFUSED, "Refused"), ("default 100", "Done")] {
        machine.group_file("system.slice/db.service", "io.bfq.weight", text);
        let journals = tempfile::tempdir().unwrap();
        let (said, _) = mend(&machine, journals.path(), &before);
        assert!(said.len() == 1 && said[0].starts_with(outcome), "{said:?}");
    }
    assert_eq!(machine.text(&format!("{GROUPS}/system.slice/db.service/io.bfq.weight")), "400");
}

/// Of two groups in one finding, which is told by the one that loses most.
#[test]
fn what_was_refused_is_told_once_whichever_group_the_finding_is_about() {
    for (taken, refused) in [("one", "two"), ("two", "one")] {
        let machine = Fixture::healthy();
        for (group, weight) in [("one", 400), ("two", 5000)] {
            loses_weight(&machine, group, weight);
        }
        machine.group_file(&format!("system.slice/{refused}.scope"), "io.bfq.weight", REFUSED);
        let journals = tempfile::tempdir().unwrap();
        let (mut said, after) = mend(&machine, journals.path(), &report(&machine));
        said.sort();
        let [done, told] = &said[..] else { panic!("{said:?}") };
        assert!(done.starts_with("Done") && done.contains(&format!("/{taken}.scope/")), "{done}");
        assert!(told.starts_with("Refused { error: Meanwhile"), "{told}");
        assert!(told.contains(&format!("/{refused}.scope/")), "{told}");
        assert_eq!(rules_of(&after), BTreeSet::from(["weight-in-file-nobody-reads"]), "{after}");
    }
}

/// The group that loses most is refused; one that comes meanwhile is in the same finding.
#[test]
fn what_a_finding_asks_for_besides_what_was_refused_is_done() {
    let machine = Fixture::healthy();
    machine.file("sys/devices/sda/queue/rq_affinity", "0\n");
    loses_weight(&machine, "first", 5000);
    machine.group_file("system.slice/first.scope", "io.bfq.weight", REFUSED);
    let before = report(&machine);
    let look = || {
        if !machine.path(&format!("{GROUPS}/system.slice/late.scope")).exists() {
            loses_weight(&machine, "late", 300);
        }
        Ok(report(&machine))
    };
    let journals = tempfile::tempdir().unwrap();
    let mut refused = 0;
    let mut tell = |one: &doctor::Mended<'_>| {
        refused += usize::from(matches!(one.outcome, doctor::MendOutcome::Refused { .. }));
    };
    doctor::mend(&machine.host(), journals.path(), &before, &look, &mut tell).unwrap();
    assert_eq!(refused, 1);
    assert_eq!(machine.text(&format!("{GROUPS}/system.slice/late.scope/io.bfq.weight")), "300");
}

#[test]
fn all_groups_whose_weight_is_not_read_are_mended_at_once() {
    let machine = Fixture::healthy();
    for (group, weight) in [("one", 400), ("two", 5000)] {
        loses_weight(&machine, group, weight);
    }
    let before = report(&machine);
    assert_eq!(rules_of(&before), BTreeSet::from(["weight-in-file-nobody-reads"]), "{before}");
    let journals = tempfile::tempdir().unwrap();
    mend(&machine, journals.path(), &before);
    let read = |group: &str| machine.text(&format!("{GROUPS}/system.slice/{group}/io.bfq.weight"));
    // bfq takes no more than 1000.
    assert_eq!((read("one.scope").as_str(), read("two.scope").as_str()), ("400", "1000"));
}

/// What `--fix` does comes first, and at the next start the same is so.
#[test]
fn the_elevator_is_chosen_with_what_it_begins_with() {
    let machine = (CASES[0].machine)();
    let report = report(&machine);
    let text = report.to_string();
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("queue/")).collect();
    assert_eq!(
        lines[1..],
        [
            "   mend    echo bfq >/sys/block/sda/queue/scheduler  (--fix does this)",
            "           echo 0 >/sys/block/sda/queue/iosched/low_latency  (--fix does this)",
            "           /etc/udev/rules.d/60-sda-scheduler.rules: ACTION==\"add|change\", \
             SUBSYSTEM==\"block\", ENV{DEVTYPE}==\"disk\", KERNEL==\"sda\", \
             ATTR{queue/scheduler}=\"bfq\", ATTR{queue/iosched/low_latency}=\"0\"",
        ],
        "{text}"
    );
}

#[test]
fn the_elevator_is_chosen_before_settings_that_go_with_it() {
    let machine = (CASES[0].machine)();
    machine.file("sys/devices/sda/queue/rq_affinity", "0\n");
    let journals = tempfile::tempdir().unwrap();
    let report = report(&machine);
    let (said, _) = mend(&machine, journals.path(), &report);
    assert!(said[0].contains("bfq:low_latency=0 is the elevator of sda"), "{said:?}");
    assert!(said[1].contains("rq_affinity is 1, was 0"), "{said:?}");
    assert_eq!(machine.text("sys/devices/sda/queue/scheduler"), "bfq");
}

/// Somebody was faster with the first of two.
#[test]
fn what_is_refused_holds_up_nothing_else() {
    let machine = Fixture::healthy();
    machine.file("sys/devices/sda/queue/wbt_lat_usec", "75000\n");
    machine.file("sys/devices/sda/queue/rq_affinity", "0\n");
    let report = report(&machine);
    machine.file("sys/devices/sda/queue/wbt_lat_usec", "2000\n");
    let journals = tempfile::tempdir().unwrap();
    let (said, _) = mend(&machine, journals.path(), &report);
    assert!(
        said[0].starts_with("Refused { error: Meanwhile") && said[1].starts_with("Done"),
        "{said:?}"
    );
    assert_eq!(machine.text("sys/devices/sda/queue/rq_affinity"), "1");
    assert_eq!(machine.text("sys/devices/sda/queue/wbt_lat_usec"), "2000");
}

#[test]
fn what_nobody_can_mend_safely_changes_nothing() {
    let machine = Fixture::healthy();
    machine.file("sys/devices/sda/device/queue_depth", "1\n");
    let journals = tempfile::tempdir().unwrap();
    mend(&machine, journals.path(), &report(&machine));
    assert_eq!(machine.text("sys/devices/sda/device/queue_depth"), "1");
    assert_eq!(fs::read_dir(journals.path()).unwrap().count(), 0);
}
