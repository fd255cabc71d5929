// SPDX-License-Identifier: MIT OR Apache-2.0
//! Budget Fair Queueing: queues get the device one at a time, each for a budget of sectors, in the
//! order of B-WF2Q+ (spec 1, 3, 4, 5).
//!
//! `service` selects, charges, expires and idles; `latency` raises weights; `merge` joins and
//! splits queues. [`Budget`] is what they know of the device, [`BudgetQueue`], [`BudgetGroup`] and
//! [`BudgetProcess`] what they keep of each of these; `hooks` is the way in.
//!
//! The files are layers: each calls those above it in this table, and those before it in its row.
//! What has to follow in a layer further down is returned, and done there. `make check` finds
//! circles of calls.
//!
//! | Layer | Files |
//! |---|---|
//! | What is kept and measured: types that change nothing but themselves | `counters`, `lists`; of `service` `budgets`, `rate`, `peak_rate`, `command_queueing`, `inject_limit`, `waker`; `latency::raise`, `merge::saved`; `queue`, `state` |
//! | Rules and steps, which take the parts that they read or change | `views`; of `latency` `soft_rt`, `arrival`, `raising`; `merge::positions`, `merge::saving`; of `service` `symmetry`, `turn`, `slot`, `idling`, `judging`, `injection`, `waking` |
//! | What happens to one queue: it is told, and what `fair` returns is followed up | `service::follow_up`, `service::busy`, `latency::burst`, `latency::raises`, `merge::release`, `merge::schedule`; of `service` `queues`, `removal`, `feedback`, `expiration`, `idling_ends` |
//! | What happens to several: who is next, who gives way, who shares | of `service` `selection`, `preemption`; of `merge` `execute`, `split`, `stable`, `cooperate` |
//! | What comes from the host | of `service` `limits`, `insertion`, `dispatch`, `completion`, `process_end`, `moving`; `check`, `inspect`, `statistics`; `hooks`; `attach` |

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
