// SPDX-License-Identifier: MIT OR Apache-2.0
//! The processes and devices of a trace: records name them by number.

use std::collections::BTreeMap;

/// A process of a trace, by its position in [`Names::processes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessId(pub u32);

/// A device (or file) of a trace, by its position in [`Names::devices`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceId(pub u32);

/// A process of a trace, by which the requests are told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedProcess {
    /// Its number; none where the format knows no processes, and each volume or file
    /// stands for one.
    pub pid: Option<u32>,
    /// What it was called last: a process may change its name. Empty: not known.
    pub name: String,
}

/// The processes and devices that have come up so far, in order of their first record.
#[derive(Clone, Debug, Default)]
pub struct Names {
    processes: Vec<TracedProcess>,
    devices: Vec<String>,
    by_pid: BTreeMap<u32, ProcessId>,
    /// Names of processes that have not come up.
    noted: BTreeMap<u32, String>,
    by_name: BTreeMap<String, ProcessId>,
    device_by_name: BTreeMap<String, DeviceId>,
}

impl Names {
    /// The processes, in order of [`ProcessId`].
    pub fn processes(&self) -> &[TracedProcess] {
        &self.processes
    }

    /// The devices, in order of [`DeviceId`].
    pub fn devices(&self) -> &[String] {
        &self.devices
    }

    /// The process `pid`, which is called `name` now; an empty name leaves what was known.
    pub fn process(&mut self, pid: u32, name: &str) -> ProcessId {
        let next = ProcessId(self.processes.len() as u32);
        let id = *self.by_pid.entry(pid).or_insert(next);
        if id == next {
            let noted = self.noted.remove(&pid).filter(|_| name.is_empty());
            let name = noted.unwrap_or_else(|| name.to_owned());
            self.processes.push(TracedProcess { pid: Some(pid), name });
        } else if !name.is_empty() && self.processes[id.0 as usize].name != name {
            self.processes[id.0 as usize].name = name.to_owned();
        }
        id
    }

    /// The process `pid` is called `name`, from now on or when it comes up.
    pub(crate) fn note(&mut self, pid: u32, name: &str) {
        match self.by_pid.get(&pid) {
            Some(id) => self.processes[id.0 as usize].name = name.to_owned(),
            None => {
                self.noted.insert(pid, name.to_owned());
            }
        }
    }

    /// What stands for a process in a format without processes.
    pub(crate) fn source(&mut self, name: &str) -> ProcessId {
        if let Some(&id) = self.by_name.get(name) {
            return id;
        }
        let id = ProcessId(self.processes.len() as u32);
        self.processes.push(TracedProcess { pid: None, name: name.to_owned() });
        self.by_name.insert(name.to_owned(), id);
        id
    }

    /// The device called so.
    pub fn device(&mut self, name: &str) -> DeviceId {
        if let Some(&id) = self.device_by_name.get(name) {
            return id;
        }
        let id = DeviceId(self.devices.len() as u32);
        self.devices.push(name.to_owned());
        self.device_by_name.insert(name.to_owned(), id);
        id
    }
}
