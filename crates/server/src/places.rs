// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many connections there are, and may be: of the whole server, and of each tenant.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Places for connections.
#[derive(Debug)]
pub struct Places {
    most: AtomicU32,
    taken: AtomicU32,
}

impl Places {
    /// So many, and at least one.
    pub fn new(most: u32) -> Arc<Places> {
        Arc::new(Places { most: AtomicU32::new(most.max(1)), taken: AtomicU32::new(0) })
    }

    /// Another number from now on; who has a place keeps it.
    pub fn set_most(&self, most: u32) {
        self.most.store(most.max(1), Ordering::Relaxed);
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
        assert_eq!(places.taken.load(Ordering::Relaxed), 1);
        assert!(places.take().is_none());
        drop(third);
        assert!(places.take().is_some());
    }
}
