// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which processes are where, and which of them do I/O.

use crate::files::Files;
use host::{CgroupVersion, Host};

/// A process moves less than this while it starts, by reading its own program, and so do those who
/// look for partitions on a disk.
pub(crate) const MOVED_FOR_CERTAIN_BYTES: u64 = 1 << 20;

/// A process of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessSeen {
    /// Number of the process.
    pub pid: u32,
    /// The name of its program, at most 15 bytes of it.
    pub name: String,
    /// Its group in the hierarchy of block I/O.
    pub group: String,
    /// Its group in the unified hierarchy.
    pub unified_group: String,
    /// Bytes that it, and those of its children that have ended, have read from and written to any
    /// disk; none if we may not know.
    pub moved_bytes: Option<u64>,
    /// Whether it is a part of the kernel.
    pub is_kernel: bool,
}

impl ProcessSeen {
    /// Reads all of them.
    pub(crate) fn all(files: &Files<'_>, version: CgroupVersion) -> Vec<Self> {
        let names = files.names("/proc");
        let pids = names.iter().filter_map(|name| name.parse().ok());
        pids.filter_map(|pid| ProcessSeen::read(files, version, pid)).collect()
    }

    /// Reads one of a machine, by its number; none if it has ended meanwhile.
    pub fn at(host: &Host, version: CgroupVersion, pid: u32) -> Option<Self> {
        ProcessSeen::read(&Files::of(host), version, pid)
    }

    fn read(files: &Files<'_>, version: CgroupVersion, pid: u32) -> Option<Self> {
        let groups = files.text(&format!("/proc/{pid}/cgroup"))?;
        let of = |controller: &str| {
            let lines = groups.lines().filter_map(|line| line.split_once(':')?.1.split_once(':'));
            let mut paths = lines.filter(|(names, _)| names.split(',').any(|n| n == controller));
            paths.next().map(|(_, path)| path.to_owned())
        };
        let unified_group = of("").unwrap_or_else(|| "/".to_owned());
        let group = match version {
            CgroupVersion::V1 => of("blkio").unwrap_or_else(|| "/".to_owned()),
            CgroupVersion::V2 => unified_group.clone(),
        };
        let io = files.text_as(&format!("/proc/{pid}/io"), "/proc/PID/io");
        let stat = files.text(&format!("/proc/{pid}/stat")).unwrap_or_default();
        Some(ProcessSeen {
            pid,
            name: files.text(&format!("/proc/{pid}/comm")).unwrap_or_default(),
            group,
            unified_group,
            moved_bytes: io.map(|text| moved_bytes(&text)),
            is_kernel: is_kernel(pid, &stat),
        })
    }

    /// Whether it, or a child of it that has ended, has certainly used a disk.
    pub fn uses_disks(&self) -> bool {
        !self.is_kernel && self.moved_bytes.is_some_and(|bytes| bytes >= MOVED_FOR_CERTAIN_BYTES)
    }
}

/// `read_bytes: 1`, `write_bytes: 2` among others.
fn moved_bytes(text: &str) -> u64 {
    let pairs = text.lines().filter_map(|line| line.split_once(": "));
    let bytes = pairs.filter(|(name, _)| ["read_bytes", "write_bytes"].contains(name));
    bytes.filter_map(|(_, value)| value.parse::<u64>().ok()).sum()
}

/// Threads of the kernel are children of process 2: `NUMBER (NAME) STATE PARENT …`.
fn is_kernel(pid: u32, stat: &str) -> bool {
    let behind_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    pid == 2 || behind_name.split_whitespace().nth(1) == Some("2")
}
