// SPDX-License-Identifier: MIT OR Apache-2.0
//! What help says of `--scheduler`, and how shells complete it; lab reads its value.

use crate::values::{Completed, completed};
use clap::builder::StringValueParser;
use lab::lists::RULE;

/// What `-h` says of the list.
pub const SHORT_HELP: &str = "Schedulers, by commas: bfq:low_latency=0,none";

/// What `--help` says of the list.
pub fn help() -> String {
    format!(
        "{SHORT_HELP}\n\nThey run one after the other; `all` are all there are (bfq list \
         schedulers). Tunables of one (bfq list tunables) follow it after a colon, as in \
         `bfq:low_latency=0,slice_idle=0,none`. {RULE}; so that list names two schedulers, bfq with \
         two tunables, and none. A scheduler may occur more than once."
    )
}

/// The parser of the list.
pub fn list() -> Completed<StringValueParser> {
    completed(StringValueParser::new(), elevators::names().chain(["all"]))
}
