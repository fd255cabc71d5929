// SPDX-License-Identifier: MIT OR Apache-2.0
//! B-WF2Q+ over a hierarchy, and nothing else (spec 1): who comes next, and what being served costs
//! in virtual time. This module knows no disk, no request and no unit of service.
//!
//! ```text
//!            Level (root) ── three class trees (RT, BE, IDLE), each: V, W, active and idle tree
//!            ├── leaf entity           a queue
//!            └── group entity ── Level ── …
//! ```
//!
//! A [`Hierarchy`] owns the levels and the [`Entity`]s scheduled by them. Its operations on a leaf
//! (activate, requeue, deactivate, serve, choose next) update the path up to the root as far as
//! the change reaches. What they change returns as a value (see `changed`) that nothing takes but
//! the follow-up that its [`Owner`] owes it.
//!
//! # On its own
//!
//! It shares anything whose use is measured when it is over, among clients that take turns: a leaf
//! for each client, and a group wherever several have one weight together. Where one client is
//! served at a time, as [`Budget`](crate::Budget) has it, the rules are [`Rules::EXACT`]; where
//! several are, [`Rules::SEVERAL`]. `examples/several_at_once.rs` is a whole program.
//!
//! 1. A client comes: [`Hierarchy::add_leaf`]. It wants a turn: it has got nothing in that one yet
//!    ([`Hierarchy::set_service`]), may use so much ([`Hierarchy::set_budget`]), and waits
//!    ([`Hierarchy::activate`]).
//! 2. Something is free: [`Hierarchy::choose_next`] gives the turn to a client.
//! 3. It has used something: [`Hierarchy::serve`].
//! 4. Its turn is over. If it wants another one, [`Hierarchy::requeue_expired`], then its service
//!    is zero again; else [`Hierarchy::deactivate_expired`]. Where one is served at a time,
//!    [`Hierarchy::clear_service_of_ancestors`].
//! 5. It goes: [`Hierarchy::forget_idle`], [`Hierarchy::remove_leaf`].

mod account;
mod changed;
mod check;
mod class_tree;
mod entities;
mod entity;
mod finishes;
mod hierarchy;
mod ids;
mod level;
mod owner;
mod path;
mod rules;
mod service;
mod several;
mod share;
mod standing;
mod step;
mod symmetry;
mod times;
pub(crate) mod virtual_time;

pub use changed::{Forgotten, Reweighed};
pub use entities::Limits;
pub use entity::Entity;
pub use finishes::Finish;
pub use hierarchy::Hierarchy;
pub use ids::{EntityId, LevelId};
pub use owner::Owner;
pub use rules::{Choice, InService, One, Rules, Several};
pub use service::Service;
pub(crate) use symmetry::WeightCounters;

#[cfg(test)]
mod differential_draw;
#[cfg(test)]
mod differential_random_tests;
#[cfg(test)]
mod differential_tests;
#[cfg(test)]
mod rule_tests;
#[cfg(test)]
mod test_model;
#[cfg(test)]
mod tests;
