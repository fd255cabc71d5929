// SPDX-License-Identifier: MIT OR Apache-2.0
//! The transmission: headers of requests are decoded, and checked against what the export is.

use super::replies::Replies;
use super::request::{ServerRequest, Ticket};
use crate::command::Command;
use crate::error_code::ErrorCode;
use crate::export::{Export, Features};
use crate::headers::Headers;
use crate::numbers::{
    EXTENDED_REQUEST_MAGIC, REQUEST_MAGIC, TOLERATED_PAYLOAD_BYTES, command, command_flag,
};
use crate::take::Take;

/// What a client has sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Received {
    /// A request; its payload follows, if it has one.
    Request(ServerRequest),
    /// A request that cannot be done.
    Refused(Refused),
    /// The client leaves. It gets the replies that it still waits for; then the connection is
    /// closed.
    Disconnect,
}

/// A request that cannot be done: the host skips its payload and sends [`Replies::error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused {
    /// What the reply needs to name the request.
    pub ticket: Ticket,
    /// Why it cannot be done.
    pub error: ErrorCode,
    /// The bytes of data that follow its header.
    pub payload_bytes: usize,
}

/// Why a connection must be closed: where the next request begins cannot be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TransmissionError {
    /// What should be a request does not begin like one.
    #[error("a request begins with {0:#010x}")]
    BadMagic(u32),
    /// A payload is longer than anybody may send.
    #[error("a payload of {0} bytes is announced")]
    PayloadTooLong(u64),
}

/// A server's side of a connection that uses an export.
#[derive(Debug, Clone)]
pub struct Transmission {
    headers: Headers,
    features: Features,
    size_bytes: u64,
    block_mask: u64,
    maximum_payload: u32,
    allocation: bool,
    /// What came of the next header.
    held: [u8; Headers::Extended.request_bytes()],
    held_bytes: usize,
}

/// A request as it is on the wire.
struct Raw {
    flags: u16,
    kind: u16,
    offset_bytes: u64,
    length_bytes: u64,
}

impl Transmission {
    pub(super) fn new(headers: Headers, export: &Export, allocation: bool) -> Self {
        let sizes = export.block_sizes;
        Self {
            headers,
            features: export.features,
            size_bytes: export.size_bytes,
            block_mask: u64::from(sizes.minimum()) - 1,
            // The header of a chunk has 32 bits for eight bytes more than its data.
            maximum_payload: sizes.maximum_payload().min(u32::MAX - 8),
            allocation,
            held: [0; _],
            held_bytes: 0,
        }
    }

    /// The headers that were agreed on.
    pub const fn headers(&self) -> Headers {
        self.headers
    }

    /// What makes the headers of replies; a copy can go to where requests end.
    pub const fn replies(&self) -> Replies {
        Replies::new(self.headers)
    }

    /// The export has this size from now on. The protocol has no way to tell the client, which
    /// either asked for it or learns it when it connects again.
    pub fn set_size_bytes(&mut self, size_bytes: u64) {
        self.size_bytes = size_bytes;
    }

    /// Whether nothing of a next request has come: a client that leaves now leaves in good order.
    pub const fn is_between_requests(&self) -> bool {
        self.held_bytes == 0
    }

    /// Takes a request's header from the front of `input`; `None` if it has not come whole, when
    /// all of `input` was taken. What follows a request is its payload, which is the host's.
    ///
    /// # Errors
    /// The connection must be closed.
    #[inline]
    pub fn receive(&mut self, input: &mut &[u8]) -> Result<Option<Received>, TransmissionError> {
        let wanted = self.headers.request_bytes();
        if self.held_bytes == 0
            && let Some((header, rest)) = input.split_at_checked(wanted)
        {
            *input = rest;
            return self.decode(header).map(Some);
        }
        self.receive_part(input, wanted)
    }

    /// As [`Self::receive`], of a header that comes in pieces.
    #[cold]
    fn receive_part(
        &mut self,
        input: &mut &[u8],
        wanted: usize,
    ) -> Result<Option<Received>, TransmissionError> {
        let (front, rest) = input.split_at(input.len().min(wanted - self.held_bytes));
        let end = self.held_bytes + front.len();
        self.held[self.held_bytes..end].copy_from_slice(front);
        *input = rest;
        self.held_bytes = end;
        if end < wanted {
            return Ok(None);
        }
        self.held_bytes = 0;
        self.decode(&self.held[..wanted]).map(Some)
    }

    fn decode(&self, header: &[u8]) -> Result<Received, TransmissionError> {
        let (magic, ticket, raw) = self.split(header).expect("the header is whole");
        let right = match self.headers {
            Headers::Simple | Headers::Structured => REQUEST_MAGIC,
            Headers::Extended => EXTENDED_REQUEST_MAGIC,
        };
        if magic != right {
            return Err(TransmissionError::BadMagic(magic));
        }
        if raw.kind == command::DISC {
            return Ok(Received::Disconnect);
        }
        let has_payload = match self.headers {
            Headers::Simple | Headers::Structured => raw.kind == command::WRITE,
            Headers::Extended => raw.flags & command_flag::PAYLOAD_LEN != 0,
        };
        let payload = if has_payload { raw.length_bytes } else { 0 };
        if payload > u64::from(self.maximum_payload.max(TOLERATED_PAYLOAD_BYTES)) {
            return Err(TransmissionError::PayloadTooLong(payload));
        }
        Ok(match self.check(&raw) {
            Ok(command) => {
                let fua = raw.flags & command_flag::FUA != 0;
                let length_bytes = raw.length_bytes;
                Received::Request(ServerRequest { ticket, command, fua, length_bytes })
            }
            Err(error) => {
                Received::Refused(Refused { ticket, error, payload_bytes: payload as usize })
            }
        })
    }

    /// The fields of a header.
    fn split(&self, header: &[u8]) -> Option<(u32, Ticket, Raw)> {
        let mut take = Take(header);
        let magic = take.u32()?;
        let flags = take.u16()?;
        let kind = take.u16()?;
        let cookie = take.u64()?;
        let offset_bytes = take.u64()?;
        let length_bytes = match self.headers {
            Headers::Simple | Headers::Structured => u64::from(take.u32()?),
            Headers::Extended => take.u64()?,
        };
        let ticket = Ticket { cookie, offset_bytes };
        Some((magic, ticket, Raw { flags, kind, offset_bytes, length_bytes }))
    }

    /// What is to be done, if it can be.
    fn check(&self, raw: &Raw) -> Result<Command, ErrorCode> {
        let writes = matches!(
            raw.kind,
            command::WRITE | command::TRIM | command::WRITE_ZEROES | command::RESIZE
        );
        if writes && self.features.contains(Features::READ_ONLY) {
            return Err(ErrorCode::NotPermitted);
        }
        let command = self.command(raw)?;
        match command {
            Command::Flush if raw.offset_bytes | raw.length_bytes == 0 => return Ok(command),
            Command::Resize if raw.length_bytes == 0 => return Ok(command),
            Command::Flush | Command::Resize => return Err(ErrorCode::Invalid),
            _ => {}
        }
        let is_within = raw
            .offset_bytes
            .checked_add(raw.length_bytes)
            .is_some_and(|end| end <= self.size_bytes);
        if !is_within {
            let takes_space = matches!(command, Command::Write | Command::WriteZeroes { .. });
            return Err(if takes_space { ErrorCode::NoSpace } else { ErrorCode::Invalid });
        }
        if raw.length_bytes == 0 || (raw.offset_bytes | raw.length_bytes) & self.block_mask != 0 {
            return Err(ErrorCode::Invalid);
        }
        let has_data = matches!(command, Command::Read { .. } | Command::Write);
        if has_data && raw.length_bytes > u64::from(self.maximum_payload) {
            let overflows = self.headers.has_chunks() && command != Command::Write;
            return Err(if overflows { ErrorCode::Overflow } else { ErrorCode::Invalid });
        }
        Ok(command)
    }

    /// The command that was negotiated, with flags that it has.
    fn command(&self, raw: &Raw) -> Result<Command, ErrorCode> {
        let has = |features| self.features.contains(features);
        let flag = |bit| raw.flags & bit != 0;
        let (command, is_offered, own_flags) = match raw.kind {
            command::READ => {
                let df = if self.headers.has_chunks() { command_flag::DF } else { 0 };
                (Command::Read { whole: flag(command_flag::DF) }, true, df)
            }
            command::WRITE if self.headers == Headers::Extended => {
                // Without the flag its length would not be that of its data.
                let payload = command_flag::PAYLOAD_LEN;
                (Command::Write, flag(payload), payload)
            }
            command::WRITE => (Command::Write, true, 0),
            command::FLUSH => (Command::Flush, has(Features::FLUSH), 0),
            command::TRIM => (Command::Trim, has(Features::TRIM), 0),
            command::CACHE => (Command::Cache, has(Features::CACHE), 0),
            command::WRITE_ZEROES => {
                let fast = if has(Features::FAST_ZERO) { command_flag::FAST_ZERO } else { 0 };
                let zeroes = Command::WriteZeroes {
                    may_be_hole: !flag(command_flag::NO_HOLE),
                    only_if_fast: flag(command_flag::FAST_ZERO),
                };
                (zeroes, has(Features::WRITE_ZEROES), command_flag::NO_HOLE | fast)
            }
            command::BLOCK_STATUS => {
                let one = flag(command_flag::REQ_ONE);
                (Command::BlockStatus { one }, self.allocation, command_flag::REQ_ONE)
            }
            command::RESIZE => (Command::Resize, has(Features::RESIZE), 0),
            _ => return Err(ErrorCode::Invalid),
        };
        let fua = if has(Features::FUA) { command_flag::FUA } else { 0 };
        if is_offered && raw.flags & !(own_flags | fua) == 0 {
            return Ok(command);
        }
        Err(ErrorCode::Invalid)
    }
}
