// SPDX-License-Identifier: MIT OR Apache-2.0
//! The half of the Python package `bfq` that is in Rust (docs/python.md): plans and runs as crate
//! `lab` makes them, and their results as JSON and as Arrow tables. What people see is written in
//! Python, on top of it.

mod arguments;
mod decisions;
mod errors;
mod explain;
mod figures;
mod files;
mod fit;
mod jobs;
mod lists;
mod results;
mod signals;
mod simulate;
mod table;
mod traces;

use pyo3::prelude::*;

/// What `bfq` is made of; use the package itself.
#[pymodule]
mod _bfq {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::explain::{explain, explain_recording, recording_overview};
    #[pymodule_export]
    use crate::fit::fit;
    #[pymodule_export]
    use crate::jobs::check;
    #[pymodule_export]
    use crate::lists::{device, devices, scenario, scenarios, schedulers, tunables};
    #[pymodule_export]
    use crate::results::Results;
    #[pymodule_export]
    use crate::simulate::simulate;
    #[pymodule_export]
    use crate::table::Table;
    #[pymodule_export]
    use crate::traces::{convert_trace, read_trace};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
