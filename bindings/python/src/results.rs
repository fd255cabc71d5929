// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run's results, as the command writes them.

use crate::errors::usage;
use pyo3::prelude::*;

/// The results of one run.
#[pyclass(frozen, module = "bfq._bfq")]
pub(crate) struct Results {
    pub(crate) results: report::Results,
}

#[pymethods]
impl Results {
    /// Reads the JSON of a result, the command's too. If it has several runs, `run` is the place of
    /// the one that is meant.
    #[staticmethod]
    fn from_json(text: &str, run: usize) -> PyResult<Results> {
        let mut results = report::Results::from_json(text).map_err(usage)?;
        let runs = results.runs.len();
        if run >= runs {
            return Err(usage(format!("there is no run {run}: the result has {runs}")));
        }
        results.runs = vec![results.runs.swap_remove(run)];
        Ok(Results { results })
    }

    /// The JSON that the command writes for the same input.
    fn to_json(&self) -> String {
        self.results.to_json()
    }
}
