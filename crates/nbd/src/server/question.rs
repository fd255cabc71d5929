// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a client asks that only the host can answer. A question is answered once; one that is
//! dropped leaves the client without a reply.

use super::option_data::{Queries, Wanted};
use super::session::Session;
use super::transmission::Transmission;
use crate::export::Export;
use crate::numbers::{
    ALLOCATION, ALLOCATION_ID, EXPORT_NAME_ZEROES, handshake, info, option, option_reply,
};
use crate::text::{length, sendable};

/// Why a client does not get what it asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such export, or none that this client may know of.
    Unknown,
    /// The client may not do it.
    NotAllowed,
    /// It may not without TLS.
    TlsRequired,
    /// The server is stopping.
    Shutdown,
}

impl Refusal {
    fn kind(self, session: &Session) -> u32 {
        match self {
            Self::Unknown => option_reply::ERR_UNKNOWN,
            Self::TlsRequired if !session.encrypted => option_reply::ERR_TLS_REQD,
            Self::NotAllowed | Self::TlsRequired => option_reply::ERR_POLICY,
            Self::Shutdown => option_reply::ERR_SHUTDOWN,
        }
    }
}

/// An old client's choice of export was refused, which can only be told by closing the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the export that was chosen by EXPORT_NAME is refused ({0:?}), which has no reply")]
pub struct ExportNameRefused(pub Refusal);

/// An export in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listed<'a> {
    /// The name that clients ask for.
    pub name: &'a str,
    /// For people; may be empty.
    pub description: &'a str,
}

/// Which exports are there?
#[must_use = "the client waits for an answer"]
#[derive(Debug)]
pub struct List<'a> {
    pub(super) session: &'a mut Session,
}

impl List<'_> {
    /// Those that this client may see.
    pub fn accept<'e>(self, exports: impl IntoIterator<Item = Listed<'e>>) {
        for export in exports {
            let name = sendable(export.name);
            let description = sendable(export.description);
            let parts = [&length(name), name.as_bytes(), description.as_bytes()];
            self.session.reply(option::LIST, option_reply::SERVER, &parts);
        }
        self.session.acknowledge(option::LIST);
    }

    /// None of the client's business.
    pub fn refuse(self, why: Refusal) {
        let kind = why.kind(self.session);
        self.session.reply(option::LIST, kind, &[]);
    }
}

/// What is this export?
#[must_use = "the client waits for an answer"]
#[derive(Debug)]
pub struct Info<'a> {
    pub(super) session: &'a mut Session,
    pub(super) wanted: Wanted,
}

impl Info<'_> {
    /// The export's name; the empty one means the default export.
    pub fn name(&self) -> &str {
        &self.wanted.name
    }

    /// Tells the client that this is the export it asked about.
    pub fn accept(self, export: &Export) {
        describe(self.session, option::INFO, &self.wanted, export);
        self.session.acknowledge(option::INFO);
    }

    /// The client does not get to know.
    pub fn refuse(self, why: Refusal) {
        let kind = why.kind(self.session);
        self.session.reply(option::INFO, kind, &[]);
    }
}

/// May I use this export?
#[must_use = "the client waits for an answer"]
#[derive(Debug)]
pub struct Go<'a> {
    pub(super) session: &'a mut Session,
    pub(super) wanted: Wanted,
    /// It was asked by `EXPORT_NAME`, which has no replies.
    pub(super) without_reply: bool,
}

impl Go<'_> {
    /// The export's name; the empty one means the default export.
    pub fn name(&self) -> &str {
        &self.wanted.name
    }

    /// Yes: the handshake is over once its output has been sent.
    pub fn accept(self, export: &Export) -> Transmission {
        let session = self.session;
        if self.without_reply {
            let flags = export.features.on_the_wire(session.headers.has_chunks());
            session.output.extend_from_slice(&export.size_bytes.to_be_bytes());
            session.output.extend_from_slice(&flags);
            if session.client_flags & handshake::NO_ZEROES == 0 {
                session.output.extend_from_slice(&[0; EXPORT_NAME_ZEROES]);
            }
        } else {
            describe(session, option::GO, &self.wanted, export);
            session.acknowledge(option::GO);
        }
        session.over = true;
        let selected = session.allocation_of.as_deref() == Some(self.wanted.name.as_str());
        Transmission::new(session.headers, export, selected && export.allocation)
    }

    /// The client does not get the export; it is told why.
    ///
    /// # Errors
    /// The client has asked in a way that has no reply: the connection must be closed.
    pub fn refuse(self, why: Refusal) -> Result<(), ExportNameRefused> {
        if self.without_reply {
            self.session.over = true;
            return Err(ExportNameRefused(why));
        }
        let kind = why.kind(self.session);
        self.session.reply(option::GO, kind, &[]);
        Ok(())
    }
}

/// Which metadata contexts has this export?
#[must_use = "the client waits for an answer"]
#[derive(Debug)]
pub struct Contexts<'a> {
    pub(super) session: &'a mut Session,
    /// The option to be answered: `LIST_META_CONTEXT` or `SET_META_CONTEXT`.
    pub(super) option: u32,
    pub(super) queries: Queries,
}

impl Contexts<'_> {
    /// The export's name; the empty one means the default export.
    pub fn name(&self) -> &str {
        &self.queries.name
    }

    /// Those that `export` has.
    pub fn accept(self, export: &Export) {
        let Self { session, option, queries } = self;
        let sets = option == option::SET_META_CONTEXT;
        let lists = !sets && (queries.is_empty || queries.wildcard);
        if export.allocation && (queries.allocation || lists) {
            let id = if sets { ALLOCATION_ID } else { 0 };
            let parts = [&id.to_be_bytes(), ALLOCATION.as_bytes()];
            session.reply(option, option_reply::META_CONTEXT, &parts);
            if sets {
                session.allocation_of = Some(queries.name);
            }
        }
        session.acknowledge(option);
    }

    /// The client does not get to know.
    pub fn refuse(self, why: Refusal) {
        let kind = why.kind(self.session);
        self.session.reply(self.option, kind, &[]);
    }
}

/// Queues what is known of an export: always its size and blocks, the rest if it is wanted.
fn describe(session: &mut Session, option: u32, wanted: &Wanted, export: &Export) {
    let flags = export.features.on_the_wire(session.headers.has_chunks());
    let mut tell = |kind: u16, parts: [&[u8]; 3]| {
        let [first, second, third] = parts;
        let parts = [&kind.to_be_bytes(), first, second, third];
        session.reply(option, option_reply::INFO, &parts);
    };
    tell(info::EXPORT, [&export.size_bytes.to_be_bytes(), &flags, &[]]);
    let sizes = export.block_sizes;
    tell(
        info::BLOCK_SIZE,
        [
            &sizes.minimum().to_be_bytes(),
            &sizes.preferred().to_be_bytes(),
            &sizes.maximum_payload().to_be_bytes(),
        ],
    );
    if wanted.infos.contains(&info::NAME) {
        tell(info::NAME, [wanted.name.as_bytes(), &[], &[]]);
    }
    if wanted.infos.contains(&info::DESCRIPTION) && !export.description.is_empty() {
        tell(info::DESCRIPTION, [sendable(&export.description).as_bytes(), &[], &[]]);
    }
}
