// SPDX-License-Identifier: MIT OR Apache-2.0
//! The machine is left as it was found, whatever happens.
//!
//! A bench changes a machine: schedulers and their tunables, control groups, scratch files,
//! processes. Each [`Change`] is written to a [`Journal`], with what is needed to undo it, and is
//! on the disk before it is made. So all of it can be undone, in reverse order:
//!
//! * at the end, and when an error or a signal ends the run early:
//!   [`Journal::restore`], or dropping it;
//! * after a `kill -9` or a crash of the program: [`left_over()`] finds the journal. Its owner is
//!   known to have ended by the lock on the file;
//! * after a crash of the machine: the journal tells which boot it was. What does not outlive a
//!   boot (settings, groups, processes) is not touched then; files are removed.
//!
//! Undoing twice does what undoing once does, and undoing what was never made does nothing: so it
//! does not matter at which moment the program was killed, also while it restored.

mod change;
mod error;
mod folder_identity;
mod groups;
mod journal;
mod left_over;
mod lines;
mod processes;
mod purpose;
mod queue;
mod setting;

pub use change::Change;
pub use error::{Failure, NotRestored, RestoreError};
pub use folder_identity::FolderIdentity;
pub use groups::{Groups, RunGroup};
pub use journal::{Journal, LeftOver, left_over};
pub use left_over::{StillChanged, restore_left_over};
pub use lines::Opening;
pub use purpose::{JOURNALS_FOLDER, KEPT_JOURNALS_FOLDER, Purpose, TOP_JOURNALS_FOLDER};
pub use queue::QueueState;
