// SPDX-License-Identifier: MIT OR Apache-2.0
//! What does the commands of a disk: real files and devices, or memory with a modelled timing.

mod contract;
mod emulated;
mod files;
mod held;
mod lock;
mod memory;

pub use contract::{Backend, Ended, Extent, Opened, Opener};
pub use emulated::Emulated;
pub use files::Files;
