// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can go wrong while the machine is changed, and while it is put back.

use super::purpose::Purpose;
use base::suggest::meant_or_all;
use base::text::with_causes;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A change was not made, or not undone.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// The system says so.
    #[error("cannot {doing} {}", path.display())]
    Io {
        /// `read`, `write`, `make`, …
        doing: &'static str,
        /// Path of the file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The system refuses a value.
    #[error("cannot write `{value}` to {}", path.display())]
    Refused {
        /// The value that was refused.
        value: String,
        /// The file of the setting.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A setting was written and yet is another.
    #[error("`{expected}` was written to {}, which is `{found}` all the same", path.display())]
    NotTaken {
        /// The file of the setting.
        path: PathBuf,
        /// What it should be.
        expected: String,
        /// The value that the file has.
        found: String,
    },
    /// A scheduler has no such tunable.
    #[error("{scheduler} has no tunable `{name}`{}", meant_or_all(name, known))]
    NoTunable {
        /// Name of the scheduler.
        scheduler: String,
        /// What was asked for.
        name: String,
        /// The tunables that the scheduler has.
        known: Vec<String>,
    },
    /// Two benches cannot both own the controller of block I/O.
    #[error("another bench has made control groups; wait until it is done, or end it")]
    GroupsTaken,
    /// Another process changes the machine for good at this moment.
    #[error("process {pid} is at this; wait until it is done, or end it")]
    AtWork {
        /// Number of the process.
        pid: u32,
    },
    /// What was changed before the machine booted cannot be undone.
    #[error(transparent)]
    Before(NotRestored),
    /// A setting has become another one since it was looked at.
    #[error("{} is `{found}` by now, no longer `{expected}`; nothing is changed", path.display())]
    Meanwhile {
        /// The file of the setting.
        path: PathBuf,
        /// The value that was written, which the setting had last.
        expected: String,
        /// The value that the file has now.
        found: String,
    },
    /// An earlier run was killed.
    #[error(
        "a run on {disk} was killed before it could put the machine back as it was; \
             `bfq bench --restore` does that now"
    )]
    LeftOver {
        /// The disk of that run.
        disk: String,
    },
    /// A journal is damaged, or of another version of the program.
    #[error("{}:{line}: expected {expected}", path.display())]
    Malformed {
        /// Path of the journal.
        path: PathBuf,
        /// Its line, from 1.
        line: usize,
        /// What should be there.
        expected: &'static str,
    },
    /// A journal cannot be followed.
    #[error(
        "{}; what this journal has changed is not known here: if it is not to be put back, \
         remove {}",
        with_causes(reason),
        path.display()
    )]
    NotFollowed {
        /// Path of the journal.
        path: PathBuf,
        /// Why it cannot be followed.
        reason: Box<RestoreError>,
    },
    /// A journal says what its reader does; it must be the reader's own.
    #[error("{} belongs to another user ({owner}); it is not followed", path.display())]
    NotOurs {
        /// Path of the journal.
        path: PathBuf,
        /// User id of the owner.
        owner: u32,
    },
    /// A scratch file is not there, and its folder is another one than it was.
    #[error("{} is not there, and its folder is not the one it was made in; mount that filesystem",
            path.display())]
    OtherFolder {
        /// Path of the file.
        path: PathBuf,
    },
    /// A process that was started cannot be ended: it waits for the disk.
    #[error("processes {} do not end, though they were killed", list(pids))]
    WillNotEnd {
        /// Numbers of the processes.
        pids: Vec<u32>,
    },
}

fn list(numbers: &[u32]) -> String {
    numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

impl RestoreError {
    /// Makes an error of the system one of ours: `.map_err(RestoreError::io("read", &path))`.
    pub(super) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| RestoreError::Io { doing, path: path.to_owned(), source }
    }
}

/// A change that could not be undone.
#[derive(Debug)]
pub struct Failure {
    /// What should have been done: `remove the file /srv/x`.
    pub what: String,
    /// Why it was not.
    pub error: RestoreError,
}

/// The machine is not quite as it was: all that could not be undone. What is not in the list was.
#[derive(Debug, thiserror::Error)]
pub struct NotRestored {
    /// What could not be done.
    pub failures: Vec<Failure>,
    /// The journal, which still has it.
    pub journal: PathBuf,
    /// What the journal is for.
    pub purpose: Purpose,
}

impl fmt::Display for NotRestored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the machine is not quite as it was:")?;
        for Failure { what, error } in &self.failures {
            write!(f, "\n  cannot {what}: {error}")?;
            let mut cause = std::error::Error::source(error);
            while let Some(deeper) = cause {
                write!(f, ": {deeper}")?;
                cause = deeper.source();
            }
        }
        let journal = self.journal.display();
        write!(
            f,
            "\n`{}` tries again; if it is not to be put back, remove {journal}",
            self.purpose.restoring_command()
        )
    }
}
