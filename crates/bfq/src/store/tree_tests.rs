// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tree against a sorted vector, with the augmentation checked after each step.

use super::*;
use crate::store::arena::key;
use alloc::vec::Vec;
use proptest::prelude::*;

key!(
    /// A key for the tests.
    Name
);

/// An entry sorted by `order`; `least` is the smallest `value` of its subtree.
struct Entry {
    links: Links<Name>,
    order: u32,
    value: u32,
    least: u32,
}

impl Node<Name> for Entry {
    fn links(&self) -> &Links<Name> {
        &self.links
    }
    fn links_mut(&mut self) -> &mut Links<Name> {
        &mut self.links
    }
    fn refresh(arena: &mut Arena<Name, Self>, key: Name) -> bool {
        let least = least(arena, key);
        core::mem::replace(&mut arena[key].least, least) != least
    }
    fn is_fresh(arena: &Arena<Name, Self>, key: Name) -> bool {
        arena[key].least == least(arena, key)
    }
}

fn least(arena: &Arena<Name, Entry>, key: Name) -> u32 {
    let children = arena[key].links.child;
    let below = children.into_iter().flatten().map(|child| arena[child].least).min();
    below.map_or(arena[key].value, |below| below.min(arena[key].value))
}

proptest! {
    #[test]
    fn behaves_like_a_stably_sorted_vector(
        steps in prop::collection::vec((0u32..12, 0u32..1000, any::<prop::sample::Index>(), 0..3), 1..300)
    ) {
        let mut arena: Arena<Name, Entry> = Arena::new();
        let mut tree = Tree::new();
        let mut model: Vec<(u32, Name)> = Vec::new();
        for (order, value, pick, action) in steps {
            if action == 0 && !model.is_empty() {
                let (_, key) = model.remove(pick.index(model.len()));
                tree.remove(&mut arena, key);
                arena.remove(key);
            } else {
                let entry = Entry { links: Links::new(), order, value, least: 0 };
                let key = arena.insert(entry).unwrap();
                tree.insert(&mut arena, key, |a, b| a.order < b.order);
                let at = model.partition_point(|&(other, _)| other <= order);
                model.insert(at, (order, key));
            }
            tree.check(&arena, |a, b| a.order > b.order);
            let keys: Vec<Name> = tree.iter(&arena).collect();
            prop_assert_eq!(&keys, &model.iter().map(|&(_, key)| key).collect::<Vec<_>>());
            prop_assert_eq!(tree.last(), keys.last().copied());
            if let Some(root) = tree.root() {
                let least = keys.iter().map(|&key| arena[key].value).min();
                prop_assert_eq!(Some(arena[root].least), least);
            }
            for pair in keys.windows(2) {
                prop_assert_eq!(tree.previous(&arena, pair[1]), Some(pair[0]));
            }
        }
    }
}
