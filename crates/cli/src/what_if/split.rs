// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace as a job file with a job for each process, so that results tell them apart.

use crate::failure::Failure;
use ::trace::{Event, Format, Names, Pairing, ProcessId, ReadOptions, Reader, Record, Writer};
use base::SECTOR_BYTES;
use fit::Traced;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::Write;
use std::fs::File;
use std::io::{BufRead, BufWriter};
use std::path::{Path, PathBuf};

/// Processes that get a job of their own, those that come up first; the others have one together.
const MOST_JOBS: usize = 24;

/// Requests whose times are kept, of the beginning of the trace.
const MOST_TIMES: usize = 1 << 16;

/// A trace, process by process.
pub struct Split {
    /// A job file that replays all processes, each from the time on when it began.
    pub job_file: PathBuf,
    /// How long requests took, of the disk that comes up first.
    pub times: Vec<Traced>,
}

/// A process, or those that are together, and its part of the trace.
struct Part {
    path: PathBuf,
    writer: Writer<BufWriter<File>>,
    names: Names,
    /// When its first request came.
    start_ns: u64,
}

/// Writes the part of each process of a trace into a folder.
///
/// # Errors
/// With exit code 2 if the trace is wrong, with 1 if the folder cannot be written.
pub fn split(source: impl BufRead, name: &str, folder: &Path) -> Result<Split, Failure> {
    let mut reader = Reader::new(source, name, ReadOptions::default()).map_err(Failure::usage)?;
    let mut parts: BTreeMap<u32, Part> = BTreeMap::new();
    let mut under_way: Pairing<(u32, Record)> = Pairing::default();
    let (mut first_ns, mut disk, mut times) = (None, None, Vec::new());
    while let Some(record) = reader.next() {
        let record = record.map_err(Failure::usage)?;
        let first_ns = *first_ns.get_or_insert(record.time_ns);
        let is_timed = record.device == *disk.get_or_insert(record.device);
        let mut note = |request: &Record, took_ns| {
            if is_timed && times.len() < MOST_TIMES {
                times.push(timed(request, took_ns));
            }
        };
        match (record.event, record.process) {
            (Event::Queued, Some(process)) => {
                let number = process.0.min(MOST_JOBS as u32);
                let part = match parts.entry(number) {
                    Entry::Occupied(part) => part.into_mut(),
                    Entry::Vacant(place) => {
                        let path = folder.join(format!("{number}.trace"));
                        let start_ns = record.time_ns.saturating_sub(first_ns);
                        place.insert(Part::begin(path, start_ns)?)
                    }
                };
                match record.response_ns {
                    Some(took_ns) => note(&record, took_ns),
                    None => under_way.queued(&record, (number, record)),
                }
                part.write(&record, process, reader.names())?;
            }
            (Event::Completed, _) => {
                let mut ended = Vec::new();
                under_way.completed(&record, |request| ended.push(request));
                for (number, request) in ended {
                    note(&request, record.time_ns.saturating_sub(request.time_ns));
                    let (event, process, time_ns) = (Event::Completed, None, record.time_ns);
                    let completion = Record { event, process, time_ns, ..request };
                    let part = parts.get_mut(&number).expect("it has requests");
                    let issuer = request.process.expect("it was queued by a process");
                    part.write(&completion, issuer, reader.names())?;
                }
            }
            (Event::Queued | Event::Issued, _) => {}
        }
    }
    Ok(Split { job_file: job_file(parts, reader.names(), name, folder)?, times })
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

impl Part {
    fn begin(path: PathBuf, start_ns: u64) -> Result<Self, Failure> {
        let file = File::create(&path).map_err(Failure::run)?;
        let writer = Writer::new(BufWriter::new(file), Format::Blkparse, Format::Blkparse);
        let writer = writer.expect("it is a format that is written");
        Ok(Part { path, writer, names: Names::default(), start_ns })
    }

    /// Adds a record of a process. Each part has names of its own.
    fn write(&mut self, record: &Record, process: ProcessId, names: &Names) -> Result<(), Failure> {
        let issuer = &names.processes()[process.0 as usize];
        let device = self.names.device(&names.devices()[record.device.0 as usize]);
        let pid = issuer.pid.unwrap_or(process.0 + 1);
        let issuer = record.process.map(|_| self.names.process(pid, &issuer.name));
        let record = Record { device, process: issuer, ..*record };
        self.writer.write(&record, &self.names).map_err(Failure::run)
    }
}

/// Ends the parts, and writes the job file.
fn job_file(
    parts: BTreeMap<u32, Part>,
    names: &Names,
    name: &str,
    folder: &Path,
) -> Result<PathBuf, Failure> {
    if parts.is_empty() {
        return Err(Failure::usage(format!("{name}: no process does I/O in it; expected one")));
    }
    let mut text = format!("# {name}, process by process\n[global]\ndirect=1\nreplay_mode=chain\n");
    for (number, part) in parts {
        let job = match names.processes().get(number as usize) {
            Some(process) if (number as usize) < MOST_JOBS => {
                let pid = process.pid.map_or_else(String::new, |pid| format!("-{pid}"));
                format!("{}{pid}", process.name)
            }
            _ => "others".to_owned(),
        };
        let job = job.replace(|letter: char| letter.is_control() || "#;$[]".contains(letter), "_");
        part.writer.finish(&part.names).map_err(Failure::run)?;
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\n[{job}]\nread_iolog={}\nstartdelay={}us\ngroup_reporting=1\nnew_group=1\n",
            part.path.display().to_string().replace(':', "\\:"),
            part.start_ns / 1000
        );
    }
    let stem = Path::new(name).file_stem().unwrap_or_default();
    let path = folder.join(stem).with_extension("fio");
    std::fs::write(&path, text).map_err(Failure::run)?;
    Ok(path)
}
