// SPDX-License-Identifier: MIT OR Apache-2.0
//! A client's transmission: requests are numbered, and their replies checked against them.

use super::payload::{ErrorChunk, extents, is_plausible};
use crate::command::Command;
use crate::error_code::ErrorCode;
use crate::extent::Extent;
use crate::headers::Headers;
use crate::numbers::{
    EXTENDED_REPLY_MAGIC, EXTENDED_REQUEST_MAGIC, REPLY_FLAG_DONE, REQUEST_MAGIC,
    SIMPLE_REPLY_MAGIC, STRUCTURED_REPLY_MAGIC, chunk, command, command_flag,
};
use crate::take::{Take, fill};
use std::collections::HashMap;

/// Something that a server is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientRequest {
    /// What it is to do.
    pub command: Command,
    /// It is to be durable before it is acknowledged.
    pub fua: bool,
    /// Where it begins, in bytes; the new size of a resize.
    pub offset_bytes: u64,
    /// How much it is about, in bytes.
    pub length_bytes: u64,
}

impl ClientRequest {
    fn kind(&self) -> u16 {
        match self.command {
            Command::Read { .. } => command::READ,
            Command::Write => command::WRITE,
            Command::Flush => command::FLUSH,
            Command::Trim => command::TRIM,
            Command::Cache => command::CACHE,
            Command::WriteZeroes { .. } => command::WRITE_ZEROES,
            Command::BlockStatus { .. } => command::BLOCK_STATUS,
            Command::Resize => command::RESIZE,
        }
    }

    fn flags(&self, headers: Headers) -> u16 {
        let when = |condition: bool, flag: u16| if condition { flag } else { 0 };
        let own = match self.command {
            Command::Read { whole } => when(whole, command_flag::DF),
            Command::Write => when(headers == Headers::Extended, command_flag::PAYLOAD_LEN),
            Command::WriteZeroes { may_be_hole, only_if_fast } => {
                when(!may_be_hole, command_flag::NO_HOLE)
                    | when(only_if_fast, command_flag::FAST_ZERO)
            }
            Command::BlockStatus { one } => when(one, command_flag::REQ_ONE),
            Command::Flush | Command::Trim | Command::Cache | Command::Resize => 0,
        };
        own | when(self.fua, command_flag::FUA)
    }

    fn is_read(&self) -> bool {
        matches!(self.command, Command::Read { .. })
    }
}

/// A piece of a reply; `last` ends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Received {
    /// The bytes of data that follow, which are not for the machine.
    Data {
        /// The request it is for.
        cookie: u64,
        /// Where they are, in bytes.
        offset_bytes: u64,
        /// How many they are.
        length_bytes: usize,
        /// It ends the reply.
        last: bool,
    },
    /// Zeros that were not sent.
    Hole {
        /// The request it is for.
        cookie: u64,
        /// Where they are, in bytes.
        offset_bytes: u64,
        /// How many they are.
        length_bytes: usize,
        /// It ends the reply.
        last: bool,
    },
    /// Which parts of the range have data and which are holes.
    Status {
        /// The request it is for.
        cookie: u64,
        /// From the request's offset on.
        extents: Vec<Extent>,
        /// It ends the reply.
        last: bool,
    },
    /// The request is done.
    Done {
        /// The request it is for.
        cookie: u64,
    },
    /// The request has failed.
    Error {
        /// The request it is for.
        cookie: u64,
        /// The kind of failure, which a program can act on.
        error: ErrorCode,
        /// For people; may be empty.
        message: String,
        /// Where it went wrong, in bytes.
        offset_bytes: Option<u64>,
        /// It ends the reply.
        last: bool,
    },
}

/// Why a connection cannot be used any more: the server does not keep to the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReplyError {
    /// What should be a reply does not begin like one.
    #[error("a reply begins with {0:#010x}")]
    BadMagic(u32),
    /// It answers no request that is in flight.
    #[error("a reply is to no request ({0:#x})")]
    UnknownCookie(u64),
    /// A chunk makes no sense, at all or for its request.
    #[error("a chunk of type {0:#x} makes no sense")]
    BadChunk(u16),
    /// A reply ends without all of the data, or has some twice.
    #[error("a read got {got} of {wanted} bytes")]
    WrongLength {
        /// Bytes of data and holes.
        got: u64,
        /// Bytes that were asked for.
        wanted: u64,
    },
}

/// A client's side of a connection that uses an export.
#[derive(Debug)]
pub struct Transmission {
    headers: Headers,
    allocation_id: Option<u32>,
    next_cookie: u64,
    in_flight: HashMap<u64, InFlight>,
    held: Vec<u8>,
    /// The chunk whose payload comes next.
    chunk: Option<Chunk>,
}

#[derive(Debug, Clone, Copy)]
struct InFlight {
    request: ClientRequest,
    /// Bytes of data and holes that have come.
    got_bytes: u64,
    failed: bool,
}

#[derive(Debug, Clone, Copy)]
struct Chunk {
    cookie: u64,
    kind: u16,
    /// Its payload without the data of a read.
    held_bytes: usize,
    length: u64,
    last: bool,
}

impl Transmission {
    pub(super) fn new(headers: Headers, allocation_id: Option<u32>) -> Self {
        Self {
            headers,
            allocation_id,
            next_cookie: 1,
            in_flight: HashMap::new(),
            held: Vec::new(),
            chunk: None,
        }
    }

    /// The headers that were agreed on.
    pub fn headers(&self) -> Headers {
        self.headers
    }

    /// Requests that have no whole reply yet.
    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// Numbers a request. Its header is to be sent, with the payload of a write behind it.
    pub fn begin(&mut self, request: ClientRequest) -> (u64, Vec<u8>) {
        let cookie = self.next_cookie;
        self.next_cookie += 1;
        self.in_flight.insert(cookie, InFlight { request, got_bytes: 0, failed: false });
        (cookie, self.header(request.flags(self.headers), request.kind(), cookie, request))
    }

    /// The header that says good-bye.
    pub fn disconnect(&self) -> Vec<u8> {
        let command = Command::Flush;
        let nothing = ClientRequest { command, fua: false, offset_bytes: 0, length_bytes: 0 };
        self.header(0, command::DISC, 0, nothing)
    }

    fn header(&self, flags: u16, kind: u16, cookie: u64, request: ClientRequest) -> Vec<u8> {
        let is_extended = self.headers == Headers::Extended;
        let magic = if is_extended { EXTENDED_REQUEST_MAGIC } else { REQUEST_MAGIC };
        let mut header = Vec::with_capacity(self.headers.request_bytes());
        header.extend_from_slice(&magic.to_be_bytes());
        header.extend_from_slice(&flags.to_be_bytes());
        header.extend_from_slice(&kind.to_be_bytes());
        header.extend_from_slice(&cookie.to_be_bytes());
        header.extend_from_slice(&request.offset_bytes.to_be_bytes());
        let length = request.length_bytes.to_be_bytes();
        header.extend_from_slice(if is_extended { &length } else { &length[4..] });
        header
    }

    /// Takes a piece of a reply from the front of `input`; `None` if it has not come whole, when
    /// all of `input` was taken. What follows [`Received::Data`] are the data.
    ///
    /// # Errors
    /// The server does not keep to the protocol; the connection must be closed.
    pub fn receive(&mut self, input: &mut &[u8]) -> Result<Option<Received>, ReplyError> {
        loop {
            if let Some(chunk) = self.chunk {
                if !fill(&mut self.held, input, chunk.held_bytes) {
                    return Ok(None);
                }
                self.chunk = None;
                let payload = std::mem::take(&mut self.held);
                return self.payload(chunk, &payload).map(Some);
            }
            if !fill(&mut self.held, input, 4) {
                return Ok(None);
            }
            let magic = Take(&self.held).u32().expect("held are at least four bytes");
            let wanted = self.reply_bytes(magic).ok_or(ReplyError::BadMagic(magic))?;
            if !fill(&mut self.held, input, wanted) {
                return Ok(None);
            }
            let header = std::mem::take(&mut self.held);
            let mut take = Take(&header[4..]);
            if magic == SIMPLE_REPLY_MAGIC {
                let fields = take.u32().zip(take.u64());
                let (error, cookie) = fields.expect("the header is whole");
                return self.simple(error, cookie).map(Some);
            }
            self.chunk = Some(self.chunk_header(take)?);
        }
    }

    /// The bytes of a reply's header that begins with `magic`, if it may.
    fn reply_bytes(&self, magic: u32) -> Option<usize> {
        match (magic, self.headers) {
            (SIMPLE_REPLY_MAGIC, Headers::Simple | Headers::Structured) => Some(16),
            (STRUCTURED_REPLY_MAGIC, Headers::Structured) => Some(20),
            (EXTENDED_REPLY_MAGIC, Headers::Extended) => Some(32),
            _ => None,
        }
    }

    fn simple(&mut self, error: u32, cookie: u64) -> Result<Received, ReplyError> {
        let entry = self.in_flight.remove(&cookie).ok_or(ReplyError::UnknownCookie(cookie))?;
        let request = entry.request;
        if error != 0 {
            let error = ErrorCode::of_number(error);
            let message = String::new();
            return Ok(Received::Error { cookie, error, message, offset_bytes: None, last: true });
        }
        let needs_chunks = matches!(request.command, Command::BlockStatus { .. })
            || (request.is_read() && self.headers.has_chunks());
        if needs_chunks {
            return Err(ReplyError::BadMagic(SIMPLE_REPLY_MAGIC));
        }
        if request.is_read() {
            let ClientRequest { offset_bytes, length_bytes, .. } = request;
            let length_bytes = length_bytes as usize;
            return Ok(Received::Data { cookie, offset_bytes, length_bytes, last: true });
        }
        Ok(Received::Done { cookie })
    }

    /// The chunk whose header, after the magic number, is in `take`.
    fn chunk_header(&self, mut take: Take<'_>) -> Result<Chunk, ReplyError> {
        let whole = "the header is whole";
        let flags = take.u16().expect(whole);
        let kind = take.u16().expect(whole);
        let cookie = take.u64().expect(whole);
        let entry = self.in_flight.get(&cookie).ok_or(ReplyError::UnknownCookie(cookie))?;
        let length = if self.headers == Headers::Extended {
            if take.u64().expect(whole) != entry.request.offset_bytes {
                return Err(ReplyError::BadChunk(kind));
            }
            take.u64().expect(whole)
        } else {
            u64::from(take.u32().expect(whole))
        };
        let last = flags & REPLY_FLAG_DONE != 0;
        if !is_plausible(kind, length) || (kind == chunk::NONE && !last) {
            return Err(ReplyError::BadChunk(kind));
        }
        let held_bytes = if kind == chunk::OFFSET_DATA { 8 } else { length as usize };
        Ok(Chunk { cookie, kind, held_bytes, length, last })
    }

    /// What a chunk says, whose payload (without data) is there.
    fn payload(&mut self, chunk: Chunk, payload: &[u8]) -> Result<Received, ReplyError> {
        let Chunk { cookie, kind, last, .. } = chunk;
        let bad = ReplyError::BadChunk(kind);
        let entry = self.in_flight.get_mut(&cookie).ok_or(ReplyError::UnknownCookie(cookie))?;
        let mut take = Take(payload);
        let received = match kind {
            chunk::NONE => Received::Done { cookie },
            chunk::OFFSET_DATA => {
                let offset_bytes = take.u64().ok_or(bad)?;
                let length_bytes = entry.content(offset_bytes, chunk.length - 8).ok_or(bad)?;
                Received::Data { cookie, offset_bytes, length_bytes, last }
            }
            chunk::OFFSET_HOLE => {
                let offset_bytes = take.u64().ok_or(bad)?;
                let length = u64::from(take.u32().filter(|length| *length > 0).ok_or(bad)?);
                let length_bytes = entry.content(offset_bytes, length).ok_or(bad)?;
                Received::Hole { cookie, offset_bytes, length_bytes, last }
            }
            chunk::BLOCK_STATUS | chunk::BLOCK_STATUS_EXT => {
                let is_extended = kind == chunk::BLOCK_STATUS_EXT;
                let asked = matches!(entry.request.command, Command::BlockStatus { .. })
                    && is_extended == (self.headers == Headers::Extended);
                let id = self.allocation_id.filter(|_| asked).ok_or(bad)?;
                let extents = extents(self.headers, id, payload).ok_or(bad)?;
                Received::Status { cookie, extents, last }
            }
            _ => {
                let ErrorChunk { error, message, offset_bytes } =
                    ErrorChunk::parse(kind, payload).ok_or(bad)?;
                entry.failed = true;
                Received::Error { cookie, error, message, offset_bytes, last }
            }
        };
        if last {
            let InFlight { request, got_bytes: got, failed } = *entry;
            let wanted = request.length_bytes;
            self.in_flight.remove(&cookie);
            if request.is_read() && !failed && got != wanted {
                return Err(ReplyError::WrongLength { got, wanted });
            }
        }
        Ok(received)
    }
}

impl InFlight {
    /// Counts data or a hole of a read; `None` if they are not what it asked for.
    fn content(&mut self, offset_bytes: u64, length: u64) -> Option<usize> {
        let request = self.request;
        let end = request.offset_bytes.checked_add(request.length_bytes)?;
        let is_within = offset_bytes >= request.offset_bytes
            && offset_bytes.checked_add(length).is_some_and(|own_end| own_end <= end);
        let left = request.length_bytes - self.got_bytes;
        if !request.is_read() || !is_within || length > left {
            return None;
        }
        self.got_bytes += length;
        usize::try_from(length).ok()
    }
}
