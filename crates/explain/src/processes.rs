// SPDX-License-Identifier: MIT OR Apache-2.0
//! The processes of a recording of a real machine, and how much I/O they do.

use crate::cast::{Cast, JobNames, ProcessNumber, UnknownJob};
use base::Operation;
use bfq::why::Decision;
use bfq::{GroupId, NewRequest, ProcessId, RequestId};
use recording::{Call, Record, Timed};
use serde::Serialize;
use std::collections::BTreeMap;

/// A process that the recording speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RecordedProcess {
    /// Its program; none if the recording does not say.
    comm: Option<String>,
    pid: Option<u32>,
    /// Its group's path; none: the root.
    group: Option<String>,
}

/// A request on its way.
#[derive(Debug, Clone, Copy)]
struct OnItsWay {
    process: ProcessNumber,
    operation: Operation,
    sectors: u32,
    submitted_ns: u64,
}

/// What a program did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProgramRow {
    /// Name of the program.
    pub name: String,
    /// Its group's path; null: the root.
    pub group: Option<String>,
    /// How many processes it has.
    pub processes: u32,
    /// Their requests that have completed.
    pub ios: u64,
    /// How much of that was read, bytes.
    pub read_bytes: u64,
    /// And how much written.
    pub written_bytes: u64,
    /// How long all of them took, ns.
    pub latency_ns: u64,
    /// The longest, ns.
    pub latency_max_ns: u64,
}

/// All processes of a recording, numbered as they appear, and what they did.
#[derive(Debug, Default)]
pub(crate) struct Processes {
    all: Vec<RecordedProcess>,
    /// Who has a name in the scheduler at present.
    present: BTreeMap<ProcessId, ProcessNumber>,
    /// Those that were there before the recording began (or whose beginning was lost): by the place
    /// of the record that first speaks of them.
    pub unannounced: BTreeMap<usize, ProcessId>,
    group_names: BTreeMap<GroupId, String>,
    requests: BTreeMap<RequestId, OnItsWay>,
    done: Vec<ProgramRow>,
}

impl Processes {
    /// Takes the next record into account.
    pub fn follow(&mut self, timed: &Timed) {
        match timed.record {
            Record::Decision(Decision::ProcessAdded { process, group }) => {
                self.appears(process, group);
            }
            Record::Process { process, group, pid, comm } => {
                self.meet(timed.offset, process, Some(pid));
                let place = self.present[&process] as usize;
                let comm = Some(comm.to_string()).filter(|name| !name.is_empty());
                let group = self.group(group);
                self.all[place] = RecordedProcess { comm, pid: Some(pid), group };
            }
            Record::Group { group, name } => {
                self.group_names.insert(group, name.to_string());
            }
            Record::Call(Call::MoveProcess { process, group }) => {
                if let Some(&place) = self.present.get(&process) {
                    self.all[place as usize].group = self.group(group);
                }
            }
            Record::Call(Call::Insert { request, new, .. }) => {
                self.inserted(timed, request, &new);
            }
            Record::Call(Call::Merged { request, sectors, .. }) => {
                if let Some(on_its_way) = self.requests.get_mut(&request) {
                    on_its_way.sectors = sectors;
                }
            }
            Record::Call(Call::Coalesced { survivor, absorbed, sectors }) => {
                self.requests.remove(&absorbed);
                if let Some(on_its_way) = self.requests.get_mut(&survivor) {
                    on_its_way.sectors = sectors;
                }
            }
            Record::Call(Call::Remove { request }) => _ = self.requests.remove(&request),
            Record::Call(Call::Complete { request }) => {
                if let Some(done) = self.requests.remove(&request) {
                    self.done(timed.at.as_ns(), &done);
                }
            }
            Record::Lost { .. } => self.requests.clear(),
            _ => {}
        }
    }

    fn appears(&mut self, process: ProcessId, group: GroupId) {
        self.present.insert(process, self.all.len() as ProcessNumber);
        let group = self.group(group);
        self.all.push(RecordedProcess { comm: None, pid: None, group });
        self.done.push(ProgramRow::default());
    }

    /// A record speaks of a process.
    fn meet(&mut self, offset: usize, process: ProcessId, pid: Option<u32>) {
        let known = self.present.get(&process).map(|&place| &self.all[place as usize]);
        let is_it =
            |known: &RecordedProcess| pid.is_none() || known.pid.is_none() || known.pid == pid;
        if !known.is_some_and(is_it) {
            self.unannounced.insert(offset, process);
            self.appears(process, GroupId::from_index(0));
        }
    }

    fn inserted(&mut self, timed: &Timed, request: RequestId, new: &NewRequest) {
        let Some(process) = new.process else {
            self.requests.remove(&request);
            return;
        };
        self.meet(timed.offset, process, None);
        let on_its_way = OnItsWay {
            process: self.present[&process],
            operation: new.operation,
            sectors: new.sectors,
            submitted_ns: submitted_ns(timed, new),
        };
        self.requests.insert(request, on_its_way);
    }

    fn done(&mut self, now_ns: u64, request: &OnItsWay) {
        let row = &mut self.done[request.process as usize];
        let bytes = u64::from(request.sectors) * base::SECTOR_BYTES;
        let latency_ns = now_ns.saturating_sub(request.submitted_ns);
        row.ios += 1;
        match request.operation {
            Operation::Read => row.read_bytes += bytes,
            Operation::Write => row.written_bytes += bytes,
            Operation::Discard => {}
        }
        row.latency_ns = row.latency_ns.saturating_add(latency_ns);
        row.latency_max_ns = row.latency_max_ns.max(latency_ns);
    }

    /// What people call a process's program.
    fn name(&self, process: usize) -> String {
        let unknown = || format!("process {process}");
        self.all[process].comm.clone().unwrap_or_else(unknown)
    }

    /// What people call a group at present; its name in the scheduler may be another's later.
    fn group(&self, group: GroupId) -> Option<String> {
        let unknown = || format!("group {}", group.index());
        let is_root = group.index() == 0;
        (!is_root).then(|| self.group_names.get(&group).cloned().unwrap_or_else(unknown))
    }

    /// What each program did, the one with the most requests first.
    pub fn rows(&self) -> Vec<ProgramRow> {
        let mut rows: Vec<ProgramRow> = Vec::new();
        for (process, done) in self.done.iter().enumerate().filter(|(_, done)| done.ios > 0) {
            let name = self.name(process);
            let place = rows.iter().position(|row| row.name == name).unwrap_or_else(|| {
                let group = self.all[process].group.clone();
                rows.push(ProgramRow { name, group, ..ProgramRow::default() });
                rows.len() - 1
            });
            let row = &mut rows[place];
            row.processes += 1;
            row.ios += done.ios;
            row.read_bytes += done.read_bytes;
            row.written_bytes += done.written_bytes;
            row.latency_ns = row.latency_ns.saturating_add(done.latency_ns);
            row.latency_max_ns = row.latency_max_ns.max(done.latency_max_ns);
        }
        rows.sort_by_key(|row| std::cmp::Reverse(row.ios));
        rows
    }

    /// The cast of a recording that is asked about a program.
    ///
    /// # Errors
    /// If there is no such program.
    pub fn cast(&self, target: &str) -> Result<Cast, UnknownJob> {
        let (jobs, processes) = self.jobs_and_processes();
        Cast::of_processes(jobs, processes, target)
    }

    /// The cast of a recording that is asked about no program in particular.
    pub fn all_processes(&self) -> Cast {
        let (jobs, processes) = self.jobs_and_processes();
        Cast::everybody_of(jobs, processes)
    }

    fn jobs_and_processes(&self) -> (Vec<JobNames>, Vec<(usize, u32)>) {
        let mut jobs: Vec<JobNames> = Vec::new();
        let mut processes = Vec::new();
        for (process, recorded) in self.all.iter().enumerate() {
            let name = self.name(process);
            let job = jobs.iter().position(|job| job.name == name).unwrap_or_else(|| {
                let group = recorded.group.clone();
                jobs.push(JobNames { name, group, processes: 0 });
                jobs.len() - 1
            });
            jobs[job].processes += 1;
            processes.push((job, recorded.pid.unwrap_or(process as u32)));
        }
        (jobs, processes)
    }
}

/// When a request was asked for, as far as the recording knows.
pub(crate) fn submitted_ns(timed: &Timed, new: &NewRequest) -> u64 {
    let now_ns = timed.at.as_ns();
    [new.asked_at, new.allocated_at]
        .iter()
        .map(|at| at.as_ns())
        .find(|&ns| ns > 0)
        .map_or(now_ns, |ns| ns.min(now_ns))
}
