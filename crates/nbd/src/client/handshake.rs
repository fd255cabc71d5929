// SPDX-License-Identifier: MIT OR Apache-2.0
//! A client's handshake: one question at a time, each with one answer.

use super::question::{Context, ListedExport, Question, Refused, describe};
use super::transmission::Transmission;
use crate::export::{BlockSizes, Export, Features};
use crate::headers::Headers;
use crate::numbers::{
    ALLOCATION, EXPORT_NAME_ZEROES, INIT_PASSWORD, OPTION_MAGIC, OPTION_REPLY_MAGIC, STRING_BYTES,
    handshake, option_reply,
};
use crate::take::{Take, fill};

/// Most bytes of one reply: two strings and their lengths.
const REPLY_BYTES: u32 = 2 * STRING_BYTES + 16;
/// Most replies that answer one question.
const REPLIES: usize = 1 << 16;

/// What the bytes from the server have told.
#[derive(Debug)]
pub enum ClientEvent {
    /// All bytes were taken, and more are needed.
    More,
    /// The server is there: questions can be asked.
    Ready,
    /// The answer to the question; another can be asked unless the handshake is over.
    Answer(Answer),
}

/// What a server answers.
#[derive(Debug)]
pub enum Answer {
    /// The server did what it was asked, and has nothing to tell.
    Done,
    /// The exports that it shows.
    Exports(Vec<ListedExport>),
    /// What the export is.
    Export(Export),
    /// The contexts found or selected.
    Contexts(Vec<Context>),
    /// The export can be used: the handshake is over.
    Transmission(Export, Transmission),
    /// It is not so.
    Refused(Refused),
}

/// Why a connection cannot be used: the server does not keep to the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HandshakeError {
    /// It is no server of fixed newstyle.
    #[error("not an NBD server of fixed newstyle")]
    NotNbd,
    /// A reply is none, or not one to the question.
    #[error("a reply to an option makes no sense")]
    BadReply,
    /// A reply is longer, or an answer has more of them, than anybody needs.
    #[error("an answer is too long")]
    TooLong,
    /// Bytes came in the clear behind the reply to `STARTTLS`.
    #[error("bytes came in the clear behind the reply to STARTTLS")]
    BytesBehindStartTls,
    /// Bytes came that were not asked for.
    #[error("bytes came that were not asked for")]
    Unasked,
}

/// The handshake of a connection, on the client's side.
#[derive(Debug)]
pub struct Handshake {
    state: State,
    headers: Headers,
    no_zeroes: bool,
    /// The export that `base:allocation` was selected for, and its number.
    allocation: Option<(String, u32)>,
    gathered: Gathered,
    held: Vec<u8>,
    output: Vec<u8>,
}

#[derive(Debug)]
enum State {
    Greeting,
    Ready,
    ReplyHeader(Question),
    ReplyData(Question, Reply),
    /// The answer to `EXPORT_NAME`, which has no header.
    Export(String),
    Tls,
    Over,
}

#[derive(Debug, Clone, Copy)]
struct Reply {
    kind: u32,
    length: u32,
}

/// The replies to a question so far.
#[derive(Debug, Default)]
struct Gathered {
    exports: Vec<ListedExport>,
    contexts: Vec<Context>,
    export: Option<Export>,
    has_size: bool,
}

impl Default for Handshake {
    fn default() -> Self {
        Self::new()
    }
}

impl Handshake {
    /// A connection that has just been made.
    pub fn new() -> Self {
        Self {
            state: State::Greeting,
            headers: Headers::Simple,
            no_zeroes: false,
            allocation: None,
            gathered: Gathered::default(),
            held: Vec::new(),
            output: Vec::new(),
        }
    }

    /// What is to be sent to the server; it counts as sent by this call.
    pub fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.output)
    }

    /// Asks a question. The one before must have been answered; else nothing is asked.
    pub fn ask(&mut self, question: Question) {
        if !matches!(self.state, State::Ready) {
            return;
        }
        let data = question.data();
        self.output.extend_from_slice(&OPTION_MAGIC.to_be_bytes());
        self.output.extend_from_slice(&question.number().to_be_bytes());
        let length = u32::try_from(data.len()).unwrap_or(u32::MAX);
        self.output.extend_from_slice(&length.to_be_bytes());
        self.output.extend_from_slice(&data);
        self.gathered = Gathered::default();
        if let Question::SelectAllocation(_) = question {
            self.allocation = None;
        }
        self.state = match question {
            Question::ExportName(name) => State::Export(name),
            other => State::ReplyHeader(other),
        };
    }

    /// The connection is under TLS now; nothing from before counts.
    pub fn tls_started(&mut self) {
        if let State::Tls = self.state {
            self.headers = Headers::Simple;
            self.allocation = None;
            self.state = State::Ready;
        }
    }

    /// Takes bytes that came from the front of `input`, up to the end of an answer.
    ///
    /// # Errors
    /// The server does not keep to the protocol; the connection must be closed.
    pub fn receive(&mut self, input: &mut &[u8]) -> Result<ClientEvent, HandshakeError> {
        loop {
            let wanted = match &self.state {
                State::Greeting => 18,
                State::ReplyHeader(_) => 20,
                State::ReplyData(_, reply) => reply.length as usize,
                State::Export(_) => 10 + if self.no_zeroes { 0 } else { EXPORT_NAME_ZEROES },
                State::Ready | State::Tls | State::Over if input.is_empty() => {
                    return Ok(ClientEvent::More);
                }
                State::Tls => return Err(HandshakeError::BytesBehindStartTls),
                State::Ready | State::Over => return Err(HandshakeError::Unasked),
            };
            if !fill(&mut self.held, input, wanted) {
                return Ok(ClientEvent::More);
            }
            let piece = std::mem::take(&mut self.held);
            if let Some(event) = self.piece(&piece, input.is_empty())? {
                return Ok(event);
            }
        }
    }

    /// Takes the piece that the state waited for.
    fn piece(
        &mut self,
        piece: &[u8],
        nothing_behind: bool,
    ) -> Result<Option<ClientEvent>, HandshakeError> {
        match std::mem::replace(&mut self.state, State::Over) {
            State::Greeting => {
                self.greeting(piece).ok_or(HandshakeError::NotNbd)?;
                self.state = State::Ready;
                Ok(Some(ClientEvent::Ready))
            }
            State::ReplyHeader(question) => {
                let reply = reply_header(piece, &question)?;
                self.state = State::ReplyData(question, reply);
                Ok(None)
            }
            State::ReplyData(question, reply) => {
                let answer = self.reply(&question, reply.kind, piece)?;
                let Some(answer) = answer else {
                    self.state = State::ReplyHeader(question);
                    return Ok(None);
                };
                self.state = match (&answer, question) {
                    (Answer::Transmission(..), _) | (_, Question::Abort) => State::Over,
                    (Answer::Done, Question::StartTls) if nothing_behind => State::Tls,
                    (Answer::Done, Question::StartTls) => {
                        return Err(HandshakeError::BytesBehindStartTls);
                    }
                    _ => State::Ready,
                };
                Ok(Some(ClientEvent::Answer(answer)))
            }
            State::Export(name) => {
                let mut take = Take(piece);
                let mut export = unknown_export();
                export.size_bytes = take.u64().ok_or(HandshakeError::BadReply)?;
                let flags = take.u16().ok_or(HandshakeError::BadReply)?;
                export.features = Features::of_wire(flags);
                Ok(Some(ClientEvent::Answer(self.begin(&name, export))))
            }
            State::Ready | State::Tls | State::Over => Err(HandshakeError::Unasked),
        }
    }

    fn greeting(&mut self, piece: &[u8]) -> Option<()> {
        let mut take = Take(piece);
        let is_newstyle = take.u64()? == INIT_PASSWORD && take.u64()? == OPTION_MAGIC;
        let flags = take.u16()?;
        if !is_newstyle || flags & handshake::FIXED_NEWSTYLE == 0 {
            return None;
        }
        let own = flags & (handshake::FIXED_NEWSTYLE | handshake::NO_ZEROES);
        self.no_zeroes = own & handshake::NO_ZEROES != 0;
        self.output.extend_from_slice(&u32::from(own).to_be_bytes());
        Some(())
    }

    /// Takes one reply; `None` if it is not the last.
    fn reply(
        &mut self,
        question: &Question,
        kind: u32,
        data: &[u8],
    ) -> Result<Option<Answer>, HandshakeError> {
        if kind & option_reply::ERROR != 0 {
            return Ok(Some(Answer::Refused(Refused::parse(kind, data))));
        }
        let gathered = &mut self.gathered;
        let understood = match (kind, question) {
            (option_reply::ACK, _) => return self.acknowledged(question).map(Some),
            (option_reply::SERVER, Question::List) => {
                ListedExport::parse(data).map(|export| gathered.exports.push(export))
            }
            (
                option_reply::META_CONTEXT,
                Question::ListContexts(..) | Question::SelectAllocation(_),
            ) => Context::parse(data).map(|context| gathered.contexts.push(context)),
            (option_reply::INFO, Question::Info(_) | Question::Go(_)) => {
                let export = gathered.export.get_or_insert_with(unknown_export);
                describe(export, data).map(|size| gathered.has_size |= size)
            }
            _ => None,
        };
        understood.ok_or(HandshakeError::BadReply)?;
        if gathered.exports.len().max(gathered.contexts.len()) > REPLIES {
            return Err(HandshakeError::TooLong);
        }
        Ok(None)
    }

    /// The answer when the last reply has come.
    fn acknowledged(&mut self, question: &Question) -> Result<Answer, HandshakeError> {
        let gathered = std::mem::take(&mut self.gathered);
        Ok(match question {
            Question::List => Answer::Exports(gathered.exports),
            Question::ListContexts(..) => Answer::Contexts(gathered.contexts),
            Question::SelectAllocation(name) => {
                let found = gathered.contexts.iter().find(|context| context.name == ALLOCATION);
                self.allocation = found.map(|context| (name.clone(), context.id));
                Answer::Contexts(gathered.contexts)
            }
            Question::Info(name) | Question::Go(name) => {
                let export = gathered.export.filter(|_| gathered.has_size);
                let mut export = export.ok_or(HandshakeError::BadReply)?;
                export.allocation = self.allocation_id(name).is_some();
                match question {
                    Question::Go(_) => self.begin(name, export),
                    _ => Answer::Export(export),
                }
            }
            Question::StructuredReplies => {
                self.headers = Headers::Structured;
                Answer::Done
            }
            Question::ExtendedHeaders => {
                self.headers = Headers::Extended;
                Answer::Done
            }
            Question::StartTls | Question::Abort | Question::ExportName(_) => Answer::Done,
        })
    }

    fn begin(&self, name: &str, mut export: Export) -> Answer {
        let id = self.allocation_id(name);
        export.allocation = id.is_some();
        let transmission = Transmission::new(self.headers, id);
        Answer::Transmission(export, transmission)
    }

    fn allocation_id(&self, name: &str) -> Option<u32> {
        self.allocation.as_ref().filter(|(of, _)| of == name).map(|(_, id)| *id)
    }
}

/// An export before anything is known of it.
fn unknown_export() -> Export {
    Export {
        size_bytes: 0,
        features: Features::NONE,
        block_sizes: BlockSizes::DEFAULT,
        description: String::new(),
        allocation: false,
    }
}

fn reply_header(piece: &[u8], question: &Question) -> Result<Reply, HandshakeError> {
    let mut take = Take(piece);
    let fields = (take.u64(), take.u32(), take.u32(), take.u32());
    match fields {
        (Some(OPTION_REPLY_MAGIC), Some(option), Some(kind), Some(length))
            if option == question.number() =>
        {
            if length > REPLY_BYTES {
                return Err(HandshakeError::TooLong);
            }
            Ok(Reply { kind, length })
        }
        _ => Err(HandshakeError::BadReply),
    }
}
