// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace as a job file with a job for each process, so that results tell them apart.

use super::error::WhatIfError;
use base::{Op, SECTOR_BYTES};
use fit::Traced;
use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs::File;
use std::io::{self, BufRead, BufWriter};
use std::path::{Path, PathBuf};
use std::process;
use trace::{
    Format, Names, Pairing, ProcessId, ReadOptions, Record, RequestEvent, TraceReader, Writer,
};
use workload::remarks_on_replay;

/// Processes that get a job of their own, those with most I/O; the others have one together.
const MOST_JOBS: usize = 24;

/// Requests whose times are kept, of the beginning of the trace.
const MOST_TIMES: usize = 1 << 16;

/// A trace, process by process.
#[derive(Debug)]
pub(super) struct Split {
    /// A job file that replays all processes, each from the time on when it began.
    pub job_file: PathBuf,
    /// How long requests took, of the disk that comes up first.
    pub times: Vec<Traced>,
    /// Where the I/O of all jobs ends, in bytes from the start of the disk: how large that has to
    /// be.
    pub end_bytes: u64,
    /// What of the trace is not replayed as it was, in sentences.
    pub notes: Vec<String>,
}

/// Which job the I/O of each process goes to.
#[derive(Debug, Default)]
struct Jobs {
    /// By process; none of those that neither read nor write, which a job cannot do.
    of: BTreeMap<ProcessId, Job>,
    notes: Vec<String>,
}

/// What a process did.
#[derive(Clone, Copy, Debug, Default)]
struct Amount {
    /// Reads and writes.
    ios: u64,
    discards: u64,
}

/// A job: of a process, or that of those that are together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Job {
    Of(ProcessId),
    Others,
}

/// A process, or those that are together, and its part of the trace.
struct Part {
    path: PathBuf,
    writer: Writer<BufWriter<File>>,
    names: Names,
    /// When its first request came.
    start_ns: u64,
}

/// Writes the part of each process of a trace, which `open` opens and is read twice, into a folder.
///
/// # Errors
/// If the trace is wrong, or the folder cannot be written.
pub(super) fn split<S: BufRead>(
    open: impl Fn() -> io::Result<S>,
    name: &str,
    folder: &Path,
) -> Result<Split, WhatIfError> {
    let open =
        || open().map_err(|source| WhatIfError::Unreadable { name: name.to_owned(), source });
    let jobs = Jobs::choose(open()?, name)?;
    let mut reader = reader(open()?, name)?;
    let mut parts = Parts { folder, first_ns: None, of: BTreeMap::new() };
    let mut under_way: Pairing<(Option<Job>, Record)> = Pairing::default();
    let (mut disk, mut times, mut end_bytes) = (None, Vec::new(), 0);
    while let Some(record) = reader.next() {
        let record = record?;
        parts.first_ns.get_or_insert(record.time_ns);
        let is_timed = record.device == *disk.get_or_insert(record.device);
        let mut note = |request: &Record, took_ns| {
            if is_timed && times.len() < MOST_TIMES {
                times.push(timed(request, took_ns));
            }
        };
        let record = under_way.beginning(&record).unwrap_or(record);
        match (record.event, record.process) {
            (RequestEvent::Queued, Some(process)) => {
                let job = jobs.of.get(&process).copied();
                match record.response_ns {
                    Some(took_ns) => note(&record, took_ns),
                    None => under_way.queued(&record, (job, record)),
                }
                if let Some(job) = job {
                    end_bytes =
                        end_bytes.max(record.offset_bytes.saturating_add(record.length_bytes));
                    parts.of(job, record.time_ns)?.write(&record, process, reader.names())?;
                }
            }
            (RequestEvent::Completed, _) => {
                let mut ended = Vec::new();
                under_way.completed(&record, |request| ended.push(request));
                for (job, request) in ended {
                    note(&request, record.time_ns.saturating_sub(request.time_ns));
                    let (event, process, time_ns) = (RequestEvent::Completed, None, record.time_ns);
                    let completion = Record { event, process, time_ns, ..request };
                    let issuer = request.process.expect("it was queued by a process");
                    if let Some(job) = job {
                        let part = parts.of(job, request.time_ns)?;
                        part.write(&completion, issuer, reader.names())?;
                    }
                }
            }
            (RequestEvent::Queued | RequestEvent::Issued, _) => {}
        }
    }
    Ok(Split {
        job_file: job_file(parts.of, reader.names(), name, folder)?,
        times,
        // Traces may count in bytes, disks have whole sectors.
        end_bytes: end_bytes.checked_next_multiple_of(SECTOR_BYTES).unwrap_or(u64::MAX),
        notes: jobs.notes,
    })
}

impl Jobs {
    /// Reads a trace to see who has most I/O, and what a replay cannot do.
    fn choose(source: impl BufRead, name: &str) -> Result<Self, WhatIfError> {
        let mut reader = reader(source, name)?;
        let mut amounts: BTreeMap<ProcessId, Amount> = BTreeMap::new();
        let mut devices = BTreeSet::new();
        let mut under_way = Pairing::default();
        for record in reader.by_ref() {
            let record = record?;
            let request = under_way.beginning(&record);
            match request {
                Some(request) if request.response_ns.is_none() => under_way.queued(&request, ()),
                None if record.event == RequestEvent::Completed => {
                    under_way.completed(&record, |()| {});
                }
                _ => {}
            }
            if let Some(Record { process: Some(process), .. }) = request {
                let moves_data = matches!(record.op, Op::Read | Op::Write);
                let amount = amounts.entry(process).or_default();
                amount.ios += u64::from(moves_data);
                amount.discards += u64::from(record.op == Op::Discard);
                devices.extend(moves_data.then_some(record.device));
            }
        }
        let all = amounts.len();
        let mut ranked: Vec<(ProcessId, Amount)> =
            amounts.into_iter().filter(|(_, amount)| amount.ios > 0).collect();
        ranked.sort_by_key(|&(process, amount)| (Reverse(amount.ios), process));
        let mut notes = Vec::new();
        if all > ranked.len() {
            let left_out = match all - ranked.len() {
                1 => "1 process that only flushed or discarded is".to_owned(),
                number => format!("{number} processes that only flushed or discarded are"),
            };
            notes.push(format!("{name}: {left_out} left out"));
        }
        if devices.len() > 1 && reader.format().is_of_devices() {
            let names =
                devices.iter().map(|device| reader.names().devices()[device.0 as usize].as_str());
            let names: Vec<&str> = names.collect();
            notes.push(format!(
                "{name}: it has I/O of {} disks ({}), and all of it is replayed on one, by the \
                 same sectors; bfq top DISK --record FILE records a single one",
                names.len(),
                names.join(" ")
            ));
        }
        // The jobs read parts of the trace, by other names: what is said of these is not shown.
        let discards = ranked.iter().map(|(_, amount)| amount.discards).sum();
        let remarks = remarks_on_replay(0, reader.out_of_order(), discards);
        notes.extend(remarks.iter().map(|remark| format!("{name}: {remark}")));
        let job = |(rank, (process, _)): (usize, (ProcessId, Amount))| {
            (process, if rank < MOST_JOBS { Job::Of(process) } else { Job::Others })
        };
        Ok(Jobs { of: ranked.into_iter().enumerate().map(job).collect(), notes })
    }
}

/// The parts that have begun.
struct Parts<'f> {
    folder: &'f Path,
    /// When the trace begins.
    first_ns: Option<u64>,
    of: BTreeMap<Job, Part>,
}

impl Parts<'_> {
    /// The part of a job, which begins with a request of that time if it has not begun.
    fn of(&mut self, job: Job, time_ns: u64) -> Result<&mut Part, WhatIfError> {
        match self.of.entry(job) {
            Entry::Occupied(part) => Ok(part.into_mut()),
            Entry::Vacant(place) => {
                let stem = match job {
                    Job::Of(process) => process.0.to_string(),
                    Job::Others => "others".to_owned(),
                };
                // The job file names it without the folder, and a job's trace is looked for in the
                // current folder first.
                let path = self.folder.join(format!("what-if-{}-{stem}.trace", process::id()));
                let start_ns = time_ns.saturating_sub(self.first_ns.unwrap_or(time_ns));
                Ok(place.insert(Part::begin(path, start_ns)?))
            }
        }
    }
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

impl Part {
    fn begin(path: PathBuf, start_ns: u64) -> Result<Self, WhatIfError> {
        let file = File::create(&path).map_err(WhatIfError::writing(&path))?;
        let writer = Writer::new(BufWriter::new(file), Format::Blkparse, Format::Blkparse);
        let writer = writer.expect("it is a format that is written");
        Ok(Part { path, writer, names: Names::default(), start_ns })
    }

    /// Adds a record of a process. Each part has names of its own, but for the disk: all have the
    /// one on which the trace is replayed, or several would lie end to end, in each part elsewhere.
    fn write(
        &mut self,
        record: &Record,
        process: ProcessId,
        names: &Names,
    ) -> Result<(), WhatIfError> {
        let issuer = &names.processes()[process.0 as usize];
        let device = self.names.device(&names.devices()[0]);
        let pid = issuer.pid.unwrap_or(process.0 + 1);
        let issuer = record.process.map(|_| self.names.process(pid, &issuer.name));
        let record = Record { device, process: issuer, ..*record };
        self.writer.write(&record, &self.names).map_err(WhatIfError::writing(&self.path))
    }
}

/// Ends the parts, and writes the job file.
fn job_file(
    parts: BTreeMap<Job, Part>,
    names: &Names,
    name: &str,
    folder: &Path,
) -> Result<PathBuf, WhatIfError> {
    if parts.is_empty() {
        return Err(WhatIfError::NoProcess { name: name.to_owned() });
    }
    let mut text = format!("# {name}, process by process\n[global]\ndirect=1\nreplay_mode=chain\n");
    for (job, part) in parts {
        let job = match job {
            Job::Of(ProcessId(number)) => {
                let process = &names.processes()[number as usize];
                let pid = process.pid.map_or_else(String::new, |pid| format!("-{pid}"));
                format!("{}{pid}", process.name)
            }
            Job::Others => "others".to_owned(),
        };
        let job = job.replace(|letter: char| letter.is_control() || "#;$[]".contains(letter), "_");
        part.writer.finish(&part.names).map_err(WhatIfError::writing(&part.path))?;
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\n[{job}]\nread_iolog={}\nstartdelay={}us\ngroup_reporting=1\nnew_group=1\n",
            // It is beside the job file, whose syntax the folder's name might break.
            Path::new(part.path.file_name().unwrap_or_default()).display(),
            part.start_ns / 1000
        );
    }
    let stem = Path::new(name).file_stem().unwrap_or_default();
    let path = folder.join(stem).with_extension("fio");
    std::fs::write(&path, text).map_err(WhatIfError::writing(&path))?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    const IOLOG: &str = "fio version 3 iolog\n0 /dev/x add\n0 /dev/x open\n\
                         1 /dev/x read 0 4096\n3 /dev/x write 8192 4096\n4 /dev/x close\n";

    #[test]
    fn a_trace_becomes_a_job_file_in_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let split = split(|| Ok(IOLOG.as_bytes()), "some/x.trace", folder.path()).unwrap();
        assert_eq!(split.job_file, folder.path().join("x.fio"));
        let jobs = std::fs::read_to_string(split.job_file).unwrap();
        assert!(jobs.starts_with("# some/x.trace, process by process\n[global]\n"), "{jobs}");
        assert_eq!(jobs.matches("\nread_iolog=").count(), 1, "{jobs}");
        assert_eq!(split.end_bytes, 8192 + 4096);
        assert!(split.times.is_empty() && split.notes.is_empty(), "{:?}", split.notes);
    }

    /// What `blktrace -a issue -a complete` records of two reads.
    const ISSUED: &str = "  8,0 0 1 0.000000000 697 D R 8 + 8 [cat]\n\
                          \x20 8,0 0 2 0.001000000 0 C R 8 + 8 [0]\n\
                          \x20 8,0 0 3 0.002000000 697 D R 64 + 8 [cat]\n\
                          \x20 8,0 0 4 0.003000000 0 C R 64 + 8 [0]\n";

    #[test]
    fn a_trace_of_what_was_issued_is_split_in_a_folder_of_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let odd = folder.path().join("odd#dir;$HOME:x");
        std::fs::create_dir(&odd).unwrap();
        let split = split(|| Ok(ISSUED.as_bytes()), "x.bp", &odd).unwrap();
        assert_eq!(split.times.len(), 2);
        let jobs = workload::load(&split.job_file).unwrap();
        let trace = jobs[0].trace.as_ref().unwrap();
        assert_eq!(trace.processes[0].entries.len(), 2);
    }

    #[test]
    fn what_is_not_replayed_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let line = |(second, pid, op): (u32, u32, &str)| {
            format!("8,0 0 1 {second}.0 {pid} Q {op} 8 + 8 [p{pid}]\n")
        };
        let records = [(5, 7, "R"), (6, 7, "D"), (1, 7, "D"), (7, 8, "D")];
        let trace = records.map(line).concat();
        let split = split(|| Ok(trace.as_bytes()), "x.bp", folder.path()).unwrap();
        assert_eq!(
            split.notes,
            [
                "x.bp: 1 process that only flushed or discarded is left out",
                "x.bp: records that are earlier than one before them, and may be replayed later \
                 than they were: 1, the first in line 3",
                "x.bp: discards, which cannot be replayed and are left out: 2",
            ]
        );
    }

    #[test]
    fn wrong_traces_are_told_from_folders_that_cannot_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let gone = split(|| Err::<&[u8], _>(io::ErrorKind::NotFound.into()), "x", folder.path());
        let gone = gone.unwrap_err();
        assert!(gone.is_usage() && gone.to_string().ends_with("; expected a readable trace"));
        let nothing = split(|| Ok(&b"fio version 3 iolog\n"[..]), "x", folder.path());
        assert!(nothing.unwrap_err().is_usage());
        let nowhere = split(|| Ok(IOLOG.as_bytes()), "x", &folder.path().join("none"));
        assert!(!nowhere.unwrap_err().is_usage());
    }
}
