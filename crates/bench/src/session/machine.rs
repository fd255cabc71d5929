//! What a session changes on the machine.

use crate::model::Candidate;
use std::error::Error;
use std::path::PathBuf;

/// The machine, as far as a session changes it. Whoever implements it puts everything back.
pub trait Machine {
    /// Makes a candidate the scheduler of the disk, with its tunables.
    ///
    /// # Errors
    /// The system does not let it.
    fn select(&mut self, candidate: &Candidate) -> Result<(), MachineError>;

    /// A control group with a weight, made if it does not exist. The answer is the file that takes
    /// the processes.
    ///
    /// # Errors
    /// The system does not let it.
    fn group(&mut self, name: &str, weight: u32) -> Result<PathBuf, MachineError>;
}

/// The machine could not be changed.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct MachineError(Box<dyn Error + Send + Sync>);

impl MachineError {
    /// Because of this.
    pub fn new(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        MachineError(error.into())
    }
}
