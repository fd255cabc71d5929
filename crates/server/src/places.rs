// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many connections there are, and may be: of the whole server, and of each tenant. Some of the
//! server's places are kept for each tenant, so that none can keep another out.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// How many places are taken, and how many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// Those that are taken; more than there are if there were more before.
    pub taken: u32,
    /// All, at least one.
    pub most: u32,
}

impl Held {
    /// How many of the server's places are kept for this tenant, one of `tenants`: half of the
    /// places are kept, as many for each tenant, but none that it could not take.
    fn kept(self, server: Held, tenants: u32) -> u32 {
        self.most.min(server.most / 2 / tenants.max(1))
    }

    /// Whether this tenant may take another place of a server, where `others` are the other
    /// tenants: it has not yet what is kept for it, or there are more than are kept for them.
    pub fn may_grow(self, server: Held, others: impl Iterator<Item = Held> + Clone) -> bool {
        let tenants = u32::try_from(others.clone().count()).unwrap_or(u32::MAX).saturating_add(1);
        let unused = |tenant: Held| tenant.kept(server, tenants).saturating_sub(tenant.taken);
        let kept_for_others = others.map(|other| u64::from(unused(other))).sum::<u64>();
        unused(self) > 0 || u64::from(server.taken) + kept_for_others < u64::from(server.most)
    }
}

/// Places for connections: the most there may be, and how many are taken.
#[derive(Debug)]
pub struct Places {
    most: AtomicU32,
    taken: AtomicU32,
}

impl Places {
    /// That number, and at least one.
    pub fn new(most: u32) -> Arc<Places> {
        Arc::new(Places { most: AtomicU32::new(most.max(1)), taken: AtomicU32::new(0) })
    }

    /// Another number from now on; who has a place keeps it.
    pub fn set_most(&self, most: u32) {
        self.most.store(most.max(1), Ordering::Relaxed);
    }

    /// How many are taken at this moment, and how many there are.
    pub fn held(&self) -> Held {
        Held { taken: self.taken.load(Ordering::Relaxed), most: self.most.load(Ordering::Relaxed) }
    }

    /// A place, if there is one.
    pub fn take(self: &Arc<Places>) -> Option<Place> {
        let most = self.most.load(Ordering::Relaxed);
        let one_more = |taken| (taken < most).then_some(taken + 1);
        let taken = self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more);
        taken.ok().map(|_| Place(Arc::clone(self)))
    }
}

/// A place that is taken, until it is dropped.
#[derive(Debug)]
pub struct Place(Arc<Places>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.taken.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_so_many_places_and_they_come_back() {
        let places = Places::new(2);
        let (first, second) = (places.take().expect("one"), places.take().expect("two"));
        assert!(places.take().is_none());
        drop(first);
        let third = places.take().expect("two again");
        places.set_most(1);
        drop(second);
        assert_eq!(places.held(), Held { taken: 1, most: 1 });
        assert!(places.take().is_none());
        drop(third);
        assert!(places.take().is_some());
    }

    #[test]
    fn a_tenant_takes_none_of_the_places_that_are_kept_for_others() {
        // The server's places; of each tenant those it has taken and those it may have; whether
        // the first one may have another.
        type Tenants = &'static [(u32, u32)];
        let table: [(u32, Tenants, bool); 11] = [
            (8, &[(7, 64)], true),
            (8, &[(8, 64)], false),
            // Two are kept for each of two.
            (8, &[(5, 64), (0, 64)], true),
            (8, &[(6, 64), (0, 64)], false),
            (8, &[(5, 64), (1, 64)], true),
            (8, &[(5, 64), (2, 64)], true),
            (8, &[(6, 64), (2, 64)], false),
            // They are there for whoever has taken less, and no more than it may have.
            (8, &[(1, 64), (6, 64)], true),
            (8, &[(6, 64), (0, 1)], true),
            (8, &[(7, 64), (0, 1)], false),
            // There are too few to keep any.
            (2, &[(1, 64), (0, 64)], true),
        ];
        for (most, tenants, may) in table {
            let taken = tenants.iter().map(|(taken, _)| taken).sum();
            let mut tenants = tenants.iter().map(|&(taken, most)| Held { taken, most });
            let first = tenants.next().expect("one");
            let said = first.may_grow(Held { taken, most }, tenants.clone());
            assert_eq!(said, may, "{first:?} beside {tenants:?} of {most}");
        }
    }
}
