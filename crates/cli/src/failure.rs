// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a command fails: an exit code, and one line that says why.

use crate::note::note;
use base::text::with_causes;
use bench::run::RunError;
use lab::{FailedRun, LabError};
use signal_hook::consts::SIGPIPE;
use std::error::Error;
use std::fmt::Write;
use std::process::ExitCode;

/// The exit code of a program that a closed pipe has ended.
const NOBODY_LISTENS: u8 = 128 + SIGPIPE as u8;

/// The exit code of a machine with which something is wrong.
const SOMETHING_IS_WRONG: u8 = 3;

/// All exit codes, and what they mean.
pub const EXIT_CODES: [(u8, &str); 5] = [
    (0, "It is done."),
    (1, "It failed while running, was interrupted, or what it compared differs."),
    (2, "The command line, a job file, configuration, target, profile, trace or result is wrong."),
    (SOMETHING_IS_WRONG, "Something is wrong with the machine that bfq doctor has looked at."),
    (NOBODY_LISTENS, "No program reads the output any more, as if SIGPIPE had ended it."),
];

/// What `bfq help exit-codes` says.
pub fn exit_codes() -> String {
    let mut text = String::from("Exit codes of bfq:\n\n");
    for (code, meaning) in EXIT_CODES {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{code:>5}  {meaning}");
    }
    text
}

/// Why the command ends without success.
#[derive(Debug)]
pub enum Failure {
    /// The command line, a job file or a profile is wrong: exit code 2.
    Usage(Box<dyn Error>),
    /// It failed while running: exit code 1.
    Run(Box<dyn Error>),
    /// It was interrupted, and has said so in its result: exit code 1, nothing more to say.
    Interrupted,
    /// The machine is not as it should be, and the result says how: exit code 3, nothing more to
    /// say.
    Unhealthy,
    /// The output is not read any more (a closed pipe): nothing more to say, and the exit code of
    /// a program that SIGPIPE has ended, 141, so that a shell's `pipefail` sees it.
    NobodyListens,
}

impl Failure {
    /// The user's input is wrong.
    pub fn usage(error: impl Into<Box<dyn Error>>) -> Self {
        Self::Usage(error.into())
    }

    /// It went wrong while running.
    pub fn run(error: impl Into<Box<dyn Error>>) -> Self {
        Self::Run(error.into())
    }

    /// The input was wrong, or it went wrong while running.
    pub fn of(error: LabError) -> Self {
        if error.is_usage() { Self::usage(error) } else { Self::run(error) }
    }

    /// That runs of a series failed, if any did: all but the last are told here.
    ///
    /// # Errors
    /// The last one.
    pub fn of_runs(mut failed: Vec<FailedRun>) -> Result<(), Self> {
        let Some(last) = failed.pop() else { return Ok(()) };
        failed.iter().for_each(|run| note(&with_causes(run)));
        Err(if last.error.is_usage() { Self::usage(last) } else { Self::run(last) })
    }

    /// The same of a run of the bench.
    pub fn of_bench(error: RunError) -> Self {
        match error {
            RunError::Interrupted => Self::Interrupted,
            wrong if wrong.is_usage() => Self::usage(wrong),
            failed => Self::run(failed),
        }
    }

    /// How a command ends that tells a result even if it was not done: why it was not done is the
    /// failure, and that the result could not be told is said before.
    ///
    /// # Errors
    /// If it was not done, or its result could not be told.
    pub fn of_ended(ended: Result<(), Self>, told: Result<(), Self>) -> Result<(), Self> {
        match (ended, told) {
            (Ok(()), told) => told,
            (Err(why), told) => {
                if let Err(untold) = told {
                    untold.report();
                }
                Err(why)
            }
        }
    }

    /// Tells the user and gives the exit code.
    pub fn report(&self) -> ExitCode {
        let (error, code) = match self {
            Self::Usage(error) => (error, 2),
            Self::Run(error) => (error, 1),
            Self::Interrupted => return ExitCode::from(1),
            Self::Unhealthy => return ExitCode::from(SOMETHING_IS_WRONG),
            Self::NobodyListens => return ExitCode::from(NOBODY_LISTENS),
        };
        note(&with_causes(error.as_ref()));
        ExitCode::from(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_it_was_not_done_is_not_lost_with_the_result() {
        let not_done = || Err(Failure::run("the disk is gone"));
        for told in [Ok(()), Err(Failure::NobodyListens), Err(Failure::usage("no rule"))] {
            let ended = Failure::of_ended(not_done(), told);
            assert!(
                matches!(&ended, Err(Failure::Run(why)) if why.to_string() == "the disk is gone")
            );
        }
        let ended = Failure::of_ended(Ok(()), Err(Failure::NobodyListens));
        assert!(matches!(ended, Err(Failure::NobodyListens)));
    }
}
