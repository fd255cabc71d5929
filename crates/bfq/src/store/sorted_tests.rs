// SPDX-License-Identifier: MIT OR Apache-2.0
//! The set against a sorted vector, growing and shrinking between list and tree.

use super::*;
use crate::store::{arena::key, tree::Links};
use alloc::vec::Vec;
use proptest::prelude::*;

key!(
    /// A key for the tests.
    Name
);

/// An entry sorted by `order`.
struct Entry {
    links: Links<Name>,
    order: u32,
}

impl Node<Name> for Entry {
    fn links(&self) -> &Links<Name> {
        &self.links
    }
    fn links_mut(&mut self) -> &mut Links<Name> {
        &mut self.links
    }
}

const LIST: usize = LONGEST_LIST as usize;

#[test]
fn a_long_list_becomes_a_tree_and_a_small_tree_a_list() {
    let mut arena: Arena<Name, Entry> = Arena::new();
    let mut set = Sorted::new();
    let keys: Vec<Name> = (0..=LIST as u32)
        .map(|order| arena.insert(Entry { links: Links::new(), order }).unwrap())
        .collect();
    for (before, &key) in keys.iter().enumerate() {
        set.insert(&mut arena, key, |a, b| a.order < b.order);
        assert_eq!(set.entries.is_planted(), before == LIST, "{before} before it");
    }
    for (removed, &key) in keys.iter().enumerate() {
        set.remove(&mut arena, key);
        let left = LIST - removed;
        assert_eq!(set.entries.is_planted(), left > LIST / 2, "{left} left");
        set.check(&arena, |a, b| a.order > b.order);
    }
    assert_eq!(set.first(), None);
}

proptest! {
    #[test]
    fn behaves_like_a_stably_sorted_vector(
        steps in prop::collection::vec((0u32..40, any::<prop::sample::Index>(), 0u32..10), 1..400)
    ) {
        let mut arena: Arena<Name, Entry> = Arena::new();
        let mut set = Sorted::new();
        let mut model: Vec<(u32, Name)> = Vec::new();
        for (at, (order, pick, action)) in steps.into_iter().enumerate() {
            // It grows for a while, then shrinks for a while.
            let shrinks = at / 60 % 2 == 1;
            if (action < if shrinks { 7 } else { 3 }) && !model.is_empty() {
                let (_, key) = model.remove(pick.index(model.len()));
                set.remove(&mut arena, key);
                arena.remove(key);
            } else {
                let key = arena.insert(Entry { links: Links::new(), order }).unwrap();
                set.insert(&mut arena, key, |a, b| a.order < b.order);
                let at = model.partition_point(|&(other, _)| other <= order);
                model.insert(at, (order, key));
            }
            set.check(&arena, |a, b| a.order > b.order);
            let keys: Vec<Name> = set.iter(&arena).collect();
            prop_assert_eq!(&keys, &model.iter().map(|&(_, key)| key).collect::<Vec<_>>());
            prop_assert_eq!(set.first(), keys.first().copied());
            let low = model.partition_point(|&(other, _)| other <= order);
            let last_low = low.checked_sub(1).map(|at| keys[at]);
            prop_assert_eq!(set.last_low(&arena, |entry| entry.order <= order), last_low);
        }
    }
}
