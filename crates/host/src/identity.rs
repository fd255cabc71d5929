// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which target it is, beyond its name: names of disks change when a machine starts again.

use super::disk::Disk;
use super::files::read_if_any;
use super::layers::{Layer, LayerKind};
use super::target::TargetKind;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Where a disk tells a number of its own. The first is the controller's of an NVMe disk, so that
/// all of them count.
const SERIALS: [&str; 4] = ["device/serial", "serial", "wwid", "device/wwid"];

impl Disk {
    /// What tells this target from others of the same name, in words: serial numbers of its disks,
    /// the partition, the volume, the file. None if nothing does for sure.
    pub fn identity(&self) -> Option<String> {
        let mut known: Vec<String> = self.file().into_iter().collect();
        let mut parts = Vec::new();
        for layer in &self.layers {
            match layer.own_identity() {
                Some(own) => known.push(own),
                None => parts.extend(layer.part()),
            }
        }
        let companions = self.companions.iter().filter_map(|companion| companion.queue.parent());
        known.extend(companions.filter_map(serials));
        // A partition alone could be that of any disk.
        let is_known = !known.is_empty();
        is_known.then(|| known.into_iter().chain(parts).collect::<Vec<_>>().join(", "))
    }

    /// The target's inode, if it is a file.
    fn file(&self) -> Option<String> {
        let is_file = self.target.kind == TargetKind::File;
        is_file.then(|| inode(&self.target.path)).flatten()
    }
}

impl Layer {
    /// What no other device has.
    fn own_identity(&self) -> Option<String> {
        let value =
            |name: &str| read_if_any(&self.folder.join(name)).filter(|value| !value.is_empty());
        match &self.kind {
            LayerKind::Partition => None,
            LayerKind::Mapped { .. } => value("dm/uuid"),
            LayerKind::Raid { .. } => value("md/uuid"),
            LayerKind::Loop { file } => {
                inode(file).map(|inode| format!("{inode} at {}", file.display()))
            }
            LayerKind::Device => serials(&self.folder),
        }
    }

    /// Which part of the disk below it is.
    fn part(&self) -> Option<String> {
        let value = |name: &str| read_if_any(&self.folder.join(name));
        let start = value("start").unwrap_or_default();
        Some(format!("partition {} from sector {start}", value("partition")?))
    }
}

/// All numbers that a disk tells of itself; none if there is no such number.
fn serials(folder: &Path) -> Option<String> {
    let mut found: Vec<String> = Vec::new();
    for value in SERIALS.iter().filter_map(|name| read_if_any(&folder.join(name))) {
        if !value.is_empty() && !found.contains(&value) {
            found.push(value);
        }
    }
    (!found.is_empty()).then(|| format!("serial {}", found.join(" ")))
}

fn inode(path: &Path) -> Option<String> {
    fs::metadata(path).ok().map(|metadata| format!("inode {}", metadata.ino()))
}

#[cfg(test)]
#[path = "identity_tests.rs"]
mod tests;
