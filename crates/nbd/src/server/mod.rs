// SPDX-License-Identifier: MIT OR Apache-2.0
//! The server's side: a [`Handshake`] that ends in a [`Transmission`].
//!
//! The host owns the sockets. It gives a machine the bytes that came, as a slice that the machine
//! shortens by what it took, and sends what the machine gives out:
//!
//! 1. send [`Handshake::output`], and tell so by [`Handshake::sent`];
//! 2. give what came to [`Handshake::receive`], which takes at most one option a call;
//! 3. answer the question that it returns, if it does, by the question's own methods; then again
//!    from 1.
//! 4. [`Go::accept`] returns the [`Transmission`]. Send the rest of the output; bytes that the
//!    handshake left belong to the transmission.
//!
//! From then on [`Transmission::receive`] decodes the headers of requests. The data behind that of
//! a write are not for it: the host takes [`ServerRequest::payload_bytes`] from its socket into its
//! own buffer. Replies are a [`Head`] from [`Replies`], which is small and can be copied to where
//! requests end; the data of a read follow it out of the host's buffer.
//!
//! Who is allowed what is the host's to decide, and how many requests it takes before it answers.

mod handshake;
mod option_data;
mod question;
mod replies;
mod request;
mod session;
mod transmission;

pub use crate::command::Command;
pub use handshake::{Handshake, HandshakeError, ServerEvent};
pub use question::{Contexts, ExportNameRefused, Go, Info, List, Listed, Refusal};
pub use replies::{Chunks, Head, Replies};
pub use request::{ServerRequest, Ticket};
pub use session::TlsPolicy;
pub use transmission::{Received, Refused, Transmission, TransmissionError};
