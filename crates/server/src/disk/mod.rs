// SPDX-License-Identifier: MIT OR Apache-2.0
//! A disk and its tenants, without sockets and without a clock: requests of clients go in, answers
//! come out, and a [`Backend`](crate::backend::Backend) does what the scheduler decides.
//!
//! [`State`] is the part between clients and the scheduler, [`Disk`] joins it to a backend. Both
//! are told the time, so that tests let a disk work in virtual time.

mod drive;
mod request;
mod slow;
mod space;
mod state;
mod tenants;
mod window;

pub use drive::{Disk, ExportError};
pub use request::{Answer, Charge, Failure, Operation, Request};
pub use state::{ExportKey, Piece, State, StateError};
