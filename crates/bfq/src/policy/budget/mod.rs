// SPDX-License-Identifier: MIT OR Apache-2.0
//! Budget Fair Queueing: queues get the device one at a time, each for a budget of sectors, in the
//! order of B-WF2Q+ (spec 1, 3, 4, 5).
//!
//! `service` selects, charges, expires and idles; `latency` raises weights; `merge` joins and
//! splits queues. [`Budget`] is what they know of the device, [`BudgetQueue`], [`BudgetGroup`] and
//! [`BudgetProcess`] what they keep of each of these; `hooks` is the way in.

mod attach;
mod check;
mod counters;
mod hooks;
mod inspect;
mod latency;
mod lists;
mod merge;
mod queue;
mod service;
mod state;
mod statistics;
mod views;

pub use inspect::{QueueFindings, QueueSlot, QueueState, QueueWeight};
pub use queue::{BudgetGroup, BudgetProcess, BudgetQueue};
pub use state::Budget;
