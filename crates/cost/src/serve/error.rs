// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why nothing could be measured.

use std::path::PathBuf;

/// Why nothing could be measured.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    #[error("cannot run {program}: {source}")]
    Run { program: String, source: std::io::Error },
    #[error("{program} has ended at its start: {message}")]
    Ended { program: String, message: String },
    #[error("{program} has no socket after {seconds} s")]
    NoSocket { program: String, seconds: u64 },
    #[error("{path}: {source}")]
    File { path: PathBuf, source: std::io::Error },
    #[error("a client gets no export: {0}")]
    Negotiation(#[from] nbd::client::NegotiationError),
    #[error("a client's request fails: {0}")]
    Connection(#[from] nbd::client::ConnectionError),
    #[error("a client's thread has panicked")]
    Panicked,
}
