// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a process told of how it will read.

/// What a process told of how it will read (`fadvise_hint`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Advice {
    /// No advice was given.
    #[default]
    Normal,
    /// At random: nothing is read ahead.
    Random,
    /// From front to back: the windows may be twice as large.
    Sequential,
}
