// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a device to what it is made of: partition, device mapper, md, loop, down to the disk, as
//! far as sysfs tells.

use super::error::HostError;
use super::files::{names_in, read_if_any, read_line, read_name};
use super::root::Host;
pub use bfq::DeviceNumber;
use std::fmt;
use std::path::{Path, PathBuf};

/// What a layer is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayerKind {
    /// A part of the disk below.
    Partition,
    /// Made by the device mapper: LVM, encryption, multipath.
    Mapped {
        /// Its name in `/dev/mapper`.
        name: String,
        /// Who made it, as the device mapper knows it: `LVM`, `CRYPT`, …; may be empty.
        maker: String,
    },
    /// An array made by md, the kernel's software RAID.
    Raid {
        /// Level of the array: `raid1`, `linear`, …
        level: String,
    },
    /// A file as a device.
    Loop {
        /// Path of the file behind it.
        file: PathBuf,
    },
    /// Anything else: mostly a disk.
    Device,
}

/// A device between the target and the disk, or the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// Its name in `/sys/class/block`.
    pub name: String,
    /// Number of the device; of a hidden one that of the device that it is a path to, by which
    /// groups count its I/O.
    pub device: DeviceNumber,
    /// Whether it is a partition, mapped, an array or something else.
    pub kind: LayerKind,
    /// Its folder in sysfs.
    pub(super) folder: PathBuf,
}

impl Layer {
    /// The device of a number, if sysfs has it.
    pub(super) fn of(host: &Host, device: DeviceNumber) -> Result<Option<Self>, HostError> {
        Layer::in_folder(&host.path("/sys/dev/block").join(device.to_string()))
    }

    /// The device of a name.
    pub(super) fn named(host: &Host, name: &str) -> Result<Option<Self>, HostError> {
        Layer::in_folder(&host.path("/sys/class/block").join(name))
    }

    fn in_folder(link: &Path) -> Result<Option<Self>, HostError> {
        let Ok(folder) = link.canonicalize() else { return Ok(None) };
        let path = match head_of_path(link).filter(|_| !folder.join("dev").exists()) {
            Some(head) => head.join("dev"),
            None => folder.join("dev"),
        };
        let device = read_line(&path)?;
        let device = device.parse().map_err(|_| HostError::Unexpected {
            path,
            found: device.clone(),
            expected: "MAJOR:MINOR",
        })?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Some(Layer { name, device, kind: kind_of(&folder), folder }))
    }

    /// What it is made of; empty for a disk, and for a loop device, whose file is no device.
    pub(super) fn below(&self, host: &Host) -> Result<Vec<Self>, HostError> {
        if self.kind == LayerKind::Partition {
            let disk = self.folder.parent().map(Layer::in_folder).transpose()?.flatten();
            return Ok(disk.into_iter().collect());
        }
        let mut names = names_in(&self.folder.join("slaves"))?;
        if names.is_empty() {
            names = self.paths(host)?;
        }
        names.iter().filter_map(|name| Layer::named(host, name).transpose()).collect()
    }

    /// The hidden devices of an NVMe disk of several paths: below `nvme0n1` are `nvme0c0n1`, ….
    fn paths(&self, host: &Host) -> Result<Vec<String>, HostError> {
        if !self.name.starts_with("nvme") {
            return Ok(Vec::new());
        }
        let is_path = |name: &String| head_of(name).as_ref() == Some(&self.name);
        Ok(names_in(&host.path("/sys/class/block"))?.into_iter().filter(is_path).collect())
    }

    /// Whether it is a path to an NVMe disk, and no device for programs.
    pub(super) fn is_path(&self) -> bool {
        head_of(&self.name).is_some()
    }

    /// Who sits on it: the devices above, partitions not counted.
    pub(super) fn holders(&self) -> Result<Vec<String>, HostError> {
        names_in(&self.folder.join("holders"))
    }

    /// Partitions of the device.
    pub(super) fn partitions(&self) -> Result<Vec<Self>, HostError> {
        let names = names_in(&self.folder)?.into_iter();
        let folders = names.map(|name| self.folder.join(name));
        let partitions = folders.filter(|folder| folder.join("partition").exists());
        partitions.filter_map(|folder| Layer::in_folder(&folder).transpose()).collect()
    }

    /// Its node on the machine. A slash in a name is an exclamation mark in sysfs.
    pub(super) fn node(&self) -> PathBuf {
        Path::new("/dev").join(self.name.replace('!', "/"))
    }
}

/// The NVMe disk that a hidden device is a path to: `nvme0n1` of `nvme0c3n1`.
pub(super) fn head_of(name: &str) -> Option<String> {
    let (subsystem, path) = name.strip_prefix("nvme")?.split_once('c')?;
    let (_, namespace) = path.split_once('n')?;
    Some(format!("nvme{subsystem}n{namespace}"))
}

/// The same in sysfs.
fn head_of_path(link: &Path) -> Option<PathBuf> {
    Some(link.with_file_name(head_of(&link.file_name()?.to_string_lossy())?))
}

fn kind_of(folder: &Path) -> LayerKind {
    let value = |name: &str| read_if_any(&folder.join(name));
    if folder.join("partition").exists() {
        LayerKind::Partition
    } else if let Some(name) = value("dm/name") {
        let uuid = value("dm/uuid").unwrap_or_default();
        let maker = uuid.split_once('-').map_or("", |(maker, _)| maker);
        LayerKind::Mapped { name, maker: maker.to_owned() }
    } else if let Some(level) = value("md/level") {
        LayerKind::Raid { level }
    } else if let Some(file) = read_name(&folder.join("loop/backing_file")) {
        LayerKind::Loop { file }
    } else {
        LayerKind::Device
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            LayerKind::Partition => write!(f, "partition {}", self.name),
            LayerKind::Mapped { name, maker } if maker.is_empty() => write!(f, "mapping {name}"),
            LayerKind::Mapped { name, maker } => write!(f, "{} {name}", maker_in_words(maker)),
            LayerKind::Raid { level } => write!(f, "{level} {}", self.name),
            LayerKind::Loop { file } => write!(f, "{} of the file {}", self.name, file.display()),
            LayerKind::Device => f.write_str(&self.name),
        }
    }
}

/// What people call a maker of mappings.
fn maker_in_words(maker: &str) -> &str {
    match maker {
        "CRYPT" => "encryption",
        "LVM" => "LVM volume",
        "mpath" => "multipath",
        other => other,
    }
}
