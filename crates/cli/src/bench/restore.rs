// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq bench --restore`: puts back what runs that were killed have changed.

use crate::failure::Failure;
use crate::streams::note;
use host::Host;
use host::restore::{JOURNALS_FOLDER, restore_left_over};
use std::path::Path;

/// Puts everything back, and says what that was.
///
/// # Errors
/// What could not be put back; the rest has been.
pub fn run(journals: Option<&Path>, quiet: bool) -> Result<(), Failure> {
    let say = |text: &str| {
        if !quiet {
            note(text);
        }
    };
    let journals = journals.unwrap_or(Path::new(JOURNALS_FOLDER));
    if restore_left_over(&Host::here(), journals, &say).map_err(Failure::run)? == 0 {
        say("nothing was left to be put back");
    }
    Ok(())
}
