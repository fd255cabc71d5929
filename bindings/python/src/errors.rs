// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors as exceptions of `bfq.errors`, with the file and the line that are wrong.

use device::ProfileError;
use lab::devices::DeviceError;
use lab::{ConversionError, LabError};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::{PyErr, import_exception};
use runner::RunnerError;
use std::fmt::Display;
use std::path::Path;
use trace::{TraceError, TracePosition};
use workload::{JobError, JobErrors};

mod python {
    use super::import_exception;

    import_exception!(bfq.errors, DeviceError);
    import_exception!(bfq.errors, JobFileError);
    import_exception!(bfq.errors, RecordingError);
    import_exception!(bfq.errors, SimulationError);
    import_exception!(bfq.errors, TraceError);
    import_exception!(bfq.errors, UsageError);
}

/// File, line (0: the file as a whole), and what is wrong there.
type Mistake = (String, u64, String);

/// The exception for an error of a plan or a run.
pub(crate) fn of_lab(error: LabError) -> PyErr {
    match error {
        LabError::Jobs(errors) | LabError::Runner(RunnerError::Job(errors)) => of_jobs(&errors),
        LabError::Device(DeviceError::Profile(error)) => of_profile(&error),
        LabError::Device(error) => of_device(&error),
        error if error.is_usage() => usage(error),
        error => failed(error),
    }
}

fn of_jobs(errors: &JobErrors) -> PyErr {
    let mut told = errors.to_string();
    let mut mistake = |error: &JobError| -> Mistake {
        let message = error.message();
        let in_python = in_keywords(&message);
        told = told.replace(&message, &in_python);
        (error.file.clone(), error.line.into(), in_python)
    };
    let mistakes: Vec<Mistake> = errors.iter().map(&mut mistake).collect();
    python::JobFileError::new_err((told, mistakes))
}

/// The exception for a device profile that is wrong.
pub(crate) fn of_profile(error: &ProfileError) -> PyErr {
    let line = error.line.unwrap_or(0).into();
    let mistake: Mistake = (error.file.clone(), line, error.message());
    python::DeviceError::new_err((error.to_string(), vec![mistake]))
}

/// The exception for devices of which none, or several, are named.
fn of_device(error: &DeviceError) -> PyErr {
    let none: [Mistake; 0] = [];
    python::DeviceError::new_err((in_keywords(&error.to_string()), none.to_vec()))
}

/// The exception for a trace that is wrong.
pub(crate) fn of_trace(error: &TraceError) -> PyErr {
    let line = match error.place {
        TracePosition::Line(line) => line,
        TracePosition::File | TracePosition::Byte(_) => 0,
    };
    let text = format!("{}; expected {}", error.what, error.expected);
    let mistake: Mistake = (error.file.clone(), line, text);
    python::TraceError::new_err((error.to_string(), vec![mistake]))
}

/// The exception for a trace that could not be converted.
pub(crate) fn of_conversion(error: ConversionError) -> PyErr {
    match error {
        ConversionError::Trace(error) => of_trace(&error),
        wrong if wrong.is_usage() => usage(wrong),
        error => failed(error),
    }
}

/// The exception for a file that cannot be read as a trace.
pub(crate) fn unreadable_trace(file: &str, error: impl Display) -> PyErr {
    let mistake: Mistake = (file.to_owned(), 0, error.to_string());
    python::TraceError::new_err((format!("{file}: {error}"), vec![mistake]))
}

/// The exception for a file that cannot be read as a recording. Recordings have no lines: the text
/// names the byte.
pub(crate) fn of_recording(path: &Path, error: impl Display) -> PyErr {
    let file = path.display().to_string();
    let message = format!("{file}: {error}");
    let mistake: Mistake = (file, 0, error.to_string());
    python::RecordingError::new_err((message, vec![mistake]))
}

/// The exception for an argument that is wrong.
pub(crate) fn usage(error: impl Display) -> PyErr {
    python::UsageError::new_err(in_keywords(&error.to_string()))
}

/// The exception for something that failed on the way.
pub(crate) fn failed(error: impl Display) -> PyErr {
    python::SimulationError::new_err(in_keywords(&error.to_string()))
}

/// The options of the command that messages name, and what they are in Python.
const KEYWORDS: [(&str, &str); 15] = [
    ("--allow-write", "allow_write=True"),
    ("--device", "device"),
    ("--fit", "profile"),
    ("--group", "groups"),
    ("--ignore-unsupported", "ignore_unsupported=True"),
    ("--job", "section"),
    ("--queue", "queue"),
    ("--replay", "replay"),
    ("--runtime", "runtime"),
    ("--scheduler on the command line", "scheduler=NAME"),
    ("--scheduler", "scheduler"),
    ("--set", "tunables"),
    ("--size SIZE", "size_bytes"),
    ("--time", "seconds"),
    ("--vm", "vm"),
];

/// A message of what the command shares with Python, in Python's words.
pub(crate) fn in_keywords(message: &str) -> String {
    let mut told = message.to_owned();
    for (option, keyword) in KEYWORDS {
        told = told.replace(option, keyword);
    }
    told
}

/// The exception of Ctrl-C, for work that ends in its own way.
pub(crate) fn interrupted() -> PyErr {
    PyKeyboardInterrupt::new_err(())
}
