// SPDX-License-Identifier: MIT OR Apache-2.0
//! Disks behind targets, on machines that are made up.

use super::*;
use crate::tests::fake::{Fake, target};

const OFFERED: &str = "none [mq-deadline] kyber bfq";

fn folder_on(fake: &Fake, device: &str) -> Result<Disk, HostError> {
    Disk::of(&fake.host(), target("/srv", TargetKind::Directory, device))
}

fn way(disk: &Disk) -> Vec<String> {
    disk.layers.iter().map(Layer::to_string).collect()
}

#[test]
fn a_folder_on_a_partition_is_on_its_disk() {
    let fake = Fake::new();
    fake.device("8:0", "sda", OFFERED);
    fake.partition("8:2", "sda2", "sda");
    for (file, text) in [
        ("size", "3907029168\n"),
        ("device/model", "ST2000DM008-2FR1\n"),
        ("device/vendor", "ATA     \n"),
        ("device/queue_depth", "32\n"),
        ("mq/0/nr_tags", "64\n"),
        ("queue/nr_requests", "64\n"),
        ("queue/write_cache", "write back\n"),
    ] {
        fake.file(&format!("sys/devices/sda/{file}"), text);
    }
    fake.file("proc/self/mountinfo", "22 1 8:2 / / rw - ext4 /dev/sda2 rw\n");
    let disk = folder_on(&fake, "8:2").unwrap();
    assert_eq!(disk.to_string(), "sda: ST2000DM008-2FR1, rotating disk, 2.0 TB");
    assert_eq!(way(&disk), ["partition sda2", "sda"]);
    assert_eq!(disk.filesystem.as_deref(), Some("ext4"));
    assert_eq!(disk.queue, fake.path("sys/block/sda/queue"));
    assert_eq!(disk.schedulers, ["none", "mq-deadline", "kyber", "bfq"]);
    assert_eq!(disk.current, "mq-deadline");
    assert_eq!((disk.nr_requests, disk.hw_queues, disk.queue_depth), (64, 1, Some(32)));
    assert!(disk.write_back);
}

#[test]
fn lvm_on_encryption_on_a_partition() {
    let fake = Fake::new();
    fake.device("259:0", "nvme0n1", "[none] mq-deadline");
    fake.partition("259:3", "nvme0n1p3", "nvme0n1");
    fake.device("253:0", "dm-0", "none");
    fake.file("sys/devices/dm-0/dm/name", "cryptroot\n");
    fake.file("sys/devices/dm-0/dm/uuid", "CRYPT-LUKS2-0123-cryptroot\n");
    fake.device("253:1", "dm-1", "");
    fake.file("sys/devices/dm-1/dm/name", "vg-home\n");
    fake.file("sys/devices/dm-1/dm/uuid", "LVM-abc\n");
    fake.below("dm-0", "nvme0n1p3");
    fake.below("dm-1", "dm-0");
    let disk = folder_on(&fake, "253:1").unwrap();
    let expected = ["LVM volume vg-home", "encryption cryptroot", "partition nvme0n1p3", "nvme0n1"];
    assert_eq!(way(&disk), expected);
    assert_eq!(disk.current, "none");
}

#[test]
fn a_raid_has_several_disks_and_only_what_all_offer() {
    let fake = Fake::new();
    fake.device("8:0", "sda", OFFERED);
    fake.device("8:16", "sdb", "none [mq-deadline]");
    fake.device("9:0", "md0", "");
    fake.file("sys/devices/md0/md/level", "raid1\n");
    fake.below("md0", "sda");
    fake.below("md0", "sdb");
    let disk = folder_on(&fake, "9:0").unwrap();
    assert_eq!(way(&disk), ["raid1 md0", "sda"]);
    assert_eq!(disk.schedulers, ["none", "mq-deadline"]);
    let queues: Vec<&Path> = disk.queues().collect();
    assert_eq!(queues, [fake.path("sys/block/sda/queue"), fake.path("sys/block/sdb/queue")]);
    assert!(disk.to_string().ends_with(", with sdb"), "{disk}");
}

#[test]
fn two_partitions_of_a_disk_are_one_disk() {
    let fake = Fake::new();
    fake.device("8:0", "sda", OFFERED);
    fake.partition("8:1", "sda1", "sda");
    fake.partition("8:2", "sda2", "sda");
    fake.device("253:0", "dm-0", "");
    fake.below("dm-0", "sda1");
    fake.below("dm-0", "sda2");
    assert_eq!(folder_on(&fake, "253:0").unwrap().companions, []);
}

#[test]
fn a_loop_device_is_a_disk_itself() {
    let fake = Fake::new();
    fake.device("7:0", "loop0", "[none] mq-deadline kyber bfq");
    fake.file("sys/devices/loop0/loop/backing_file", "/images/disk\n");
    let of = target("/dev/loop0", TargetKind::BlockDevice, "7:0");
    let disk = Disk::of(&fake.host(), of).unwrap();
    assert_eq!(way(&disk), ["loop0 of the file /images/disk"]);
    assert_eq!(disk.filesystem, None);
    assert_eq!(disk.beneath, None);
}

#[test]
fn an_nvme_disk_of_several_paths_is_scheduled_on_each() {
    let fake = Fake::new();
    fake.device("259:0", "nvme0n1", "");
    fake.device("259:1", "nvme0n12", "");
    fake.hidden("nvme0c0n1", OFFERED);
    fake.hidden("nvme0c1n1", OFFERED);
    fake.hidden("nvme0c1n12", OFFERED);
    let disk = folder_on(&fake, "259:0").unwrap();
    assert_eq!(way(&disk), ["nvme0n1", "nvme0c0n1"]);
    let companions: Vec<&str> = disk.companions.iter().map(|other| other.name.as_str()).collect();
    assert_eq!(companions, ["nvme0c1n1"]);
}

/// A disk of an NVMe controller has a name of its own, and the controller's number as all others.
#[test]
fn a_disk_is_known_by_the_number_that_is_its_own() {
    let files = ["device/serial", "serial", "device/wwid", "wwid"];
    let fake = Fake::new();
    fake.device("259:0", "nvme0n1", OFFERED);
    for file in files {
        fake.file(&format!("sys/devices/nvme0n1/{file}"), &format!("of {file}\n"));
        let found = folder_on(&fake, "259:0").unwrap().serial.unwrap();
        assert_eq!((found.file, found.value), (file, format!("of {file}")));
    }
}

#[test]
fn btrfs_on_two_disks_is_found_by_what_is_mounted() {
    let fake = Fake::new();
    fake.device("8:0", "sda", OFFERED);
    fake.device("8:16", "sdb", OFFERED);
    fake.file("proc/self/mountinfo", "22 1 0:33 / /srv rw - btrfs /dev/sdb rw,space_cache\n");
    fake.file("sys/fs/btrfs/1234/devices/sda", "");
    fake.file("sys/fs/btrfs/1234/devices/sdb", "");
    let disk = folder_on(&fake, "0:34").unwrap();
    assert_eq!(disk.name, "sdb");
    assert_eq!(disk.companions[0].name, "sda");
}

#[test]
fn an_overlay_is_on_the_disk_of_its_upper_folder() {
    let fake = Fake::new();
    fake.device("8:0", "sda", OFFERED);
    let table = "\
22 1 0:30 / / rw - overlay overlay rw,lowerdir=/a,upperdir=/disk/upper
23 22 8:0 / /disk rw - ext4 /dev/sda rw
";
    fake.file("proc/self/mountinfo", table);
    let disk = folder_on(&fake, "0:30").unwrap();
    assert_eq!((disk.name.as_str(), disk.filesystem.as_deref()), ("sda", Some("ext4")));

    fake.file("proc/self/mountinfo", table.replace("/disk ", "/elsewhere ").as_str());
    let error = folder_on(&fake, "0:30").unwrap_err().to_string();
    assert!(error.contains("/srv is on overlay, which has no disk"), "{error}");
}

#[test]
fn memory_has_no_disk_and_says_so() {
    let fake = Fake::new();
    fake.file("proc/self/mountinfo", "22 1 0:30 / /srv rw - tmpfs tmpfs rw\n");
    let error = folder_on(&fake, "0:30").unwrap_err().to_string();
    assert!(error.contains("/srv is on tmpfs, which has no disk"), "{error}");
    assert!(error.contains("name a folder on a disk's filesystem"), "{error}");
}

#[test]
fn a_damaged_tree_is_an_error_that_names_the_file() {
    let fake = Fake::new();
    fake.device("8:0", "sda", OFFERED);
    fake.file("sys/devices/sda/size", "big\n");
    let error = folder_on(&fake, "8:0").unwrap_err().to_string();
    assert!(error.contains("sda/size: `big`: expected a number of sectors"), "{error}");
}
