// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rules by which udev gives a disk its scheduler whenever it finds the disk.

use crate::candidate::Candidate;
use crate::disk::{Disk, SerialNumber};

/// Rules of udev for a disk and its companions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UdevRules {
    /// A line for each disk.
    pub lines: Vec<String>,
    /// Whether a disk is known by its name there, which may be another's after a boot.
    pub is_by_name: bool,
}

impl UdevRules {
    /// Rules that choose a scheduler with its tunables. None for the paths of an NVMe disk: the
    /// kernel hides them, and udev is not told when they come.
    pub fn of(disk: &Disk, candidate: &Candidate) -> Option<Self> {
        if disk.is_hidden() {
            return None;
        }
        let mut attributes = format!("ATTR{{queue/scheduler}}=\"{}\"", candidate.scheduler);
        for (name, value) in &candidate.tunables {
            attributes += &format!(", ATTR{{queue/iosched/{name}}}=\"{value}\"");
        }
        let line = |(place, name): (usize, &str)| {
            let serial = disk.serial.as_ref().filter(|_| place == 0);
            let identity = serial.map_or_else(|| by_name(name), by_serial);
            format!(
                "ACTION==\"add|change\", SUBSYSTEM==\"block\", ENV{{DEVTYPE}}==\"disk\", \
                 {identity}, {attributes}"
            )
        };
        Some(UdevRules {
            lines: disk.names().enumerate().map(line).collect(),
            is_by_name: disk.serial.is_none() || !disk.companions.is_empty(),
        })
    }
}

/// The part that finds a disk by its name. A `!` of sysfs is a `/` there, and both are any letter.
fn by_name(name: &str) -> String {
    format!("KERNEL==\"{}\"", pattern(name))
}

/// The part that finds a disk by its number, at the disk itself: further up there may be one that
/// other disks hang on, too, such as an NVMe controller, or the card of a boot partition.
fn by_serial(serial: &SerialNumber) -> String {
    format!("ATTR{{{}}}==\"{}\"", serial.file, pattern(&serial.value))
}

/// A pattern of udev that matches a text: what might have a meaning is any letter.
fn pattern(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || " ._:-".contains(letter);
    text.chars().map(|letter| if plain(letter) { letter } else { '?' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TargetKind;
    use crate::tests::fake::{Fake, target};

    fn rules(fake: &Fake, number: &str) -> Option<UdevRules> {
        let of = target("/dev/x", TargetKind::BlockDevice, number);
        let disk = Disk::of(&fake.host(), of).unwrap();
        UdevRules::of(&disk, &"bfq:low_latency=0".parse().unwrap())
    }

    fn rule(identity: &str) -> String {
        format!(
            "ACTION==\"add|change\", SUBSYSTEM==\"block\", ENV{{DEVTYPE}}==\"disk\", {identity}, \
             ATTR{{queue/scheduler}}=\"bfq\", ATTR{{queue/iosched/low_latency}}=\"0\""
        )
    }

    #[test]
    fn a_disk_is_known_by_its_number_else_by_its_name_as_udev_has_it() {
        let fake = Fake::new();
        fake.device("8:0", "sda", "[none] bfq");
        fake.device("8:16", "sdb", "[none] bfq");
        fake.file("sys/devices/sdb/device/wwid", "t10.ATA \"X\n");
        fake.device("104:0", "cciss!c0d0", "[none] bfq");
        for (number, identity, is_by_name) in [
            ("8:0", "KERNEL==\"sda\"", true),
            ("8:16", "ATTR{device/wwid}==\"t10.ATA ?X\"", false),
            ("104:0", "KERNEL==\"cciss?c0d0\"", true),
        ] {
            let lines = vec![rule(identity)];
            assert_eq!(rules(&fake, number), Some(UdevRules { lines, is_by_name }));
        }
    }

    #[test]
    fn udev_is_not_told_of_paths_of_an_nvme_disk() {
        let fake = Fake::new();
        fake.device("259:0", "nvme0n1", "");
        fake.hidden("nvme0c0n1", "[none] bfq");
        fake.hidden("nvme0c1n1", "[none] bfq");
        fake.file("sys/devices/nvme0c0n1/wwid", "eui.0025\n");
        assert_eq!(rules(&fake, "259:0"), None);
    }
}
