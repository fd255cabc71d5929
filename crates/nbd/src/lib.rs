// SPDX-License-Identifier: MIT OR Apache-2.0
//! The NBD protocol without I/O: a server's and a client's side as state machines.
#![forbid(unsafe_code)]
