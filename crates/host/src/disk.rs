// SPDX-License-Identifier: MIT OR Apache-2.0
//! The disk behind a target: where its scheduler is chosen, what it is, what it can do.

use super::choice::SchedulerChoice;
use super::error::HostError;
use super::files::{names_in, read_if_any, read_line, read_number};
use super::layers::{DeviceNumber, Layer, LayerKind, head_of};
use super::mounts::Mounts;
use super::mounts::is_node;
use super::root::Host;
use super::target::{Target, TargetKind};
use base::text::decimal_size;
use std::fmt;
use std::path::{Path, PathBuf};

/// The disk behind a target. It is the first device on the way down that lets its scheduler be
/// chosen: the disk below LVM, encryption or RAID, but a loop device itself, not
/// the disk its file is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disk {
    /// What the user named.
    pub target: Target,
    /// The kind of filesystem that a folder or file is on.
    pub filesystem: Option<String>,
    /// The devices from the target down to this disk, which is the last.
    pub layers: Vec<Layer>,
    /// Its name in the kernel, such as `sda`.
    pub name: String,
    /// Number of the device.
    pub device: DeviceNumber,
    /// Its folder of settings: `/sys/block/sda/queue`.
    pub queue: PathBuf,
    /// The other disks of the same target (RAID, a volume of several disks). Their scheduler is
    /// chosen with this one's.
    pub companions: Vec<Companion>,
    /// The disk that the file of a loop device is on, in words.
    pub beneath: Option<Box<Disk>>,
    /// What it says that it is; empty if it says nothing.
    pub model: String,
    /// Its serial number or world-wide name, if the kernel knows one.
    pub serial: Option<SerialNumber>,
    /// Whether it rotates, by what the kernel believes. Virtual disks mostly say yes.
    pub rotational: bool,
    /// Size of the disk.
    pub size_bytes: u64,
    /// The smallest block it takes.
    pub logical_block_bytes: u32,
    /// The smallest block it writes without reading.
    pub physical_block_bytes: u32,
    /// Requests that may wait for or be in each hardware queue, under the scheduler in force.
    pub nr_requests: u32,
    /// Number of hardware queues.
    pub hw_queues: u32,
    /// Commands the device takes at a time, where its driver tells (SCSI, SATA).
    pub queue_depth: Option<u32>,
    /// The largest request, in kB.
    pub max_sectors_kb: u32,
    /// How far files are read ahead, in kB.
    pub read_ahead_kb: u32,
    /// Whether writes are done before they are safe (a write-back cache).
    pub write_back: bool,
    /// The schedulers that the kernel offers for all disks of the target.
    pub schedulers: Vec<String>,
    /// The one that is in force.
    pub current: String,
}

/// A number or name that no other disk has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SerialNumber {
    /// The file that tells it, in the disk's folder of sysfs.
    pub file: &'static str,
    /// The number, or a world-wide name.
    pub value: String,
}

/// Another disk of the same target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Companion {
    /// Name of the disk.
    pub name: String,
    /// Its folder of settings.
    pub queue: PathBuf,
    /// The scheduler that is in force.
    pub current: String,
}

/// A device on the way down, with those above it.
type Way = Vec<Layer>;

impl Disk {
    /// The disk behind a target on this machine.
    ///
    /// # Errors
    /// [`HostError`]: there is nothing, or no disk behind it, or sysfs is not as it should be.
    pub fn behind(target: &Path) -> Result<Self, HostError> {
        Disk::of(&Host::here(), Target::at(target)?)
    }

    /// The disk behind a target.
    ///
    /// # Errors
    /// [`HostError`].
    pub fn of(host: &Host, target: Target) -> Result<Self, HostError> {
        let (filesystem, devices) = devices_under(host, &target)?;
        let mut ways: Vec<Way> = Vec::new();
        for device in devices {
            for way in ways_down(host, vec![device])? {
                if ways.iter().all(|known| known.last() != way.last()) {
                    ways.push(way);
                }
            }
        }
        let mut ways = ways.into_iter();
        let Some(layers) = ways.next() else {
            let filesystem = filesystem.unwrap_or_else(|| "a device that sysfs hides".to_owned());
            return Err(HostError::NoDisk { path: target.path, filesystem });
        };
        let mut disk = describe(host, target, filesystem, layers)?;
        for way in ways {
            disk.add_companion(host, way.last().expect("a way ends at a disk"));
        }
        Ok(disk)
    }

    /// Requests that may wait for or be in each hardware queue, once a scheduler was chosen: that
    /// changes their number.
    pub fn nr_requests_now(&self) -> u32 {
        read_number(&self.queue.join("nr_requests")).unwrap_or(self.nr_requests)
    }

    /// The folders of settings of this disk and its companions.
    pub fn queues(&self) -> impl Iterator<Item = &Path> {
        let companions = self.companions.iter().map(|companion| companion.queue.as_path());
        std::iter::once(self.queue.as_path()).chain(companions)
    }

    /// Names of this disk and its companions.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let companions = self.companions.iter().map(|companion| companion.name.as_str());
        std::iter::once(self.name.as_str()).chain(companions)
    }

    /// Whether it is a path to an NVMe disk, which has a folder in sysfs and no device.
    pub fn is_hidden(&self) -> bool {
        head_of(&self.name).is_some()
    }

    /// The name of the device that programs open: of a path to an NVMe disk, that disk's.
    pub fn visible_name(&self) -> String {
        head_of(&self.name).unwrap_or_else(|| self.name.clone())
    }

    /// Its name as a part of names of files and units, in which a `!` cannot be.
    pub fn name_in_files(&self) -> String {
        self.visible_name().replace('!', "-")
    }

    /// What kind of disk it is, as an adjective and a noun.
    pub fn kind(&self) -> &'static str {
        let starts = |prefix| self.name.starts_with(prefix);
        match self.rotational {
            _ if starts("loop") => "loop device",
            _ if starts("nvme") => "NVMe disk",
            _ if starts("mmcblk") => "memory card",
            _ if starts("zram") || starts("ram") || starts("pmem") => "memory as a disk",
            _ if starts("nullb") => "device without a medium",
            true if starts("vd") || starts("xvd") => "virtual disk, said to rotate",
            false if starts("vd") || starts("xvd") => "virtual disk",
            true => "rotating disk",
            false => "solid-state disk",
        }
    }

    /// Adds a disk of the same target: what not all offer cannot be chosen.
    fn add_companion(&mut self, host: &Host, layer: &Layer) {
        let queue = queue_of(host, layer);
        let (offered, current) = schedulers(&queue);
        self.schedulers.retain(|name| offered.contains(name));
        self.companions.push(Companion { name: layer.name.clone(), queue, current });
    }
}

impl fmt::Display for Disk {
    /// One line: `sda: ST2000DM008, rotating disk, 2.0 TB`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.name)?;
        if !self.model.is_empty() {
            write!(f, "{}, ", self.model)?;
        }
        write!(f, "{}, {}", self.kind(), decimal_size(self.size_bytes))?;
        for companion in &self.companions {
            write!(f, ", with {}", companion.name)?;
        }
        Ok(())
    }
}

/// The filesystem of a folder or file, and the devices that it or the target itself is.
fn devices_under(host: &Host, target: &Target) -> Result<(Option<String>, Vec<Layer>), HostError> {
    let direct = Layer::of(host, target.device)?;
    if target.kind == TargetKind::BlockDevice {
        return Ok((None, direct.into_iter().collect()));
    }
    let mounts = Mounts::read(host)?;
    let mut mount = mounts.of(&target.path);
    // Files of an overlay are written to its upper folder.
    while let Some(overlay) = mount.filter(|mount| mount.filesystem == "overlay") {
        let upper = overlay.options.iter().find_map(|option| option.strip_prefix("upperdir="));
        let below = upper.and_then(|upper| mounts.of(Path::new(upper)));
        mount = below.filter(|below| *below != overlay);
        if mount.is_none() {
            return Ok((Some("overlay".to_owned()), Vec::new()));
        }
    }
    let filesystem = mount.map(|mount| mount.filesystem.clone());
    if let Some(device) = direct {
        return Ok((filesystem, vec![device]));
    }
    // A filesystem of several devices has a number of its own; what is mounted is one of them.
    let Some(mount) = mount else { return Ok((filesystem, Vec::new())) };
    let first = match Layer::of(host, mount.device)? {
        None if is_node(&mount.source) => layer_of_node(host, &mount.source)?,
        found => found,
    };
    let mut devices: Vec<Layer> = first.into_iter().collect();
    if mount.filesystem == "btrfs" {
        devices = with_devices_of_btrfs(host, devices)?;
    }
    Ok((filesystem, devices))
}

/// The device of a node, which may be a link (`/dev/mapper/home`).
fn layer_of_node(host: &Host, node: &Path) -> Result<Option<Layer>, HostError> {
    let node = host.path(node);
    let node = node.canonicalize().unwrap_or(node);
    let name = node.file_name().unwrap_or_default().to_string_lossy();
    Layer::named(host, &name)
}

/// A device of a btrfs, and all others of it.
fn with_devices_of_btrfs(host: &Host, mut devices: Vec<Layer>) -> Result<Vec<Layer>, HostError> {
    let Some(first) = devices.first().map(|device| device.name.clone()) else {
        return Ok(devices);
    };
    let filesystems = host.path("/sys/fs/btrfs");
    for filesystem in names_in(&filesystems)? {
        let names = names_in(&filesystems.join(filesystem).join("devices"))?;
        if names.contains(&first) {
            for name in names.into_iter().filter(|name| *name != first) {
                devices.extend(Layer::named(host, &name)?);
            }
        }
    }
    Ok(devices)
}

/// All ways from a device (the last of `way`) to where a scheduler can be chosen, or to the end.
fn ways_down(host: &Host, way: Way) -> Result<Vec<Way>, HostError> {
    let last = way.last().expect("a way has a first device");
    let has_choice = schedulers(&queue_of(host, last)).0.len() > 1;
    let below = if has_choice { Vec::new() } else { last.below(host)? };
    if below.is_empty() {
        return Ok(vec![way]);
    }
    let mut ways = Vec::new();
    for layer in below {
        ways.extend(ways_down(host, way.iter().cloned().chain([layer]).collect())?);
    }
    Ok(ways)
}

fn queue_of(host: &Host, layer: &Layer) -> PathBuf {
    host.path("/sys/block").join(&layer.name).join("queue")
}

/// The schedulers that a queue offers, and the one in force.
fn schedulers(queue: &Path) -> (Vec<String>, String) {
    let line = read_if_any(&queue.join("scheduler")).unwrap_or_default();
    let SchedulerChoice { mut offered, in_force } = SchedulerChoice::parse(&line);
    if offered.is_empty() {
        offered.push(in_force);
    }
    (offered.into_iter().map(str::to_owned).collect(), in_force.to_owned())
}

fn describe(
    host: &Host,
    target: Target,
    filesystem: Option<String>,
    layers: Vec<Layer>,
) -> Result<Disk, HostError> {
    let layer = layers.last().expect("a way ends at a disk").clone();
    let queue = queue_of(host, &layer);
    let number = |name: &str| read_number(&queue.join(name)).unwrap_or(0);
    let (schedulers, current) = schedulers(&queue);
    let size = layer.folder.join("size");
    let sectors = read_line(&size)?;
    let sectors: u64 = sectors.trim().parse().map_err(|_| HostError::Unexpected {
        path: size,
        found: sectors,
        expected: "a number of sectors",
    })?;
    let hw_queues = names_in(&layer.folder.join("mq"))?.len().max(1);
    let cache = read_if_any(&queue.join("write_cache")).unwrap_or_default();
    Ok(Disk {
        target,
        filesystem,
        name: layer.name.clone(),
        device: layer.device,
        companions: Vec::new(),
        beneath: beneath(host, &layer)?,
        model: model(&layer),
        serial: serial(&layer.folder),
        rotational: number("rotational") == 1,
        size_bytes: sectors * 512,
        logical_block_bytes: number("logical_block_size"),
        physical_block_bytes: number("physical_block_size"),
        nr_requests: number("nr_requests"),
        hw_queues: u32::try_from(hw_queues).unwrap_or(u32::MAX),
        queue_depth: read_number(&layer.folder.join("device/queue_depth")),
        max_sectors_kb: number("max_sectors_kb"),
        read_ahead_kb: number("read_ahead_kb"),
        write_back: cache == "write back",
        schedulers,
        current,
        queue,
        layers,
    })
}

/// What the disk calls itself.
fn model(layer: &Layer) -> String {
    let value = |name: &str| read_if_any(&layer.folder.join("device").join(name));
    if let LayerKind::Loop { file } = &layer.kind {
        return format!("over {}", file.display());
    }
    // A memory card tells a name; a SCSI disk its maker too, which is "ATA" for all SATA disks.
    let model = value("model").or_else(|| value("name")).unwrap_or_default();
    let maker = value("vendor").filter(|maker| maker != "ATA" && !maker.starts_with("0x"));
    match maker {
        Some(maker) if !model.is_empty() => format!("{maker} {model}"),
        _ => model,
    }
}

/// World-wide names come first: all disks of an NVMe controller have the controller's number.
fn serial(folder: &Path) -> Option<SerialNumber> {
    let files = ["wwid", "device/wwid", "serial", "device/serial"];
    let number = |file| Some(SerialNumber { file, value: read_if_any(&folder.join(file))? });
    files.into_iter().filter_map(number).find(|number| !number.value.is_empty())
}

/// The disk that the file of a loop device is on: it has a scheduler of its own.
fn beneath(host: &Host, layer: &Layer) -> Result<Option<Box<Disk>>, HostError> {
    let LayerKind::Loop { file } = &layer.kind else { return Ok(None) };
    // The file may be gone, or in memory: then there is nothing to tell.
    let Ok(target) = Target::at(&host.path(file)) else { return Ok(None) };
    Ok(Disk::of(host, target).ok().map(Box::new))
}

#[cfg(test)]
#[path = "disk_tests.rs"]
mod tests;
