// SPDX-License-Identifier: MIT OR Apache-2.0
//! The end of the control socket that asks.

use super::line::read_line;
use super::protocol::{ControlRequest, Refusal, read_answer, request_line};
use serde::de::DeserializeOwned;
use std::io::{self, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// The longest answer that is taken.
const MAX_ANSWER_BYTES: usize = 64 << 20;
/// How long an answer may take to come once it has begun; draining may take long before that.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection to a running server.
#[derive(Debug)]
pub struct Client {
    stream: BufReader<UnixStream>,
}

/// Why there is no answer, or none that was hoped for.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// The server cannot be reached, or goes away.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Its answer is not understood.
    #[error("the server's answer is not understood: {0}")]
    Answer(#[from] serde_json::Error),
    /// The server refuses the request, and says why.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

impl Client {
    /// Connects to the socket of a server.
    ///
    /// # Errors
    /// There is no listener, or this user may not connect.
    pub fn connect(socket: &Path) -> io::Result<Client> {
        Ok(Client { stream: BufReader::new(UnixStream::connect(socket)?) })
    }

    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// The server is gone, refuses, or is of another version.
    pub fn ask<T: DeserializeOwned>(&mut self, request: &ControlRequest) -> Result<T, AskError> {
        self.stream.get_mut().write_all(request_line(request)?.as_bytes())?;
        let line = read_line(&mut self.stream, MAX_ANSWER_BYTES, PATIENCE)?;
        let line = line.ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof))?;
        Ok(serde_json::from_value(read_answer(&line)??)?)
    }
}
