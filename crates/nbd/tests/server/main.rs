// SPDX-License-Identifier: MIT OR Apache-2.0
//! The server's side against bytes written by hand after the protocol's document.

mod handshake;
mod host;
mod replies;
mod requests;
mod splits;
