// SPDX-License-Identifier: MIT OR Apache-2.0
//! Everything of a machine that decides on shares of its disks, as it was read at one time.

use crate::files::Files;
use crate::process::ProcessSeen;
use crate::tree::{GroupSeen, Tree};
use crate::unit::{Asked, Manager, Units, manager_below};
use base::suggest::meant_or_all;
use host::{CgroupVersion, Cgroups, Disk, Host, HostError, Layer, Mounts, SchedulerChoice};
use host::{Target, TargetKind};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What shows that a user sits before the machine: programs that draw on its screen.
const PROGRAMS_OF_A_SCREEN: [&str; 9] = [
    "Xorg",
    "Xwayland",
    "gnome-shell",
    "kwin_wayland",
    "sway",
    "weston",
    "Hyprland",
    "labwc",
    "cosmic-comp",
];

/// A disk, and what of its settings matters for shares.
#[derive(Clone, Debug)]
pub struct DiskSeen {
    /// The disk, as the kernel describes it.
    pub disk: Disk,
    /// What is made of it.
    pub above: Vec<Layer>,
    /// Filesystems on it that are mounted to be written: the folder, and the kind.
    pub filesystems: Vec<(String, String)>,
    /// The latency from which writeback is throttled; 0 or less: never. None, too, where the
    /// kernel does not tell.
    pub wbt_lat_usec: Option<i64>,
    /// On which processors requests complete.
    pub rq_affinity: Option<u32>,
    /// Whether bfq prefers programs that start or wait for people.
    pub low_latency: Option<u32>,
    /// The file that tells how its cache works, and what it says (SCSI, SATA).
    pub cache: Option<(String, String)>,
    /// Its device in sysfs, by which it is connected.
    pub place: String,
    /// The disks below a multipath device, and their schedulers.
    pub paths: Vec<(String, String)>,
    /// How an NVMe disk is connected.
    pub transport: Option<String>,
}

/// What was read of the machine.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The disks that were asked for: at least one.
    pub disks: Vec<DiskSeen>,
    /// The groups that govern block I/O, if any do.
    pub tree: Option<Tree>,
    /// Whether groups of version 2 are mounted beside, without block I/O.
    pub has_other_tree: bool,
    /// All processes that are to be seen.
    pub processes: Vec<ProcessSeen>,
    /// Weights in unit files.
    pub units: Units,
    /// Whether a screen is in use.
    pub has_screen: bool,
    /// What could not be read for want of the right to do so.
    pub unread: Vec<String>,
}

/// Why a machine cannot be looked at.
#[derive(Debug, thiserror::Error)]
pub enum DoctorError {
    /// A name that no disk has.
    #[error("{name}: no such disk{}", meant_or_all(name, known))]
    NoDisk {
        /// What was asked for.
        name: String,
        /// The disks that there are.
        known: Vec<String>,
    },
    /// There is none at all.
    #[error("this machine has no disk that could be looked at{}",
            if *has_sysfs { "" } else { ": there is no /sys/block" })]
    NoDisks {
        /// Whether the kernel's list of them is there, as it is not in some containers.
        has_sysfs: bool,
    },
    /// The system does not tell.
    #[error(transparent)]
    Host(#[from] HostError),
}

impl Machine {
    /// Reads a machine; of its disks only those named (by their names, or by a folder, file or
    /// device on them), if any are.
    ///
    /// # Errors
    /// [`DoctorError`].
    pub fn read(host: &Host, wanted: &[PathBuf]) -> Result<Self, DoctorError> {
        let files = Files::of(host);
        let mut disks = Disk::all(host)?;
        if disks.is_empty() {
            return Err(DoctorError::NoDisks { has_sysfs: host.path("/sys/block").exists() });
        }
        if !wanted.is_empty() {
            let names = names_of(host, &disks, wanted)?;
            disks.retain(|disk| names.contains(&disk.name));
        }
        let cgroups = Cgroups::find(host)?;
        let mounts = Mounts::read(host)?;
        let mut seen = Vec::new();
        for disk in disks {
            seen.push(DiskSeen::read(host, &files, &mounts, disk)?);
        }
        let version = cgroups.as_ref().map_or(CgroupVersion::V2, |found| found.version);
        let processes = ProcessSeen::all(&files, version);
        let names = |process: &ProcessSeen| PROGRAMS_OF_A_SCREEN.contains(&process.name.as_str());
        let tree = cgroups.as_ref().map(|cgroups| Tree::read(&files, cgroups));
        let groups = tree.iter().flat_map(|tree| &tree.groups);
        let user = |group: &GroupSeen| match manager_below(group.path_above()) {
            Some(Manager::User(user)) => Some(user),
            _ => None,
        };
        let users: BTreeSet<u32> = groups.filter_map(user).collect();
        Ok(Machine {
            disks: seen,
            units: Units::read(&files, users),
            tree,
            has_other_tree: version == CgroupVersion::V1
                && mounts.iter().any(|mount| mount.filesystem == "cgroup2"),
            has_screen: processes.iter().any(names) || !files.names("/tmp/.X11-unix").is_empty(),
            processes,
            unread: files.unread(),
        })
    }

    /// What the unit of a group asks for, be it only while the machine starts.
    pub fn unit_weight_of(&self, group: &GroupSeen) -> Option<Asked> {
        let unit = self.units.of(group);
        unit.weight.or(unit.startup_weight)
    }

    /// Whether there is a process in a group or below.
    pub fn is_populated(&self, group: &GroupSeen) -> bool {
        group.populated || self.processes_below(group).next().is_some()
    }

    /// The processes that are in a group or below.
    pub fn processes_below(&self, group: &GroupSeen) -> impl Iterator<Item = &ProcessSeen> {
        let below = format!("{}/", group.path);
        let processes = self.processes.iter();
        processes.filter(move |one| one.group == group.path || one.group.starts_with(&below))
    }

    /// The processes that are directly in a group.
    pub fn processes_in(&self, group: &str) -> impl Iterator<Item = &ProcessSeen> {
        self.processes.iter().filter(move |process| process.group == group)
    }
}

/// The names of the disks that are meant.
fn names_of(host: &Host, disks: &[Disk], wanted: &[PathBuf]) -> Result<Vec<String>, DoctorError> {
    let mut names = Vec::new();
    for path in wanted {
        let name = path.to_string_lossy().into_owned();
        let no_disk = || {
            let known = disks.iter().map(|disk| disk.name.clone()).collect();
            DoctorError::NoDisk { name: name.clone(), known }
        };
        let is_meant = |disk: &&Disk| disk.name == name || disk.target.path.ends_with(path);
        if let Some(disk) = disks.iter().find(is_meant) {
            names.push(disk.name.clone());
        } else if path.exists() {
            let disk = Disk::of(host, Target::at(path)?)?;
            let companions = disk.companions.into_iter().map(|other| other.name);
            let of_it: Vec<String> = companions.chain([disk.name]).collect();
            // A loop device without a file is a device, and no disk of the machine.
            if !disks.iter().any(|disk| of_it.contains(&disk.name)) {
                return Err(no_disk());
            }
            names.extend(of_it);
        } else {
            return Err(no_disk());
        }
    }
    Ok(names)
}

impl DiskSeen {
    fn read(
        host: &Host,
        files: &Files<'_>,
        mounts: &Mounts,
        disk: Disk,
    ) -> Result<Self, DoctorError> {
        let folder = format!("/sys/block/{}", disk.name);
        let caches = format!("{folder}/device/scsi_disk");
        let cache = files.names(&caches).first().and_then(|address| {
            let file = format!("{caches}/{address}/cache_type");
            files.text(&file).map(|text| (file, text))
        });
        Ok(DiskSeen {
            above: disk.above(host)?,
            filesystems: filesystems_on(host, mounts, &disk),
            wbt_lat_usec: files
                .number(&format!("{folder}/queue/wbt_lat_usec"))
                .filter(|_| tells_whether_writeback_is_throttled(host)),
            rq_affinity: files.number(&format!("{folder}/queue/rq_affinity")),
            low_latency: files.number(&format!("{folder}/queue/iosched/low_latency")),
            cache,
            place: files.destination(&folder),
            paths: paths(files, &folder),
            transport: files.text(&format!("{folder}/device/transport")),
            disk,
        })
    }

    /// A file of its settings on the machine.
    pub fn setting(&self, name: &str) -> String {
        format!("/sys/block/{}/queue/{name}", self.disk.name)
    }

    /// What its file `scheduler` says.
    pub fn schedulers(&self) -> String {
        let Disk { schedulers, current, .. } = &self.disk;
        let word = |name: &String| match name == current {
            true => format!("[{name}]"),
            false => name.clone(),
        };
        schedulers.iter().map(word).collect::<Vec<_>>().join(" ")
    }
}

/// The disks that a device with a scheduler of its own is made of, and their schedulers.
fn paths(files: &Files<'_>, folder: &str) -> Vec<(String, String)> {
    let names = files.names(&format!("{folder}/slaves")).into_iter();
    let current = |name: &String| {
        let line = files.text(&format!("/sys/block/{name}/queue/scheduler"))?;
        Some(SchedulerChoice::in_force(&line).to_owned())
    };
    names.filter_map(|name| current(&name).map(|current| (name, current))).collect()
}

/// The filesystems that are mounted from a disk to be written, each once.
fn filesystems_on(host: &Host, mounts: &Mounts, disk: &Disk) -> Vec<(String, String)> {
    let mut devices = Vec::new();
    let mut found = Vec::new();
    for mount in mounts.iter().filter(|mount| mount.source.starts_with("/dev")) {
        if mount.is_read_only || devices.contains(&mount.device) {
            continue;
        }
        devices.push(mount.device);
        let (path, kind) = (mount.folder.clone(), TargetKind::Directory);
        let below = Disk::of(host, Target { path, kind, device: mount.device });
        let is_on_it = below.is_ok_and(|below| {
            below.name == disk.name || below.companions.iter().any(|other| other.name == disk.name)
        });
        if is_on_it {
            found.push((folder_name(&mount.folder), mount.filesystem.clone()));
        }
    }
    found
}

fn folder_name(folder: &Path) -> String {
    folder.display().to_string()
}

/// Whether the latency of the throttling of writeback reads as 0 while the throttling is off. Linux
/// 6.1 shows the latency that would hold, also where bfq has turned it off.
fn tells_whether_writeback_is_throttled(host: &Host) -> bool {
    let release = host.kernel_release().unwrap_or_default();
    let mut numbers = release.split(['.', '-']).map_while(|part| part.parse::<u32>().ok());
    match (numbers.next(), numbers.next()) {
        (Some(major), Some(minor)) => (major, minor) >= (6, 2),
        _ => true,
    }
}
