// SPDX-License-Identifier: MIT OR Apache-2.0
//! The half of the Python package `bfq` that is in Rust (docs/python.md): plans and runs as crate
//! `lab` makes them, and their results as JSON and as Arrow tables. What people see is written in
//! Python, on top of it.

mod arguments;
mod errors;
mod results;
mod signals;
mod simulate;

use pyo3::prelude::*;

/// What `bfq` is made of; use the package itself.
#[pymodule]
mod _bfq {
    #[pymodule_export]
    use crate::results::Results;
    #[pymodule_export]
    use crate::simulate::simulate;
}
