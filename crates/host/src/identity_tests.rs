// SPDX-License-Identifier: MIT OR Apache-2.0
//! What tells targets apart, on machines that are made up.

use super::*;
use crate::tests::fake::{Fake, target};

const OFFERED: &str = "[none] bfq";

fn device(fake: &Fake, name: &str, number: &str) -> Disk {
    let of = target(&format!("/dev/{name}"), TargetKind::BlockDevice, number);
    Disk::of(&fake.host(), of).unwrap()
}

#[test]
fn disks_of_one_model_differ_by_their_serial_numbers() {
    let fake = Fake::new();
    fake.device("8:0", "sda", OFFERED);
    fake.partition("8:1", "sda1", "sda");
    let without = device(&fake, "sda1", "8:1");
    assert_eq!(without.identity(), None, "a partition of any disk");
    fake.file("sys/devices/sda/serial", "\n");
    assert_eq!(device(&fake, "sda", "8:0").identity(), None, "an empty serial number");
    fake.file("sys/devices/sda/device/wwid", "naa.5000c500\n");
    fake.file("sys/devices/sda/sda1/start", "2048\n");
    assert_eq!(device(&fake, "sda", "8:0").identity().unwrap(), "serial naa.5000c500");
    let partition = device(&fake, "sda1", "8:1").identity().unwrap();
    assert_eq!(partition, "serial naa.5000c500, partition 1 from sector 2048");
}

#[test]
fn a_volume_has_a_number_of_its_own() {
    let fake = Fake::new();
    fake.device("8:0", "sda", OFFERED);
    fake.device("253:0", "dm-0", "");
    fake.file("sys/devices/dm-0/dm/name", "vg-home\n");
    fake.file("sys/devices/dm-0/dm/uuid", "LVM-abc\n");
    fake.below("dm-0", "sda");
    assert_eq!(device(&fake, "dm-0", "253:0").identity().unwrap(), "LVM-abc");
}

#[test]
fn files_of_one_name_differ() {
    let fake = Fake::new();
    fake.device("8:0", "sda", OFFERED);
    // Of a file system that does not know when a file was made, the disk is known.
    fake.file("sys/devices/sda/serial", "1\n");
    let identity = |name: &str| {
        fake.file(name, "");
        let path = fake.path(name);
        let of = target(path.to_str().unwrap(), TargetKind::File, "8:0");
        Disk::of(&fake.host(), of).unwrap().identity().unwrap()
    };
    assert_ne!(identity("vm1/disk.img"), identity("vm2/disk.img"));
}

#[test]
fn an_inode_could_be_that_of_any_file_system() {
    let made_at = |seconds| file_mark(12, Some(Duration::from_secs(seconds)), "");
    assert_eq!(made_at(5), Mark::Own("inode 12 made at 5.000000000".to_owned()));
    assert_ne!(made_at(5), made_at(6));
    for born in [None, Some(Duration::ZERO)] {
        assert_eq!(file_mark(12, born, ""), Mark::Within("inode 12".to_owned()));
    }
}
