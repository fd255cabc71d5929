// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a recording could not be replayed.

use super::log::LogError;
use super::setup::SetupError;

/// A recording that could not be replayed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The log is missing or malformed.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The settings beside it are.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The recording is malformed.
    #[error("{file}: {source}")]
    Recording {
        /// Path of the recording.
        file: String,
        /// Where, and what is wrong.
        source: recording::ReadError,
    },
    /// The recording does not begin when the scheduler was attached.
    #[error(
        "{0}: this recording begins in the middle of a scheduler's life, and what the scheduler \
         knew then is not in it; expected one that begins when it was attached (bfq explain takes \
         any)"
    )]
    NotFromAttach(String),
    /// The recording was made under a policy that this program does not have.
    #[error(
        "{file}: this recording was made under the policy `{name}`, which is unknown; expected {}",
        policies()
    )]
    UnknownPolicy {
        /// Path of the recording.
        file: String,
        /// What the recording calls it.
        name: String,
    },
    /// There is no memory for a scheduler like that of the recording.
    #[error("{file}: {source}")]
    OutOfMemory {
        /// Path of the recording.
        file: String,
        /// There is no memory.
        source: base::OutOfMemory,
    },
    /// The log has an event that no host could have sent.
    #[error("{file}:{line}: {what}")]
    Impossible {
        /// Path of the log.
        file: String,
        /// Its line, from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
}

/// The names of the policies.
fn policies() -> String {
    let names: Vec<_> = bfq::PolicyName::ALL.iter().map(|policy| policy.name()).collect();
    names.join(" or ")
}
