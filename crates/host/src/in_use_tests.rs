// SPDX-License-Identifier: MIT OR Apache-2.0
//! Devices in use, on machines that are made up.

use super::*;
use crate::tests::fake::{Fake, target};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

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

/// A name that differs is no other file: it would be written to.
#[test]
fn files_in_use_are_known_by_any_of_their_names() {
    let fake = machine();
    fake.file("images/disk", "data");
    fake.file("images/other", "data");
    fs::hard_link(fake.path("images/disk"), fake.path("images/link")).unwrap();
    fake.file("swap/my file", "data");
    fs::hard_link(fake.path("swap/my file"), fake.path("swap/link")).unwrap();
    fake.file("sys/devices/loop0/loop/backing_file", "/images/disk\n");
    fake.file("proc/swaps", "Filename Type\n/swap/my\\040file file 1 0 -2\n");
    let told = |path: &str| {
        let of = target(path, TargetKind::File, "8:1");
        Usage::of(&fake.host(), &of).unwrap().map(|usage| usage.to_string())
    };
    let (by_loop, swap) = ("in use: it is the file of /dev/loop0", "in use: /swap/my file is swap");
    for path in ["/images/disk", "/images/link"] {
        assert_eq!(told(path).as_deref(), Some(by_loop), "{path}");
    }
    for path in ["/swap/my file", "/swap/link"] {
        assert!(told(path).is_some_and(|text| text.starts_with(swap)), "{path}");
    }
    assert_eq!(told("/images/other"), None);
}

#[test]
fn a_file_of_a_loop_device_may_have_any_name() {
    for name in [&b"/images/caf\xe9"[..], b"/images/blank behind ", b"/images/two\nlines"] {
        let fake = machine();
        let path = Path::new(OsStr::from_bytes(name));
        fake.file("images/x", "data");
        fs::rename(fake.path("images/x"), fake.host().path(path)).unwrap();
        let file = fake.path("sys/devices/loop0/loop/backing_file");
        fake.file("sys/devices/loop0/loop/backing_file", "");
        fs::write(file, [name, b"\n"].concat()).unwrap();
        let device = "8:1".parse().unwrap();
        let of = Target { path: path.to_owned(), kind: TargetKind::File, device };
        let usage = Usage::of(&fake.host(), &of).unwrap();
        assert_eq!(usage, Some(Usage::Loop { by: "/dev/loop0".to_owned() }), "{path:?}");
    }
}
