// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long the requests of a trace took, and how many processes it has.

use super::error::WhatIfError;
use base::SECTOR_BYTES;
use fit::Traced;
use std::collections::BTreeSet;
use std::io::BufRead;
use trace::{Pairing, ReadOptions, Record, RequestEvent, TraceReader};

/// Requests whose times are kept, of the beginning of the trace.
const MOST_TIMES: usize = 1 << 16;

/// What a trace tells that a replay does not need.
#[derive(Debug)]
pub(super) struct Told {
    /// How long requests took, of the disk that comes up first.
    pub times: Vec<Traced>,
    /// Processes that issue anything.
    pub processes: usize,
}

/// Reads a trace to its end.
///
/// # Errors
/// If the trace is wrong.
pub(super) fn told(source: impl BufRead, name: &str) -> Result<Told, WhatIfError> {
    let mut reader = reader(source, name)?;
    let mut under_way: Pairing<Record> = Pairing::default();
    let mut processes = BTreeSet::new();
    let (mut disk, mut times) = (None, Vec::new());
    for record in reader.by_ref() {
        let record = record?;
        let is_timed = record.device == *disk.get_or_insert(record.device);
        let mut note = |request: &Record, took_ns| {
            if is_timed && times.len() < MOST_TIMES {
                times.push(timed(request, took_ns));
            }
        };
        if let Some(request) = under_way.beginning(&record) {
            processes.extend(request.process);
            match request.response_ns {
                Some(took_ns) => note(&request, took_ns),
                None => under_way.queued(&request, request),
            }
        } else if record.event == RequestEvent::Completed {
            let ended = |request: Record| {
                note(&request, record.time_ns.saturating_sub(request.time_ns));
            };
            under_way.completed(&record, ended);
        }
    }
    Ok(Told { times, processes: processes.len() })
}

fn reader<'s>(source: impl BufRead + 's, name: &str) -> Result<TraceReader<'s>, WhatIfError> {
    TraceReader::new(source, name, ReadOptions::default()).map_err(|mut error| {
        // There is no option that tells the format.
        let told = error.expected.strip_suffix(", or to be told which").map(str::to_owned);
        error.expected = told.unwrap_or(error.expected);
        error.into()
    })
}

fn timed(request: &Record, took_ns: u64) -> Traced {
    let sectors = request.length_bytes.div_ceil(SECTOR_BYTES);
    Traced {
        came_ns: request.time_ns,
        took_ns,
        op: request.op,
        sector: request.offset_bytes / SECTOR_BYTES,
        sectors: u32::try_from(sectors).unwrap_or(u32::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `blktrace -a issue -a complete` records of two reads.
    #[test]
    fn a_trace_of_what_was_issued_has_times() {
        let trace = "8,0 0 1 0.000000000 697 D R 8 + 8 [cat]\n\
                     8,0 0 2 0.001000000 0 C R 8 + 8 [0]\n\
                     8,0 0 3 0.002000000 697 D R 64 + 8 [cat]\n\
                     8,0 0 4 0.003000000 0 C R 64 + 8 [0]\n";
        let told = told(trace.as_bytes(), "x.bp").unwrap();
        let took_ns: Vec<u64> = told.times.iter().map(|times| times.took_ns).collect();
        assert_eq!((took_ns, told.processes), (vec![1_000_000; 2], 1));
    }

    #[test]
    fn a_log_without_ends_has_none() {
        let log = "fio version 3 iolog\n0 /dev/x add\n0 /dev/x open\n1 /dev/x read 0 4096\n";
        assert!(told(log.as_bytes(), "x.log").unwrap().times.is_empty());
    }
}
