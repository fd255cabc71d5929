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
pub use rules::{Choice, InService, Rules};
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
