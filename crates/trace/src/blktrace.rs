// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's own records, as `blktrace` stores them: versions 7 and 8, of either byte order.
//!
//! ```text
//! 7: magic u32, sequence u32, time u64, sector u64, bytes u32, action u32, pid u32, device u32,
//!    cpu u32, error u16, pdu_len u16                                               48 bytes
//! 8: magic u32, sequence u32, time u64, sector u64, bytes u32, pid u32, action u64, device u32,
//!    cpu u32, error u16, pdu_len u16, 12 unused                                    64 bytes
//! ```
//!
//! `pdu_len` bytes follow each record. The low half of the action is the event, the bits above say
//! what kind of request it is. `blktrace` writes a file for each CPU; the requests of one file are
//! read as they are.

use crate::error::{Mistake, TraceError, TracePosition};
use crate::input::TraceInput;
use crate::names::Names;
use crate::parser::{Parser, place_of_sectors};
use crate::record::{Flags, Record, RequestEvent};
use base::Op;
use std::io::{self, Read};

/// The upper three bytes of the first word; the lowest is the version.
const MAGIC: u32 = 0x6561_7400;

const HEADER_BYTES: [(u8, usize); 2] = [(7, 48), (8, 64)];
const LONGEST_HEADER_BYTES: usize = 64;

/// Events, in the low half of an action.
const QUEUE: u16 = 1;
const ISSUE: u16 = 7;
const COMPLETE: u16 = 8;
/// Set in an event when the id of a control group precedes the rest of the pdu.
const WITH_CGROUP: u16 = 1 << 8;
/// Bytes of that id.
const CGROUP_ID_BYTES: usize = 8;
/// The event of a note that names a process.
const NOTE_PROCESS: u16 = 0;

/// What kind of request it is: bits from the 16th of an action.
mod category {
    pub(super) const READ: u64 = 1 << 16;
    pub(super) const WRITE: u64 = 1 << 17;
    pub(super) const FLUSH: u64 = 1 << 18;
    pub(super) const SYNC: u64 = 1 << 19;
    pub(super) const PASSED_THROUGH: u64 = 1 << 25;
    pub(super) const NOTE: u64 = 1 << 26;
    pub(super) const AHEAD: u64 = 1 << 27;
    pub(super) const METADATA: u64 = 1 << 28;
    pub(super) const DISCARD: u64 = 1 << 29;
    pub(super) const FUA: u64 = 1 << 31;
}

/// A trace at work.
pub(crate) struct Blktrace<'a> {
    source: TraceInput<'a>,
    /// What was read of the next record when that was looked for: it is read again.
    ahead: Vec<u8>,
    name: String,
    /// Of the next byte.
    at_byte: u64,
    /// Of the record given last.
    record_byte: u64,
    ended: bool,
    pdu: Vec<u8>,
}

/// A record without what follows it.
struct Header {
    time_ns: u64,
    sector: u64,
    bytes: u32,
    action: u64,
    pid: u32,
    device: u32,
    pdu_bytes: u16,
}

/// The version and byte order (true: big-endian) of records that begin so.
pub(crate) fn version(head: &[u8]) -> Option<(u8, bool)> {
    let word = *head.first_chunk::<4>()?;
    let known = |magic: u32| {
        let version = (magic & 0xff) as u8;
        (magic & !0xff == MAGIC && HEADER_BYTES.iter().any(|&(known, _)| known == version))
            .then_some(version)
    };
    let little = known(u32::from_le_bytes(word)).map(|version| (version, false));
    little.or_else(|| known(u32::from_be_bytes(word)).map(|version| (version, true)))
}

impl<'a> Blktrace<'a> {
    pub(crate) fn new(source: TraceInput<'a>, name: &str) -> Blktrace<'a> {
        Blktrace {
            source,
            ahead: Vec::new(),
            name: name.to_owned(),
            at_byte: 0,
            record_byte: 0,
            ended: false,
            pdu: Vec::new(),
        }
    }

    /// Fills a buffer as far as the trace reaches.
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, TraceError> {
        let mut filled = self.ahead.len().min(buffer.len());
        buffer[..filled].copy_from_slice(&self.ahead[..filled]);
        self.ahead.drain(..filled);
        while filled < buffer.len() {
            match self.source.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.ended = true;
                    let what = format!("cannot read: {error}");
                    let error = self.wrong(Mistake::new(what, "a readable, whole file"));
                    return Err(TraceError { can_be_skipped: false, ..error });
                }
            }
        }
        self.at_byte += filled as u64;
        Ok(filled)
    }

    fn wrong(&self, mistake: Mistake) -> TraceError {
        mistake.at(&self.name, TracePosition::Byte(self.record_byte))
    }

    fn cut_off(&mut self) -> TraceError {
        self.ended = true;
        self.wrong(Mistake::new("the trace ends within a record", "a whole record"))
    }

    /// The next header and, in `pdu`, what follows it; none at the end.
    fn next_header(&mut self) -> Result<Option<Header>, TraceError> {
        self.record_byte = self.at_byte;
        let mut bytes = [0; LONGEST_HEADER_BYTES];
        match self.read(&mut bytes[..4])? {
            0 => return Ok(None),
            1..4 => return Err(self.cut_off()),
            _ => {}
        }
        let Some((version, is_big_endian)) = version(&bytes) else {
            return self.lost(&mut bytes);
        };
        let length = header_bytes(version);
        if self.read(&mut bytes[4..length])? < length - 4 {
            return Err(self.cut_off());
        }
        let header = Header::decode(&bytes, version, is_big_endian);
        let mut pdu = std::mem::take(&mut self.pdu);
        pdu.resize(header.pdu_bytes.into(), 0);
        let read = self.read(&mut pdu);
        self.pdu = pdu;
        match read? < self.pdu.len() {
            true => Err(self.cut_off()),
            false => Ok(Some(header)),
        }
    }

    /// There is no record here: goes on to where the next one begins, for those that skip.
    fn lost(
        &mut self,
        bytes: &mut [u8; LONGEST_HEADER_BYTES],
    ) -> Result<Option<Header>, TraceError> {
        let error = self
            .wrong(Mistake::new("no record begins here", "a record of blktrace, version 7 or 8"));
        let mut window: [u8; 4] = [bytes[0], bytes[1], bytes[2], bytes[3]];
        while version(&window).is_none() {
            window.rotate_left(1);
            if self.read(&mut window[3..])? == 0 {
                self.ended = true;
                return Err(error);
            }
        }
        self.ahead.extend(window);
        self.at_byte -= window.len() as u64;
        Err(error)
    }

    /// What follows a record, without the id of a control group.
    fn pdu(&self, event: u16) -> &[u8] {
        let start = if event & WITH_CGROUP != 0 { CGROUP_ID_BYTES } else { 0 };
        self.pdu.get(start..).unwrap_or(&[])
    }

    fn record(&mut self, header: &Header, names: &mut Names) -> Result<Option<Record>, Mistake> {
        let event = header.action as u16;
        if header.action & category::NOTE != 0 {
            if event & !WITH_CGROUP == NOTE_PROCESS {
                let name = self.pdu(event).split(|&byte| byte == 0).next().unwrap_or(&[]);
                names.note(header.pid, &String::from_utf8_lossy(name));
            }
            return Ok(None);
        }
        let event = match event & !WITH_CGROUP {
            QUEUE => RequestEvent::Queued,
            ISSUE => RequestEvent::Issued,
            COMPLETE => RequestEvent::Completed,
            _ => return Ok(None),
        };
        let Some((op, flags)) = kind(header.action, header.bytes) else { return Ok(None) };
        let is_completion = event == RequestEvent::Completed;
        // A disk's own flush: the requests that waited for it have completions behind this one.
        if is_completion && op == Op::Flush && header.action & category::WRITE == 0 {
            return Ok(None);
        }
        let (offset_bytes, _) = place_of_sectors(header.sector, 0)?;
        let length_bytes = u64::from(header.bytes);
        if offset_bytes.checked_add(length_bytes).is_none() {
            return Err(Mistake::new("I/O behind 2^64 bytes", "an end below"));
        }
        let (major, minor) = (header.device >> 20, header.device & 0xf_ffff);
        Ok(Some(Record {
            time_ns: header.time_ns,
            event,
            op,
            flags,
            device: names.device(&format!("{major},{minor}")),
            process: match event {
                RequestEvent::Queued | RequestEvent::Issued => Some(names.process(header.pid, "")),
                RequestEvent::Completed => None,
            },
            offset_bytes: if op == Op::Flush && !is_completion { 0 } else { offset_bytes },
            length_bytes,
            response_ns: None,
        }))
    }
}

fn header_bytes(version: u8) -> usize {
    let known = HEADER_BYTES.iter().find(|&&(known, _)| known == version);
    known.map_or(LONGEST_HEADER_BYTES, |&(_, bytes)| bytes)
}

/// What a request does, by the category bits of its action. None: it is no I/O on blocks.
fn kind(action: u64, bytes: u32) -> Option<(Op, Flags)> {
    let has = |bit: u64| action & bit != 0;
    if has(category::PASSED_THROUGH) {
        return None;
    }
    let op = match bytes {
        0 if has(category::FLUSH | category::WRITE) => Op::Flush,
        0 => return None,
        _ if has(category::DISCARD) => Op::Discard,
        _ if has(category::WRITE) => Op::Write,
        _ if has(category::READ) => Op::Read,
        _ => return None,
    };
    let flags = Flags {
        sync: has(category::SYNC) || matches!(op, Op::Read | Op::Flush),
        read_ahead: has(category::AHEAD),
        metadata: has(category::METADATA),
        fua: has(category::FUA),
        preflush: has(category::FLUSH) && op != Op::Flush,
        takes_over: false,
    };
    Some((op, flags))
}

impl Header {
    fn decode(bytes: &[u8; LONGEST_HEADER_BYTES], version: u8, is_big_endian: bool) -> Header {
        let field = |start: usize, length: usize| {
            let bytes = &bytes[start..start + length];
            let push = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
            match is_big_endian {
                true => bytes.iter().fold(0, push),
                false => bytes.iter().rev().fold(0, push),
            }
        };
        // Where they differ, version 8 has the process before a wider action.
        let (action, pid, after) = match version {
            7 => (field(28, 4), field(32, 4), 36),
            _ => (field(32, 8), field(28, 4), 40),
        };
        Header {
            time_ns: field(8, 8),
            sector: field(16, 8),
            bytes: field(24, 4) as u32,
            action,
            pid: pid as u32,
            device: field(after, 4) as u32,
            pdu_bytes: field(after + 10, 2) as u16,
        }
    }
}

impl Parser for Blktrace<'_> {
    fn next(&mut self, names: &mut Names) -> Result<Option<Record>, TraceError> {
        while !self.ended {
            let Some(header) = self.next_header()? else { break };
            match self.record(&header, names) {
                Ok(None) => {}
                Ok(record) => return Ok(record),
                Err(mistake) => return Err(self.wrong(mistake)),
            }
        }
        Ok(None)
    }

    fn place(&self) -> TracePosition {
        TracePosition::Byte(self.record_byte)
    }
}
