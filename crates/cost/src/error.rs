// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why nothing could be measured.

use std::path::PathBuf;

/// Why nothing could be measured.
#[derive(Debug, thiserror::Error)]
pub enum CostError {
    #[error(transparent)]
    Build(#[from] elevators::BuildError),
    #[error(transparent)]
    OutOfMemory(#[from] base::OutOfMemory),
    #[error("no shape `{name}`; there are {known}")]
    NoShape { name: String, known: String },
    #[error("cannot run {program}: {source}")]
    Run { program: String, source: std::io::Error },
    #[error("{program} failed: {message}")]
    Failed { program: String, message: String },
    #[error("cannot write {path}: {source}")]
    Write { path: PathBuf, source: std::io::Error },
}
