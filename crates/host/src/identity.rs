// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which target it is, beyond its name: names of disks change when a machine starts again.

use super::disk::Disk;
use super::files::read_if_any;
use super::layers::{Layer, LayerKind};
use super::target::TargetKind;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

/// Where a disk tells a number of its own. The first is the controller's of an NVMe disk, so that
/// all of them count.
const SERIALS: [&str; 4] = ["device/serial", "serial", "wwid", "device/wwid"];

/// Something that tells a target from others.
#[derive(Debug, PartialEq, Eq)]
enum Mark {
    /// No other has it.
    Own(String),
    /// No other of the same disk or file system has it.
    Within(String),
}

impl Disk {
    /// What tells this target from others of the same name, in words: serial numbers of its disks,
    /// the partition, the volume, the file. None if nothing does for sure.
    pub fn identity(&self) -> Option<String> {
        let companions = self.companions.iter().filter_map(|companion| companion.queue.parent());
        let marks = self.file().into_iter().chain(self.layers.iter().filter_map(Layer::mark));
        let (mut known, mut parts) = (Vec::new(), Vec::new());
        for mark in marks.chain(companions.filter_map(serials).map(Mark::Own)) {
            match mark {
                Mark::Own(text) => known.push(text),
                Mark::Within(text) => parts.push(text),
            }
        }
        // A partition alone could be that of any disk.
        let is_known = !known.is_empty();
        is_known.then(|| known.into_iter().chain(parts).collect::<Vec<_>>().join(", "))
    }

    /// What tells the target, if it is a file.
    fn file(&self) -> Option<Mark> {
        let is_file = self.target.kind == TargetKind::File;
        is_file.then(|| file(&self.target.path, "")).flatten()
    }
}

impl Layer {
    fn mark(&self) -> Option<Mark> {
        let value =
            |name: &str| read_if_any(&self.folder.join(name)).filter(|value| !value.is_empty());
        let own = match &self.kind {
            LayerKind::Partition => None,
            LayerKind::Mapped { .. } => value("dm/uuid"),
            LayerKind::Raid { .. } => value("md/uuid"),
            LayerKind::Loop { file: path } => {
                return file(path, &format!(" at {}", path.display()));
            }
            LayerKind::Device => serials(&self.folder),
        };
        own.map(Mark::Own).or_else(|| self.part().map(Mark::Within))
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

/// What tells a file; `place` goes behind its inode.
fn file(path: &Path, place: &str) -> Option<Mark> {
    let metadata = fs::metadata(path).ok()?;
    let born = metadata.created().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Some(file_mark(metadata.ino(), born, place))
}

/// Each file system counts its inodes: the first file of many has the same one. When it was made
/// tells it from those, where the file system keeps that.
fn file_mark(inode: u64, born: Option<Duration>, place: &str) -> Mark {
    match born.filter(|born| !born.is_zero()) {
        Some(born) => {
            let (seconds, ns) = (born.as_secs(), born.subsec_nanos());
            Mark::Own(format!("inode {inode} made at {seconds}.{ns:09}{place}"))
        }
        None => Mark::Within(format!("inode {inode}{place}")),
    }
}

#[cfg(test)]
#[path = "identity_tests.rs"]
mod tests;
