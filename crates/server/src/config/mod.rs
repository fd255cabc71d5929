// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is served, to whom, and how: the values, and the file that they come from.
//!
//! A file is read by [`Config::load`]; all that is wrong with it is told at once, each mistake with
//! its line. [`reference()`] has each key, from the table by which files are read.

mod check;
mod environment;
mod error;
mod keys;
mod one;
mod permission;
mod places;
mod read;
mod section;
mod values;

pub use check::{check_export, check_sharing};
pub use environment::{Environment, FileKind, Machine};
pub use error::{ConfigError, Mistake};
pub use keys::reference;
pub use one::{Image, OneOptions};
pub use permission::permission;
pub use places::{control_sockets, default_control, default_socket};
pub use values::*;

#[cfg(test)]
mod tests;
