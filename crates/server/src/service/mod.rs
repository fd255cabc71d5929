// SPDX-License-Identifier: MIT OR Apache-2.0
//! A server as a service of the system: signals, the service manager, logs, inherited sockets.

mod inherited;
pub mod log;
mod run;
mod stopping;

pub use inherited::inherited_sockets;
pub use run::{CaughtSignals, Service, ServiceError};
