// SPDX-License-Identifier: MIT OR Apache-2.0
//! Service: who gets the disk, for how long, and at what charge (spec 3).
//!
//! The way of a request leads through `insertion`, `dispatch`, which takes what `selection` found,
//! and `completion`; `expiration` ends slots, `judging` says what they were, and `feedback` learns
//! from them; `idling`, `injection` and `preemption` decide about the moments when the queue in
//! service has nothing to do. What is measured of the device sits in `peak_rate` and
//! `command_queueing`. Which file is built on which, `policy::budget` says.

pub(crate) mod budgets;
pub(crate) mod busy;
pub(crate) mod command_queueing;
mod completion;
mod dispatch;
mod expiration;
mod feedback;
mod follow_up;
mod idling;
mod idling_ends;
pub(crate) mod inject_limit;
mod injection;
mod insertion;
mod judging;
mod limits;
mod moving;
pub(crate) mod peak_rate;
mod preemption;
mod process_end;
mod queues;
pub(crate) mod rate;
mod removal;
mod selection;
mod slot;
mod symmetry;
mod turn;
pub(crate) mod waker;
mod waking;
