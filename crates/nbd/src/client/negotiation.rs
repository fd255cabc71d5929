// SPDX-License-Identifier: MIT OR Apache-2.0
//! A client's handshake over anything that can be read and written, which waits for each answer.

use super::connection::Connection;
use super::handshake::{Answer, ClientEvent, Handshake, HandshakeError};
use super::question::{Question, Refused};
use crate::headers::Headers;
use std::io::{self, Read, Write};

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum NegotiationError {
    /// The connection failed, or the server closed it.
    #[error("the connection failed: {0}")]
    Io(#[from] io::Error),
    /// The server does not keep to the protocol.
    #[error(transparent)]
    Protocol(#[from] HandshakeError),
    /// The server will not.
    #[error(transparent)]
    Refused(#[from] Refused),
}

/// A handshake over a stream.
#[derive(Debug)]
pub struct Negotiation<S> {
    stream: S,
    handshake: Handshake,
    /// Bytes that came and were not looked at.
    unread: Vec<u8>,
}

impl<S: Read + Write> Negotiation<S> {
    /// Waits for the server's greeting.
    ///
    /// # Errors
    /// The connection fails, or there is no server of NBD at its other end.
    pub fn begin(stream: S) -> Result<Self, NegotiationError> {
        let mut negotiation = Self { stream, handshake: Handshake::new(), unread: Vec::new() };
        negotiation.wait()?;
        Ok(negotiation)
    }

    /// Asks a question and waits for its answer, which may be a refusal.
    ///
    /// # Errors
    /// The connection fails, or the server does not keep to the protocol.
    pub fn ask(&mut self, question: Question) -> Result<Answer, NegotiationError> {
        self.handshake.ask(question);
        match self.wait()? {
            ClientEvent::Answer(answer) => Ok(answer),
            ClientEvent::More | ClientEvent::Ready => Err(HandshakeError::BadReply.into()),
        }
    }

    /// Asks for the best headers up to `most`; the server may know less.
    ///
    /// # Errors
    /// As of [`Self::ask`].
    pub fn ask_headers(&mut self, most: Headers) -> Result<Headers, NegotiationError> {
        if most == Headers::Extended
            && let Answer::Done = self.ask(Question::ExtendedHeaders)?
        {
            return Ok(Headers::Extended);
        }
        if most.has_chunks()
            && let Answer::Done = self.ask(Question::StructuredReplies)?
        {
            return Ok(Headers::Structured);
        }
        Ok(Headers::Simple)
    }

    /// Goes on over another stream, such as TLS over this one, after [`Question::StartTls`] was
    /// answered by [`Answer::Done`].
    ///
    /// # Errors
    /// `upgrade` fails.
    pub fn over<T: Read + Write>(
        mut self,
        upgrade: impl FnOnce(S) -> io::Result<T>,
    ) -> Result<Negotiation<T>, NegotiationError> {
        let stream = upgrade(self.stream)?;
        self.handshake.tls_started();
        Ok(Negotiation { stream, handshake: self.handshake, unread: self.unread })
    }

    /// Uses an export.
    ///
    /// # Errors
    /// As of [`Self::ask`]; or the server refuses.
    pub fn go(mut self, export: &str) -> Result<Connection<S>, NegotiationError> {
        match self.ask(Question::Go(export.to_owned()))? {
            Answer::Transmission(export, transmission) => {
                Ok(Connection::new(self.stream, self.unread, export, transmission))
            }
            Answer::Refused(refused) => Err(refused.into()),
            _ => Err(HandshakeError::BadReply.into()),
        }
    }

    /// Sends the output, and waits for an event.
    fn wait(&mut self) -> Result<ClientEvent, NegotiationError> {
        let mut buffer = [0; 4096];
        loop {
            self.stream.write_all(&self.handshake.take_output())?;
            self.stream.flush()?;
            let mut input = &self.unread[..];
            let event = self.handshake.receive(&mut input)?;
            self.unread = input.to_vec();
            if !matches!(event, ClientEvent::More) {
                self.stream.write_all(&self.handshake.take_output())?;
                return Ok(event);
            }
            let bytes = self.stream.read(&mut buffer)?;
            if bytes == 0 {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
            }
            self.unread.extend_from_slice(&buffer[..bytes]);
        }
    }
}
