// SPDX-License-Identifier: MIT OR Apache-2.0
//! Job files before they run: whether they are right, and what of them has no effect.

use crate::arguments::Arguments;
use crate::errors::of_lab;
use pyo3::prelude::*;
use workload::Job;

/// The names of the jobs, and what has no effect: file, line and words.
type Checked = (Vec<String>, Vec<(String, u32, String)>);

/// Reads the job files and says what is wrong with them.
#[pyfunction]
pub(crate) fn check(python: Python<'_>, arguments: Arguments) -> PyResult<Checked> {
    python.detach(|| {
        let jobs = arguments.work()?.jobs(&arguments.files()).map_err(of_lab)?;
        Ok((jobs.iter().map(|job| job.name.clone()).collect(), notes(&jobs)))
    })
}

/// What of the jobs has no effect here.
pub(crate) fn notes(jobs: &[Job]) -> Vec<(String, u32, String)> {
    let noted = workload::notes(jobs).into_iter();
    noted.map(|note| (note.file.to_string(), note.line, note.text.clone())).collect()
}
