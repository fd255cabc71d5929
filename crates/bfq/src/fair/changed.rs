// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an operation of the hierarchy leaves to be followed up by its owner: tokens that nothing
//! but an operation gives and nothing but [`Owner`](super::Owner) takes.

use super::ids::EntityId;
use crate::units::{Class, Weight};

/// A leaf has changed its place: finish times were computed, another weight or class of it may have
/// come into force, and leaves may be scheduled no more. Until that is followed up
/// ([`Owner::follow_up`](super::Owner::follow_up)), the owner's counts are those of before.
#[derive(Debug)]
#[must_use = "finish times, weights and forgotten leaves are to be followed up"]
pub struct Changed(());

impl Changed {
    pub(super) fn new() -> Changed {
        Changed(())
    }

    /// All but the forgotten leaves has been followed up.
    pub(super) fn followed_up(self) -> Forgotten {
        Forgotten::new()
    }
}

/// Leaves may be scheduled no more, and nothing else is left to be followed up: see
/// [`Owner::free_forgotten`](super::Owner::free_forgotten).
#[derive(Debug)]
#[must_use = "forgotten leaves are to be looked at"]
pub struct Forgotten(());

impl Forgotten {
    pub(super) fn new() -> Forgotten {
        Forgotten(())
    }

    /// Two operations whose forgotten leaves are looked at together.
    pub fn and(self, _: Forgotten) -> Forgotten {
        self
    }
}

/// Another weight or class of a leaf came into force: what they were before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reweighed {
    /// The leaf that it is of.
    pub leaf: EntityId,
    /// Its effective weight of before.
    pub weight: Weight,
    /// The class it was in.
    pub class: Class,
}
