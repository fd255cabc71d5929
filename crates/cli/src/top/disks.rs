// SPDX-License-Identifier: MIT OR Apache-2.0
//! The disks that are watched: their numbers, elevators and tunables.

use super::due;
use crate::failure::Failure;
use ::doctor::Machine;
use host::{CgroupVersion, Host};
use live::{DeviceId, DiskFigures, Snapshot, Watched};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Weights and groups are read again after so long.
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
    /// Looks at a machine.
    ///
    /// # Errors
    /// With exit code 2 if there is no such disk, or none at all.
    pub fn find(host: &Host, wanted: &[PathBuf]) -> Result<Self, Failure> {
        let machine = Machine::read(host, wanted).map_err(Failure::usage)?;
        if machine.disks.is_empty() {
            return Err(Failure::usage("this machine has no disk that could be looked at"));
        }
        let (host, wanted) = (host.clone(), wanted.to_vec());
        Ok(Disks { host, wanted, machine, read: Instant::now() })
    }

    /// The version of the control groups for block I/O.
    pub fn version(&self) -> CgroupVersion {
        self.machine.tree.as_ref().map_or(CgroupVersion::V2, |tree| tree.version)
    }

    /// What is watched.
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

    /// Adds to a snapshot what events do not tell: elevators, and who is entitled to what.
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
        let text = fs::read_to_string(queue.join("scheduler")).unwrap_or_default();
        let chosen = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
        disk.elevator = chosen.map_or(text.trim(), |(chosen, _)| chosen).to_owned();
        let tunables = fs::read_dir(queue.join("iosched")).into_iter().flatten().flatten();
        disk.tunables = tunables
            .filter_map(|entry| {
                let value = fs::read_to_string(entry.path()).ok()?;
                Some((entry.file_name().to_string_lossy().into_owned(), value.trim().to_owned()))
            })
            .collect();
    }
}
