// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an entity may be given in its slot, and what it was given (spec 1.7, 1.14).

use super::service::Service;

/// The budget of an entity, and the service it has received in its slot. Neither is negative.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Account {
    budget: Service,
    service: Service,
}

impl Account {
    /// That of an entity which was never served.
    pub const NEW: Account = Account { budget: Service::ZERO, service: Service::ZERO };

    /// Budget B: the service after which a slot ends.
    #[inline]
    pub const fn budget(&self) -> Service {
        self.budget
    }

    /// Service σ received in the current slot.
    #[inline]
    pub const fn service(&self) -> Service {
        self.service
    }

    /// Sets the budget; returns the one of before.
    #[inline]
    pub fn set_budget(&mut self, budget: Service) -> Service {
        debug_assert!(budget >= Service::ZERO, "a budget of {budget}");
        core::mem::replace(&mut self.budget, budget)
    }

    /// Sets the service received.
    #[inline]
    pub fn set_service(&mut self, service: Service) {
        debug_assert!(service >= Service::ZERO, "a service of {service}");
        self.service = service;
    }

    /// It is given `service`.
    #[inline]
    pub fn charge(&mut self, service: Service) {
        debug_assert!(service >= Service::ZERO, "a charge of {service}");
        self.service += service;
    }
}
