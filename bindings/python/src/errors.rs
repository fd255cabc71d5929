// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors as exceptions of `bfq.errors`, with the file and the line that are wrong.

use lab::LabError;
use pyo3::{PyErr, import_exception};
use workload::JobErrors;

import_exception!(bfq.errors, BfqError);
import_exception!(bfq.errors, JobFileError);
import_exception!(bfq.errors, SimulationError);
import_exception!(bfq.errors, UsageError);

/// The exception for an error of a plan or a run.
pub(crate) fn exception(error: LabError) -> PyErr {
    match error {
        LabError::Jobs(errors) => job_file_error(&errors),
        error if error.is_usage() => UsageError::new_err(error.to_string()),
        error => SimulationError::new_err(error.to_string()),
    }
}

fn job_file_error(errors: &JobErrors) -> PyErr {
    let mistake = |error: &workload::JobError| {
        (error.file.clone(), error.line, format!("{}; expected {}", error.what, error.expected))
    };
    let mistakes: Vec<_> = errors.iter().map(mistake).collect();
    JobFileError::new_err((errors.to_string(), mistakes))
}

/// The exception for an argument that is wrong.
pub(crate) fn usage(error: impl std::fmt::Display) -> PyErr {
    UsageError::new_err(error.to_string())
}
