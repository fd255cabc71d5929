// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a handshake has come to so far, and the bytes that are to be sent.

use crate::headers::Headers;
use crate::numbers::{OPTION_REPLY_MAGIC, handshake, option_reply};

/// Whether clients use TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TlsPolicy {
    /// It is not offered.
    #[default]
    Off,
    /// A client that asks for it gets it.
    Allowed,
    /// A client can do nothing before it has asked for it.
    Required,
}

/// What was agreed on, and what is to be sent.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) tls: TlsPolicy,
    /// The connection is under TLS.
    pub(super) encrypted: bool,
    /// The flags that the client sent at the beginning of the handshake.
    pub(super) client_flags: u16,
    pub(super) headers: Headers,
    /// The export that the client has selected `base:allocation` for.
    pub(super) allocation_of: Option<String>,
    /// The transmission has begun or the client has left.
    pub(super) over: bool,
    pub(super) output: Vec<u8>,
}

impl Session {
    pub(super) fn new(tls: TlsPolicy) -> Self {
        Self {
            tls,
            encrypted: false,
            client_flags: 0,
            headers: Headers::Simple,
            allocation_of: None,
            over: false,
            output: Vec::new(),
        }
    }

    /// Goes on under TLS: nothing that was agreed on before is believed any more.
    pub(super) fn encrypt(&mut self) {
        self.encrypted = true;
        self.headers = Headers::Simple;
        self.allocation_of = None;
    }

    /// Whether the client must ask for TLS first.
    pub(super) fn lacks_tls(&self) -> bool {
        self.tls == TlsPolicy::Required && !self.encrypted
    }

    /// Whether the client knows that options have replies.
    pub(super) fn is_fixed(&self) -> bool {
        self.client_flags & handshake::FIXED_NEWSTYLE != 0
    }

    /// Queues a reply to `option` whose data are `parts`.
    pub(super) fn reply(&mut self, option: u32, kind: u32, parts: &[&[u8]]) {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        let length = u32::try_from(length).expect("replies are made of limited strings");
        self.output.extend_from_slice(&OPTION_REPLY_MAGIC.to_be_bytes());
        for number in [option, kind, length] {
            self.output.extend_from_slice(&number.to_be_bytes());
        }
        for part in parts {
            self.output.extend_from_slice(part);
        }
    }

    /// Queues the reply that `option` is done.
    pub(super) fn acknowledge(&mut self, option: u32) {
        self.reply(option, option_reply::ACK, &[]);
    }
}
