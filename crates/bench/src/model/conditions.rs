//! Under which conditions a run is made: what has to be the same when it is resumed.

use serde::{Deserialize, Serialize};

/// How thorough a comparison is.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// A few minutes, as long as it takes to tell anything: large differences.
    #[default]
    Quick,
    /// A quarter of an hour.
    Normal,
    /// An hour: small differences, and rare ones.
    Thorough,
}

impl Level {
    /// All, the least thorough first.
    pub const ALL: [Level; 3] = [Level::Quick, Level::Normal, Level::Thorough];
}

/// Which processor time is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counted {
    /// That of the processes, in user space and in the kernel on their behalf.
    #[default]
    Workers,
    /// That of the whole machine, interrupts and threads of the kernel included.
    Machine,
}

/// What holds for every cell of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conditions {
    /// How thorough it is.
    pub level: Level,
    /// Cells are as long as those of this level; none: as those of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pace: Option<Level>,
    /// The part of the target that is used, from its beginning, bytes.
    pub used_bytes: u64,
    /// Whether the target is written to.
    pub writes: bool,
    /// Which processor time is counted.
    pub counted: Counted,
    /// The user's command, if one was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}
