// SPDX-License-Identifier: MIT OR Apache-2.0
//! An ordered set that is a list while it is short and a tree when it is long.
//!
//! A queue holds a few requests most of the time. Finding a place among those, from the end, where
//! a sequential reader adds, costs less than keeping a tree in balance; the tree bounds the cost
//! when there are many. The order is the same either way.

use crate::store::{
    arena::{Arena, Key},
    tree::{LEFT, Node, RIGHT, Tree},
};

/// More entries than this make a tree.
const LONGEST_LIST: u16 = 16;

/// An ordered set of entries of an arena.
#[derive(Debug)]
pub struct Sorted<K> {
    entries: Tree<K>,
    /// Entries of the tree, if it is one.
    tree_len: u32,
    /// How many more fit into the list; none into a tree.
    room: u16,
    /// A tree of half this number becomes a list again: few enough that the change pays.
    longest_list: u16,
}

impl<K: Key> Sorted<K> {
    /// An empty set, a list while it is short and a tree when it is long.
    pub const fn new() -> Self {
        Sorted::with_lists_of(LONGEST_LIST)
    }

    /// An empty set that is always a tree.
    pub const fn always_tree() -> Self {
        Sorted::with_lists_of(0)
    }

    const fn with_lists_of(longest_list: u16) -> Self {
        Sorted { entries: Tree::new(), tree_len: 0, room: longest_list, longest_list }
    }

    /// Whether nothing is in the set.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The topmost node of the tree; none if the set is a list at present.
    #[inline]
    pub const fn root(&self) -> Option<K> {
        self.entries.root()
    }

    /// The entry with the greatest key; none if the set is empty.
    #[inline]
    pub const fn last(&self) -> Option<K> {
        self.entries.last()
    }

    /// The entry with the least key; none if the set is empty.
    #[inline]
    pub const fn first(&self) -> Option<K> {
        self.entries.first()
    }

    /// The entry after `key`.
    #[inline]
    pub fn next<T: Node<K>>(&self, arena: &Arena<K, T>, key: K) -> Option<K> {
        self.entries.next(arena, key)
    }

    /// The entry before `key`.
    #[inline]
    pub fn previous<T: Node<K>>(&self, arena: &Arena<K, T>, key: K) -> Option<K> {
        self.entries.previous(arena, key)
    }

    /// All entries in order.
    pub fn iter<'a, T: Node<K>>(
        &self,
        arena: &'a Arena<K, T>,
    ) -> impl Iterator<Item = K> + use<'a, K, T> {
        self.entries.iter(arena)
    }

    /// Inserts `key`, which is in no set, before the first entry for which `comes_before` says
    /// that `key` does; so it ends up behind its equals.
    #[inline]
    pub fn insert<T: Node<K>>(
        &mut self,
        arena: &mut Arena<K, T>,
        key: K,
        comes_before: impl Fn(&T, &T) -> bool,
    ) {
        let Some(room) = self.room.checked_sub(1) else {
            return self.insert_into_tree(arena, key, comes_before);
        };
        self.room = room;
        let entry = &arena[key];
        let mut previous = self.entries.last();
        while let Some(other) = previous.map(|other| &arena[other])
            && comes_before(entry, other)
        {
            previous = other.links().neighbour(LEFT);
        }
        self.entries.link(arena, key, previous);
    }

    #[inline(never)]
    fn insert_into_tree<T: Node<K>>(
        &mut self,
        arena: &mut Arena<K, T>,
        key: K,
        comes_before: impl Fn(&T, &T) -> bool,
    ) {
        if !self.entries.is_planted() {
            self.tree_len = self.longest_list.into();
            let list = core::mem::replace(&mut self.entries, Tree::new());
            let mut next = list.first();
            while let Some(entry) = next {
                next = arena[entry].links().neighbour(RIGHT);
                self.entries.insert(arena, entry, &comes_before);
            }
        }
        self.tree_len += 1;
        self.entries.insert(arena, key, comes_before);
    }

    /// Takes `key`, which is in this set, out of it.
    #[inline]
    pub fn remove<T: Node<K>>(&mut self, arena: &mut Arena<K, T>, key: K) {
        let neighbours = arena[key].links().neighbours();
        self.remove_between(arena, key, neighbours);
    }

    /// The same, for who has looked the entry up: between its `neighbours`.
    #[inline]
    pub fn remove_between<T: Node<K>>(
        &mut self,
        arena: &mut Arena<K, T>,
        key: K,
        neighbours: [Option<K>; 2],
    ) {
        debug_assert_eq!(arena[key].links().neighbours(), neighbours, "{key:?} is elsewhere");
        if self.entries.is_planted() {
            return self.remove_from_tree(arena, key);
        }
        self.room += 1;
        self.entries.unlink(arena, neighbours);
    }

    #[inline(never)]
    fn remove_from_tree<T: Node<K>>(&mut self, arena: &mut Arena<K, T>, key: K) {
        debug_assert!(self.tree_len > 0, "{key:?} is taken out of a set of none");
        self.entries.remove(arena, key);
        self.tree_len -= 1;
        if self.tree_len <= u32::from(self.longest_list / 2) {
            self.entries.fell();
            self.room = self.longest_list - self.tree_len as u16;
        }
    }

    /// The last entry that `is_low`, given that all before a low one are low, too.
    pub fn last_low<T: Node<K>>(
        &self,
        arena: &Arena<K, T>,
        is_low: impl Fn(&T) -> bool,
    ) -> Option<K> {
        if !self.entries.is_planted() {
            let mut last = self.entries.last();
            while let Some(entry) = last.map(|key| &arena[key])
                && !is_low(entry)
            {
                last = entry.links().neighbour(LEFT);
            }
            return last;
        }
        self.entries.last_low(arena, is_low)
    }

    /// Asserts order and links.
    ///
    /// # Panics
    /// If the set is not well-formed.
    pub fn check<T: Node<K>>(&self, arena: &Arena<K, T>, out_of_order: impl Fn(&T, &T) -> bool) {
        let len = self.iter(arena).count();
        if self.entries.is_planted() {
            assert_eq!((len, self.room), (self.tree_len as usize, 0));
            assert!(len > usize::from(self.longest_list / 2));
            return self.entries.check(arena, out_of_order);
        }
        assert_eq!(len, usize::from(self.longest_list - self.room));
        let mut previous = None;
        for key in self.iter(arena) {
            assert!(self.previous(arena, key) == previous, "{key:?} is not behind {previous:?}");
            let sorted = previous.is_none_or(|before| !out_of_order(&arena[before], &arena[key]));
            assert!(sorted, "{previous:?} > {key:?}");
            previous = Some(key);
        }
        assert!(self.entries.last() == previous);
    }
}

#[cfg(test)]
#[path = "sorted_tests.rs"]
mod tests;
