// SPDX-License-Identifier: MIT OR Apache-2.0
//! The weight of an entity, in force and asked for (spec 1.15).

use crate::units::{Class, Weight};

/// The base weight and class that an entity will have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pending {
    base_weight: Weight,
    class: Class,
}

/// By what weight an entity shares. What is asked for waits until it is applied: at the entity's
/// next insertion, or for a weight in its slot.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Share {
    /// Base weight times the coefficient at the time of the last update.
    weight: Weight,
    base_weight: Weight,
    coefficient: u32,
    pending: Option<Pending>,
    is_to_change: bool,
}

impl Share {
    /// A base weight in force, which is not raised.
    pub fn new(weight: Weight) -> Self {
        debug_assert!(weight.is_base(), "{weight} is no base weight");
        Share { weight, base_weight: weight, coefficient: 1, pending: None, is_to_change: false }
    }

    /// The effective weight in force.
    #[inline]
    pub const fn weight(&self) -> Weight {
        self.weight
    }

    /// The base weight in force.
    #[inline]
    pub const fn base_weight(&self) -> Weight {
        self.base_weight
    }

    /// The base weight asked for last, in force or pending.
    pub fn requested_base_weight(&self) -> Weight {
        self.pending.map_or(self.base_weight, |pending| pending.base_weight)
    }

    /// The raise coefficient asked for last.
    #[inline]
    pub const fn coefficient(&self) -> u32 {
        self.coefficient
    }

    /// Whether [`Share::apply`] would change anything.
    #[inline]
    pub const fn is_to_change(&self) -> bool {
        self.is_to_change
    }

    /// Asks for another base weight. `class` is that in force, which stays if no other was asked
    /// for.
    pub fn request_weight(&mut self, base_weight: Weight, class: Class) {
        debug_assert!(base_weight.is_base(), "{base_weight} is no base weight");
        let class = self.pending.map_or(class, |pending| pending.class);
        self.pending = Some(Pending { base_weight, class });
        self.is_to_change = true;
    }

    /// Asks for another class.
    pub fn request_class(&mut self, class: Class) {
        let base_weight = self.requested_base_weight();
        self.pending = Some(Pending { base_weight, class });
        self.is_to_change = true;
    }

    /// Asks for another coefficient on the base weight.
    pub fn set_coefficient(&mut self, coefficient: u32) {
        debug_assert!(coefficient > 0, "a weight is raised to nothing");
        self.coefficient = coefficient;
        self.is_to_change = true;
    }

    /// Puts the weight in force that was asked for, and returns the class to be put in force:
    /// `class`, which is so now, unless another one was asked for and it may be put in force, too.
    pub fn apply(&mut self, class: Class, and_class: bool) -> Class {
        debug_assert!(self.is_to_change, "nothing was asked for");
        let mut class = class;
        if let Some(pending) = self.pending {
            self.base_weight = pending.base_weight;
            if and_class {
                class = pending.class;
            }
            if class == pending.class {
                self.pending = None;
            }
        }
        self.is_to_change = self.pending.is_some();
        self.weight = self.base_weight.raised(self.coefficient);
        class
    }
}
