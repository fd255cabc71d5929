// SPDX-License-Identifier: MIT OR Apache-2.0
//! The NBD protocol without I/O: a server's and a client's side as state machines.
//!
//! A machine is given the bytes that came and gives out events and the bytes to send; it reads no
//! socket and holds no data. It is written after the protocol's own [document] and knows fixed
//! newstyle negotiation with TLS, structured replies, extended headers (64-bit lengths), block
//! status, and the extension for resizing.
//!
//! * [`server`]: a handshake that asks its host, and a transmission that decodes requests.
//! * [`client`]: the same from the other side, and a blocking client over any stream.
//!
//! A server's host calls the machine in this order; here the client's bytes are a constant, and
//! the disk is a vector:
//!
//! ```
//! use nbd::server::{Handshake, Received, Refusal, ServerEvent, TlsPolicy};
//! use nbd::{BlockSizes, Command, Export, Features, Limits};
//!
//! let mut disk = vec![0; 1 << 20];
//! let export = Export {
//!     size_bytes: 1 << 20,
//!     features: Features::FLUSH,
//!     block_sizes: BlockSizes::DEFAULT,
//!     description: String::new(),
//!     allocation: false,
//! };
//! let mut input: &[u8] = b"\0\0\0\x03\
//!     IHAVEOPT\0\0\0\x07\0\0\0\x0a\0\0\0\x04disk\0\0\
//!     \x25\x60\x95\x13\0\0\0\x01request1\0\0\0\0\0\0\x02\0\0\0\0\x05hello\
//!     \x25\x60\x95\x13\0\0\0\x02goodbye.\0\0\0\0\0\0\0\0\0\0\0\0";
//! let mut sent = Vec::new();
//!
//! // Options, until an export is used.
//! let mut handshake = Handshake::new(TlsPolicy::Off, Limits::PROTOCOL);
//! let mut transmission = loop {
//!     sent.extend_from_slice(handshake.output());
//!     handshake.sent(handshake.output().len());
//!     match handshake.receive(&mut input)? {
//!         ServerEvent::Go(go) if go.name() == "disk" => break go.accept(&export),
//!         ServerEvent::Go(go) => go.refuse(Refusal::Unknown)?,
//!         ServerEvent::Info(info) => info.refuse(Refusal::Unknown),
//!         ServerEvent::List(list) => list.refuse(Refusal::NotAllowed),
//!         ServerEvent::Contexts(contexts) => contexts.refuse(Refusal::Unknown),
//!         ServerEvent::Answered => {}
//!         ServerEvent::More | ServerEvent::StartTls | ServerEvent::Abort => {
//!             unreachable!("not this client")
//!         }
//!     }
//! };
//! sent.extend_from_slice(handshake.output());
//!
//! // Requests: the payload of a write goes from the socket to the host's own buffer.
//! let replies = transmission.replies();
//! while let Some(received) = transmission.receive(&mut input)? {
//!     match received {
//!         Received::Request(request) if request.command == Command::Write => {
//!             let (payload, rest) = input.split_at(request.payload_bytes());
//!             input = rest;
//!             let start = request.offset_bytes() as usize;
//!             disk[start..start + payload.len()].copy_from_slice(payload);
//!             sent.extend_from_slice(&replies.done(request.ticket));
//!         }
//!         Received::Request(_) => unreachable!("not this client"),
//!         Received::Refused(refused) => {
//!             input = &input[refused.payload_bytes..];
//!             sent.extend_from_slice(&replies.error(refused.ticket, refused.error));
//!         }
//!         Received::Disconnect => break,
//!     }
//! }
//! assert_eq!(disk[512..517], *b"hello");
//! assert!(sent.ends_with(b"\x67\x44\x66\x98\0\0\0\0request1"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [document]: https://github.com/NetworkBlockDevice/nbd/blob/master/doc/proto.md
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub mod client;
mod command;
mod error_code;
mod export;
mod extent;
mod headers;
mod limits;
mod numbers;
pub mod server;
mod take;
mod text;

pub use command::Command;
pub use error_code::ErrorCode;
pub use export::{BlockSizes, Export, Features};
pub use extent::Extent;
pub use headers::Headers;
pub use limits::Limits;
