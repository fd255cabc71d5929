// SPDX-License-Identifier: MIT OR Apache-2.0
//! fio's I/O logs, replayed as fio does: what counts is the time since the previous submission.

use std::io::{self, BufRead};

use trace::iolog::{Action, IologReader, LEAST_WAIT_US};
use trace::{TimeOrder, TracePosition};

use super::entries::{Entries, MOST_IN_MEMORY, Scratch};
use super::recording::remarks;
use crate::error::JobError;
use crate::recorded::entry::{Due, TraceEntry, TraceKind};
use crate::recorded::settings::ReplaySettings;
use crate::recorded::trace::{Trace, TraceFile, TraceProcess};

/// Reads a log to its end.
pub(super) fn read(
    source: impl BufRead,
    name: &str,
    settings: &ReplaySettings,
) -> Result<Trace, JobError> {
    let mut reader = IologReader::new(source, name)?;
    let mut builder = Builder::new();
    let (mut trims, mut skipped) = (0, 0);
    let mut order = TimeOrder::default();
    for record in reader.by_ref() {
        let record = match record {
            Err(error) if settings.skip_bad && error.can_be_skipped => {
                skipped += 1;
                continue;
            }
            record => record?,
        };
        builder.time(record.timestamp_us, record.action);
        let wrong = |what: String, expected: &str| {
            JobError::new(name, u32::try_from(record.line).unwrap_or(u32::MAX), what, expected)
        };
        let Some((kind, offset_bytes, length_bytes)) = io(record.action, settings) else {
            let is_trim = matches!(record.action, Action::Trim { .. });
            trims += u64::from(is_trim && !settings.skip_trims);
            continue;
        };
        if let Some(time_us) = record.timestamp_us {
            order.add(time_us.saturating_mul(1000), || TracePosition::Line(record.line));
        }
        let Ok(file) = u16::try_from(record.file.0) else {
            return Err(wrong("too many files".to_owned(), "at most 65536"));
        };
        let (offset_bytes, length_bytes) = settings
            .placed(offset_bytes, length_bytes)
            .map_err(|(what, expected)| wrong(what, expected))?;
        builder.push(kind, file, offset_bytes, length_bytes).map_err(|error| {
            wrong(format!("cannot keep it for the replay: {error}"), "room for a scratch file")
        })?;
    }
    builder.ends.resize(reader.files().count(), 0);
    let files = reader
        .files()
        .zip(&builder.ends)
        .map(|(name, &length_bytes)| TraceFile { name: name.to_string(), length_bytes })
        .collect();
    let process = TraceProcess { entries: builder.entries, ..TraceProcess::default() };
    Ok(Trace {
        files,
        is_of_devices: false,
        processes: vec![process],
        knows_completions: true,
        writes: builder.writes,
        knows_depth: false,
        remarks: remarks(skipped, order.out_of_order(), trims),
    })
}

/// The I/O of an action, if it is one that is to be replayed.
fn io(action: Action, settings: &ReplaySettings) -> Option<(TraceKind, u64, u32)> {
    match action {
        Action::Read { offset_bytes, length_bytes } if !settings.skip_reads => {
            Some((TraceKind::Read, offset_bytes, length_bytes))
        }
        Action::Write { offset_bytes, length_bytes } if !settings.skip_writes => {
            Some((TraceKind::Write, offset_bytes, length_bytes))
        }
        Action::Sync if !settings.skip_syncs => Some((TraceKind::Sync, 0, 0)),
        Action::DataSync if !settings.skip_syncs => Some((TraceKind::DataSync, 0, 0)),
        _ => None,
    }
}

struct Builder {
    entries: Entries,
    scratch: Scratch,
    writes: bool,
    /// The end of the I/O furthest into each file, bytes.
    ends: Vec<u64>,
    previous_us: u64,
    delay_us: Option<u64>,
}

impl Builder {
    fn new() -> Builder {
        Builder {
            entries: Entries::default(),
            scratch: Scratch::new(MOST_IN_MEMORY),
            writes: false,
            ends: Vec::new(),
            previous_us: 0,
            delay_us: None,
        }
    }

    /// Takes note of the time that an action brings with it.
    fn time(&mut self, timestamp_us: Option<u64>, action: Action) {
        if let Some(at_us) = timestamp_us {
            // Only I/O counts: that a file is opened takes no time here.
            self.delay_us = Some(at_us.saturating_sub(self.previous_us));
        } else if let Action::Wait { us } = action
            && us >= LEAST_WAIT_US
        {
            self.delay_us = Some(self.delay_us.unwrap_or(0).saturating_add(us));
        }
    }

    fn push(
        &mut self,
        kind: TraceKind,
        file: u16,
        offset_bytes: u64,
        length_bytes: u32,
    ) -> io::Result<()> {
        let delay_us = self.delay_us.take();
        self.previous_us = self.previous_us.saturating_add(delay_us.unwrap_or(0));
        let end = &mut self.ends;
        if end.len() <= usize::from(file) {
            end.resize(usize::from(file) + 1, 0);
        }
        let end = &mut end[usize::from(file)];
        *end = (*end).max(offset_bytes.saturating_add(u64::from(length_bytes)));
        let due = match delay_us {
            Some(delay_us) => Due::Delayed(delay_us.saturating_mul(1000)),
            None => Due::AtOnce,
        };
        let entry = TraceEntry { due, kind, metadata: false, file, length_bytes, offset_bytes };
        self.writes |= kind == TraceKind::Write;
        self.entries.push(entry, &mut self.scratch)
    }
}
