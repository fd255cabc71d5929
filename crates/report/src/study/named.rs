// SPDX-License-Identifier: MIT OR Apache-2.0
//! A result with the name of its file.

use crate::results::Results;

/// A result, and the name of the file that it is from.
#[derive(Clone, Debug)]
pub struct NamedResults {
    /// The name of the file, as people gave it.
    pub name: String,
    /// What is in it.
    pub results: Results,
}
