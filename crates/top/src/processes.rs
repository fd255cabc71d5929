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
        // Its name is in there, which need not be text.
        let status = fs::read(self.host.path(format!("/proc/{thread}/status"))).ok()?;
        let status = String::from_utf8_lossy(&status);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_no_text_hides_no_process() {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("proc/8/status", &b"Name:\tcaf\xe9\nTgid:\t7\n"[..]),
            ("proc/7/comm", b"caf\xe9\n"),
            ("proc/7/stat", b"7 (caf\xe9) S 1 7 7 0 -1 0\n"),
            ("proc/7/cgroup", b"0::/user.slice\n"),
        ] {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let mut processes = Processes::of(&Host::at(root.path()), CgroupVersion::V2);
        let (name, group) = ("caf\u{fffd}".to_owned(), Some("/user.slice".to_owned()));
        let expected = Owner { process: 7, name, group, is_kernel: false };
        assert_eq!(processes.owner(8), Some(expected));
    }
}
