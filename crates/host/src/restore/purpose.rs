// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a journal is for: a measurement, which puts back at its end, or changes that stay until
//! they are undone.

use serde::{Deserialize, Serialize};

/// Where the journals of root are; no other user can change what has to be restored. Not in `/run`:
/// a scratch file outlives a boot, so its journal has to.
pub const JOURNALS_FOLDER: &str = "/var/lib/bfq";

/// Where the journals of changes that stay are ([`Purpose::Doctor`]): a run does not undo them.
pub const KEPT_JOURNALS_FOLDER: &str = "/var/lib/bfq/doctor";

/// Where the journals of `bfq top` are ([`Purpose::Top`]).
pub const TOP_JOURNALS_FOLDER: &str = "/var/lib/bfq/top";

/// Which command makes the changes of a journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// A run of `bfq bench`; what it has changed is put back at its end.
    #[default]
    Bench,
    /// What `bfq doctor --fix` has mended; it stays until it is undone.
    Doctor,
    /// What `bfq top` has made to look at the disks; it is removed at its end.
    Top,
}

impl Purpose {
    /// The command that puts back what is in the journal.
    pub fn restoring_command(self) -> &'static str {
        match self {
            Purpose::Bench => "bfq bench --restore",
            Purpose::Doctor => "bfq doctor --restore",
            Purpose::Top => "bfq top --restore",
        }
    }

    /// Where the journals of root are, unless it says another place.
    pub fn journals_folder(self) -> &'static str {
        match self {
            Purpose::Bench => JOURNALS_FOLDER,
            Purpose::Doctor => KEPT_JOURNALS_FOLDER,
            Purpose::Top => TOP_JOURNALS_FOLDER,
        }
    }

    /// What is undone, as the beginning of a list.
    pub(super) fn undone_of(self, disk: &str) -> String {
        match self {
            Purpose::Bench => format!("a run on {disk} was killed; undoing what it did:"),
            Purpose::Doctor => format!("undoing what was mended on {disk}:"),
            Purpose::Top => format!("bfq top on {disk} was killed; removing what it made:"),
        }
    }
}
