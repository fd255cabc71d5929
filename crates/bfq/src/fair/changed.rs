// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an operation of the hierarchy leaves to be followed up by its owner.

/// An operation was done: finish times were computed, weights may have come into force
/// ([`take_reweighed`]), leaves may be scheduled no more ([`take_forgotten`]). The owner who has
/// one of these has yet to look at all that; what is asked for it takes it.
///
/// [`take_reweighed`]: super::Hierarchy::take_reweighed
/// [`take_forgotten`]: super::Hierarchy::take_forgotten
#[derive(Debug)]
#[must_use = "finish times, weights and forgotten leaves are to be followed up"]
pub struct Changed(());

impl Changed {
    pub(super) fn new() -> Changed {
        Changed(())
    }

    /// Two operations that are followed up together.
    pub fn and(self, _: Changed) -> Changed {
        self
    }
}
