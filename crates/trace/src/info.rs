// SPDX-License-Identifier: MIT OR Apache-2.0
//! What there is to say of a trace, as text and as JSON.

use crate::distribution::Distribution;
use crate::error::TraceError;
use crate::format::Format;
use crate::names::{Names, ProcessId};
use crate::order::OutOfOrder;
use crate::reader::TraceReader;
use crate::summary::{Amount, Summary};
use base::text::{printable, size, time};
use serde_json::{Value, json};
use std::fmt::Write;
use std::ops::ControlFlow;

/// Percentiles that are told.
const PERCENTILES: [f64; 5] = [1.0, 25.0, 50.0, 75.0, 99.0];

/// Processes that the text names; the JSON has all.
const TOLD_PROCESSES: usize = 12;

/// Records between two questions whether to go on.
const OBSERVED_RECORDS: u64 = 1 << 14;

/// What is known of a trace.
#[derive(Debug)]
pub struct TraceInfo {
    /// What the trace is called.
    pub file: String,
    /// The format that it is in.
    pub format: Format,
    /// Wrong records that were passed over.
    pub skipped: u64,
    /// Records that are earlier than one before them.
    pub out_of_order: Option<OutOfOrder>,
    /// Its processes and devices.
    pub names: Names,
    /// Its figures, summed up.
    pub summary: Summary,
}

/// Why a trace could not be summed up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InfoError {
    /// The trace is wrong.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The caller did not want to go on.
    #[error("interrupted")]
    Interrupted,
}

impl TraceInfo {
    /// Reads a trace to its end and sums it up. `go_on` is asked now and then.
    ///
    /// # Errors
    /// If the trace is wrong, or the caller does not want to go on.
    pub fn read(
        reader: &mut TraceReader<'_>,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<TraceInfo, InfoError> {
        let mut summary = Summary::default();
        while let Some(record) = reader.next().transpose()? {
            summary.add(&record);
            if summary.records.is_multiple_of(OBSERVED_RECORDS) && go_on().is_break() {
                return Err(InfoError::Interrupted);
            }
        }
        summary.finish();
        Ok(TraceInfo::of(reader, summary))
    }

    /// What there is to say of a trace that was read to its end and summed up.
    pub fn of(reader: &TraceReader<'_>, summary: Summary) -> TraceInfo {
        TraceInfo {
            file: reader.name().to_owned(),
            format: reader.format(),
            skipped: reader.skipped(),
            out_of_order: reader.out_of_order(),
            names: reader.names().clone(),
            summary,
        }
    }

    /// The processes with the most requests first, and what they are called.
    pub fn processes(&self) -> Vec<(String, Amount)> {
        let mut processes: Vec<(ProcessId, Amount)> =
            self.summary.processes.iter().map(|(&id, &amount)| (id, amount)).collect();
        processes.sort_by_key(|&(id, amount)| (std::cmp::Reverse(amount.requests), id));
        let name = |id: ProcessId| {
            let process = &self.names.processes()[id.0 as usize];
            match process.pid {
                Some(pid) if process.name.is_empty() => pid.to_string(),
                Some(pid) => format!("{} ({pid})", process.name),
                None => process.name.clone(),
            }
        };
        processes.into_iter().map(|(id, amount)| (name(id), amount)).collect()
    }

    /// For people: a line for each thing there is to say.
    pub fn text(&self) -> String {
        let summary = &self.summary;
        let all = summary.requests();
        let mut lines = Lines(String::new());
        lines.0.push_str(&format!("{}\n", self.file));
        lines.add("format", self.format.name());
        let (first_ns, last_ns) = summary.span_ns.unwrap_or((0, 0));
        lines.add("records", format!("{} in {}", summary.records, time(last_ns - first_ns)));
        if self.skipped > 0 {
            lines.add("wrong", format!("{}, passed over", self.skipped));
        }
        if let Some(of) = self.out_of_order {
            lines.add("out of order", format!("earlier than one before them: {of}"));
        }
        lines.add("requests", format!("{}, {}", all.requests, size(all.bytes)));
        for (op, amount) in &summary.operations {
            lines.add(op.name(), format!("{}, {}", amount.requests, size(amount.bytes)));
        }
        let share = |part: u64| format!("{part} ({:.1} %)", percent(part, all.requests));
        lines.add("read-ahead", share(summary.read_ahead));
        lines.add("metadata", share(summary.metadata));
        lines.add("sync writes", share(summary.sync_writes));
        lines.add("sequential", share(summary.sequential));
        let sizes = summary.sizes.iter().map(|(&bytes, &count)| {
            format!("{} {:.0} %", size(bytes), percent(count, all.requests))
        });
        lines.add("sizes up to", sizes.collect::<Vec<_>>().join(", "));
        if let Some(most) = summary.most_under_way() {
            lines.add("under way", format!("{most} at most"));
        }
        lines.add("response", times(&summary.responses, "no completions are recorded"));
        let no_think_times = match summary.responses.count() {
            0 => "no completions are recorded",
            _ => "no process issued more I/O once all of its own had completed",
        };
        lines.add("think time", times(&summary.think_times, no_think_times));
        for (id, touched) in &summary.devices {
            let name = &self.names.devices()[id.0 as usize];
            let (from, to) = (touched.from_bytes, touched.to_bytes);
            let requests = touched.amount.requests;
            let range = format!("{name}: {requests} requests, bytes {from} to {to}");
            lines.add("device", range);
        }
        let processes = self.processes();
        for (name, amount) in processes.iter().take(TOLD_PROCESSES) {
            let amount = format!("{name}: {} requests, {}", amount.requests, size(amount.bytes));
            lines.add("process", amount);
        }
        if processes.len() > TOLD_PROCESSES {
            lines.add("process", format!("{} more", processes.len() - TOLD_PROCESSES));
        }
        lines.0
    }

    /// All of it, for programs.
    pub fn json(&self) -> Value {
        let summary = &self.summary;
        let amount =
            |amount: &Amount| json!({ "requests": amount.requests, "bytes": amount.bytes });
        let (first_ns, last_ns) = summary.span_ns.unwrap_or((0, 0));
        let operations: serde_json::Map<String, Value> = summary
            .operations
            .iter()
            .map(|(op, of_op)| (op.name().to_owned(), amount(of_op)))
            .collect();
        let sizes: serde_json::Map<String, Value> =
            summary.sizes.iter().map(|(size, count)| (size.to_string(), json!(count))).collect();
        let devices = summary.devices.iter().map(|(id, touched)| {
            json!({
                "name": self.names.devices()[id.0 as usize],
                "requests": touched.amount.requests,
                "bytes": touched.amount.bytes,
                "from_bytes": touched.from_bytes,
                "to_bytes": touched.to_bytes,
            })
        });
        let processes = self.processes().into_iter().map(|(name, amount)| {
            json!({ "name": name, "requests": amount.requests, "bytes": amount.bytes })
        });
        json!({
            "file": self.file,
            "format": self.format.name(),
            "records": summary.records,
            "skipped": self.skipped,
            "out_of_order": self.out_of_order.map_or(0, |of| of.records),
            "duration_ns": last_ns - first_ns,
            "requests": summary.requests().requests,
            "bytes": summary.requests().bytes,
            "operations": operations,
            "read_ahead": summary.read_ahead,
            "metadata": summary.metadata,
            "sync_writes": summary.sync_writes,
            "sequential": summary.sequential,
            "sizes_up_to_bytes": sizes,
            "length_bytes": distribution(&summary.lengths),
            "most_under_way": summary.most_under_way(),
            "response_ns": distribution(&summary.responses),
            "think_time_ns": distribution(&summary.think_times),
            "devices": devices.collect::<Vec<_>>(),
            "processes": processes.collect::<Vec<_>>(),
        })
    }
}

/// Lines of a name and what is to be said of it.
struct Lines(String);

impl Lines {
    /// Adds a line. Names in it are chosen by those who made the trace: a terminal shall obey none.
    fn add(&mut self, name: &str, text: impl std::fmt::Display) {
        let text = printable(&text.to_string());
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "  {name:<12} {text}");
    }
}

fn distribution(values: &Distribution) -> Value {
    let percentiles: serde_json::Map<String, Value> = PERCENTILES
        .iter()
        .map(|&percent| (format!("{percent:.6}"), json!(values.percentile(percent))))
        .collect();
    json!({ "N": values.count(), "mean": values.mean(), "percentile": percentiles })
}

/// The percentiles of times, in a line.
fn times(values: &Distribution, none: &str) -> String {
    if values.count() == 0 {
        return none.to_owned();
    }
    let percentiles = PERCENTILES
        .iter()
        .map(|&percent| format!("p{percent:.0} {}", time(values.percentile(percent))));
    format!("{} times: {}", values.count(), percentiles.collect::<Vec<_>>().join(", "))
}

fn percent(part: u64, all: u64) -> f64 {
    part as f64 * 100.0 / all.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::ReadOptions;

    const LOG: &str =
        "fio version 2 iolog\nf add\nf open\nf read 0 4096\nf write 4096 8192\nf close\n";

    #[test]
    fn text_and_json_say_the_same() {
        let mut reader = TraceReader::new(LOG.as_bytes(), "log", ReadOptions::default()).unwrap();
        let info = TraceInfo::read(&mut reader, &mut || ControlFlow::Continue(())).unwrap();
        let text = info.text();
        for line in
            ["log", "  format       iolog2", "  read         1, 4 KiB", "  write        1, 8 KiB"]
        {
            assert!(text.lines().any(|told| told == line), "{line}: {text}");
        }
        let json = info.json();
        assert_eq!(json["file"], "log");
        assert_eq!((&json["requests"], &json["bytes"]), (&json!(2), &json!(12_288)));
        assert_eq!(json["operations"]["write"]["bytes"], 8192);
    }

    /// Reads of 4096 bytes had a mean of 4112 and percentiles of 4127, and with no completion known
    /// all were under way.
    #[test]
    fn lengths_are_exact_and_nothing_is_said_of_what_is_not_known() {
        let log = "fio version 2 iolog\nf add\nf open\nf read 0 4096\nf read 4096 4096\n";
        let mut reader = TraceReader::new(log.as_bytes(), "log", ReadOptions::default()).unwrap();
        let info = TraceInfo::read(&mut reader, &mut || ControlFlow::Continue(())).unwrap();
        let json = info.json();
        assert_eq!(json["length_bytes"]["mean"], 4096.0);
        let percentiles = json["length_bytes"]["percentile"].as_object().unwrap();
        assert!(percentiles.values().all(|bytes| bytes == 4096), "{percentiles:?}");
        assert_eq!(json["most_under_way"], Value::Null);
    }

    /// The length was told, and nothing said that a replay does not have it.
    #[test]
    fn records_that_are_not_in_order_of_time_are_told() {
        let records = |times: [u32; 4]| -> String {
            times.iter().map(|s| format!("8,0 1 1 {s}.0 100 Q R 8 + 8 [a]\n")).collect()
        };
        for (times, told) in [
            ([1, 2, 2, 3], None),
            (
                [5, 1, 2, 7],
                Some("  out of order earlier than one before them: 2, the first in line 2"),
            ),
        ] {
            let text = records(times);
            let options = ReadOptions::default();
            let mut reader = TraceReader::new(text.as_bytes(), "t", options).unwrap();
            let info = TraceInfo::read(&mut reader, &mut || ControlFlow::Continue(())).unwrap();
            let text = info.text();
            assert_eq!(text.lines().find(|line| line.contains("out of order")), told);
            assert_eq!(info.json()["out_of_order"], if told.is_some() { 2 } else { 0 });
        }
    }

    #[test]
    fn a_terminal_obeys_no_name_of_a_process() {
        let trace = "8,0 1 1 0.0 100 Q R 8 + 8 [ba\u{1b}[31msh]\n";
        let mut reader = TraceReader::new(trace.as_bytes(), "t", ReadOptions::default()).unwrap();
        let info = TraceInfo::read(&mut reader, &mut || ControlFlow::Continue(())).unwrap();
        let text = info.text();
        assert!(text.contains("ba?[31msh (100): 1 requests"), "{text}");
        let wrong = "8,0 1 1 0.0 100 \u{1b}[5m R 8 + 8 [a]\n";
        let options = ReadOptions { format: Some(Format::Blkparse), skip_bad: false };
        let mut reader = TraceReader::new(wrong.as_bytes(), "t", options).unwrap();
        let error = reader.next().unwrap().unwrap_err().to_string();
        assert!(error.contains("unknown action \"?[5m\""), "{error}");
    }

    #[test]
    fn that_there_are_no_think_times_is_not_told_as_a_lack_of_completions() {
        let one = "  8,0    1        1     0.000000000   100  Q   R 8 + 8 [a]\n";
        let completed = format!(
            "{one}  8,0    1        2     0.000010000   100  D   R 8 + 8 [a]\n  \
             8,0    1        3     0.000900000     0  C   R 8 + 8 [0]\n"
        );
        for (trace, completions) in [(one, false), (&*completed, true)] {
            let options = ReadOptions::default();
            let mut reader = TraceReader::new(trace.as_bytes(), "t", options).unwrap();
            let info = TraceInfo::read(&mut reader, &mut || ControlFlow::Continue(())).unwrap();
            let text = info.text();
            let line = text.lines().find(|line| line.contains("think time")).unwrap();
            assert_eq!(line.ends_with("no completions are recorded"), !completions, "{text}");
        }
    }

    #[test]
    fn a_long_trace_is_not_read_to_its_end_against_the_will_of_the_caller() {
        let reads = "f read 0 4096\n".repeat(OBSERVED_RECORDS as usize);
        let log = format!("fio version 2 iolog\nf add\nf open\n{reads}");
        let options = ReadOptions::default();
        let mut reader = TraceReader::new(log.as_bytes(), "log", options).unwrap();
        let stopped = TraceInfo::read(&mut reader, &mut || ControlFlow::Break(()));
        assert_eq!(stopped.unwrap_err(), InfoError::Interrupted);
    }
}
