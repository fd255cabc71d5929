// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces as tables, with a row for each record, and in other formats.

use crate::errors::{of_conversion, of_lab, of_trace, unreadable_trace, usage};
use crate::signals::Signals;
use crate::table::{Column, Table};
use lab::{Conversion, Converted, Files, check_known};
use pyo3::prelude::*;
use std::path::{Path, PathBuf};
use trace::{
    Flags, Format, Names, ReadOptions, Record, RequestEvent, Summary, TraceInfo, TraceReader,
};

/// Records between two looks at signals.
const OBSERVED_RECORDS: usize = 1 << 14;

/// Reads a trace: a table of its records, and what `bfq trace info` says of it as JSON.
#[pyfunction]
pub(crate) fn read_trace(
    python: Python<'_>,
    path: PathBuf,
    format: Option<String>,
    skip_bad: bool,
) -> PyResult<(Table, String)> {
    python.detach(|| read(&path, format.as_deref(), skip_bad))
}

/// Writes a trace in another format: how many requests were written, how many have no place in it,
/// and how many wrong records were passed over.
#[pyfunction]
pub(crate) fn convert_trace(
    python: Python<'_>,
    path: PathBuf,
    out: PathBuf,
    to: String,
    format: Option<String>,
    skip_bad: bool,
) -> PyResult<(u64, u64, u64)> {
    python.detach(|| {
        let expected = || usage(format!("to {to}: expected one of {}", Format::written_names()));
        let to = Format::by_name(&to).filter(|format| format.is_written()).ok_or_else(expected)?;
        let conversion = Conversion::plan(&path, Some(&out), to).map_err(of_conversion)?;
        let mut reader = open(&path, format.as_deref(), skip_bad)?;
        let mut signals = Signals::new();
        let converted = conversion.run(&mut reader, &mut || signals.look());
        signals.raised()?;
        let Converted { requests, left_out, skipped, .. } = converted.map_err(of_conversion)?;
        Ok((requests, left_out, skipped))
    })
}

fn open(path: &Path, format: Option<&str>, skip_bad: bool) -> PyResult<TraceReader<'static>> {
    let named = |name| {
        let expected = || usage(format!("format {name}: expected one of {}", Format::names()));
        Format::by_name(name).ok_or_else(expected)
    };
    let options = ReadOptions { format: format.map(named).transpose()?, skip_bad };
    let name = path.display().to_string();
    check_known(path).map_err(of_lab)?;
    let file = Files::plain().open_any(path).map_err(|error| unreadable_trace(&name, error))?;
    TraceReader::new(file, &name, options).map_err(|error| of_trace(&error))
}

fn read(path: &Path, format: Option<&str>, skip_bad: bool) -> PyResult<(Table, String)> {
    let mut reader = open(path, format, skip_bad)?;
    let mut signals = Signals::new();
    let (mut records, mut summary) = (Vec::new(), Summary::default());
    while let Some(record) = reader.next().transpose().map_err(|error| of_trace(&error))? {
        summary.add(&record);
        records.push(record);
        if records.len().is_multiple_of(OBSERVED_RECORDS) && signals.look().is_break() {
            break;
        }
    }
    summary.finish();
    let table = table(&records, reader.names(), &mut signals);
    signals.raised()?;
    let table = table?;
    let info = TraceInfo::of(&reader, summary);
    Ok((table, info.json().to_string()))
}

/// The table of records. Of many records each column takes a while: after a signal there are none
/// any more, and the table is of no use.
fn table(records: &[Record], names: &Names, signals: &mut Signals) -> PyResult<Table> {
    let process = |record: &Record| names.processes().get(record.process?.0 as usize);
    let device = |record: &Record| names.devices().get(record.device.0 as usize).cloned();
    let pid = |record: &Record| process(record)?.pid.map(u64::from);
    let called = |record: &Record| process(record).map(|process| process.name.clone());
    let flags = |of: fn(&Flags) -> bool| {
        Column::Flags(records.iter().map(|record| Some(of(&record.flags))).collect())
    };
    let rows = || records.iter();
    let columns: [(&str, &dyn Fn() -> Column); 14] = [
        ("at_ns", &|| Column::counts(rows().map(|record| record.time_ns))),
        ("event", &|| Column::texts(rows().map(|record| event(record.event)))),
        ("op", &|| Column::texts(rows().map(|record| record.op.name()))),
        ("device", &|| Column::Texts(rows().map(device).collect())),
        ("pid", &|| Column::Counts(rows().map(pid).collect())),
        ("process", &|| Column::Texts(rows().map(called).collect())),
        ("offset_bytes", &|| Column::counts(rows().map(|record| record.offset_bytes))),
        ("length_bytes", &|| Column::counts(rows().map(|record| record.length_bytes))),
        ("response_ns", &|| Column::Counts(rows().map(|record| record.response_ns).collect())),
        ("sync", &|| flags(|flags| flags.sync)),
        ("read_ahead", &|| flags(|flags| flags.read_ahead)),
        ("metadata", &|| flags(|flags| flags.metadata)),
        ("fua", &|| flags(|flags| flags.fua)),
        ("preflush", &|| flags(|flags| flags.preflush)),
    ];
    let wanted = columns.into_iter().take_while(|_| signals.look().is_continue());
    Table::new(wanted.map(|(name, column)| (name, column())))
}

fn event(event: RequestEvent) -> &'static str {
    match event {
        RequestEvent::Queued => "queued",
        RequestEvent::Issued => "issued",
        RequestEvent::Completed => "completed",
    }
}
