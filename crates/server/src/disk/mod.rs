// SPDX-License-Identifier: MIT OR Apache-2.0
//! What clients ask of a disk, and the scheduler that their tenants share; without sockets, without
//! I/O, and without a clock: a [`DiskState`] is told the time.

mod export_key;
mod request;
mod slow;
pub(crate) mod space;
mod state;
mod tenants;
mod turns;
mod window;

pub use export_key::ExportKey;
pub use request::{Answer, Charge, DiskRequest, Failure, Operation, Piece};
pub use state::{DiskState, StateError};
