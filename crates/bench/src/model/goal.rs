// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a machine is for: the goals between which a user weighs.

use serde::{Deserialize, Serialize};

/// What a user wants of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// Programs start, and answer, while others work.
    Desktop,
    /// Many clients get their shares, and none waits long.
    Server,
    /// Commits are quick, and small random reads are many.
    Database,
    /// Sound and films play without a break.
    Media,
    /// As many bytes and operations as possible, for as little processor time as possible.
    Throughput,
}

impl Goal {
    /// All goals, in the order in which they are listed.
    pub const ALL: [Goal; 5] =
        [Goal::Desktop, Goal::Server, Goal::Database, Goal::Media, Goal::Throughput];

    /// Its name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Goal::Desktop => "desktop",
            Goal::Server => "server",
            Goal::Database => "database",
            Goal::Media => "media",
            Goal::Throughput => "throughput",
        }
    }
}
