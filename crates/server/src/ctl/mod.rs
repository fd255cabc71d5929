// SPDX-License-Identifier: MIT OR Apache-2.0
//! The control socket: requests and answers as lines of JSON, each with the version of the
//! protocol.
//!
//! ```text
//! {"version":1,"command":"weight","tenant":"alice","weight":300}
//! {"version":1,"ok":null}
//! {"version":1,"command":"weight","tenant":"alise","weight":300}
//! {"version":1,"error":{"kind":"unknown","message":"no tenant `alise`; did you mean `alice`?"}}
//! ```
//!
//! * [`protocol`]: what can be asked, and how answers look.
//! * [`Operator`]: carries requests out on a [`Control`](crate::Control).
//! * [`ControlSocket`]: listens, within limits on clients, lengths of lines and time.
//! * [`Client`]: the other end, which `bfq ctl` uses.

mod client;
mod line;
mod operator;
pub mod protocol;
mod socket;
mod stop;

pub use client::{AskError, Client};
pub use operator::{Operator, ReloadError};
pub use socket::ControlSocket;
pub use stop::StopRequest;
