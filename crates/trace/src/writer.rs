// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writing a trace in another format.

use crate::blkparse;
use crate::format::Format;
use crate::iolog::LEAST_WAIT_US;
use crate::names::{DeviceId, Names};
use crate::pairing::Pairing;
use crate::record::{Record, RequestEvent};
use crate::volume_numbers::VolumeNumbers;
use crate::volumes::Volumes;
use base::Op;
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
    requests: u64,
    /// Records that are written with a later time.
    delayed: u64,
    left_out: u64,
    /// The requests under way of a trace that tells of more than their beginning.
    under_way: Option<Pairing<()>>,
}

/// What has to be kept in mind to write a format.
enum Layout {
    Blkparse(Events),
    Iolog(Log),
    /// A format with response times: requests that wait for theirs.
    Responses(Awaited),
    Volumes(Volumes, VolumeNumbers),
}

/// The lines of blkparse.
#[derive(Default)]
struct Events {
    /// The number of the last line.
    sequence: u64,
    /// Completions that are known beforehand, by time and the number of their request's line.
    completions: BTreeMap<(u64, u64), Record>,
}

/// An I/O log of fio.
struct Log {
    version: u8,
    /// Before names of devices.
    folder: &'static str,
    is_open: Vec<bool>,
    /// Of the record before; in version 2 of that before which a wait was written last.
    previous_us: u64,
}

/// Requests whose response is not known yet, and those behind them.
#[derive(Default)]
struct Awaited {
    under_way: Pairing<u64>,
    /// The number of the first request.
    first: u64,
    /// The requests, and whether they have what they need.
    requests: VecDeque<(Record, bool)>,
    /// Requests that were written without.
    without: u64,
}

impl<W: Write> Writer<W> {
    /// Writes to `out` in `format` what was read in the format `from`. None: the format is not
    /// written (see [`Format::is_written`]).
    pub fn new(out: W, format: Format, from: Format) -> Option<Writer<W>> {
        let iolog = |version| {
            let folder = if from.is_of_devices() { "/dev/" } else { "" };
            Layout::Iolog(Log { version, folder, is_open: Vec::new(), previous_us: 0 })
        };
        let volumes = |format| Layout::Volumes(format, VolumeNumbers::default());
        let layout = match format {
            Format::Blkparse => Layout::Blkparse(Events::default()),
            Format::Iolog2 => iolog(2),
            Format::Iolog3 => iolog(3),
            Format::Msr => Layout::Responses(Awaited::default()),
            Format::Alibaba => volumes(Volumes::Alibaba),
            Format::Tencent => volumes(Volumes::Tencent),
            Format::Spc => volumes(Volumes::Spc),
            Format::Blktrace | Format::Startup => return None,
        };
        let has_events = matches!(from, Format::Blkparse | Format::Blktrace);
        // That with response times pairs on its own.
        let is_paired = has_events && !matches!(layout, Layout::Responses(_));
        let under_way = is_paired.then(Pairing::default);
        Some(Writer {
            out,
            layout,
            start_ns: None,
            requests: 0,
            delayed: 0,
            left_out: 0,
            under_way,
        })
    }

    /// Writes a record. Formats that have no events but requests pass the others over; a request
    /// that has no place in the format is counted in [`left_out`](Self::left_out).
    ///
    /// # Errors
    /// Writing fails.
    pub fn write(&mut self, record: &Record, names: &Names) -> io::Result<()> {
        if self.start_ns.is_none()
            && let Layout::Iolog(log) = &self.layout
        {
            writeln!(self.out, "fio version {} iolog", log.version)?;
        }
        let start_ns = *self.start_ns.get_or_insert(record.time_ns);
        let since_start_ns = record.time_ns.saturating_sub(start_ns);
        let is_early = record.time_ns < start_ns;
        let begins = begins(&mut self.under_way, record);
        self.delayed += u64::from(match &self.layout {
            Layout::Blkparse(_) => is_early,
            Layout::Iolog(log) => begins && (is_early || log.is_behind(since_start_ns / 1000)),
            // These have times of their own, not counted from a beginning.
            Layout::Responses(_) | Layout::Volumes(..) => false,
        });
        // Of the request that begins, if one does: whether it has a place in the format.
        let has_place = match &mut self.layout {
            Layout::Blkparse(events) => {
                let record = Record { time_ns: since_start_ns, ..*record };
                events.write(&mut self.out, &record, names)?;
                begins.then_some(true)
            }
            Layout::Iolog(_) | Layout::Volumes(..) if !begins => None,
            Layout::Iolog(log) => {
                log.write(&mut self.out, record, since_start_ns / 1000, names)?;
                Some(true)
            }
            Layout::Volumes(format, numbers) => {
                let line = format.line(record, names, numbers.of(record.device, names));
                line.iter().try_for_each(|line| writeln!(self.out, "{line}"))?;
                Some(line.is_some())
            }
            Layout::Responses(awaited) => {
                let request = awaited.under_way.beginning(record);
                let has_place = request.map(|request| msr_line(&request, names).is_some());
                match request {
                    Some(request) if has_place == Some(true) => awaited.queued(&request),
                    None if record.event == RequestEvent::Completed => awaited.completed(record),
                    _ => {}
                }
                awaited.write(&mut self.out, names, MOST_AWAITED)?;
                has_place
            }
        };
        self.requests += u64::from(has_place == Some(true));
        self.left_out += u64::from(has_place == Some(false));
        Ok(())
    }

    /// Writes what comes at the end.
    ///
    /// # Errors
    /// Writing fails.
    pub fn finish(mut self, names: &Names) -> io::Result<W> {
        match &mut self.layout {
            Layout::Blkparse(events) => events.write_completions(&mut self.out, u64::MAX, names)?,
            Layout::Iolog(log) => log.close(&mut self.out, names)?,
            Layout::Responses(awaited) => awaited.write(&mut self.out, names, 0)?,
            Layout::Volumes(..) => {}
        }
        self.out.flush()?;
        Ok(self.out)
    }

    /// Requests that have a place in the format, and are written.
    pub fn requests(&self) -> u64 {
        self.requests
    }

    /// Records that are not in order of time and are written with a later one, as the format counts
    /// from the first, or (`iolog2`) from one to the next.
    pub fn delayed(&self) -> u64 {
        self.delayed
    }

    /// Devices called by a number that are written with another one, as theirs was taken.
    pub fn renumbered(&self) -> u64 {
        match &self.layout {
            Layout::Volumes(_, numbers) => numbers.renumbered(),
            _ => 0,
        }
    }

    /// Requests without a response time, in a format that has them, if the trace has ended.
    pub fn without_response(&self) -> u64 {
        let Layout::Responses(awaited) = &self.layout else { return 0 };
        let waiting = awaited.requests.iter().filter(|(request, _)| request.response_ns.is_none());
        awaited.without + waiting.count() as u64
    }

    /// Requests that have no place in the format: flushes and discards, in most.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }
}

/// A line of the one format with response times, which has names for volumes and no numbers.
fn msr_line(request: &Record, names: &Names) -> Option<String> {
    Volumes::Msr.line(request, names, 0)
}

/// Whether a request begins with a record; the requests under way are kept up to date.
fn begins(under_way: &mut Option<Pairing<()>>, record: &Record) -> bool {
    let Some(under_way) = under_way else { return record.event == RequestEvent::Queued };
    let begins = under_way.beginning(record).is_some();
    if begins {
        under_way.queued(record, ());
    } else if record.event == RequestEvent::Completed {
        under_way.completed(record, |()| {});
    }
    begins
}

impl Events {
    fn write(&mut self, out: &mut impl Write, record: &Record, names: &Names) -> io::Result<()> {
        self.write_completions(out, record.time_ns, names)?;
        self.write_line(out, record, names)?;
        if let Some(response_ns) = record.response_ns {
            let time_ns = record.time_ns.saturating_add(response_ns);
            let (event, process) = (RequestEvent::Completed, None);
            let completion = Record { time_ns, event, process, ..*record };
            self.completions.insert((time_ns, self.sequence), completion);
        }
        Ok(())
    }

    /// Writes the completions that are known beforehand, up to that time.
    fn write_completions(
        &mut self,
        out: &mut impl Write,
        until_ns: u64,
        names: &Names,
    ) -> io::Result<()> {
        while let Some(first) = self.completions.first_entry()
            && first.key().0 <= until_ns
        {
            let completion = first.remove();
            self.write_line(out, &completion, names)?;
        }
        Ok(())
    }

    fn write_line(
        &mut self,
        out: &mut impl Write,
        record: &Record,
        names: &Names,
    ) -> io::Result<()> {
        self.sequence += 1;
        writeln!(out, "{}", blkparse::line(record, self.sequence, names))
    }
}

impl Log {
    /// Whether the waits that were written are longer than that already.
    fn is_behind(&self, time_us: u64) -> bool {
        self.version == 2 && time_us < self.previous_us
    }

    fn write(
        &mut self,
        out: &mut impl Write,
        record: &Record,
        time_us: u64,
        names: &Names,
    ) -> io::Result<()> {
        let (name, stamp) = (self.name(record.device, names), self.stamp(time_us));
        let place = record.device.0 as usize;
        if self.is_open.len() <= place {
            self.is_open.resize(place + 1, false);
        }
        if !std::mem::replace(&mut self.is_open[place], true) {
            writeln!(out, "{stamp}{name} add\n{stamp}{name} open")?;
        }
        let gap_us = time_us.saturating_sub(self.previous_us);
        if self.version == 3 || gap_us >= LEAST_WAIT_US {
            if self.version == 2 {
                writeln!(out, "{name} wait {gap_us} 0")?;
            }
            // Shorter waits would be left out, and the log be shorter by all of them: they gather.
            self.previous_us += gap_us;
        }
        let action = match record.op {
            Op::Read => "read",
            Op::Write => "write",
            Op::Discard => "trim",
            Op::Flush => "sync",
        };
        writeln!(out, "{stamp}{name} {action} {} {}", record.offset_bytes, record.length_bytes)
    }

    fn close(&self, out: &mut impl Write, names: &Names) -> io::Result<()> {
        for place in (0..self.is_open.len()).filter(|&place| self.is_open[place]) {
            let name = self.name(DeviceId(place as u32), names);
            writeln!(out, "{}{name} close", self.stamp(self.previous_us))?;
        }
        Ok(())
    }

    /// What version 3 has at the beginning of a line.
    fn stamp(&self, time_us: u64) -> String {
        if self.version == 3 { format!("{time_us} ") } else { String::new() }
    }

    /// A file's name, without white space, which is between words.
    fn name(&self, device: DeviceId, names: &Names) -> String {
        let name = &names.devices()[device.0 as usize];
        format!("{}{name}", self.folder).replace(char::is_whitespace, "_")
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
    fn write(&mut self, out: &mut impl Write, names: &Names, most: usize) -> io::Result<()> {
        while let Some((request, is_known)) = self.requests.front()
            && (*is_known || self.requests.len() > most)
        {
            if let Some(line) = msr_line(request, names) {
                self.without += u64::from(request.response_ns.is_none());
                writeln!(out, "{line}")?;
            }
            self.requests.pop_front();
            self.first += 1;
        }
        Ok(())
    }
}
