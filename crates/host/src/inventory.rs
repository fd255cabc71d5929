// SPDX-License-Identifier: MIT OR Apache-2.0
//! All disks of a machine, and what is made of each.

use crate::disk::Disk;
use crate::error::HostError;
use crate::files::{names_in, read_number};
use crate::layers::Layer;
use crate::root::Host;
use crate::target::{Target, TargetKind};
use std::path::Path;

/// Devices that are no disks: memory, and drives whose medium is changed by hand.
const NO_DISKS: [&str; 4] = ["ram", "zram", "sr", "fd"];

impl Disk {
    /// All disks at which a scheduler sits or could sit, in the order of their names. Devices that
    /// are made of others and have no scheduler are not among them. An NVMe disk of several paths
    /// is its first path, with the others as companions.
    ///
    /// # Errors
    /// If sysfs is not as it should be.
    pub fn all(host: &Host) -> Result<Vec<Self>, HostError> {
        let mut disks = Vec::new();
        for name in names_in(&host.path("/sys/block"))? {
            let Some(layer) = Layer::named(host, &name)? else { continue };
            let size: u64 = read_number(&layer.folder.join("size")).unwrap_or(0);
            let is_no_disk = NO_DISKS.iter().any(|prefix| is_numbered(&name, prefix));
            if size == 0 || is_no_disk || layer.is_path() {
                continue;
            }
            let path = Path::new("/dev").join(name.replace('!', "/"));
            let target = Target { path, kind: TargetKind::BlockDevice, device: layer.device };
            let disk = Disk::of(host, target)?;
            if disk.layers.iter().skip(1).all(Layer::is_path) {
                disks.push(disk);
            }
        }
        Ok(disks)
    }

    /// The devices that are made of this one or of its partitions, and those made of these.
    ///
    /// # Errors
    /// If sysfs is not as it should be.
    pub fn above(&self, host: &Host) -> Result<Vec<Layer>, HostError> {
        let mut found: Vec<Layer> = Vec::new();
        let mut rest = vec![self.layers.last().expect("a way ends at a disk").clone()];
        while let Some(layer) = rest.pop() {
            let mut names = layer.holders()?;
            for partition in layer.partitions()? {
                names.extend(partition.holders()?);
            }
            for name in names {
                let Some(above) = Layer::named(host, &name)? else { continue };
                if !found.contains(&above) {
                    found.push(above.clone());
                    rest.push(above);
                }
            }
        }
        Ok(found)
    }
}

/// Whether a name is a word and a number: `sr0`.
fn is_numbered(name: &str, word: &str) -> bool {
    let rest = name.strip_prefix(word);
    rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::fake::Fake;

    #[test]
    fn disks_are_found_and_what_is_made_of_them_and_memory_is_none() {
        let fake = Fake::new();
        fake.device("8:0", "sda", "none [bfq]");
        fake.partition("8:2", "sda2", "sda");
        fake.device("253:0", "dm-0", "");
        fake.below("dm-0", "sda2");
        fake.device("253:1", "dm-1", "");
        fake.below("dm-1", "dm-0");
        fake.device("252:0", "zram0", "");
        fake.device("11:0", "sr0", "[mq-deadline] none");
        fake.device("7:0", "loop0", "[none] bfq");
        fake.file("sys/devices/loop0/size", "0\n");
        fake.device("259:0", "nvme0n1", "");
        fake.hidden("nvme0c0n1", "[none] bfq");
        fake.hidden("nvme0c1n1", "[none] bfq");
        let disks = Disk::all(&fake.host()).unwrap();
        let names: Vec<&str> = disks.iter().map(|disk| disk.name.as_str()).collect();
        assert_eq!(names, ["nvme0c0n1", "sda"]);
        assert_eq!(disks[0].device.to_string(), "259:0");
        let above = disks[1].above(&fake.host()).unwrap();
        let names: Vec<&str> = above.iter().map(|layer| layer.name.as_str()).collect();
        assert_eq!(names, ["dm-0", "dm-1"]);
    }
}
