// SPDX-License-Identifier: MIT OR Apache-2.0
//! The simulator behind a page in a browser (docs/playground.md).
//!
//! A [`Session`] is set up with a disk, a job file and one to three schedulers. It goes on bit by
//! bit, says what is to be drawn ([`Frame`]), takes changes on the way, and answers why a request
//! waited. A [`Playground`] is the same by texts in JSON, one for each call, which is all that
//! passes between the page and its WebAssembly.
//!
//! ```
//! use playground::{Session, Setup};
//!
//! let setup = Setup::new("hdd-desktop", "bfq,none", "[reader]\nrw=read\nsize=1m\n");
//! let mut session = Session::begin(setup)?;
//! let frames = session.advance(1_000_000_000)?;
//! assert!(frames.iter().all(|frame| frame.has_ended));
//! # Ok::<(), playground::SessionError>(())
//! ```
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

#[cfg(target_family = "wasm")]
mod abi;
mod calls;
mod figures;
mod frame;
mod live;
mod played;
mod session;
mod setup;
mod why;

pub use calls::Playground;
pub use figures::ProcessFigures;
pub use frame::{Frame, GroupAbout};
pub use session::{About, Session, SessionError};
pub use setup::{Change, Setup};
pub use why::{Behind, Cause, Why, WhyStep};
