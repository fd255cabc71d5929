// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tree of control groups that governs block I/O, with weights and what each group has moved.

use crate::files::Files;
use crate::weight::{DEFAULT, Weights, bfq_weight_by_systemd, blkio_weight_by_systemd};
use host::{CgroupVersion, Cgroups, DeviceNumber};
use std::collections::BTreeMap;

/// A control group; others are told by their places in [`Tree::groups`].
#[derive(Clone, Debug)]
pub struct GroupSeen {
    /// Its path below the root group: `/system.slice/cron.service`.
    pub path: String,
    /// The group above; none of the root.
    pub parent: Option<usize>,
    /// The groups right below.
    pub children: Vec<usize>,
    /// Whether block I/O of its processes counts as its own, not as that of a group above.
    pub governs: bool,
    /// What its file for io.cost says (in version 1, for cfq).
    pub io_weight: Option<Weights>,
    /// What its file for bfq says.
    pub bfq_weight: Option<Weights>,
    /// Bytes moved on each disk by it and all below since it exists; none if that is not told.
    pub moved_bytes: Option<BTreeMap<DeviceNumber, u64>>,
    /// The controllers that groups right below have (version 2).
    pub hands_down: Vec<String>,
    /// The disks for which it has a target for io.latency, and what the file says of each.
    pub latency_targets: BTreeMap<DeviceNumber, String>,
    /// Whether the kernel says that there is a process in it or below.
    pub populated: bool,
}

/// The tree of groups.
#[derive(Clone, Debug)]
pub struct Tree {
    /// Its version of control groups.
    pub version: CgroupVersion,
    /// The folder of the root group on the machine.
    pub folder: String,
    /// All groups; the root comes first, and each after the one above.
    pub groups: Vec<GroupSeen>,
    /// The disks for which io.cost is enabled.
    pub io_cost: Vec<DeviceNumber>,
    /// Whether its root is a group of a larger tree that cannot be seen from here, as in a
    /// container: all shares are parts of what that group gets.
    pub is_part: bool,
}

impl Tree {
    /// Reads the groups' settings of I/O control from the files of the cgroup tree.
    pub(crate) fn read(files: &Files<'_>, cgroups: &Cgroups) -> Self {
        let folder = files.named(&cgroups.root);
        let qos = files.text(&format!("{folder}/io.cost.qos")).unwrap_or_default();
        let io_cost = devices_with(&qos, "enable=1").into_keys().collect();
        let (version, is_part) = (cgroups.version, cgroups.is_part);
        let mut tree = Tree { version, folder, groups: Vec::new(), io_cost, is_part };
        let mut rest = vec![("/".to_owned(), None)];
        while let Some((path, parent)) = rest.pop() {
            let number = tree.groups.len();
            let group = tree.group(files, path, parent);
            let folder = tree.folder_of(&group);
            for name in files.folders(&folder).into_iter().rev() {
                let path = format!("{}/{name}", group.path.trim_end_matches('/'));
                rest.push((path, Some(number)));
            }
            if let Some(parent) = parent {
                tree.groups[parent].children.push(number);
            }
            tree.groups.push(group);
        }
        tree
    }

    fn group(&self, files: &Files<'_>, path: String, parent: Option<usize>) -> GroupSeen {
        let folder = format!("{}{}", self.folder, path.trim_end_matches('/'));
        let text = |name: &str| files.text(&format!("{folder}/{name}"));
        let weights = |name: &str| Weights::parse(&text(name)?);
        let governs = match (self.version, parent) {
            (CgroupVersion::V1, _) | (_, None) => true,
            (CgroupVersion::V2, Some(above)) => {
                self.groups[above].hands_down.iter().any(|name| name == "io")
            }
        };
        let (io_weight, bfq_weight, moved_bytes) = match self.version {
            CgroupVersion::V1 => (
                weights("blkio.weight"),
                weights("blkio.bfq.weight_device").or_else(|| weights("blkio.bfq.weight")),
                moved_v1(&FILES_OF_BYTES.map(|name| text(name).unwrap_or_default())),
            ),
            CgroupVersion::V2 => (
                weights("io.weight"),
                weights("io.bfq.weight"),
                text("io.stat").map(|text| moved_v2(&text)),
            ),
        };
        let hands_down = text("cgroup.subtree_control").unwrap_or_default();
        GroupSeen {
            governs,
            io_weight,
            bfq_weight,
            moved_bytes,
            hands_down: hands_down.split_whitespace().map(str::to_owned).collect(),
            latency_targets: devices_with(&text("io.latency").unwrap_or_default(), "target="),
            populated: text("cgroup.events").is_some_and(|text| text.contains("populated 1")),
            path,
            parent,
            children: Vec::new(),
        }
    }

    /// What systemd makes of a weight in a unit file on its way to bfq.
    pub fn by_systemd(&self, io_weight: u32) -> u32 {
        match self.version {
            CgroupVersion::V1 => blkio_weight_by_systemd(io_weight),
            CgroupVersion::V2 => bfq_weight_by_systemd(io_weight),
        }
    }

    /// The folder of a group on the machine.
    pub fn folder_of(&self, group: &GroupSeen) -> String {
        format!("{}{}", self.folder, group.path.trim_end_matches('/'))
    }

    /// The file of a group with its weight for bfq.
    pub fn bfq_weight_file(&self, group: &GroupSeen) -> String {
        let name = match self.version {
            CgroupVersion::V1 => "blkio.bfq.weight",
            CgroupVersion::V2 => "io.bfq.weight",
        };
        format!("{}/{name}", self.folder_of(group))
    }

    /// The file of a group with its weight for io.cost, or in version 1 for cfq.
    pub fn io_weight_file(&self, group: &GroupSeen) -> String {
        let name = match self.version {
            CgroupVersion::V1 => "blkio.weight",
            CgroupVersion::V2 => "io.weight",
        };
        format!("{}/{name}", self.folder_of(group))
    }

    /// The place of the group of a path.
    pub fn find(&self, path: &str) -> Option<usize> {
        self.groups.iter().position(|group| group.path == path)
    }

    /// A group and those above it, up to the root.
    pub fn line_of(&self, group: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(group), |&group| self.groups[group].parent)
    }

    /// The groups beside one.
    pub fn siblings(&self, group: usize) -> impl Iterator<Item = usize> {
        let parent = self.groups[group].parent;
        let beside = parent.map_or(&[][..], |parent| &self.groups[parent].children);
        beside.iter().copied().filter(move |&other| other != group)
    }
}

impl GroupSeen {
    /// The last part of its path, which is the name of its unit if systemd made it.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or("")
    }

    /// The path of the group above; empty right below the root.
    pub fn path_above(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(above, _)| above)
    }

    /// Whether a systemd made it, by its name.
    pub fn is_unit(&self) -> bool {
        [".service", ".slice", ".scope"].iter().any(|kind| self.name().ends_with(kind))
    }

    /// Its weight on a disk in the file for io.cost.
    pub fn io_weight_on(&self, disk: DeviceNumber) -> u32 {
        self.io_weight.as_ref().map_or(DEFAULT, |weights| weights.on(disk))
    }

    /// Its weight on a disk in the file for bfq.
    pub fn bfq_weight_on(&self, disk: DeviceNumber) -> u32 {
        self.bfq_weight.as_ref().map_or(DEFAULT, |weights| weights.on(disk))
    }
}

/// The devices, with what is said of them, whose line has this word (or a word that begins with
/// it): `8:0 enable=1 ctrl=auto`.
fn devices_with(text: &str, word: &str) -> BTreeMap<DeviceNumber, String> {
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    let having = lines.filter(|(_, rest)| rest.split(' ').any(|found| found.starts_with(word)));
    having.filter_map(|(device, rest)| Some((device.parse().ok()?, rest.to_owned()))).collect()
}

/// `8:0 rbytes=1 wbytes=2 rios=3 …`, a line for each disk.
fn moved_v2(text: &str) -> BTreeMap<DeviceNumber, u64> {
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    let moved = |rest: &str| {
        let pairs = rest.split(' ').filter_map(|pair| pair.split_once('='));
        let bytes = pairs.filter(|(name, _)| ["rbytes", "wbytes"].contains(name));
        bytes.filter_map(|(_, value)| value.parse::<u64>().ok()).sum()
    };
    lines.filter_map(|(device, rest)| Some((device.parse().ok()?, moved(rest)))).collect()
}

/// The files of version 1 that count bytes: of the throttle, which newer kernels fill only where it
/// throttles, and of bfq.
const FILES_OF_BYTES: [&str; 2] =
    ["blkio.throttle.io_service_bytes_recursive", "blkio.bfq.io_service_bytes_recursive"];

/// `8:0 Read 1`, `8:0 Write 2`, …; the line `Total` of a disk has both. None if no file tells any.
fn moved_v1(texts: &[String]) -> Option<BTreeMap<DeviceNumber, u64>> {
    let mut moved = BTreeMap::new();
    for (device, bytes) in texts.iter().flat_map(|text| totals(text)) {
        let most = moved.entry(device).or_insert(bytes);
        *most = bytes.max(*most);
    }
    moved.values().any(|&bytes| bytes > 0).then_some(moved)
}

fn totals(text: &str) -> Vec<(DeviceNumber, u64)> {
    let line = |line: &str| match line.split(' ').collect::<Vec<_>>()[..] {
        [device, "Total", bytes] => Some((device.parse().ok()?, bytes.parse().ok()?)),
        _ => None,
    };
    text.lines().filter_map(line).collect()
}
