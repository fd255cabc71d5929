// SPDX-License-Identifier: MIT OR Apache-2.0
//! A block server whose tenants share a disk by weight: NBD × the block layer × real I/O.
//!
//! ```text
//!  a thread                                  a thread for each disk
//!  listeners ─ handshake (TLS, options) ──▶  connections ─ nbd ─ BlockLayer ─ backend
//!  control socket, signals, HTTP        ──▶  (calls of Control, each with its answer)
//! ```
//!
//! * [`config`]: what is served, to whom, and how; as values that have been checked.
//! * [`start`]: makes a [`Server`] of that; [`disk`] and [`backend`] are its parts, which need
//!   no sockets and no clock.
//! * [`control`]: what can be asked and changed while it runs, as the trait [`Control`].
//! * [`status`]: what there is to see of a running server.
//! * [`metrics`], [`http`]: the same for Prometheus and for people.
//! * [`service`]: what the system wants of a service: signals, readiness, logs.
//! * [`ctl`]: the control socket, by which `bfq ctl` and other programs ask.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub mod backend;
mod buffers;
mod closed;
pub mod config;
mod connection;
pub mod control;
pub mod ctl;
pub mod disk;
mod drive;
mod hanging;
pub mod http;
mod identity;
mod log_limit;
pub mod metrics;
mod net;
mod output;
mod page;
mod places;
mod server;
pub mod service;
pub mod status;
pub mod unix_socket;

pub use buffers::{Buffer, Buffers};
pub use config::Config;
pub use control::Control;
pub use drive::{ExportError, ServedDisk};
pub use server::{Server, StartError, start};
pub use status::Status;
