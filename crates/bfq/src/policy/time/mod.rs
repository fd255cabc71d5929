// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time Fair Queueing: shares of the device's time, where several queues are served at once.
//!
//! BFQ shares sectors among queues that it serves one at a time. This policy shares time. A queue
//! is charged for each request what that would take if the queue had the device for itself
//! (`alone`, and `kinds` for what all queues have in common; on disks with moving parts the time
//! that has passed, `rotating`), and queues are served in the order of what they were charged over
//! their weights (`shares`). A queue that is empty and expected back at once (`expected`) keeps its
//! turn; meanwhile others are served as far as the device has room (`in_device`) and they do not
//! run ahead (`out_of_turn`); with `strict=0` they do, but for a small part of the time (`favour`).
//! Programs that start go first for a moment (`loans`); who is not on loan and pauses does not wait
//! for their pauses (`brief_visits`). What the device can do is learnt from its
//! completions (`learnt`, `line`). Disks with moving parts are one queue's for a slot, in which
//! others that read near to the head are served, too (`head`, `streams`), and who asks now and then
//! is a visitor (`visits`). What their cache has still to write is done in the time of the writers
//! (`destaging`). How fast the disk does it, a writer shows that fills the cache (`filling`); while
//! a film is read, writers leave little in it (`small_cache`). The places of the request pool are
//! shared by weight, too (`places`).
//!
//! `docs/tfq.md` says why, and what is not there yet.

mod alone;
mod brief_visits;
mod cache;
mod company;
mod destaging;
mod device_time;
mod dispatch;
mod expected;
mod favour;
mod filling;
#[cfg(test)]
mod group_statistics_tests;
mod head;
mod hooks;
mod in_device;
mod kinds;
mod learnt;
mod line;
mod loan;
mod loans;
#[cfg(test)]
mod loans_tests;
mod out_of_turn;
#[cfg(test)]
mod parts_tests;
mod pattern;
mod places;
mod read_ahead;
mod reasons;
mod rotating;
mod rotation;
mod sector_time;
mod seek;
mod shares;
mod small_cache;
mod state;
mod statistics;
mod streams;
mod time_budget;
mod visit_budget;
mod visits;

pub use state::{TimeFair, TimeGroup, TimeQueue};
