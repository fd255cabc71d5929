// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a host calls, whatever the policy: each call keeps the model and asks the policy.
//!
//! `identities` says who exists; `insertion`, `bios` and `completion` follow the way of a request;
//! `queues` and `groups` find a request's queue and keep it as long as something names it;
//! `attaching` is the beginning; `looking` and `observing` are for whoever wants to know, and for
//! the policy. `table` lists all that a host may call.

mod attaching;
mod bios;
mod check;
mod completion;
mod dispatch;
mod groups;
mod identities;
mod insertion;
mod looking;
mod observing;
mod pool;
mod queues;
mod table;

pub use bios::BioMerge;
pub use identities::MOST_PIECES;
pub(crate) use queues::Birth;
pub use table::Calls;
pub(crate) use table::with_calls;
