// SPDX-License-Identifier: MIT OR Apache-2.0
//! Each rule of peers.md §5 as a time line or a table; a file for each area.

mod cooperation;
mod dispatch;
mod groups;
mod idling;
mod learning;
mod life;
mod line;
mod order;
mod preemption;
mod slices;
