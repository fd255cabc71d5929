//! Writing a trace in another format.

use crate::blkparse;
use crate::format::Format;
use crate::names::{DeviceId, Names};
use crate::pairing::Pairing;
use crate::record::{Event, Op, Record};
use crate::volumes::Volumes;
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Write};

/// Requests whose response is awaited at most, before the first of them is written without.
const MOST_AWAITED: usize = 1 << 16;

/// Writes records as lines of a format.
pub struct Writer<W> {
    out: W,
    layout: Layout,
    /// Of the first record, ns.
    start_ns: Option<u64>,
    left_out: u64,
}

/// What has to be kept in mind to write a format.
enum Layout {
    Blkparse {
        sequence: u64,
        /// Completions that are known beforehand, by time and number.
        completions: BTreeMap<(u64, u64), Record>,
    },
    Iolog {
        version: u8,
        /// Before names of devices.
        folder: &'static str,
        is_open: Vec<bool>,
        previous_us: u64,
    },
    /// A format with response times: requests that wait for theirs.
    Responses {
        format: Volumes,
        awaited: Awaited,
    },
    Volumes(Volumes),
}

#[derive(Default)]
struct Awaited {
    under_way: Pairing<u64>,
    /// The number of the first request.
    first: u64,
    /// The requests, and whether they have what they need.
    requests: VecDeque<(Record, bool)>,
}

impl<W: Write> Writer<W> {
    /// Writes to `out` in `format` what was read in the format `from`. None: the format is not
    /// written (see [`Format::is_written`]).
    pub fn new(out: W, format: Format, from: Format) -> Option<Writer<W>> {
        let iolog = |version| Layout::Iolog {
            version,
            folder: if from.is_of_devices() { "/dev/" } else { "" },
            is_open: Vec::new(),
            previous_us: 0,
        };
        let layout = match format {
            Format::Blkparse => Layout::Blkparse { sequence: 0, completions: BTreeMap::new() },
            Format::Iolog2 => iolog(2),
            Format::Iolog3 => iolog(3),
            Format::Msr => Layout::Responses { format: Volumes::Msr, awaited: Awaited::default() },
            Format::Alibaba => Layout::Volumes(Volumes::Alibaba),
            Format::Tencent => Layout::Volumes(Volumes::Tencent),
            Format::Spc => Layout::Volumes(Volumes::Spc),
            Format::Blktrace | Format::Startup => return None,
        };
        Some(Writer { out, layout, start_ns: None, left_out: 0 })
    }

    /// Writes a record. Formats that have no events but requests pass the others over; a request
    /// that has no place in the format is counted in [`left_out`](Self::left_out).
    ///
    /// # Errors
    /// Writing fails.
    pub fn write(&mut self, record: &Record, names: &Names) -> io::Result<()> {
        if self.start_ns.is_none()
            && let Layout::Iolog { version, .. } = self.layout
        {
            writeln!(self.out, "fio version {version} iolog")?;
        }
        let start_ns = *self.start_ns.get_or_insert(record.time_ns);
        let since_start_ns = record.time_ns.saturating_sub(start_ns);
        match &mut self.layout {
            Layout::Blkparse { sequence, completions } => {
                let record = Record { time_ns: since_start_ns, ..*record };
                let later = completions.split_off(&(record.time_ns, 0));
                for completion in std::mem::replace(completions, later).into_values() {
                    *sequence += 1;
                    writeln!(self.out, "{}", blkparse::line(&completion, *sequence, names))?;
                }
                *sequence += 1;
                writeln!(self.out, "{}", blkparse::line(&record, *sequence, names))?;
                if let Some(response_ns) = record.response_ns {
                    let time_ns = record.time_ns.saturating_add(response_ns);
                    let event = Event::Completed;
                    let completion = Record { time_ns, event, process: None, ..record };
                    completions.insert((time_ns, *sequence), completion);
                }
                Ok(())
            }
            Layout::Iolog { version, folder, is_open, previous_us } => {
                if record.event != Event::Queued {
                    return Ok(());
                }
                let name = iolog_name(folder, record.device, names);
                let time_us = since_start_ns / 1000;
                let stamp = if *version == 3 { format!("{time_us} ") } else { String::new() };
                let place = record.device.0 as usize;
                if is_open.len() <= place {
                    is_open.resize(place + 1, false);
                }
                if !std::mem::replace(&mut is_open[place], true) {
                    writeln!(self.out, "{stamp}{name} add\n{stamp}{name} open")?;
                }
                if *version == 2 && time_us > *previous_us {
                    writeln!(self.out, "{name} wait {} 0", time_us - *previous_us)?;
                }
                *previous_us = time_us.max(*previous_us);
                let (action, offset, length) = match record.op {
                    Op::Read => ("read", record.offset_bytes, record.length_bytes),
                    Op::Write => ("write", record.offset_bytes, record.length_bytes),
                    Op::Discard => ("trim", record.offset_bytes, record.length_bytes),
                    Op::Flush => ("sync", 0, 0),
                };
                writeln!(self.out, "{stamp}{name} {action} {offset} {length}")
            }
            Layout::Responses { format, awaited } => match record.event {
                Event::Queued if format.line(record, names).is_none() => {
                    self.left_out += 1;
                    Ok(())
                }
                event => {
                    match event {
                        Event::Queued => awaited.queued(record),
                        Event::Completed => awaited.completed(record),
                        Event::Issued => {}
                    }
                    awaited.write(&mut self.out, *format, names, MOST_AWAITED)
                }
            },
            Layout::Volumes(_) if record.event != Event::Queued => Ok(()),
            Layout::Volumes(format) => match format.line(record, names) {
                Some(line) => writeln!(self.out, "{line}"),
                None => {
                    self.left_out += 1;
                    Ok(())
                }
            },
        }
    }

    /// Writes what comes at the end.
    ///
    /// # Errors
    /// Writing fails.
    pub fn finish(mut self, names: &Names) -> io::Result<W> {
        match &mut self.layout {
            Layout::Blkparse { sequence, completions } => {
                for completion in std::mem::take(completions).into_values() {
                    *sequence += 1;
                    writeln!(self.out, "{}", blkparse::line(&completion, *sequence, names))?;
                }
            }
            Layout::Iolog { version, folder, is_open, previous_us } => {
                let stamp = if *version == 3 { format!("{previous_us} ") } else { String::new() };
                for place in (0..is_open.len()).filter(|&place| is_open[place]) {
                    let name = iolog_name(folder, DeviceId(place as u32), names);
                    writeln!(self.out, "{stamp}{name} close")?;
                }
            }
            Layout::Responses { format, awaited } => {
                awaited.write(&mut self.out, *format, names, 0)?;
            }
            Layout::Volumes(_) => {}
        }
        self.out.flush()?;
        Ok(self.out)
    }

    /// Requests that have no place in the format: flushes and discards, in most.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }
}

impl Awaited {
    fn queued(&mut self, record: &Record) {
        let number = self.first + self.requests.len() as u64;
        if record.response_ns.is_none() {
            self.under_way.queued(record, number);
        }
        self.requests.push_back((*record, record.response_ns.is_some()));
    }

    fn completed(&mut self, record: &Record) {
        let (first, requests) = (self.first, &mut self.requests);
        self.under_way.completed(record, |number| {
            let place = number.checked_sub(first).map(|place| place as usize);
            if let Some((request, is_known)) = place.and_then(|place| requests.get_mut(place)) {
                request.response_ns = Some(record.time_ns.saturating_sub(request.time_ns));
                *is_known = true;
            }
        });
    }

    /// Writes the requests up to the first whose response is not known; more, if too many wait.
    fn write(
        &mut self,
        out: &mut impl Write,
        format: Volumes,
        names: &Names,
        most: usize,
    ) -> io::Result<()> {
        while let Some((request, is_known)) = self.requests.front()
            && (*is_known || self.requests.len() > most)
        {
            if let Some(line) = format.line(request, names) {
                writeln!(out, "{line}")?;
            }
            self.requests.pop_front();
            self.first += 1;
        }
        Ok(())
    }
}

/// A file's name in an I/O log, where white space is between words.
fn iolog_name(folder: &str, device: DeviceId, names: &Names) -> String {
    let name = &names.devices()[device.0 as usize];
    format!("{folder}{name}").replace(char::is_whitespace, "_")
}
