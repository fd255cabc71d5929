//! Replaying an I/O log: the same I/Os, with the delays of the log between them.
//!
//! A delay counts from the submission of the previous I/O that had one (version 3: of every I/O;
//! version 2: of the I/O after the previous `wait`). So a target slower than the recorded one
//! stretches the replay rather than piling up I/O.

use std::sync::Arc;

use crate::job::Job;
use crate::layout::trace_file_starts;
use crate::trace::{Trace, TraceKind};

/// The position of one process in its log.
#[derive(Debug)]
pub(super) struct Replay {
    trace: Arc<Trace>,
    /// Where each file of the log starts in the region, bytes.
    file_starts: Vec<u64>,
    /// Speed in percent; 0: as fast as possible.
    speed_percent: u32,
    next: usize,
    delay_from_ns: u64,
}

/// An I/O of a log.
pub(super) struct Recorded {
    pub(super) kind: TraceKind,
    /// Within the region.
    pub(super) offset_bytes: u64,
    pub(super) length_bytes: u32,
}

impl Replay {
    pub(super) fn new(job: &Job, trace: &Arc<Trace>) -> Replay {
        Replay {
            trace: Arc::clone(trace),
            file_starts: trace_file_starts(job).0,
            speed_percent: if job.replay.no_stall { 0 } else { job.replay.time_scale_percent },
            next: 0,
            delay_from_ns: 0,
        }
    }

    pub(super) fn start(&mut self, now_ns: u64) {
        self.delay_from_ns = now_ns;
    }

    pub(super) fn is_over(&self) -> bool {
        self.next >= self.trace.entries.len()
    }

    /// When the next I/O is due, ns; none at the end of the log.
    pub(super) fn due_ns(&self) -> Option<u64> {
        let entry = self.trace.entries.get(self.next)?;
        let delay_us = match (entry.delay_us, self.speed_percent) {
            (None, _) | (_, 0) => return Some(0),
            (Some(delay_us), _) => delay_us,
        };
        let delay_ns = u128::from(delay_us) * 100_000 / u128::from(self.speed_percent);
        Some(self.delay_from_ns.saturating_add(u64::try_from(delay_ns).unwrap_or(u64::MAX)))
    }

    /// Takes the next I/O, which is issued now.
    pub(super) fn take(&mut self, now_ns: u64) -> Option<Recorded> {
        let entry = self.trace.entries.get(self.next)?;
        self.next += 1;
        if entry.delay_us.is_some() {
            self.delay_from_ns = now_ns;
        }
        Some(Recorded {
            kind: entry.kind,
            offset_bytes: self.file_starts[usize::from(entry.file)] + entry.offset_bytes,
            length_bytes: entry.length_bytes,
        })
    }
}
