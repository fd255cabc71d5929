// SPDX-License-Identifier: MIT OR Apache-2.0
//! The client's side, as far as tests and tools need it.
//!
//! [`Handshake`] and [`Transmission`] are the machines. [`Negotiation`] and [`Connection`] run them
//! over anything that can be read and written, with many requests in flight.

mod connection;
mod handshake;
mod negotiation;
mod payload;
mod question;
mod transmission;

pub use connection::{Connection, ConnectionError, RequestOutcome};
pub use handshake::{Answer, ClientEvent, Handshake, HandshakeError};
pub use negotiation::{Negotiation, NegotiationError};
pub use question::{Context, ListedExport, Question, Reason, Refused};
pub use transmission::{ClientRequest, Received, ReplyError, Transmission};
