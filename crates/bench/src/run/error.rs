// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a run of the bench did not begin, or ended early.

use crate::lineup::LineupError;
use crate::model::ResultsError;
use crate::scenarios::TooSmall;
use crate::session::SessionError;
use disk_io::TargetError;
use host::restore::{RestoreError, StillChanged};
use host::{HostError, MachineError};
use std::io;
use std::path::PathBuf;

/// Why a run of the bench did not begin, or ended early.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The target is none, or it is in use.
    #[error(transparent)]
    Target(HostError),
    /// The system's tables cannot be read.
    #[error(transparent)]
    System(HostError),
    /// Something is missing without which nothing can be measured.
    #[error("{0}")]
    Obstacle(String),
    /// The candidates are not written as they should be.
    #[error("--schedulers: {0}")]
    Lineup(#[from] LineupError),
    /// The kernel refuses a candidate, or a value of a tunable.
    #[error("--schedulers: {0}")]
    Candidate(#[source] MachineError),
    /// Without root there is no choice.
    #[error("only root can switch schedulers; expected --schedulers {current}, or root (sudo)")]
    NotRoot {
        /// The scheduler that is in force.
        current: String,
    },
    /// The target is too small.
    #[error(transparent)]
    TooSmall(#[from] TooSmall),
    /// The target lacks what all scenarios need.
    #[error("no scenario is left that could be played here")]
    NoScenario,
    /// The file of results is there already.
    #[error("{path} exists; expected a new file, or --resume {path}", path = .0.display())]
    Exists(PathBuf),
    /// The file of results cannot be written.
    #[error(transparent)]
    Results(ResultsError),
    /// The file of results cannot be read.
    #[error(transparent)]
    Resume(ResultsError),
    /// A run goes on only where it began.
    #[error("--resume: {what} was {before}, and now is {now}")]
    Different {
        /// What differs between them.
        what: &'static str,
        /// What the earlier run had, for people to read.
        before: String,
        /// What this run has, for people to read.
        now: String,
    },
    /// A run that writes goes on where nothing tells the target from others.
    #[error(
        "--resume: the run destroys data, and nothing tells whether {target} is the target that it \
         began on; expected --allow-write with it if the data of {target} may be destroyed"
    )]
    NotKnownAgain {
        /// The target's path.
        target: String,
    },
    /// The target cannot be opened.
    #[error(transparent)]
    Open(#[from] TargetError),
    /// A device that is claimed cannot be opened.
    #[error(transparent)]
    OpenDevice(TargetError),
    /// What runs that were killed have changed cannot all be put back.
    #[error(transparent)]
    StillChanged(#[from] StillChanged),
    /// No journal can be written.
    #[error(transparent)]
    Journal(#[from] RestoreError),
    /// The machine could not be changed, or not be put back.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// A cell could not be measured.
    #[error(transparent)]
    Session(SessionError),
    /// Which processor time counts cannot be told.
    #[error(transparent)]
    Counting(SessionError),
    /// The system refuses something else.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The user has interrupted it.
    #[error("interrupted")]
    Interrupted,
}

impl RunError {
    /// Whether the options are wrong; if not, something failed.
    pub fn is_usage(&self) -> bool {
        match self {
            RunError::Open(error) => error.is_usage(),
            RunError::Target(_)
            | RunError::Obstacle(_)
            | RunError::Lineup(_)
            | RunError::Candidate(_)
            | RunError::NotRoot { .. }
            | RunError::TooSmall(_)
            | RunError::NoScenario
            | RunError::Exists(_)
            | RunError::Resume(_)
            | RunError::Different { .. }
            | RunError::NotKnownAgain { .. }
            | RunError::OpenDevice(_) => true,
            RunError::System(_)
            | RunError::Results(_)
            | RunError::StillChanged(_)
            | RunError::Journal(_)
            | RunError::Machine(_)
            | RunError::Session(_)
            | RunError::Counting(_)
            | RunError::Io(_)
            | RunError::Interrupted => false,
        }
    }
}

impl From<SessionError> for RunError {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Interrupted => RunError::Interrupted,
            other => RunError::Session(other),
        }
    }
}
