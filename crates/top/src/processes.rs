// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whose threads do I/O, from /proc.

use doctor::ProcessSeen;
use host::{CgroupVersion, Host};
use live::{Owner, ThreadOwners};
use std::fs;

/// The processes of a machine.
#[derive(Clone, Debug)]
pub struct Processes {
    host: Host,
    version: CgroupVersion,
}

impl Processes {
    /// Those of a machine whose groups for block I/O are of that version.
    pub fn of(host: &Host, version: CgroupVersion) -> Self {
        Processes { host: host.clone(), version }
    }

    /// The process that a thread is of.
    fn process_of(&self, thread: u32) -> Option<u32> {
        let status = fs::read_to_string(self.host.path(format!("/proc/{thread}/status"))).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("Tgid:"))?;
        line.trim().parse().ok()
    }
}

impl ThreadOwners for Processes {
    fn owner(&mut self, thread: u32) -> Option<Owner> {
        let process = ProcessSeen::at(&self.host, self.version, self.process_of(thread)?)?;
        Some(Owner {
            process: process.pid,
            name: process.name,
            group: Some(process.group),
            is_kernel: process.is_kernel,
        })
    }
}
