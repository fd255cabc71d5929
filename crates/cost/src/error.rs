// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why nothing could be measured, or why a measurement is not accepted.

use std::path::PathBuf;

/// Why nothing could be measured, or why a measurement is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum CostError {
    #[error(transparent)]
    Build(#[from] elevators::BuildError),
    #[error(transparent)]
    OutOfMemory(#[from] base::OutOfMemory),
    #[error(transparent)]
    Identity(#[from] blk::IdentityError),
    #[error("no shape `{name}`; there are {known}")]
    NoShape { name: String, known: String },
    #[error("cannot run {program}: {source}")]
    Run { program: String, source: std::io::Error },
    #[error("{program} failed: {message}")]
    Failed { program: String, message: String },
    #[error(
        "{name} of {folder} cannot be built (docs/performance.md names a state that can, and what \
         it needs):\n{message}"
    )]
    Peer { name: &'static str, folder: PathBuf, message: String },
    #[error("cannot write {path}: {source}")]
    Write { path: PathBuf, source: std::io::Error },
    #[error("cannot read {path}: {source}")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{path} holds no reference figures: {source}")]
    Reference { path: PathBuf, source: toml::de::Error },
    #[error("valgrind, which counts instructions, is not installed")]
    NoValgrind,
    #[error(
        "not as {path} says (case, figure, counted, difference):{rows}\n\
         docs/performance.md says how to see where instructions go; if this cost is meant, \
         `make cost-check RENEW=1` renews the figures"
    )]
    Dearer { path: PathBuf, rows: String },
    #[error("the simulation failed: {0}")]
    Simulation(String),
}
