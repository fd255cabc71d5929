// SPDX-License-Identifier: MIT OR Apache-2.0
//! `--restore`: puts back what runs of `bfq bench` that were killed have changed, or what
//! `bfq doctor --fix` has mended.

use crate::failure::Failure;
use crate::note::note;
use host::Host;
use host::restore::{Purpose, left_over, restore_left_over};
use std::path::Path;

/// Puts everything back that is in the journals of a folder, and says what that was.
///
/// # Errors
/// With exit code 2 if the journals are not there or another user's, with 1 what could not be put
/// back; the rest has been.
pub fn run(purpose: Purpose, journals: Option<&Path>, quiet: bool) -> Result<(), Failure> {
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
    let journals = journals.unwrap_or(Path::new(purpose.journals_folder()));
    let host = Host::here();
    if left_over(&host, journals).map_err(Failure::run)?.is_closed {
        return Err(Failure::usage(format!(
            "{}: permission denied; what root has changed root puts back: sudo {}",
            journals.display(),
            purpose.restoring_command()
        )));
    }
    if restore_left_over(&host, journals, &say).map_err(Failure::run)? == 0 {
        say("nothing was left to be put back");
    }
    Ok(())
}
