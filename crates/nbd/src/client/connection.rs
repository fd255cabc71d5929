// SPDX-License-Identifier: MIT OR Apache-2.0
//! A client's requests over anything that can be read and written, many of them in flight.

use super::transmission::{ClientRequest, Received, ReplyError, Transmission};
use crate::command::Command;
use crate::error_code::ErrorCode;
use crate::export::Export;
use crate::extent::Extent;
use std::collections::HashMap;
use std::io::{self, Read, Write};

/// Why a request has no good end.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    /// The connection failed, or the server closed it.
    #[error("the connection failed: {0}")]
    Io(#[from] io::Error),
    /// The server does not keep to the protocol.
    #[error(transparent)]
    Protocol(#[from] ReplyError),
    /// The server could not do it.
    #[error("the server could not do it: {0}")]
    Failed(#[from] ErrorCode),
}

/// What a request has come to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestOutcome {
    /// The data of a read.
    pub data: Vec<u8>,
    /// What a question for block status has found.
    pub extents: Vec<Extent>,
    /// What went wrong, if anything did.
    pub error: Option<ErrorCode>,
    /// Holes that the server did not send the zeros of.
    pub holes: usize,
    offset_bytes: u64,
}

/// A connection that uses an export.
#[derive(Debug)]
pub struct Connection<S> {
    stream: S,
    export: Export,
    transmission: Transmission,
    /// Requests whose reply has not come to its end.
    open: HashMap<u64, RequestOutcome>,
    /// Those whose reply has, and that were not asked for yet.
    closed: HashMap<u64, RequestOutcome>,
    buffer: Vec<u8>,
    used: usize,
}

impl<S: Read + Write> Connection<S> {
    pub(super) fn new(
        stream: S,
        unread: Vec<u8>,
        export: Export,
        transmission: Transmission,
    ) -> Self {
        Self {
            stream,
            export,
            transmission,
            open: HashMap::new(),
            closed: HashMap::new(),
            buffer: unread,
            used: 0,
        }
    }

    /// What the server said of the export.
    pub fn export(&self) -> &Export {
        &self.export
    }

    /// The machine below, for its counts and headers.
    pub fn transmission(&self) -> &Transmission {
        &self.transmission
    }

    /// The stream below; what is written to it comes between two requests.
    pub fn stream(&mut self) -> &mut S {
        &mut self.stream
    }

    /// Sends a request, with `data` behind it if it is a write, and does not wait.
    ///
    /// # Errors
    /// The connection fails.
    pub fn begin(&mut self, request: ClientRequest, data: &[u8]) -> Result<u64, ConnectionError> {
        let (cookie, mut message) = self.transmission.begin(request);
        message.extend_from_slice(data);
        let length = match request.command {
            Command::Read { .. } => request.length_bytes as usize,
            _ => 0,
        };
        let offset_bytes = request.offset_bytes;
        let data = vec![0; length];
        self.open
            .insert(cookie, RequestOutcome { data, offset_bytes, ..RequestOutcome::default() });
        self.stream.write_all(&message)?;
        self.stream.flush()?;
        Ok(cookie)
    }

    /// Waits for the end of a request that was begun, whatever comes before it.
    ///
    /// # Errors
    /// The connection fails, or the server does not keep to the protocol.
    pub fn finish(&mut self, cookie: u64) -> Result<RequestOutcome, ConnectionError> {
        loop {
            if let Some(outcome) = self.closed.remove(&cookie) {
                return Ok(outcome);
            }
            self.receive()?;
        }
    }

    /// Waits for the end of any request, and returns its number as well.
    ///
    /// # Errors
    /// The connection fails, or the server does not keep to the protocol.
    pub fn finish_any(&mut self) -> Result<(u64, RequestOutcome), ConnectionError> {
        loop {
            if let Some(&cookie) = self.closed.keys().next()
                && let Some(outcome) = self.closed.remove(&cookie)
            {
                return Ok((cookie, outcome));
            }
            self.receive()?;
        }
    }

    /// Does a request, and waits for its end.
    ///
    /// # Errors
    /// The connection fails, the server does not keep to the protocol, or it cannot do it.
    pub fn request(
        &mut self,
        request: ClientRequest,
        data: &[u8],
    ) -> Result<RequestOutcome, ConnectionError> {
        let cookie = self.begin(request, data)?;
        let outcome = self.finish(cookie)?;
        match outcome.error {
            Some(error) => Err(error.into()),
            None => Ok(outcome),
        }
    }

    /// Reads `length` bytes from a position in the export.
    ///
    /// # Errors
    /// Those of [`Self::request`].
    pub fn read(&mut self, offset_bytes: u64, length: usize) -> Result<Vec<u8>, ConnectionError> {
        let command = Command::Read { whole: false };
        let length_bytes = length as u64;
        let request = ClientRequest { command, fua: false, offset_bytes, length_bytes };
        self.request(request, &[]).map(|outcome| outcome.data)
    }

    /// Writes `data` at a position in the export.
    ///
    /// # Errors
    /// Those of [`Self::request`].
    pub fn write(&mut self, offset_bytes: u64, data: &[u8]) -> Result<(), ConnectionError> {
        let length_bytes = data.len() as u64;
        let request =
            ClientRequest { command: Command::Write, fua: false, offset_bytes, length_bytes };
        self.request(request, data).map(drop)
    }

    /// Makes what was acknowledged durable.
    ///
    /// # Errors
    /// Those of [`Self::request`].
    pub fn flush(&mut self) -> Result<(), ConnectionError> {
        let command = Command::Flush;
        let request = ClientRequest { command, fua: false, offset_bytes: 0, length_bytes: 0 };
        self.request(request, &[]).map(drop)
    }

    /// Takes leave, and returns the stream.
    ///
    /// # Errors
    /// The connection fails.
    pub fn disconnect(mut self) -> io::Result<S> {
        self.stream.write_all(&self.transmission.disconnect())?;
        self.stream.flush()?;
        Ok(self.stream)
    }

    /// Takes one piece of a reply.
    fn receive(&mut self) -> Result<(), ConnectionError> {
        loop {
            let mut input = &self.buffer[self.used..];
            let received = self.transmission.receive(&mut input)?;
            self.used = self.buffer.len() - input.len();
            if let Some(received) = received {
                return self.take(received);
            }
            self.buffer.resize(1 << 16, 0);
            let bytes = self.stream.read(&mut self.buffer)?;
            self.buffer.truncate(bytes);
            self.used = 0;
            if bytes == 0 {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
            }
        }
    }

    fn take(&mut self, received: Received) -> Result<(), ConnectionError> {
        let (cookie, ends) = match received {
            Received::Data { cookie, offset_bytes, length_bytes, last } => {
                let mut outcome = self.outcome(cookie)?;
                let start = (offset_bytes - outcome.offset_bytes) as usize;
                let result = self.data(&mut outcome.data[start..start + length_bytes]);
                self.open.insert(cookie, outcome);
                result?;
                (cookie, last)
            }
            Received::Hole { cookie, last, .. } => {
                self.open.entry(cookie).or_default().holes += 1;
                (cookie, last)
            }
            Received::Status { cookie, extents, last } => {
                self.open.entry(cookie).or_default().extents = extents;
                (cookie, last)
            }
            Received::Done { cookie } => (cookie, true),
            Received::Error { cookie, error, last, .. } => {
                self.open.entry(cookie).or_default().error = Some(error);
                (cookie, last)
            }
        };
        if ends {
            let outcome = self.outcome(cookie)?;
            self.closed.insert(cookie, outcome);
        }
        Ok(())
    }

    fn outcome(&mut self, cookie: u64) -> Result<RequestOutcome, ReplyError> {
        self.open.remove(&cookie).ok_or(ReplyError::UnknownCookie(cookie))
    }

    /// Reads data of a reply, the first of them from what was read too much.
    fn data(&mut self, target: &mut [u8]) -> io::Result<()> {
        let there = &self.buffer[self.used..];
        let (front, rest) = target.split_at_mut(there.len().min(target.len()));
        front.copy_from_slice(&there[..front.len()]);
        self.used += front.len();
        self.stream.read_exact(rest)
    }
}
