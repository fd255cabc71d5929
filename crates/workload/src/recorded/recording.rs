// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recordings of the block layer, made ready for replay: what each request waited for.
//!
//! Two rules say what a request of a process waited for, in the modes `chain` and `fast`:
//!
//! * Something of the process had completed since its previous request: the last of that. The gap
//!   is the time in between. Writes that no process waits for (write-back) do not count.
//! * Nothing had: the previous request, and the gap is counted from its submission.
//!
//! The first request of a process waits for the last request that any process had completed, since
//! something made it start; but not where "processes" are volumes that know nothing of each other.
//!
//! A trace without completions doesn't say how long I/O took. There a request waits for the
//! previous one that is not marked as read-ahead, and comes no earlier after it than recorded; the
//! replay sees to that.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::BufRead;
use std::num::NonZeroU32;

use base::Op;
use trace::{Format, Names, OutOfOrder, Pairing, ReadOptions, Record, RequestEvent, TraceReader};

use super::entries::Scratch;
use crate::error::JobError;
use crate::recorded::entry::{Due, TraceEntry, TraceKind};
use crate::recorded::settings::{ReplayMode, ReplaySettings};
use crate::recorded::trace::{TakeOver, Trace, TraceFile, TraceProcess};

/// Reads a recording to its end, of which that number of entries is kept in memory.
pub(super) fn read(
    source: impl BufRead,
    name: &str,
    format: Format,
    settings: &ReplaySettings,
    depth: u32,
    most_in_memory: usize,
) -> Result<Trace, JobError> {
    let options = ReadOptions { format: Some(format), skip_bad: settings.skip_bad };
    let mut reader = TraceReader::new(source, name, options)?;
    let mut builder = Builder::new(settings, most_in_memory);
    while let Some(record) = reader.next() {
        let record = record?;
        if let Err((what, expected)) = builder.record(&record, reader.names()) {
            return Err(reader.wrong(what, expected).into());
        }
    }
    let remarks = remarks(reader.skipped(), reader.out_of_order(), builder.discards);
    Ok(builder.finish(reader.names(), format, depth, remarks))
}

/// What is to be said of a replay: how many records are wrong or not in order of time, and how many
/// discards there are, which no replay does.
pub fn remarks(skipped: u64, out_of_order: Option<OutOfOrder>, discards: u64) -> Vec<String> {
    let counted = |count: u64| (count > 0).then(|| count.to_string());
    let all = [
        ("wrong records, left out", counted(skipped)),
        (
            "records that are earlier than one before them, and may be replayed later than they \
             were",
            out_of_order.map(|of| of.to_string()),
        ),
        ("discards, which cannot be replayed and are left out", counted(discards)),
    ];
    all.into_iter().filter_map(|(what, of)| Some(format!("{what}: {}", of?))).collect()
}

/// Why a record cannot be replayed: what it is, and what was expected.
type Unfit = (String, &'static str);

/// A request of which an entry was made: its process, the entry's position there, and whether a
/// process waits for it.
type Made = (u32, u32, bool);

struct Builder<'a> {
    settings: &'a ReplaySettings,
    mode: ReplayMode,
    /// Of the first record, ns.
    start_ns: Option<u64>,
    processes: Vec<Making>,
    scratch: Scratch,
    writes: bool,
    /// The end of the I/O furthest into each device, bytes.
    ends: Vec<u64>,
    under_way: Pairing<Made>,
    /// What a record completes, while it is read; kept for its memory.
    completed: Vec<Made>,
    /// Completions known beforehand, by time.
    responses: BinaryHeap<Reverse<(u64, Made)>>,
    /// The last completion of all: when, and how far its process had come.
    last_ended: Option<(u64, u32, u64)>,
    /// The process of the last request, and when that was.
    last_queued: Option<(u32, u64)>,
    has_completions: bool,
    discards: u64,
}

/// A process in the making.
#[derive(Default)]
struct Making {
    process: TraceProcess,
    queued_ns: u64,
    /// What completed last since the last request: when, and which entry.
    ended: Option<(u64, u32)>,
    completed_ios: u64,
}

impl<'a> Builder<'a> {
    fn new(settings: &'a ReplaySettings, most_in_memory: usize) -> Builder<'a> {
        Builder {
            settings,
            mode: settings.mode.unwrap_or_default(),
            start_ns: None,
            processes: Vec::new(),
            scratch: Scratch::new(most_in_memory),
            writes: false,
            ends: Vec::new(),
            under_way: Pairing::default(),
            completed: Vec::new(),
            responses: BinaryHeap::new(),
            last_ended: None,
            last_queued: None,
            has_completions: false,
            discards: 0,
        }
    }

    fn record(&mut self, record: &Record, names: &Names) -> Result<(), Unfit> {
        self.start_ns.get_or_insert(record.time_ns);
        while let Some(&Reverse((time_ns, made))) = self.responses.peek()
            && time_ns <= record.time_ns
        {
            self.responses.pop();
            self.ended(time_ns, made);
        }
        if let Some(request) = self.under_way.beginning(record) {
            return self.queued(&request, names);
        }
        if record.event == RequestEvent::Completed {
            let mut completed = std::mem::take(&mut self.completed);
            self.under_way.completed(record, |made| completed.push(made));
            completed.drain(..).for_each(|made| self.ended(record.time_ns, made));
            self.completed = completed;
        }
        Ok(())
    }

    /// A request has completed.
    fn ended(&mut self, time_ns: u64, (process, entry, is_waited_for): Made) {
        self.has_completions = true;
        let making = &mut self.processes[process as usize];
        making.completed_ios += 1;
        if is_waited_for {
            making.ended = Some((time_ns, entry));
            self.last_ended = Some((time_ns, process, making.completed_ios));
        }
    }

    /// A process issues a request.
    fn queued(&mut self, record: &Record, names: &Names) -> Result<(), Unfit> {
        let Some(process) = record.process else { return Ok(()) };
        let kind = match record.op {
            Op::Read if self.settings.skip_reads => return Ok(()),
            Op::Write if self.settings.skip_writes => return Ok(()),
            Op::Flush if self.settings.skip_syncs => return Ok(()),
            Op::Discard => {
                self.discards += u64::from(!self.settings.skip_trims);
                return Ok(());
            }
            Op::Read if record.flags.read_ahead => TraceKind::ReadAhead,
            Op::Read => TraceKind::Read,
            Op::Write if record.flags.sync => TraceKind::Write,
            Op::Write => TraceKind::WriteBack,
            Op::Flush => TraceKind::Sync,
        };
        let Ok(file) = u16::try_from(record.device.0) else {
            return Err(("too many devices".to_owned(), "at most 65536"));
        };
        let Ok(length_bytes) = u32::try_from(record.length_bytes) else {
            return Err((format!("I/O of {} bytes", record.length_bytes), "less than 4 GiB"));
        };
        if length_bytes == 0 && kind != TraceKind::Sync {
            return Err(("I/O of 0 bytes".to_owned(), "at least one"));
        }
        let (offset_bytes, length_bytes) =
            self.settings.placed(record.offset_bytes, length_bytes)?;
        let place = record.device.0 as usize;
        if self.ends.len() <= place {
            self.ends.resize(place + 1, 0);
        }
        self.ends[place] = self.ends[place].max(offset_bytes + u64::from(length_bytes));
        let knows_processes = names.processes()[process.0 as usize].pid.is_some();
        let process = process.0;
        let due = self.due(record, process, knows_processes);
        let making = &mut self.processes[process as usize];
        let entry = making.process.entries.len() as u32;
        let metadata = record.flags.metadata;
        let entries = &mut making.process.entries;
        let new = TraceEntry { due, kind, metadata, file, length_bytes, offset_bytes };
        entries.push(new, &mut self.scratch).map_err(|error| {
            (format!("cannot keep it for the replay: {error}"), "room for a scratch file")
        })?;
        self.writes |= matches!(kind, TraceKind::Write | TraceKind::WriteBack);
        making.process.reads_and_writes += u64::from(kind != TraceKind::Sync);
        making.queued_ns = record.time_ns;
        making.ended = None;
        self.last_queued = Some((process, record.time_ns));
        let made = (process, entry, kind != TraceKind::WriteBack);
        match record.response_ns {
            Some(response_ns) => {
                let end_ns = record.time_ns.saturating_add(response_ns);
                self.responses.push(Reverse((end_ns, made)));
            }
            None => self.under_way.queued(record, made),
        }
        Ok(())
    }

    /// When a request is issued, and what it waits for.
    fn due(&mut self, record: &Record, process: u32, knows_processes: bool) -> Due {
        let now_ns = record.time_ns;
        if self.processes.len() <= process as usize {
            self.processes.resize_with(process as usize + 1, Making::default);
        }
        let since_start_ns = now_ns.saturating_sub(self.start_ns.unwrap_or(now_ns));
        if self.mode == ReplayMode::Timed {
            return Due::At(since_start_ns);
        }
        let entry = self.processes[process as usize].process.entries.len();
        if let Some((other, since_ns, completed_ios)) =
            self.predecessor(record, process, knows_processes)
        {
            let take_over = TakeOver { entry, process: other, completed_ios };
            self.processes[process as usize].process.take_overs.push(take_over);
            return Due::Gap { gap_ns: now_ns.saturating_sub(since_ns), waits_for: None };
        }
        let making = &self.processes[process as usize];
        match making.ended {
            _ if entry == 0 => Due::Gap { gap_ns: since_start_ns, waits_for: None },
            Some((ended_ns, ended)) => Due::Gap {
                gap_ns: now_ns.saturating_sub(ended_ns),
                waits_for: NonZeroU32::new(entry as u32 - ended),
            },
            None => Due::Gap { gap_ns: now_ns.saturating_sub(making.queued_ns), waits_for: None },
        }
    }

    /// The process that a request of another one follows: which one, since when it could, and how
    /// many I/Os that one had completed then.
    fn predecessor(
        &self,
        record: &Record,
        process: u32,
        knows_processes: bool,
    ) -> Option<(u32, u64, u64)> {
        if record.flags.takes_over {
            let (other, queued_ns) = self.last_queued.filter(|&(other, _)| other != process)?;
            let ios = self.processes[other as usize].process.entries.len() as u64;
            return Some((other, queued_ns, ios));
        }
        let is_first = self.processes[process as usize].process.entries.is_empty();
        let (ended_ns, other, ios) = self.last_ended.filter(|_| is_first && knows_processes)?;
        Some((other, ended_ns, ios))
    }

    fn finish(mut self, names: &Names, format: Format, depth: u32, remarks: Vec<String>) -> Trace {
        let is_timed = self.mode == ReplayMode::Timed;
        self.ends.resize(names.devices().len(), 0);
        let files = names.devices().iter().zip(&self.ends).map(|(name, &length_bytes)| {
            let folder = if format.is_of_devices() { "/dev/" } else { "" };
            TraceFile { name: format!("{folder}{name}"), length_bytes }
        });
        Trace {
            files: files.collect(),
            is_of_devices: format.is_of_devices(),
            knows_completions: self.has_completions,
            writes: self.writes,
            knows_depth: self.has_completions || is_timed || depth == 1,
            remarks,
            processes: without_idle(self.processes, names),
        }
    }
}

/// Processes that issue something. Those that don't can't be followed either.
fn without_idle(processes: Vec<Making>, names: &Names) -> Vec<TraceProcess> {
    let mut kept = 0;
    let places: Vec<u32> = processes
        .iter()
        .map(|making| {
            let place = kept;
            kept += u32::from(!making.process.entries.is_empty());
            place
        })
        .collect();
    processes
        .into_iter()
        .zip(names.processes())
        .filter(|(making, _)| !making.process.entries.is_empty())
        .map(|(making, known)| {
            let mut process = making.process;
            process.name.clone_from(&known.name);
            process.pid = known.pid;
            for take_over in &mut process.take_overs {
                take_over.process = places[take_over.process as usize];
            }
            process
        })
        .collect()
}
