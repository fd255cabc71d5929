// SPDX-License-Identifier: MIT OR Apache-2.0
//! Budget Fair Queueing: queues get the device one at a time, each for a budget of sectors, in the
//! order of B-WF2Q+ (spec 1, 3, 4, 5).
//!
//! `service` selects, charges, expires and idles; `latency` raises weights; `merge` joins and
//! splits queues. [`Budget`] is what they know of the device, [`BudgetQueue`], [`BudgetGroup`] and
//! [`BudgetProcess`] what they keep of each of these; `hooks` is the way in.
//!
//! The files are layers, here from the lowest on. A function calls those of its own file and of
//! files named before that; what has to follow elsewhere is returned, and the caller does it.
//! `make check` finds circles of calls. The way back is through the model: a queue that nothing
//! refers to any more is freed there, which asks `hooks` (`Queues::queue_freed`).
//!
//! 1. What is kept and measured: types that change nothing but themselves. `counters`, `lists`; of
//!    `service` `budgets`, `rate`, `peak_rate`, `command_queueing`, `inject_limit`, `waker`;
//!    `latency::raise`, `merge::saved`; `queue`, `state`.
//! 2. Rules and steps, which take the parts that they read or change. `views`; of `latency`
//!    `soft_rt`, `arrival`, `raising`; of `merge` `positions`, `saving`; of `service` `symmetry`,
//!    `turn`, `slot`, `idling`, `judging`, `injection`, `waking`.
//! 3. What happens to one queue: decisions are told, and what `fair` returns is followed up. Of
//!    `service` `follow_up`, `busy`; of `latency` `burst`, `raises`; of `merge` `release`,
//!    `schedule`; of `service` `queues`, `removal`, `feedback`, `expiration`, `idling_ends`.
//! 4. What happens to several: who is next, who gives way, who shares. Of `service` `selection`,
//!    `preemption`; of `merge` `execute`, `split`, `stable`, `cooperate`.
//! 5. What comes from the host. Of `service` `limits`, `insertion`, `dispatch`, `completion`,
//!    `process_end`, `moving`; to look at it `check`, `inspect`, `statistics`; `hooks`, `attach`.

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
