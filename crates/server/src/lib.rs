// SPDX-License-Identifier: MIT OR Apache-2.0
//! A block server whose tenants share a disk by weight: NBD × the block layer × real I/O.
//!
//! ```text
//!  main thread                               a thread for each disk
//!  listeners ─ handshake (TLS, options) ──▶  connections ─ nbd ─ BlockLayer ─ backend
//!  control socket, signals, HTTP        ──▶  (calls of Control, each with its answer)
//! ```
//!
//! * [`config`]: what is served, to whom, and how; as values that have been checked.
//! * [`control`]: what can be asked and changed while it runs, as the trait [`Control`].
//! * [`status`]: what there is to see of a running server.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub mod backend;
mod buffers;
pub mod config;
mod connection;
pub mod control;
pub mod disk;
mod drive;
mod net;
mod places;
mod server;
pub mod status;

pub use buffers::{Buffer, Buffers};
pub use config::Config;
pub use control::Control;
pub use drive::{Disk, ExportError};
pub use server::{Server, StartError, start};
pub use status::Status;
