// SPDX-License-Identifier: MIT OR Apache-2.0
//! The list against a sorted vector, and how much of it is in the index.

use super::*;
use crate::store::{arena::key, list::Hook, tree::Links};
use alloc::vec::Vec;
use core::cell::Cell;
use proptest::prelude::*;

key!(
    /// A key for the tests.
    Name
);

/// An entry sorted by `order`.
struct Entry {
    hook: Hook<Name>,
    links: Links<Name>,
    order: u32,
}

impl Entry {
    fn of(order: u32) -> Entry {
        Entry { hook: Hook::new(), links: Links::new(), order }
    }
}

impl Hooked<Name, ORDER> for Entry {
    fn hook(&self) -> &Hook<Name> {
        &self.hook
    }
    fn hook_mut(&mut self) -> &mut Hook<Name> {
        &mut self.hook
    }
}

impl Node<Name> for Entry {
    fn links(&self) -> &Links<Name> {
        &self.links
    }
    fn links_mut(&mut self) -> &mut Links<Name> {
        &mut self.links
    }
}

fn in_order(a: &Entry, b: &Entry) -> bool {
    a.order < b.order
}

fn check(list: &IndexedList<Name>, arena: &Arena<Name, Entry>) -> Vec<Name> {
    list.check(arena, |a, b| a.order > b.order);
    list.entries.iter(arena).collect()
}

/// Entries come one behind the other. Then they take turns: the first goes to the end, and one in
/// 50 somewhere between.
#[test]
fn a_long_list_has_an_index_of_a_part_and_a_short_one_none() {
    for (len, least, most) in [(16, 0, 0), (1000, 20, 60)] {
        let mut arena: Arena<Name, Entry> = Arena::new();
        let mut list = IndexedList::new();
        for order in 0..len {
            let key = arena.insert(Entry::of(order)).unwrap();
            list.insert(&mut arena, key, in_order);
        }
        for turn in 0..10 * len {
            if turn % len == 0 {
                let indexed = list.index.iter(&arena).count();
                assert!((least..=most).contains(&indexed), "{indexed} of {len} at turn {turn}");
            }
            let first = list.first().unwrap();
            let part = if turn % 50 == 0 { 2 } else { 1 };
            arena[first].order += len / part;
            list.relocate(&mut arena, first, in_order);
        }
        assert_eq!(check(&list, &arena).len(), len as usize);
    }
}

/// All entries go far away in turn, and each time that one would be added to the index it is the
/// same one's turn.
#[test]
fn searches_pass_few_entries_even_if_placing_adds_always_the_same_to_the_index() {
    const LEN: u32 = 2000;
    let mut arena: Arena<Name, Entry> = Arena::new();
    let mut list = IndexedList::new();
    let compared = Cell::new(0);
    let comes_before = |a: &Entry, b: &Entry| {
        compared.set(compared.get() + 1);
        in_order(a, b)
    };
    let keys: Vec<Name> = (1..=LEN).map(|at| arena.insert(Entry::of(100 * at)).unwrap()).collect();
    keys.iter().for_each(|&key| list.insert(&mut arena, key, comes_before));
    let same = keys[0];
    let moves = 10 * LEN;
    for turn in 0..moves {
        if list.since_indexed == APART - 1 {
            let is_first = list.first() == Some(same);
            arena[same].order = if is_first { u32::MAX } else { 0 };
            list.relocate(&mut arena, same, comes_before);
        } else {
            let first = list.entries.iter(&arena).find(|&key| key != same).unwrap();
            arena[first].order += 100 + turn * 7919 % (100 * LEN);
            list.relocate(&mut arena, first, comes_before);
        }
    }
    check(&list, &arena);
    assert!(compared.get() <= 2 * APART * moves, "{} in {moves} moves", compared.get());
}

proptest! {
    #[test]
    fn behaves_like_a_stably_sorted_vector(
        steps in prop::collection::vec((0u32..300, any::<prop::sample::Index>(), 0u32..10), 1..900)
    ) {
        let mut arena: Arena<Name, Entry> = Arena::new();
        let mut list = IndexedList::new();
        let mut model: Vec<(u32, Name)> = Vec::new();
        for (at, (order, pick, action)) in steps.into_iter().enumerate() {
            // It grows for a while, then shrinks for a while.
            let (removes_below, moves_below) = if at / 400 % 2 == 1 { (5, 8) } else { (1, 4) };
            let removes = action < removes_below && !model.is_empty();
            let key = if removes || action < moves_below && !model.is_empty() {
                let from = pick.index(model.len());
                let (before, key) = model.remove(from);
                if removes {
                    list.remove(&mut arena, key);
                    arena.remove(key);
                    check(&list, &arena);
                    continue;
                }
                // Far away, close by, or nowhere.
                let order = [order, before + order % 3, before][action as usize % 3];
                arena[key].order = order;
                list.relocate(&mut arena, key, in_order);
                // Between its neighbours, and equal to none behind it, it stays where it is.
                if model[..from].last().is_none_or(|&(other, _)| other <= order)
                    && model.get(from).is_none_or(|&(other, _)| order < other)
                {
                    model.insert(from, (order, key));
                    check(&list, &arena);
                    continue;
                }
                key
            } else {
                let key = arena.insert(Entry::of(order)).unwrap();
                list.insert(&mut arena, key, in_order);
                key
            };
            let order = arena[key].order;
            let at = model.partition_point(|&(other, _)| other <= order);
            model.insert(at, (order, key));
            let keys = check(&list, &arena);
            prop_assert_eq!(&keys, &model.iter().map(|&(_, key)| key).collect::<Vec<_>>());
            prop_assert_eq!(list.first(), keys.first().copied());
            prop_assert_eq!(list.last(), keys.last().copied());
        }
    }
}
