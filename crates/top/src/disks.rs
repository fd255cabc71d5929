// SPDX-License-Identifier: MIT OR Apache-2.0
//! The disks that are watched: their numbers, elevators and tunables.

use crate::due;
use crate::error::TopError;
use doctor::Machine;
use host::{CgroupVersion, Host, SchedulerChoice};
use live::{DeviceId, DiskFigures, Snapshot, Watched};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The time after which weights and groups are read again.
const AGAIN: Duration = Duration::from_secs(15);

/// The disks, and what is known of the machine.
#[derive(Debug)]
pub struct Disks {
    host: Host,
    wanted: Vec<PathBuf>,
    machine: Machine,
    read: Instant,
}

impl Disks {
    /// Looks at a machine; of its disks at those that are wanted (by their names, or by a folder,
    /// file or device on them), if any are.
    ///
    /// # Errors
    /// [`TopError::Machine`] if there is no such disk, or none at all.
    pub fn find(host: &Host, wanted: &[PathBuf]) -> Result<Self, TopError> {
        let machine = Machine::read(host, wanted)?;
        let (host, wanted) = (host.clone(), wanted.to_vec());
        Ok(Disks { host, wanted, machine, read: Instant::now() })
    }

    /// The version of the control groups for block I/O.
    pub fn version(&self) -> CgroupVersion {
        self.machine.tree.as_ref().map_or(CgroupVersion::V2, |tree| tree.version)
    }

    /// Whether what is due to groups is a part of what a container gets, whose group is the root
    /// that is seen.
    pub fn is_in_container(&self) -> bool {
        self.machine.tree.as_ref().is_some_and(|tree| tree.is_part)
    }

    /// The disks to be watched, with their partitions.
    pub fn watched(&self) -> Vec<Watched> {
        let disks = self.machine.disks.iter().map(|seen| &seen.disk);
        let watched = disks.map(|disk| Watched {
            name: disk.name.clone(),
            device: DeviceId::new(disk.device.major, disk.device.minor),
            partitions: self.partitions(&disk.name),
        });
        watched.collect()
    }

    fn partitions(&self, disk: &str) -> Vec<DeviceId> {
        let folder = self.host.path("/sys/block").join(disk);
        let inside = fs::read_dir(folder).into_iter().flatten().flatten();
        let parts = inside.filter(|entry| entry.path().join("partition").exists());
        let number = |entry: fs::DirEntry| {
            let text = fs::read_to_string(entry.path().join("dev")).ok()?;
            let (major, minor) = text.trim().split_once(':')?;
            Some(DeviceId::new(major.parse().ok()?, minor.parse().ok()?))
        };
        parts.filter_map(number).collect()
    }

    /// Adds to a snapshot what events do not tell: elevators, and who is entitled to what. The
    /// machine is read again every now and then.
    pub fn complete(&mut self, snapshot: &mut Snapshot) {
        if self.read.elapsed() >= AGAIN {
            self.read = Instant::now();
            // A disk may have been unplugged: what was known stays, and it is told to be gone.
            if let Ok(machine) = Machine::read(&self.host, &self.wanted) {
                self.machine = machine;
            }
        }
        for disk in &mut snapshot.disks {
            self.describe(disk);
            due::add_to(disk, &self.machine);
        }
    }

    fn describe(&self, disk: &mut DiskFigures) {
        let queue = self.host.path("/sys/block").join(&disk.name).join("queue");
        disk.is_gone = !queue.exists();
        // Of a disk that is gone nothing is told.
        let line = fs::read_to_string(queue.join("scheduler")).ok();
        let in_force = line.map(|line| SchedulerChoice::in_force(&line).to_owned());
        disk.elevator = in_force.unwrap_or_default();
        let tunables = fs::read_dir(queue.join("iosched")).into_iter().flatten().flatten();
        disk.tunables = tunables
            .filter_map(|entry| {
                let value = fs::read_to_string(entry.path()).ok()?;
                Some((entry.file_name().to_string_lossy().into_owned(), value.trim().to_owned()))
            })
            .collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_disk_that_is_unplugged_is_told_to_be_gone() {
        let root = tempfile::tempdir().unwrap();
        let file = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        file("proc/self/mountinfo", "");
        for (path, text) in [
            ("dev", "8:0\n"),
            ("size", "2000\n"),
            ("queue/scheduler", "none [bfq]\n"),
            ("queue/rotational", "1\n"),
            ("queue/iosched/slice_idle", "8\n"),
            ("sda1/dev", "8:1\n"),
            ("sda1/partition", "1\n"),
        ] {
            file(&format!("sys/devices/sda/{path}"), text);
        }
        let links = [
            ("block/sda", "../devices/sda"),
            ("class/block/sda", "../../devices/sda"),
            ("dev/block/8:0", "../../devices/sda"),
        ];
        for (link, to) in links {
            let link = root.path().join("sys").join(link);
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            symlink(to, link).unwrap();
        }
        let mut disks = Disks::find(&Host::at(root.path()), &[]).unwrap();
        let watched = disks.watched();
        assert_eq!(watched[0].device, DeviceId::new(8, 0));
        assert_eq!(watched[0].partitions, [DeviceId::new(8, 1)]);
        let disk = DiskFigures { name: "sda".to_owned(), ..DiskFigures::default() };
        let mut snapshot = Snapshot { disks: vec![disk], ..Snapshot::default() };
        disks.complete(&mut snapshot);
        assert!(!snapshot.disks[0].is_gone && snapshot.disks[0].elevator == "bfq");
        assert_eq!(snapshot.disks[0].tunables["slice_idle"], "8");

        fs::remove_dir_all(root.path().join("sys/devices/sda")).unwrap();
        for (link, _) in links {
            fs::remove_file(root.path().join("sys").join(link)).unwrap();
        }
        // The machine is read again, too, and has no disk: what was known stays.
        disks.read -= AGAIN;
        disks.complete(&mut snapshot);
        assert!(snapshot.disks[0].is_gone);
        assert_eq!(disks.machine.disks.len(), 1);
    }
}
