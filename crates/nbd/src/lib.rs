// SPDX-License-Identifier: MIT OR Apache-2.0
//! The NBD protocol without I/O: a server's and a client's side as state machines.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod error_code;
mod export;
mod extent;
mod headers;
mod limits;
mod numbers;
pub mod server;
mod take;
mod text;

pub use error_code::ErrorCode;
pub use export::{BlockSizes, Export, Features};
pub use extent::Extent;
pub use headers::Headers;
pub use limits::Limits;
