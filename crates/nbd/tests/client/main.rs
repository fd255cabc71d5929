// SPDX-License-Identifier: MIT OR Apache-2.0
//! The client's side against bytes written by hand: what a server may send, and what it may not.

mod handshake;
mod replies;
