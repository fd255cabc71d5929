// SPDX-License-Identifier: MIT OR Apache-2.0
//! A recording of a real machine explained: the calls of the host say what a run's observer would.
//!
//! An I/O here is a request. What was merged into one is not told apart, and when the device got it
//! is when the scheduler handed it out.

use crate::account::Io;
use crate::activity::{Activity, Tallies, WaitingProgram};
use crate::cast::{Cast, ProcessNumber, UnknownJob};
use crate::explained::explanation;
use crate::explanation::{About, Explanation};
use crate::follower::Follower;
use crate::overview::Overview;
use crate::processes::{Processes, submitted_ns};
use crate::slow::Slowest;
use bfq::why::Decision;
use bfq::{GroupId, NewRequest, RequestId, Time};
use blk::Tag;
use recording::{Call, Opening, Problem, ReadError, Record, RecordingReader, Timed};
use std::collections::BTreeMap;

/// What it takes to get a request if no process has to wait for one: a few microseconds, more on
/// a slow machine.
const ALLOCATION_NS: u64 = 100_000;

/// What a recording has to tell.
#[derive(Debug)]
pub struct RecordedRun {
    /// The records that are whole.
    bytes: Vec<u8>,
    opening: Opening,
    start_ns: u64,
    end_ns: u64,
    lost: u64,
    processes: Processes,
}

impl RecordedRun {
    /// Reads a recording, or its beginning.
    ///
    /// # Errors
    /// If it is none, or malformed. One that is cut within a record is not: what is whole counts.
    pub fn read(mut bytes: Vec<u8>) -> Result<Self, ReadError> {
        let mut processes = Processes::default();
        let mut opening = None;
        let (mut start_ns, mut end_ns, mut lost) = (0, 0, 0);
        let mut whole = bytes.len();
        for timed in RecordingReader::new(&bytes)? {
            let timed = match timed {
                Err(ReadError { offset, problem: Problem::Cut }) if opening.is_some() => {
                    whole = offset;
                    break;
                }
                timed => timed?,
            };
            match timed.record {
                Record::Opening(first) => {
                    start_ns = timed.at.as_ns();
                    opening.get_or_insert(first);
                }
                Record::Lost { records } => lost = records.saturating_add(lost),
                _ => {}
            }
            processes.follow(&timed);
            end_ns = end_ns.max(timed.at.as_ns());
        }
        bytes.truncate(whole);
        let no_opening = ReadError { offset: 0, problem: Problem::Cut };
        let opening = opening.ok_or(no_opening)?;
        Ok(Self { bytes, opening, start_ns, end_ns, lost, processes })
    }

    /// Name of the device.
    pub fn device(&self) -> String {
        self.opening.device.to_string()
    }

    /// What each program did in the whole recording, with the device and scheduler it ran on.
    pub fn overview(&self, bfq_version: &str) -> Overview {
        Overview {
            bfq_version: bfq_version.to_owned(),
            device: self.device(),
            scheduler: self.opening.policy.to_string(),
            elapsed_ns: self.end_ns.saturating_sub(self.start_ns),
            from_attach: self.opening.from_attach,
            lost: self.lost,
            programs: self.processes.rows(),
        }
    }

    /// Where the time of a program's I/O went; the `slowest` slowest I/Os step by step.
    ///
    /// # Errors
    /// If there is no such program in the recording.
    pub fn explanation(
        &self,
        program: &str,
        slowest: usize,
        bfq_version: &str,
    ) -> Result<Explanation, UnknownJob> {
        let mut play = self.play(self.processes.cast(program)?, slowest);
        self.records().for_each(|timed| play.take(&timed));
        let lost = (self.lost > 0).then(|| {
            format!(
                "{} records were lost, for want of room in the ring (the module's parameter \
                 recording_kib); I/O that was on its way then is left out",
                self.lost
            )
        });
        let about = About {
            bfq_version: bfq_version.to_owned(),
            mode: "recording".into(),
            scheduler: self.opening.policy.to_string(),
            seed: None,
            device: self.device(),
            elapsed_ns: self.end_ns.saturating_sub(self.start_ns),
            note: lost,
        };
        Ok(explanation(&play.follower, about))
    }

    /// What the scheduler did, and why the I/O waited of those `most_programs` programs whose took
    /// the longest in all.
    pub fn activity(&self, most_programs: usize, bfq_version: &str) -> Activity {
        let mut play = self.play(self.processes.all_processes(), 0);
        let mut tallies = Tallies::default();
        for timed in self.records() {
            play.take(&timed);
            tallies.goes_on(play.now_ns, &play.follower);
            if let Record::Decision(decision) = timed.record {
                tallies.decided(&decision, &play.follower);
            }
        }
        let mut rows = self.processes.rows();
        rows.sort_by_key(|row| std::cmp::Reverse(row.latency_ns));
        rows.truncate(most_programs);
        let of = |program: &str| self.explanation(program, 0, bfq_version).ok();
        Activity {
            scheduler: self.opening.policy.to_string(),
            elapsed_ns: self.end_ns.saturating_sub(self.start_ns),
            lost: self.lost,
            programs: rows.iter().filter_map(|row| of(&row.name)).map(WaitingProgram::of).collect(),
            ..tallies.activity(&play.follower)
        }
    }

    /// All records: each of them was read once already.
    fn records(&self) -> impl Iterator<Item = Timed> {
        RecordingReader::new(&self.bytes).into_iter().flatten().flatten()
    }

    fn play(&self, cast: Cast, slowest: usize) -> Play<'_> {
        Play {
            follower: Follower::new(cast, Slowest::new(slowest, None)),
            unannounced: &self.processes.unannounced,
            start_ns: self.start_ns,
            now_ns: 0,
            inserting: None,
            requests: BTreeMap::new(),
        }
    }
}

/// A recording being played to a follower, in time since its beginning.
struct Play<'a> {
    follower: Follower,
    unannounced: &'a BTreeMap<usize, bfq::ProcessId>,
    start_ns: u64,
    /// Time since the start of the recording, ns.
    now_ns: u64,
    /// The request that the scheduler is asked to take.
    inserting: Option<(RequestId, NewRequest, u64)>,
    /// The requests that it has, and when they were submitted and inserted.
    requests: BTreeMap<RequestId, Pending>,
}

#[derive(Debug, Clone, Copy)]
struct Pending {
    process: Option<ProcessNumber>,
    what: NewRequest,
    submitted_ns: u64,
    queued_ns: u64,
}

impl Play<'_> {
    /// Time since the beginning of the recording.
    fn since_start_ns(&self, ns: u64) -> u64 {
        ns.saturating_sub(self.start_ns)
    }

    fn take(&mut self, timed: &Timed) {
        // Records of one moment may be some nanoseconds out of order.
        self.now_ns = self.now_ns.max(self.since_start_ns(timed.at.as_ns()));
        let now_ns = self.now_ns;
        if let Some(&process) = self.unannounced.get(&timed.offset) {
            let group = GroupId::from_index(0);
            self.follower.follow(now_ns, &Decision::ProcessAdded { process, group });
        }
        match timed.record {
            Record::Call(call) => self.called(now_ns, timed, &call),
            Record::Decision(decision) => self.decided(now_ns, &decision),
            Record::Lost { .. } => {
                self.follower.lost(now_ns);
                self.requests.clear();
                self.inserting = None;
            }
            Record::Opening(_)
            | Record::Answer(_)
            | Record::Process { .. }
            | Record::Group { .. } => {}
        }
    }

    fn called(&mut self, now_ns: u64, timed: &Timed, call: &Call) {
        match *call {
            Call::Insert { request, new, .. } => {
                self.inserting = Some((request, new, submitted_ns(timed, &new)));
            }
            Call::Merged { request, sector, sectors, .. } => {
                if let Some(pending) = self.requests.get_mut(&request) {
                    (pending.what.sector, pending.what.sectors) = (sector, sectors);
                }
            }
            Call::Coalesced { survivor, sectors, .. } => {
                if let Some(pending) = self.requests.get_mut(&survivor) {
                    pending.what.sectors = sectors;
                }
            }
            Call::Complete { request } => self.completed(now_ns, request),
            _ => {}
        }
    }

    fn decided(&mut self, now_ns: u64, decision: &Decision) {
        self.follower.follow(now_ns, decision);
        match *decision {
            Decision::Queued { request, .. } | Decision::Bypasses { request, .. } => {
                self.inserted(now_ns, request);
            }
            Decision::Removed { request } => _ = self.requests.remove(&request),
            _ => {}
        }
    }

    /// The scheduler has taken the request that it was asked to take.
    fn inserted(&mut self, now_ns: u64, request: RequestId) {
        let Some((_, what, submitted_ns)) = self.inserting.take_if(|(id, ..)| *id == request)
        else {
            return;
        };
        let allocated_ns = match what.allocated_at {
            Time::ZERO => now_ns,
            at => self.since_start_ns(at.as_ns()).min(now_ns),
        };
        let submitted_ns = self.since_start_ns(submitted_ns).min(allocated_ns);
        let waited = allocated_ns - submitted_ns > ALLOCATION_NS;
        let queued_ns = if waited { allocated_ns } else { submitted_ns };
        let process = self.follower.process(what.process);
        let pending = Pending { process, what, submitted_ns, queued_ns };
        // A requeued request goes on as before.
        self.requests.entry(request).or_insert(pending);
    }

    fn completed(&mut self, now_ns: u64, request: RequestId) {
        let tag = Tag(request.index() as u32);
        if let Some(pending) = self.requests.remove(&request)
            && let Some(process) = pending.process
            && self.follower.cast.is_target(process)
        {
            let io = Io {
                process,
                op: pending.what.operation.into(),
                sector: pending.what.sector,
                sectors: pending.what.sectors,
                submitted_ns: pending.submitted_ns,
                queued_ns: pending.queued_ns,
                served_ns: now_ns,
                issued_ns: now_ns,
                ended_ns: now_ns,
                queue: None,
                order: u64::MAX,
                raised: None,
            };
            let io = self.follower.io(tag, io);
            // The device gets what is handed out at once.
            self.follower.account(Io { issued_ns: io.served_ns, ..io }, None);
        }
        self.follower.forget_request(tag);
        let Self { follower, requests, .. } = self;
        let targets = requests.values().filter(|pending| {
            pending.process.is_some_and(|process| follower.cast.is_target(process))
        });
        let oldest_ns = || targets.map(|pending| pending.submitted_ns).min();
        follower.record.trim(|| oldest_ns().unwrap_or(now_ns));
    }
}
