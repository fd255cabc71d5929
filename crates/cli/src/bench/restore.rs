// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq bench --restore`: puts back what runs that were killed have changed.

use crate::failure::Failure;
use crate::note::note;
use host::Host;
use host::restore::{JOURNALS_FOLDER, left_over, restore_left_over};
use std::path::Path;

/// Puts everything back, and says what that was.
///
/// # Errors
/// With exit code 2 if the journals are not there or another user's, with 1 what could not be put
/// back; the rest has been.
pub fn run(journals: Option<&Path>, quiet: bool) -> Result<(), Failure> {
    let say = |text: &str| {
        if !quiet {
            note(text);
        }
    };
    if let Some(missing) = journals.filter(|folder| !folder.exists()) {
        let missing = missing.display();
        let text = format!("{missing}: no such folder; expected one with journals");
        return Err(Failure::usage(text));
    }
    let journals = journals.unwrap_or(Path::new(JOURNALS_FOLDER));
    let host = Host::here();
    if left_over(&host, journals).map_err(Failure::run)?.is_closed {
        return Err(Failure::usage(format!(
            "{}: permission denied; what root's runs have changed root puts back: \
             sudo bfq bench --restore",
            journals.display()
        )));
    }
    if restore_left_over(&host, journals, &say).map_err(Failure::run)? == 0 {
        say("nothing was left to be put back");
    }
    Ok(())
}
