// SPDX-License-Identifier: MIT OR Apache-2.0
//! Replaying a process of a trace: the same I/Os, at the times that each entry says.
//!
//! In fio's logs a delay counts from the submission of the previous I/O that had one (version 3: of
//! every I/O; version 2: of the I/O after the previous `wait`). So a target slower than the
//! recorded one stretches the replay rather than piling up I/O. In recordings an I/O waits for
//! those that it waited for when it was recorded.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::io::Ticket;
use crate::job::Job;
use crate::layout::trace_file_starts;
use crate::recorded::{Due, EntryReader, ReplayMode, Trace, TraceEntry, TraceKind, TraceProcess};

/// The position of one process in its trace.
#[derive(Debug)]
pub(super) struct Replay {
    trace: Arc<Trace>,
    /// The process of the trace that it is.
    process: usize,
    /// The first clone of those that replay the trace together.
    first_clone: u32,
    /// Where each file of the trace starts in the region, bytes.
    file_starts: Vec<u64>,
    /// Speed in percent; 0: as fast as possible.
    speed_percent: u32,
    /// Whether without known completions I/Os wait for each other: the job has a depth of 1.
    is_serial: bool,
    reader: EntryReader,
    next: usize,
    next_take_over: usize,
    /// The process that the next I/O follows has come so far.
    released: bool,
    started_ns: u64,
    /// The last entry that a process waits for.
    waited: Option<usize>,
    /// When the previous I/O was submitted, ns.
    previous_ns: u64,
    /// When the previous I/O with a delay was submitted, ns.
    delay_from_ns: u64,
    /// Since when nothing but the gap keeps the next I/O back, ns.
    ready_ns: Option<u64>,
    under_way: UnderWay,
}

/// What a process does next.
pub(super) enum Turn {
    /// It issues the next entry.
    Io(TraceEntry),
    /// Nothing before then, ns.
    NotBefore(u64),
    /// Nothing before one of its I/Os completes.
    Wait,
    /// Nothing before another process has completed that number of I/Os.
    Follow {
        /// The clone of the same job.
        clone: u32,
        /// Number of completed I/Os.
        completed_ios: u64,
    },
    /// The trace has ended.
    End,
    /// The trace cannot be read any more.
    Broken,
}

impl Replay {
    pub(super) fn new(job: &Job, trace: &Arc<Trace>, clone: u32) -> Replay {
        let processes = trace.processes.len().max(1) as u32;
        let is_fast = job.replay.no_stall || job.replay.mode == Some(ReplayMode::Fast);
        Replay {
            trace: Arc::clone(trace),
            process: (clone % processes) as usize,
            first_clone: clone - clone % processes,
            file_starts: trace_file_starts(job).0,
            speed_percent: if is_fast { 0 } else { job.replay.time_scale_percent },
            is_serial: job.written_depth() == 1,
            reader: EntryReader::default(),
            next: 0,
            next_take_over: 0,
            released: false,
            started_ns: 0,
            waited: None,
            previous_ns: 0,
            delay_from_ns: 0,
            ready_ns: None,
            under_way: UnderWay::default(),
        }
    }

    pub(super) fn start(&mut self, now_ns: u64) {
        self.started_ns = now_ns;
        self.previous_ns = now_ns;
        self.delay_from_ns = now_ns;
    }

    pub(super) fn is_over(&self) -> bool {
        self.next >= self.own().entries.len()
    }

    /// What it does now.
    pub(super) fn turn(&mut self, now_ns: u64) -> Turn {
        let entries = &self.trace.processes[self.process].entries;
        let entry = match self.reader.get(entries, self.next) {
            Ok(Some(entry)) => entry,
            Ok(None) => return Turn::End,
            Err(_) => return Turn::Broken,
        };
        if let Some(follow) = self.follows() {
            return follow;
        }
        let due_ns = match entry.due {
            Due::AtOnce => return Turn::Io(entry),
            Due::Delayed(delay_ns) => self.after(self.delay_from_ns, delay_ns),
            Due::At(time_ns) => self.after(self.started_ns, time_ns),
            Due::Gap { gap_ns, .. } if self.is_paced() => {
                if self.is_serial && self.waited.is_some_and(|entry| self.under_way.has(entry)) {
                    return Turn::Wait;
                }
                self.after(self.previous_ns, gap_ns)
            }
            Due::Gap { gap_ns, waits_for } => {
                let entry = waits_for.map(|back| self.next - back.get() as usize);
                if entry.is_some_and(|entry| self.under_way.has(entry)) {
                    return Turn::Wait;
                }
                let ready_ns = *self.ready_ns.get_or_insert(now_ns);
                self.after(ready_ns, gap_ns)
            }
        };
        if due_ns > now_ns { Turn::NotBefore(due_ns) } else { Turn::Io(entry) }
    }

    /// Nothing is known of completions: the next I/O waits for the previous one that is not read
    /// ahead, and comes no earlier after the one before it than recorded. The first of a process,
    /// and one that follows another process, have their own time.
    fn is_paced(&self) -> bool {
        !self.trace.knows_completions && self.next > 0 && !self.released
    }

    /// The next entry is issued now.
    pub(super) fn issued(&mut self, now_ns: u64, entry: &TraceEntry, ticket: Ticket) {
        if !matches!(entry.kind, TraceKind::ReadAhead | TraceKind::WriteBack) {
            self.waited = Some(self.next);
        }
        self.next += 1;
        self.previous_ns = now_ns;
        self.ready_ns = None;
        if self.released {
            self.released = false;
            self.next_take_over += 1;
        }
        if matches!(entry.due, Due::Delayed(_)) {
            self.delay_from_ns = now_ns;
        }
        self.under_way.issued(ticket);
    }

    /// One of its I/Os has completed.
    pub(super) fn completed(&mut self, ticket: Ticket) {
        self.under_way.completed(ticket);
    }

    /// The process that the next I/O follows has come so far.
    pub(super) fn release(&mut self) {
        self.released = true;
    }

    /// Where an entry lies within the region, bytes.
    pub(super) fn offset_bytes(&self, entry: &TraceEntry) -> u64 {
        self.file_starts[usize::from(entry.file)] + entry.offset_bytes
    }

    fn own(&self) -> &TraceProcess {
        &self.trace.processes[self.process]
    }

    fn follows(&self) -> Option<Turn> {
        let take_over = self.own().take_overs.get(self.next_take_over)?;
        (take_over.entry == self.next && !self.released).then_some(Turn::Follow {
            clone: self.first_clone + take_over.process,
            completed_ios: take_over.completed_ios,
        })
    }

    /// A recorded time later, at the speed of this replay.
    fn after(&self, from_ns: u64, recorded_ns: u64) -> u64 {
        if self.speed_percent == 0 {
            return 0;
        }
        // The narrow division is several times as fast, and wide enough for five years.
        let ns = match recorded_ns.checked_mul(100) {
            Some(scaled) => scaled / u64::from(self.speed_percent),
            None => {
                let ns = u128::from(recorded_ns) * 100 / u128::from(self.speed_percent);
                u64::try_from(ns).unwrap_or(u64::MAX)
            }
        };
        from_ns.saturating_add(ns)
    }
}

/// Which entries have not completed: a window over those from the oldest one on.
#[derive(Debug, Default)]
struct UnderWay {
    /// The entry at the head.
    oldest: usize,
    /// The I/O of each entry, and whether it has completed.
    entries: VecDeque<(Ticket, bool)>,
}

impl UnderWay {
    fn issued(&mut self, ticket: Ticket) {
        self.entries.push_back((ticket, false));
    }

    fn completed(&mut self, ticket: Ticket) {
        let Some(&(first, _)) = self.entries.front() else { return };
        // Numbers begin again at 0, so they are in order only as distances from the first.
        let distance = ticket.since(first);
        if let Ok(place) =
            self.entries.binary_search_by_key(&distance, |&(ticket, _)| ticket.since(first))
        {
            self.entries[place].1 = true;
        }
        while let Some((_, true)) = self.entries.front() {
            self.entries.pop_front();
            self.oldest += 1;
        }
    }

    fn has(&self, entry: usize) -> bool {
        let place = entry.checked_sub(self.oldest);
        place.and_then(|place| self.entries.get(place)).is_some_and(|&(_, completed)| !completed)
    }
}
