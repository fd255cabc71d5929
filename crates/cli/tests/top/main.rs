// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq top` on a loop device of this machine: its figures, its screen, and what it does without
//! what it needs. Tests are skipped where no loop device can be made or no tracefs is mounted.

mod figures;
mod machine;
mod refusals;
mod screen;
mod terminal;
