// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a client asks in its handshake, and the parts of an answer.

use crate::export::{BlockSizes, Export, Features};
use crate::numbers::STRING_BYTES;
use crate::numbers::{ALLOCATION, info, option, option_reply};
use crate::take::Take;
use crate::text;

/// An option that a client sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// Which exports are there?
    List,
    /// What is this export?
    Info(String),
    /// May I use this export?
    Go(String),
    /// I use this export, in the old way that has no reply for a refusal.
    ExportName(String),
    /// May replies have chunks?
    StructuredReplies,
    /// May requests and replies have 64 bits?
    ExtendedHeaders,
    /// Which contexts has an export, of those that the queries find, or all if there are none?
    ListContexts(String, Vec<String>),
    /// Select `base:allocation` for an export.
    SelectAllocation(String),
    /// May I have TLS?
    StartTls,
    /// I have changed my mind.
    Abort,
}

impl Question {
    /// The option's number on the wire.
    pub(super) fn number(&self) -> u32 {
        match self {
            Self::List => option::LIST,
            Self::Info(_) => option::INFO,
            Self::Go(_) => option::GO,
            Self::ExportName(_) => option::EXPORT_NAME,
            Self::StructuredReplies => option::STRUCTURED_REPLY,
            Self::ExtendedHeaders => option::EXTENDED_HEADERS,
            Self::ListContexts(..) => option::LIST_META_CONTEXT,
            Self::SelectAllocation(_) => option::SET_META_CONTEXT,
            Self::StartTls => option::STARTTLS,
            Self::Abort => option::ABORT,
        }
    }

    /// The data of the option.
    pub(super) fn data(&self) -> Vec<u8> {
        let mut data = Vec::new();
        match self {
            Self::ExportName(name) => data.extend_from_slice(name.as_bytes()),
            Self::Info(name) | Self::Go(name) => {
                string(&mut data, name);
                for number in [3, info::NAME, info::DESCRIPTION, info::BLOCK_SIZE] {
                    data.extend_from_slice(&number.to_be_bytes());
                }
            }
            Self::ListContexts(name, queries) => contexts(&mut data, name, queries),
            Self::SelectAllocation(name) => contexts(&mut data, name, &[ALLOCATION]),
            _ => {}
        }
        data
    }
}

fn string(data: &mut Vec<u8>, text: &str) {
    data.extend_from_slice(&text::length(text));
    data.extend_from_slice(text.as_bytes());
}

fn contexts(data: &mut Vec<u8>, name: &str, queries: &[impl AsRef<str>]) {
    string(data, name);
    let count = u32::try_from(queries.len()).unwrap_or(u32::MAX);
    data.extend_from_slice(&count.to_be_bytes());
    for query in queries {
        string(data, query.as_ref());
    }
}

/// An export in a server's list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedExport {
    /// The name to ask for.
    pub name: String,
    /// For people; may be empty.
    pub description: String,
}

impl ListedExport {
    pub(super) fn parse(data: &[u8]) -> Option<Self> {
        let mut take = Take(data);
        let length = take.u32()?;
        let name = text::string(take.bytes(length)?, STRING_BYTES)?.to_owned();
        let description = text::string(take.0, STRING_BYTES)?.to_owned();
        Some(Self { name, description })
    }
}

/// A metadata context of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    /// Its number on this connection.
    pub id: u32,
    /// Its name, such as `base:allocation`.
    pub name: String,
}

impl Context {
    pub(super) fn parse(data: &[u8]) -> Option<Self> {
        let mut take = Take(data);
        let id = take.u32()?;
        Some(Self { id, name: text::string(take.0, STRING_BYTES)?.to_owned() })
    }
}

/// Adds to `export` what a piece of information says; tells whether that was its size.
pub(super) fn describe(export: &mut Export, data: &[u8]) -> Option<bool> {
    let mut take = Take(data);
    let kind = take.u16()?;
    match kind {
        info::EXPORT => {
            export.size_bytes = take.u64()?;
            export.features = Features::of_wire(take.u16()?);
        }
        info::BLOCK_SIZE => {
            let (minimum, preferred, maximum) = (take.u32()?, take.u32()?, take.u32()?);
            export.block_sizes = BlockSizes::new(minimum, preferred, maximum)?;
        }
        info::DESCRIPTION => {
            export.description = text::string(take.0, STRING_BYTES)?.to_owned();
            return Some(false);
        }
        _ => return Some(false),
    }
    take.is_empty().then_some(kind == info::EXPORT)
}

/// Why a server does not do what it was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It does not know the option.
    Unsupported,
    /// It is not to.
    Policy,
    /// The option made no sense to it.
    Invalid,
    /// Its system or build cannot do it.
    Platform,
    /// It does so under TLS only.
    TlsRequired,
    /// There is no such export.
    Unknown,
    /// The server is stopping.
    Shutdown,
    /// It wants its block sizes to be asked for.
    BlockSizeRequired,
    /// The option was too long.
    TooBig,
    /// It has agreed on, or wants, extended headers.
    ExtendedHeadersRequired,
    /// Something that this client does not know.
    Other(u32),
}

/// What a server says when it does not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the server refuses: {reason:?} {message}")]
pub struct Refused {
    /// The kind of refusal, which a program can act on.
    pub reason: Reason,
    /// For people; may be empty.
    pub message: String,
}

impl Refused {
    pub(super) fn parse(kind: u32, data: &[u8]) -> Self {
        let reason = match kind {
            option_reply::ERR_UNSUP => Reason::Unsupported,
            option_reply::ERR_POLICY => Reason::Policy,
            option_reply::ERR_INVALID => Reason::Invalid,
            option_reply::ERR_PLATFORM => Reason::Platform,
            option_reply::ERR_TLS_REQD => Reason::TlsRequired,
            option_reply::ERR_UNKNOWN => Reason::Unknown,
            option_reply::ERR_SHUTDOWN => Reason::Shutdown,
            option_reply::ERR_BLOCK_SIZE_REQD => Reason::BlockSizeRequired,
            option_reply::ERR_TOO_BIG => Reason::TooBig,
            option_reply::ERR_EXT_HEADER_REQD => Reason::ExtendedHeadersRequired,
            other => Reason::Other(other),
        };
        Self { reason, message: text::string(data, STRING_BYTES).unwrap_or("").to_owned() }
    }
}
