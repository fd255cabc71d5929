// SPDX-License-Identifier: MIT OR Apache-2.0
//! The two generations (peers.md §5): A, as in Linux 2.6.32, has one order of all queues; B, as in
//! 2.6.35, divides the disk among groups and kinds of load first.

/// Whose behaviour is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Generation {
    /// Generation A of peers.md §5.
    Linux2_6_32,
    /// Generation B of peers.md §5.
    Linux2_6_35,
}

impl Generation {
    pub const ALL: [Generation; 2] = [Generation::Linux2_6_32, Generation::Linux2_6_35];
    pub const DEFAULT: Generation = Generation::Linux2_6_32;

    /// The names of [`ALL`](Generation::ALL), in `cfq:generation=...`.
    pub const NAMES: &[&str] = &["2.6.32", "2.6.35"];

    /// What it is called.
    pub fn name(self) -> &'static str {
        Generation::NAMES[self as usize]
    }

    /// The scheduler, as one that is of this generation.
    pub fn scheduler(self) -> &'static str {
        match self {
            Generation::Linux2_6_32 => "cfq of generation 2.6.32",
            Generation::Linux2_6_35 => "cfq of generation 2.6.35",
        }
    }

    /// The generation of that name.
    pub fn from_name(name: &str) -> Option<Generation> {
        Generation::ALL.into_iter().find(|generation| generation.name() == name)
    }

    /// The default of the tunable `quantum`, requests.
    pub fn quantum(self) -> i64 {
        match self {
            Generation::Linux2_6_32 => 4,
            Generation::Linux2_6_35 => 8,
        }
    }
}
