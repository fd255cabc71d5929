// SPDX-License-Identifier: MIT OR Apache-2.0
//! The handshake: fixed newstyle negotiation until an export is used.

use super::option_data::{Answer, Queries, Wanted};
use super::question::{Contexts, Go, Info, List};
use super::session::{Session, TlsPolicy};
use crate::headers::Headers;
use crate::limits::Limits;
use crate::numbers::{INIT_PASSWORD, OPTION_MAGIC, handshake, option, option_reply};
use crate::take::{Take, fill};
use crate::text;

/// What the host has to do next.
#[derive(Debug)]
pub enum ServerEvent<'a> {
    /// Wait: all bytes were taken, and more are needed.
    More,
    /// Nothing but to send the output: an option was answered without the host.
    Answered,
    /// Answer which exports there are.
    List(List<'a>),
    /// Answer what an export is.
    Info(Info<'a>),
    /// Answer whether an export may be used.
    Go(Go<'a>),
    /// Answer which metadata contexts an export has.
    Contexts(Contexts<'a>),
    /// Send the output, set up TLS, and call [`Handshake::tls_started`]; all bytes from now on are
    /// those that came through TLS.
    StartTls,
    /// Send the output and close the connection: the client has changed its mind.
    Abort,
}

/// Why a connection must be closed during its handshake. What can be answered is answered instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HandshakeError {
    /// The client has flags that it cannot know from this server.
    #[error("the client's flags {0:#x} are not those of the server")]
    UnknownClientFlags(u32),
    /// What should be an option does not begin like one.
    #[error("an option begins with {0:#018x}")]
    BadOptionMagic(u64),
    /// Bytes came in the clear behind `STARTTLS`, as an attacker would inject them.
    #[error("bytes came in the clear behind STARTTLS")]
    BytesBehindStartTls,
    /// `EXPORT_NAME`, which has no replies, before TLS that is required, with extended headers, or
    /// with a name that is none.
    #[error("EXPORT_NAME without TLS, with extended headers, or with a bad name")]
    BadExportName,
    /// The handshake has come to its end before.
    #[error("the handshake is over")]
    Over,
}

/// The handshake of a connection, on the server's side.
#[derive(Debug)]
pub struct Handshake {
    session: Session,
    limits: Limits,
    state: State,
    /// What came of the piece that `state` waits for.
    held: Vec<u8>,
}

/// The piece that comes next.
#[derive(Debug, Clone, Copy)]
enum State {
    ClientFlags,
    OptionHeader,
    /// The data of an option, `length` bytes.
    Data {
        option: u32,
        length: u32,
    },
    /// An option's data that are not kept; it has this answer.
    Skip {
        option: u32,
        left: u32,
        answer: Answer,
    },
    /// Nothing until the host has set up TLS.
    Tls,
}

impl Handshake {
    /// A connection that has just been made; there is output.
    pub fn new(tls: TlsPolicy, limits: Limits) -> Self {
        let mut session = Session::new(tls);
        let flags = handshake::FIXED_NEWSTYLE | handshake::NO_ZEROES;
        session.output.extend_from_slice(&INIT_PASSWORD.to_be_bytes());
        session.output.extend_from_slice(&OPTION_MAGIC.to_be_bytes());
        session.output.extend_from_slice(&flags.to_be_bytes());
        Self { session, limits, state: State::ClientFlags, held: Vec::new() }
    }

    /// What is to be sent to the client.
    pub fn output(&self) -> &[u8] {
        &self.session.output
    }

    /// The first `bytes` of the output have been sent.
    ///
    /// # Panics
    /// There were fewer.
    pub fn sent(&mut self, bytes: usize) {
        self.session.output.drain(..bytes);
    }

    /// The connection is under TLS now, as [`ServerEvent::StartTls`] asked for.
    pub fn tls_started(&mut self) {
        if let State::Tls = self.state {
            self.session.encrypt();
            self.state = State::OptionHeader;
        }
    }

    /// Takes bytes that came from the front of `input`, up to the end of an option.
    ///
    /// # Errors
    /// The connection must be closed.
    pub fn receive(&mut self, input: &mut &[u8]) -> Result<ServerEvent<'_>, HandshakeError> {
        if self.session.over {
            return Err(HandshakeError::Over);
        }
        loop {
            match self.state {
                State::ClientFlags => {
                    if !fill(&mut self.held, input, 4) {
                        return Ok(ServerEvent::More);
                    }
                    self.client_flags()?;
                }
                State::OptionHeader => {
                    if !fill(&mut self.held, input, 16) {
                        return Ok(ServerEvent::More);
                    }
                    self.option_header()?;
                }
                State::Skip { option, left, answer } => {
                    let skipped = input.len().min(left as usize);
                    *input = &input[skipped..];
                    let left = left - skipped as u32;
                    if left > 0 {
                        self.state = State::Skip { option, left, answer };
                        return Ok(ServerEvent::More);
                    }
                    self.state = State::OptionHeader;
                    return self.answer(option, answer);
                }
                State::Data { option, length } => {
                    if !fill(&mut self.held, input, length as usize) {
                        return Ok(ServerEvent::More);
                    }
                    let data = std::mem::take(&mut self.held);
                    self.state = State::OptionHeader;
                    return self.option(option, &data, input.is_empty());
                }
                State::Tls if input.is_empty() => return Ok(ServerEvent::More),
                State::Tls => return Err(HandshakeError::BytesBehindStartTls),
            }
        }
    }

    fn client_flags(&mut self) -> Result<(), HandshakeError> {
        let flags = Take(&self.held).u32().expect("held are four bytes");
        self.held.clear();
        let known = handshake::FIXED_NEWSTYLE | handshake::NO_ZEROES;
        self.session.client_flags = u16::try_from(flags)
            .ok()
            .filter(|flags| flags & !known == 0)
            .ok_or(HandshakeError::UnknownClientFlags(flags))?;
        self.state = State::OptionHeader;
        Ok(())
    }

    /// Decides from an option's header what becomes of its data.
    fn option_header(&mut self) -> Result<(), HandshakeError> {
        let mut take = Take(&self.held);
        let magic = take.u64().expect("held are 16 bytes");
        let option = take.u32().expect("held are 16 bytes");
        let length = take.u32().expect("held are 16 bytes");
        self.held.clear();
        if magic != OPTION_MAGIC {
            return Err(HandshakeError::BadOptionMagic(magic));
        }
        self.state = match self.unkept(option, length) {
            Some(answer) => State::Skip { option, left: length, answer },
            None => State::Data { option, length },
        };
        Ok(())
    }

    /// The answer to an option whose data need not be looked at.
    fn unkept(&self, option: u32, length: u32) -> Option<Answer> {
        if option == option::ABORT {
            return Some(option_reply::ACK);
        }
        if self.session.lacks_tls() && option != option::STARTTLS {
            return Some(option_reply::ERR_TLS_REQD);
        }
        let most = match option {
            option::EXPORT_NAME => self.limits.name_bytes.min(self.limits.option_bytes),
            option::INFO | option::GO => self.limits.option_bytes,
            option::LIST_META_CONTEXT | option::SET_META_CONTEXT => self.limits.option_bytes,
            option::LIST | option::STARTTLS => 0,
            option::STRUCTURED_REPLY | option::EXTENDED_HEADERS => 0,
            _ => return Some(option_reply::ERR_UNSUP),
        };
        let without_data = most == 0;
        let too_long =
            if without_data { option_reply::ERR_INVALID } else { option_reply::ERR_TOO_BIG };
        (length > most).then_some(too_long)
    }

    /// Answers an option whose data were skipped.
    fn answer(&mut self, option: u32, answer: Answer) -> Result<ServerEvent<'_>, HandshakeError> {
        if option == option::EXPORT_NAME {
            return Err(HandshakeError::BadExportName);
        }
        self.session.reply(option, answer, &[]);
        if option != option::ABORT {
            return Ok(ServerEvent::Answered);
        }
        self.session.over = true;
        Ok(ServerEvent::Abort)
    }

    /// Answers an option or lets the host do it.
    fn option(
        &mut self,
        option: u32,
        data: &[u8],
        nothing_behind: bool,
    ) -> Result<ServerEvent<'_>, HandshakeError> {
        match option {
            option::LIST => return Ok(ServerEvent::List(List { session: &mut self.session })),
            option::EXPORT_NAME => return self.export_name(data),
            option::INFO | option::GO => return Ok(self.info_or_go(option, data)),
            option::LIST_META_CONTEXT | option::SET_META_CONTEXT => {
                return Ok(self.contexts(option, data));
            }
            option::STARTTLS => return self.start_tls(nothing_behind),
            option::STRUCTURED_REPLY if self.session.headers == Headers::Extended => {
                self.session.reply(option, option_reply::ERR_EXT_HEADER_REQD, &[]);
                return Ok(ServerEvent::Answered);
            }
            option::STRUCTURED_REPLY => self.session.headers = Headers::Structured,
            _ => self.session.headers = Headers::Extended,
        }
        self.session.acknowledge(option);
        Ok(ServerEvent::Answered)
    }

    fn export_name(&mut self, data: &[u8]) -> Result<ServerEvent<'_>, HandshakeError> {
        let name = text::string(data, self.limits.name_bytes)
            .filter(|_| self.session.headers != Headers::Extended)
            .ok_or(HandshakeError::BadExportName)?;
        let wanted = Wanted { name: name.to_owned(), infos: Vec::new() };
        Ok(ServerEvent::Go(Go { session: &mut self.session, wanted, without_reply: true }))
    }

    fn info_or_go(&mut self, option: u32, data: &[u8]) -> ServerEvent<'_> {
        let session = &mut self.session;
        match Wanted::parse(data, &self.limits) {
            Ok(wanted) if option == option::INFO => ServerEvent::Info(Info { session, wanted }),
            Ok(wanted) => ServerEvent::Go(Go { session, wanted, without_reply: false }),
            Err(answer) => {
                session.reply(option, answer, &[]);
                ServerEvent::Answered
            }
        }
    }

    fn contexts(&mut self, option: u32, data: &[u8]) -> ServerEvent<'_> {
        let session = &mut self.session;
        if option == option::SET_META_CONTEXT {
            session.allocation_of = None;
        }
        let queries = if session.headers.has_chunks() {
            Queries::parse(data, &self.limits)
        } else {
            Err(option_reply::ERR_INVALID)
        };
        match queries {
            Ok(queries) => ServerEvent::Contexts(Contexts { session, option, queries }),
            Err(answer) => {
                session.reply(option, answer, &[]);
                ServerEvent::Answered
            }
        }
    }

    fn start_tls(&mut self, nothing_behind: bool) -> Result<ServerEvent<'_>, HandshakeError> {
        let session = &mut self.session;
        let refusal = if session.encrypted {
            Some(option_reply::ERR_INVALID)
        } else if session.tls == TlsPolicy::Off || !session.is_fixed() {
            Some(option_reply::ERR_POLICY)
        } else {
            None
        };
        if let Some(refusal) = refusal {
            session.reply(option::STARTTLS, refusal, &[]);
            return Ok(ServerEvent::Answered);
        }
        if !nothing_behind {
            return Err(HandshakeError::BytesBehindStartTls);
        }
        session.acknowledge(option::STARTTLS);
        self.state = State::Tls;
        Ok(ServerEvent::StartTls)
    }
}
