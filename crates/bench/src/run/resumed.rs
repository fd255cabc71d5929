// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run that goes on: it may write only to what its user allowed it to write to.

use super::error::RunError;
use crate::model::Opening;
use host::{Disk, TargetKind};

/// A run that goes on.
#[derive(Clone, Debug)]
pub struct Resumed {
    /// What its file of results begins with: that has to be as it was.
    pub opening: Opening,
    /// Whether the user says once more that the data of the target may be destroyed.
    pub allow_write: bool,
}

/// A target, as far as it is compared.
#[derive(Clone, Copy, Debug)]
struct Found<'a> {
    disk: &'a str,
    identity: Option<&'a str>,
    /// Whether only scratch files are written to.
    is_folder: bool,
}

impl Resumed {
    /// Whether a target is that of the run. It is asked before anything is done to the target.
    ///
    /// # Errors
    /// [`RunError::Different`], or [`RunError::NotKnownAgain`].
    pub(super) fn check(&self, disk: &Disk) -> Result<(), RunError> {
        self.compare(Found {
            disk: &disk.to_string(),
            identity: disk.identity().as_deref(),
            is_folder: disk.target.kind == TargetKind::Directory,
        })
    }

    fn compare(&self, found: Found) -> Result<(), RunError> {
        let before = &self.opening;
        same("the disk", &before.disk, found.disk)?;
        match (&before.identity, found.identity) {
            (Some(before), found) => same("the target", before, found.unwrap_or("not known")),
            (None, _) if !before.conditions.writes || found.is_folder || self.allow_write => Ok(()),
            (None, _) => Err(RunError::NotKnownAgain { target: before.target.clone() }),
        }
    }
}

/// Compares something with how it was.
///
/// # Errors
/// [`RunError::Different`].
pub(super) fn same(what: &'static str, before: &str, now: &str) -> Result<(), RunError> {
    if before == now {
        return Ok(());
    }
    Err(RunError::Different { what, before: before.to_owned(), now: now.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::made_up_runs;

    const FOUND: Found = Found { disk: "a disk", identity: Some("serial 1"), is_folder: false };

    /// A run that was allowed to write to the disk of this identity.
    fn resumed(identity: Option<&str>) -> Resumed {
        let mut opening = made_up_runs::opening(&["none"], &[]);
        opening.disk = FOUND.disk.to_owned();
        opening.identity = identity.map(str::to_owned);
        opening.conditions.writes = true;
        Resumed { opening, allow_write: false }
    }

    #[test]
    fn another_disk_of_the_same_model_is_refused_even_if_writing_is_allowed() {
        let mut resumed = resumed(Some("serial 1"));
        resumed.compare(FOUND).unwrap();
        resumed.allow_write = true;
        for identity in [Some("serial 2"), None] {
            let error = resumed.compare(Found { identity, ..FOUND }).unwrap_err().to_string();
            assert!(error.starts_with("--resume: the target was serial 1, and now is"), "{error}");
        }
    }

    #[test]
    fn what_cannot_be_known_again_takes_a_word_of_the_user() {
        let mut resumed = resumed(None);
        let error = resumed.compare(FOUND).unwrap_err().to_string();
        assert!(error.contains("expected --allow-write"), "{error}");
        resumed.compare(Found { is_folder: true, ..FOUND }).unwrap();
        resumed.allow_write = true;
        resumed.compare(FOUND).unwrap();
        resumed.allow_write = false;
        resumed.opening.conditions.writes = false;
        resumed.compare(FOUND).unwrap();
    }
}
