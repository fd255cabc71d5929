// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq top` on a loop device of this machine: its figures, its screen, and what it does without
//! what it needs. Where no loop device can be made or no tracefs is mounted the tests say so and
//! pass, unless BFQ_TRACEFS=required.

mod figures;
mod machine;
mod refusals;
mod screen;
mod terminal;
