// SPDX-License-Identifier: MIT OR Apache-2.0
//! How `bfq top` fails.

use crate::failure::Failure;
use crate::streams::unwritable;
use ::top::TopError;

/// What the command says of an error, and its exit code. The reader of a recording may go away as
/// that of stdout may.
pub fn failure(error: TopError) -> Failure {
    match error {
        TopError::Recording { path, source } => unwritable(&path.display().to_string(), source),
        wrong if wrong.is_usage() => Failure::usage(wrong),
        failed => Failure::run(failed),
    }
}
