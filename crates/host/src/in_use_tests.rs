// SPDX-License-Identifier: MIT OR Apache-2.0
//! Devices in use, on machines that are made up.

use super::*;
use crate::tests::fake::{Fake, target};

/// A machine with `sda`, its partition `sda1`, and a loop device.
fn machine() -> Fake {
    let fake = Fake::new();
    fake.device("8:0", "sda", "[none] bfq");
    fake.partition("8:1", "sda1", "sda");
    fake.device("7:0", "loop0", "[none] bfq");
    fake
}

fn usage(fake: &Fake, device: &str) -> Option<String> {
    let of = target("/dev/x", TargetKind::BlockDevice, device);
    Usage::of(&fake.host(), &of).unwrap().map(|usage| usage.to_string())
}

#[test]
fn a_disk_that_nobody_uses_is_free() {
    let fake = machine();
    fake.file("proc/self/mountinfo", "22 1 8:16 / / rw - ext4 /dev/sdb rw\n");
    fake.file("proc/swaps", "Filename Type Size Used Priority\n/dev/sdb2 partition 1 0 -2\n");
    assert_eq!(usage(&fake, "8:0"), None);
}

#[test]
fn every_use_of_a_disk_or_its_partitions_is_seen() {
    type Use = fn(&Fake);
    let table: [(&str, Use); 5] = [
        ("in use: sda1 is mounted on /srv", |fake| {
            fake.file("proc/self/mountinfo", "22 1 8:1 / /srv rw - ext4 /dev/sda1 rw\n");
        }),
        // btrfs: the number is its own, only what is mounted tells.
        ("in use: sda1 is mounted on /srv", |fake| {
            fake.file("proc/self/mountinfo", "22 1 0:40 / /srv rw - btrfs /dev/sda1 rw\n");
        }),
        ("in use: sda1 is a part of dm-0", |fake| {
            fake.device("253:0", "dm-0", "");
            fake.below("dm-0", "sda1");
        }),
        ("in use: /dev/sda1 is swap space", |fake| {
            fake.file("proc/swaps", "Filename Type\n/dev/sda1 partition 1 0 -2\n");
        }),
        ("in use: it is the file of /dev/loop0", |fake| {
            fake.file("sys/devices/loop0/loop/backing_file", "/dev/sda1\n");
        }),
    ];
    for (told, use_it) in table {
        let fake = machine();
        use_it(&fake);
        assert_eq!(usage(&fake, "8:0").as_deref(), Some(told), "the disk");
        assert_eq!(usage(&fake, "8:1").as_deref(), Some(told), "the partition");
        assert_eq!(usage(&fake, "7:0"), None, "another device");
    }
}

#[test]
fn a_disk_whose_name_has_a_slash_is_seen_to_be_the_file_of_a_loop_device() {
    let fake = machine();
    fake.device("104:0", "cciss!c0d0", "[none] bfq");
    fake.file("sys/devices/loop0/loop/backing_file", "/dev/cciss/c0d0\n");
    let told = usage(&fake, "104:0");
    assert_eq!(told.as_deref(), Some("in use: it is the file of /dev/loop0"));
}

#[test]
fn files_are_in_use_as_swap_or_below_a_loop_device() {
    let fake = machine();
    fake.file("proc/swaps", "Filename Type\n/swapfile file 1 0 -2\n");
    fake.file("sys/devices/loop0/loop/backing_file", "/images/disk\n");
    let usage = |path: &str| {
        let of = target(path, TargetKind::File, "8:1");
        Usage::of(&fake.host(), &of).unwrap()
    };
    assert_eq!(usage("/swapfile"), Some(Usage::Swap { name: "/swapfile".to_owned() }));
    assert_eq!(usage("/images/disk"), Some(Usage::Loop { by: "/dev/loop0".to_owned() }));
    assert_eq!(usage("/images/other"), None);
}
