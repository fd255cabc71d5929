// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is in a trace, summed up in one pass.

use crate::distribution::Distribution;
use crate::names::{DeviceId, ProcessId};
use crate::pairing::Pairing;
use crate::record::{Record, RequestEvent};
use base::Op;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Figures of a trace.
#[derive(Debug)]
pub struct Summary {
    /// Records of any kind.
    pub records: u64,
    /// Requests and their bytes, by what they do.
    pub operations: BTreeMap<Op, Amount>,
    /// Requests marked as read-ahead.
    pub read_ahead: u64,
    /// Requests of file system metadata.
    pub metadata: u64,
    /// Writes that a process waits for.
    pub sync_writes: u64,
    /// Requests that begin where the one before of the same process on the same device ended.
    pub sequential: u64,
    /// The first and the last time, ns.
    pub span_ns: Option<(u64, u64)>,
    /// Requests by length: the key is the least power of two that is no smaller, bytes.
    pub sizes: BTreeMap<u64, u64>,
    /// Lengths of requests, bytes.
    pub lengths: Distribution,
    /// From a completion to the next request of the process with nothing under way, ns.
    pub think_times: Distribution,
    /// From the queueing of a request to its completion, ns.
    pub responses: Distribution,
    most_under_way: usize,
    /// The amount of each process.
    pub processes: BTreeMap<ProcessId, Amount>,
    /// By device, with the first and the last byte touched.
    pub devices: BTreeMap<DeviceId, Touched>,
    ends: BTreeMap<(Option<ProcessId>, DeviceId), u64>,
    under_way: Pairing<Started>,
    /// Ends of requests that came with their response time, by time.
    due: BinaryHeap<Reverse<(u64, Started)>>,
    /// How many requests of each process are under way, and since when none is.
    busy: BTreeMap<Option<ProcessId>, (u64, Option<u64>)>,
}

/// The process of a request, and when it was queued.
type Started = (Option<ProcessId>, u64);

/// A number of requests, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// How many requests there are.
    pub requests: u64,
    /// The bytes they cover together.
    pub bytes: u64,
}

impl Amount {
    fn add(&mut self, record: &Record) {
        self.requests += 1;
        self.bytes = self.bytes.saturating_add(record.length_bytes);
    }
}

/// What was touched of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touched {
    /// Requests and their bytes.
    pub amount: Amount,
    /// The first byte that was touched, counted from the start of the device.
    pub from_bytes: u64,
    /// The byte after the last.
    pub to_bytes: u64,
}

impl Default for Summary {
    fn default() -> Summary {
        Summary {
            records: 0,
            operations: BTreeMap::new(),
            read_ahead: 0,
            metadata: 0,
            sync_writes: 0,
            sequential: 0,
            span_ns: None,
            sizes: BTreeMap::new(),
            lengths: Distribution::exact(),
            think_times: Distribution::rounded(),
            responses: Distribution::rounded(),
            most_under_way: 0,
            processes: BTreeMap::new(),
            devices: BTreeMap::new(),
            ends: BTreeMap::new(),
            under_way: Pairing::default(),
            due: BinaryHeap::new(),
            busy: BTreeMap::new(),
        }
    }
}

impl Summary {
    /// Takes a record in.
    pub fn add(&mut self, record: &Record) {
        self.records += 1;
        let now_ns = record.time_ns;
        let (first_ns, last_ns) = self.span_ns.unwrap_or((now_ns, now_ns));
        self.span_ns = Some((first_ns.min(now_ns), last_ns.max(now_ns)));
        self.end_due(now_ns);
        if let Some(request) = self.under_way.beginning(record) {
            self.queued(&request);
        } else if record.event == RequestEvent::Completed {
            let mut ended = Vec::new();
            self.under_way.completed(record, |started| ended.push(started));
            ended.into_iter().for_each(|started| self.ended(now_ns, started));
        }
    }

    /// All requests of the trace.
    pub fn requests(&self) -> Amount {
        self.operations.values().fold(Amount::default(), |sum, part| Amount {
            requests: sum.requests + part.requests,
            bytes: sum.bytes.saturating_add(part.bytes),
        })
    }

    /// Requests under way at once, at most; none if no end of any is known.
    pub fn most_under_way(&self) -> Option<usize> {
        (self.responses.count() > 0).then_some(self.most_under_way)
    }

    /// To be called behind the last record.
    pub fn finish(&mut self) {
        self.end_due(u64::MAX);
    }

    fn queued(&mut self, record: &Record) {
        self.operations.entry(record.op).or_default().add(record);
        if let Some(process) = record.process {
            self.processes.entry(process).or_default().add(record);
        }
        self.read_ahead += u64::from(record.flags.read_ahead);
        self.metadata += u64::from(record.flags.metadata);
        self.sync_writes += u64::from(record.op == Op::Write && record.flags.sync);
        if record.length_bytes > 0 {
            self.place(record);
        }
        let (under_way, idle_since_ns) = self.busy.entry(record.process).or_default();
        if let Some(since_ns) = idle_since_ns.take() {
            self.think_times.add(record.time_ns.saturating_sub(since_ns));
        }
        *under_way += 1;
        let started = (record.process, record.time_ns);
        match record.response_ns {
            Some(response_ns) => {
                self.due.push(Reverse((record.time_ns.saturating_add(response_ns), started)));
            }
            None => self.under_way.queued(record, started),
        }
        self.most_under_way = self.most_under_way.max(self.under_way.under_way() + self.due.len());
    }

    fn place(&mut self, record: &Record) {
        let end_bytes = record.offset_bytes.saturating_add(record.length_bytes);
        let end = self.ends.insert((record.process, record.device), end_bytes);
        self.sequential += u64::from(end == Some(record.offset_bytes));
        let size = record.length_bytes.checked_next_power_of_two().unwrap_or(u64::MAX);
        *self.sizes.entry(size).or_default() += 1;
        self.lengths.add(record.length_bytes);
        let touched = self.devices.entry(record.device).or_insert(Touched {
            amount: Amount::default(),
            from_bytes: record.offset_bytes,
            to_bytes: end_bytes,
        });
        touched.amount.add(record);
        touched.from_bytes = touched.from_bytes.min(record.offset_bytes);
        touched.to_bytes = touched.to_bytes.max(end_bytes);
    }

    fn end_due(&mut self, now_ns: u64) {
        while let Some(&Reverse((time_ns, started))) = self.due.peek()
            && time_ns <= now_ns
        {
            self.due.pop();
            self.ended(time_ns, started);
        }
    }

    fn ended(&mut self, now_ns: u64, (process, queued_ns): Started) {
        self.responses.add(now_ns.saturating_sub(queued_ns));
        let (under_way, idle_since_ns) = self.busy.entry(process).or_default();
        *under_way = under_way.saturating_sub(1);
        if *under_way == 0 {
            *idle_since_ns = Some(now_ns);
        }
    }
}
