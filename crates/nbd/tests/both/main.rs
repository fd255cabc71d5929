// SPDX-License-Identifier: MIT OR Apache-2.0
//! The client against the server, over a pair of sockets.

mod commands;
mod memory;
mod negotiation;
