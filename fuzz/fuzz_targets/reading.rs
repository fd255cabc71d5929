// SPDX-License-Identifier: MIT OR Apache-2.0
//! What all targets of traces do with their bytes: they read them, sum them up, write them in every
//! other format, and make a replay of them.

use trace::{Format, ReadOptions, TraceReader, Summary, Writer};
use workload::{ReplayMode, ReplaySettings, Trace};

/// Bytes of a file that the fuzzer may think of; a compressed one may still grow a lot.
const MOST_RECORDS: usize = 1 << 16;

/// Reads bytes as a trace.
pub fn read(bytes: &[u8], format: Option<Format>) {
    let skip_bad = bytes.len() % 2 == 0;
    let options = ReadOptions { format, skip_bad };
    if let Ok(mut reader) = TraceReader::new(bytes, "t", options) {
        let mut summary = Summary::default();
        let mut writers: Vec<_> = Format::ALL
            .into_iter()
            .filter_map(|to| Writer::new(Vec::new(), to, reader.format()))
            .collect();
        for _ in 0..MOST_RECORDS {
            let Some(Ok(record)) = reader.next() else { break };
            summary.add(&record);
            for writer in &mut writers {
                writer.write(&record, reader.names()).expect("memory takes everything");
            }
        }
        summary.finish();
        for writer in writers {
            writer.finish(reader.names()).expect("memory takes everything");
        }
    }
    for mode in [None, Some(ReplayMode::Timed), Some(ReplayMode::Chain)] {
        let settings = ReplaySettings { mode, format, skip_bad, ..ReplaySettings::default() };
        let _ = Trace::read(bytes, "t", &settings, 1);
    }
}
